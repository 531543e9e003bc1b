"""Marks, reset, undo, the list of changes, the filter for changed settings, and search."""

import unittest

from selenium.webdriver.common.keys import Keys

import bundles
from harness import PageTest

CHANGED = {"fontSize": 14, "theme": "dark", "cacheSize": 250}


class ResetTest(PageTest):
    def prepare(self):
        self.home.fill(self.target, CHANGED)

    def test_marks(self):
        """A setting that differs from its default is marked, and so are its group and its pane
        (B-16)."""
        changed = self.script(
            "return [...document.querySelectorAll('main .changed')].map(each => each.dataset.key)"
        )
        self.assertEqual(changed, ["fontSize", "theme"])
        self.assertEqual(self.text("main fieldset .count"), "1 changed")
        self.assertEqual(self.text('#side a[href="#/Root"] .count'), "2 changed")
        self.assertEqual(self.text('#side a[href="#/Advanced"] .count'), "1 changed")

    def test_reset_one(self):
        """One click resets a setting, and says before what it will become (B-16)."""
        button = self.button("Reset to 12")
        self.assertIn("Size", button.get_property("textContent"))
        button.click()
        self.stores_nothing("fontSize")
        self.shows("fontSize", "[type=number]", "12")
        self.wait("!document.querySelector('[data-key=fontSize]').matches('.changed')")
        self.wait("document.activeElement.closest('[data-key=fontSize]')")
        self.button("Reset to System").send_keys(Keys.ENTER)
        self.stores_nothing("theme")

    def test_reset_pane(self):
        """A pane is reset after a dialog has listed what will change (B-16)."""
        self.button("Reset pane").click()
        listed = self.one("dialog .listed").text
        self.assertIn("14 → 12", listed)
        self.assertIn("Dark → System", listed)
        self.assertNotIn("250", listed)
        self.button("Cancel", "dialog").click()
        self.assertEqual(self.home.stored(self.target, "fontSize"), ("integer", "14"))
        self.button("Reset pane").click()
        self.button("Reset 2 settings", "dialog").click()
        self.stores_nothing("fontSize")
        self.stores_nothing("theme")
        self.stores("cacheSize", "integer", "250")

    def test_reset_all_and_undo_by_keyboard(self):
        """All settings are reset, and one undo brings them back, by keyboard alone (B-14, B-16)."""
        self.tab_to("#reset-all")
        self.press(Keys.ENTER)
        self.tab_to("dialog .primary")
        self.press(Keys.SPACE)
        self.eventually(lambda: self.home.values(self.target), {})
        self.tab_to("#toast button")
        self.press(Keys.ENTER)
        self.eventually(lambda: self.home.values(self.target), CHANGED)

    def test_changed_filter(self):
        """The filter shows changed settings of all panes; one that is reset stays until it changes
        (B-16)."""
        self.one("#only").click()
        self.says("h1", "Changed settings")
        keys = (
            "return [...document.querySelectorAll('main [data-key]')].map(each => each.dataset.key)"
        )
        self.assertEqual(self.script(keys), ["fontSize", "theme", "cacheSize"])
        self.button("Reset to 12").click()
        self.stores_nothing("fontSize")
        self.assertEqual(self.script(keys), ["fontSize", "theme", "cacheSize"])
        self.home.defaults("write", self.target, "ligatures", "-bool", "false")
        self.wait("document.querySelector('main [data-key=ligatures]')")
        self.one("#only").click()
        self.says("h1", "Editor")
        self.one("#only").click()
        self.says("h1", "Changed settings")
        self.assertEqual(self.script(keys), ["ligatures", "theme", "cacheSize"])


class UndoTest(PageTest):
    expected_errors = ("status of 409",)

    def test_undo_in_the_message(self):
        """A change is undone from the message about it (B-16)."""
        self.row("ligatures", "input").click()
        self.says("#toast", "Ligatures: On (default) → Off")
        self.button("Undo", "#toast").click()
        self.stores_nothing("ligatures")
        self.wait("document.querySelector('[data-key=ligatures] input').checked")

    def test_recent_changes(self):
        """The last changes are listed with time, values and writer, also those from elsewhere
        (B-16)."""
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "0")
        self.home.defaults("write", self.target, "theme", "dark")
        self.wait(
            "document.querySelector('[data-key=theme] select').selectedOptions[0].text === 'Dark'"
        )
        self.one("#side a[href='#recent']").click()
        self.says("h1", "Recent changes")
        lines = [each.text for each in self.all(".changes > li")]
        self.assertIn("System (default) → Dark", lines[0])
        self.assertIn("elsewhere", lines[0])
        self.assertIn("this page", lines[1])
        self.assertEqual(len(self.all(".changes time[datetime]")), 2)

    def test_undo_in_the_list(self):
        """Every change in the list can be undone once, those from elsewhere too (B-16)."""
        self.home.defaults("write", self.target, "theme", "dark")
        self.script("location.hash = '#recent'")
        self.button("Undo", ".changes").click()
        self.stores_nothing("theme")
        self.says(".changes .undone", "Undone")

    def test_undo_after_a_later_change(self):
        """A change that was followed by another one is not undone, and the page says why (B-16)."""
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "0")
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "1")
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "0")
        self.script("location.hash = '#recent'")
        self.wait("document.querySelectorAll('.changes > li').length === 3")
        self.one(".changes > li:nth-child(2) button").click()
        self.wait("document.querySelector('#toast [role=alert]')")
        self.stores("ligatures", "boolean", "0")


class SearchTest(PageTest):
    def prepare(self):
        self.home.fill(self.target, {"authorName": "Katherine", "password": "hunter2"})

    def keys(self):
        return self.script(
            "return [...document.querySelectorAll('main [data-key]')].map(each => each.dataset.key)"
        )

    def finds(self, text, *keys):
        self.search(text)
        self.eventually(self.keys, list(keys))

    def test_search_everywhere(self):
        """Search finds titles, texts, keys and values in all panes, grouped by pane, with their
        number (B-16)."""
        self.finds("line hei", "lineHeight")
        self.finds("usageReports", "usageReports")
        self.finds("administrator", "proxy", "usageReports", "cacheSize")
        self.finds("8 columns", "tabWidth")
        self.finds("katherine", "authorName")
        self.finds("PROXY", "proxy")
        self.says("#live", "1 setting found for “PROXY”")
        self.assertEqual(self.text("main section h2"), "EditorAdvanced")

    def test_search_finds_no_secret(self):
        """A password can't be found by its value (B-16)."""
        self.finds("hunter2")
        self.says("main .empty", "No setting is found for “hunter2”.")

    def test_found_setting_can_be_operated(self):
        """A setting is changed where it was found (B-16)."""
        self.finds("spelling", "spelling")
        self.row("spelling", "input").click()
        self.stores("spelling", "boolean", "1")

    def test_escape_clears_the_search(self):
        """Escape clears the search and returns to the pane, by keyboard alone (B-14)."""
        self.go("Advanced")
        self.tab_to("#query")
        self.press("font")
        self.says("h1", "found for “font”")
        self.press(Keys.ESCAPE)
        self.says("h1", "Advanced")
        self.assertEqual(self.one("#query").get_property("value"), "")

    def test_back_from_a_search(self):
        """The browser's back button leaves a search, too (B-6)."""
        self.finds("usageReports", "usageReports")
        self.one("section h2 a:last-child").click()
        self.says("h1", "Advanced")
        self.browser.back()
        self.says("h1", "found for")
        self.browser.back()
        self.says("h1", "Editor")


if __name__ == "__main__":
    unittest.main()
