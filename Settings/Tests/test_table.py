"""The typed table of a domain without a bundle."""

import datetime
import plistlib
import struct
import unittest

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import bundles
from harness import PageTest

DATE = datetime.datetime(2026, 1, 31, 18, 30)

# What is typed for each type, and the value that is stored.
TYPED = {
    "boolean": (None, True),
    "integer": ("9223372036854775807", 9223372036854775807),
    "real": ("0.1", 0.1),
    "string": ("two words", "two words"),
    "date": ("2026-01-31T18:30:00Z", DATE),
    "data": ("SGVsbG8=", b"Hello"),
    "array": (None, ["first"]),
    "dictionary": (None, {"name": "first"}),
}


class TableTest(PageTest):
    target = bundles.TABLE

    def prepare(self):
        self.home.fill(self.target, bundles.VALUES)

    def value(self, key):
        return self.home.values(self.target).get(key)

    def becomes(self, key, value):
        self.eventually(lambda: (type(self.value(key)), self.value(key)), (type(value), value))

    def choose(self, kind, within="dialog .typed"):
        Select(self.one(f"{within} select")).select_by_value(kind)

    def test_every_type_is_shown(self):
        """The table shows each key with its type and its exact value (B-6)."""
        rows = {each.get_attribute("data-key"): each.text for each in self.all("tbody tr")}
        self.assertEqual(sorted(rows), sorted(bundles.VALUES))
        self.assertIn(
            "Integer\n-9223372036854775808", rows["anInteger"].replace(" Integer ", " Integer\n")
        )
        self.assertIn("9007199254740993", rows["bigInteger"])
        for key, kind in (
            ("aBoolean", "Boolean"),
            ("aDate", "Date"),
            ("aDictionary", "Dictionary"),
            ("aReal", "Real"),
            ("aString", "String"),
            ("anArray", "Array"),
            ("someData", "Data"),
        ):
            self.assertIn(kind, rows[key])

    def test_add_each_type(self):
        """A value of each type is added (B-6)."""
        for kind, (text, value) in TYPED.items():
            with self.subTest(kind):
                self.button("Add a setting").click()
                self.one("dialog .content > label input").send_keys(f"new-{kind}")
                self.choose(kind)
                self.enter(kind, text)
                self.one("dialog .primary").click()
                self.becomes(f"new-{kind}", value)
                self.wait(
                    "document.activeElement.closest(`[data-key='new-${arguments[0]}']`)", kind
                )

    def enter(self, kind, text):
        if kind == "boolean":
            self.one("dialog .editor input").click()
        elif kind in ("array", "dictionary"):
            self.button("Add an item", "dialog").click()
            if kind == "dictionary":
                self.press("name", Keys.TAB, Keys.TAB)
            self.press("first")
        else:
            field = self.one("dialog .editor :is(input, textarea)")
            self.replace(field, text)

    def test_edit_each_type(self):
        """A value is changed to each other type (B-6)."""
        for kind, (text, value) in TYPED.items():
            with self.subTest(kind):
                self.row("aString", "button").click()
                if kind != "string":
                    self.choose("dictionary" if kind == "array" else "array")
                self.choose(kind)
                if kind != "boolean" or not self.one("dialog .editor input").is_selected():
                    self.enter(kind, text)
                self.one("dialog .primary").click()
                self.becomes("aString", value)
                # The page waits for the answer, which comes after the value was stored.
                self.wait("!document.querySelector('dialog').open")

    def test_edit_nested(self):
        """A value deep in a dictionary is changed, and everything else stays exactly as it was
        (B-6)."""
        self.row("aDictionary", "button").click()
        self.one("dialog ul ul input[role=switch]").click()
        self.one("dialog .primary").click()
        self.becomes("aDictionary", {**bundles.VALUES["aDictionary"], "nested": {"isOn": True}})

    def test_integer_keeps_its_bits(self):
        """An integer beyond 2⁵³ is edited without losing a bit (B-6)."""
        self.row("bigInteger", "button").click()
        field = self.one("dialog .editor input")
        self.assertEqual(field.get_property("value"), "9007199254740993")
        field.send_keys(Keys.END, Keys.BACKSPACE, "5")
        self.one("dialog .primary").click()
        self.becomes("bigInteger", 9007199254740995)

    def test_wrong_input(self):
        """What is no value of the type is explained in the dialog and not stored (B-6)."""
        for kind, text in (
            ("integer", "12.5"),
            ("real", "one"),
            ("date", "tomorrow"),
            ("data", "%%%"),
        ):
            with self.subTest(kind):
                self.row("aString", "button").click()
                self.choose("array")
                self.choose(kind)
                self.enter(kind, text)
                self.one("dialog .primary").click()
                self.wait("document.querySelector('dialog .error').textContent")
                self.wait("document.activeElement.ariaInvalid === 'true'")
                self.press(Keys.ESCAPE)
                self.wait("!document.querySelector('dialog').open")
        self.assertEqual(self.value("aString"), bundles.VALUES["aString"])

    def test_delete_and_undo(self):
        """A key is deleted and comes back by undo (B-6)."""
        self.button("Delete", '[data-key="someData"]').click()
        self.becomes("someData", None)
        self.wait("!document.querySelector('[data-key=someData]')")
        self.button("Undo", "#toast").click()
        self.becomes("someData", b"Hello, settings")
        self.row("someData")

    def test_by_keyboard(self):
        """A key is added, edited and deleted by keyboard alone (B-14)."""
        self.tab_to("#add")
        self.press(Keys.ENTER)
        self.press("akey", Keys.TAB, Keys.TAB, "some text")
        self.tab_to("dialog .primary")
        self.press(Keys.ENTER)
        self.becomes("akey", "some text")
        self.wait("document.activeElement.closest('[data-key=akey]')")
        self.press(Keys.ENTER, " more")
        self.tab_to("dialog .primary")
        self.press(Keys.ENTER)
        self.becomes("akey", "some text more")
        self.wait("document.activeElement.closest('[data-key=akey]')")
        self.press(Keys.TAB, Keys.ENTER)
        self.becomes("akey", None)
        self.wait("document.activeElement.closest('tr')")

    def test_follows_the_command(self):
        """Keys that are written and deleted elsewhere come and go (B-6)."""
        self.home.defaults("write", self.target, "comes", "-int", "3")
        self.wait("document.querySelector('[data-key=comes]')")
        self.home.defaults("delete", self.target, "comes")
        self.wait("!document.querySelector('[data-key=comes]')")

    def test_key_taken(self):
        """A key that exists is not overwritten by adding it (B-6)."""
        self.button("Add a setting").click()
        self.press("aReal")
        self.one("dialog .primary").click()
        self.says("dialog .error", "already")
        self.assertEqual(self.value("aReal"), 0.1)

    def test_delete_all(self):
        """All keys are deleted after a dialog has listed them, and one undo brings them back (B-6).
        """
        self.button("Delete all").click()
        self.assertEqual(len(self.all("dialog .listed li")), len(bundles.VALUES))
        self.one("dialog .primary").click()
        self.eventually(lambda: self.home.values(self.target), {})
        self.says("main .empty", "Nothing is set")
        self.button("Undo", "#toast").click()
        self.eventually(lambda: self.home.values(self.target), bundles.VALUES)
        self.wait(
            "document.querySelectorAll('tbody tr').length === arguments[0]", len(bundles.VALUES)
        )


class FarDateTest(PageTest):
    """A date that is out of range, as only a binary property list can have it."""

    target = bundles.TABLE

    def prepare(self):
        near = datetime.datetime(2001, 1, 1, 0, 0, 7)
        data = plistlib.dumps({"key": [near, "first"]}, fmt=plistlib.FMT_BINARY)
        path = self.home.path / "far.plist"
        path.write_bytes(data.replace(struct.pack(">d", 7), struct.pack(">d", 1.7e15)))
        self.home.defaults("import", self.target, str(path))

    def test_far_date(self):
        """It is shown, and stays as it is when what is beside it is edited (B-6)."""
        far = "2001-01-01T00:00:00Z+1700000000000000s"
        self.assertIn(far, self.row("key").text)
        self.row("key", "button").click()
        self.replace(self.one("dialog textarea"), "second")
        self.one("dialog .primary").click()
        self.wait("document.querySelector('[data-key=key]').textContent.includes('second')")
        self.assertIn(far, self.row("key").text)
        path = self.home.path / "exported.plist"
        self.home.defaults("export", self.target, str(path))
        self.assertIn(struct.pack(">d", 1.7e15), path.read_bytes())


if __name__ == "__main__":
    unittest.main()
