"""Every kind of control, by mouse and by keyboard, against what the `defaults` command reads."""

import unittest

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.select import Select

import bundles
from harness import PageTest

SLIDER = "input[type=range]"
NUMBER = "input[type=number]"


class ControlTest(PageTest):
    expected_errors = ("status of 422",)

    def test_switch_by_mouse(self):
        """A switch stores a Boolean (B-6, B-8)."""
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "0")
        self.row("ligatures", "input").click()
        self.stores("ligatures", "boolean", "1")

    def test_summary(self):
        """What a setting is for stands under its title, and is tied to its control (B-11)."""
        self.says('[data-key="ligatures"] .hint', "Joins letters such as f and i.")
        self.assertEqual(
            self.row("ligatures", ".hint").get_attribute("id"),
            self.row("ligatures", "input").get_attribute("aria-describedby"),
        )

    def test_switch_by_keyboard(self):
        """A switch is operated with Space (B-14)."""
        self.tab_to('[data-key="ligatures"] input')
        self.press(Keys.SPACE)
        self.stores("ligatures", "boolean", "0")

    def test_switch_with_values_of_its_own(self):
        """A switch whose bundle names a TrueValue stores it, with its type (B-2)."""
        self.row("antialiasing", "input").click()
        self.stores("antialiasing", "string", "on")

    def test_slider_by_mouse(self):
        """A slider stores the position where it is let go (B-8)."""
        slider = self.row("fontSize", SLIDER)
        ActionChains(self.browser).click_and_hold(slider).move_by_offset(30, 0).move_by_offset(
            20, 0
        ).release().perform()
        shown = self.row("fontSize", NUMBER).get_property("value")
        self.assertGreater(int(shown), 40)
        self.stores("fontSize", "integer", shown)

    def test_slider_by_keyboard(self):
        """A slider is moved with the arrow keys (B-14)."""
        self.tab_to(f'[data-key="fontSize"] {SLIDER}')
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.stores("fontSize", "integer", "15")

    def test_slider_number(self):
        """An exact number can be typed beside a slider, and is stored to its last digit (B-6)."""
        field = self.row("lineHeight", NUMBER)
        self.replace(field, "1.2345678901234567", Keys.ENTER)
        self.eventually(lambda: self.home.values(self.target).get("lineHeight"), 1.2345678901234567)

    def test_one_drag_is_one_change(self):
        """One undo takes back a whole movement of a slider, however many positions were sent
        (B-16)."""
        self.go("Advanced")
        slider = self.row("cacheSize", SLIDER)
        chain = ActionChains(self.browser).click_and_hold(slider)
        for _ in range(5):
            chain = chain.move_by_offset(8, 0).pause(0.15)
        chain.release().perform()
        self.eventually(
            lambda: (self.home.stored(self.target, "cacheSize") or ("", ""))[1],
            self.row("cacheSize", NUMBER).get_property("value"),
        )
        self.button("Undo", "#toast").click()
        self.stores_nothing("cacheSize")
        self.shows("cacheSize", NUMBER, "100")

    def test_number_out_of_range(self):
        """A refused number is explained beside the control, which shows the stored one again (B-6).
        """
        field = self.row("fontSize", NUMBER)
        self.replace(field, "5000", Keys.ENTER)
        alert = self.row("fontSize", "[role=alert]")
        self.assertIn("5000", alert.text)
        self.assertEqual(field.get_property("value"), "12")
        self.assertIn(alert.get_attribute("id"), field.get_attribute("aria-describedby"))
        self.stores_nothing("fontSize")
        self.button("Edit again", '[data-key="fontSize"]').click()
        self.assertEqual(field.get_property("value"), "5000")
        self.replace(field, "50", Keys.ENTER)
        self.stores("fontSize", "integer", "50")
        self.assertEqual(self.all('[data-key="fontSize"] [role=alert]'), [])

    def test_text_by_mouse(self):
        """A text is stored when its field is left, not with every key (B-6)."""
        field = self.row("authorName", "input")
        field.send_keys("Ada Lovelace")
        self.stores_nothing("authorName")
        self.row("version", ".title").click()
        self.stores("authorName", "string", "Ada Lovelace")

    def test_text_by_keyboard(self):
        """Enter stores a text, and Escape takes back what was typed (B-14)."""
        self.tab_to('[data-key="authorName"] input')
        self.press("Grace", Keys.ENTER)
        self.stores("authorName", "string", "Grace")
        self.says("#toast", "Grace")  # and the page knows it
        self.press(" Hopper", Keys.ESCAPE, Keys.TAB)
        self.assertEqual(self.row("authorName", "input").get_property("value"), "Grace")
        self.stores("authorName", "string", "Grace")

    def test_number_in_a_text_field(self):
        """A text field whose default is an integer stores an integer (B-2)."""
        field = self.row("port", "input")
        self.replace(field, "9090", Keys.ENTER)
        self.stores("port", "integer", "9090")

    def test_text_that_was_not_changed(self):
        """Passing through a field stores nothing (B-15)."""
        self.tab_to('[data-key="authorName"] input')
        self.press(Keys.TAB, Keys.TAB, Keys.TAB)
        self.stores_nothing("authorName")

    def test_secure_text(self):
        """A password is stored, hidden until it is shown, and never listed (B-6)."""
        field = self.row("password", "input")
        self.assertEqual(field.get_property("type"), "password")
        field.send_keys("open sesame", Keys.ENTER)
        self.stores("password", "string", "open sesame")
        self.says("#toast", "Password")
        self.button("Show", '[data-key="password"]').click()
        self.assertEqual(field.get_property("type"), "text")
        self.script("location.hash = '#recent'")
        self.says("h1", "Recent")
        self.assertNotIn("sesame", self.script("return document.body.innerText"))

    def test_menu_by_mouse(self):
        """A menu stores the value of the choice, not its title (B-2)."""
        Select(self.row("theme", "select")).select_by_visible_text("Dark")
        self.stores("theme", "string", "dark")

    def test_menu_by_keyboard(self):
        """A menu is operated with the arrow keys (B-14)."""
        self.tab_to('[data-key="theme"] select')
        self.press(Keys.ARROW_DOWN)
        self.stores("theme", "string", "light")

    def test_radio_by_mouse(self):
        """A radio button stores the value of its choice (B-8)."""
        self.one('[data-key="tabWidth"] label:nth-of-type(3)').click()
        self.stores("tabWidth", "integer", "8")

    def test_radio_by_keyboard(self):
        """Radio buttons are one stop of Tab, and are chosen with the arrow keys (B-14)."""
        self.tab_to('[data-key="tabWidth"] input')
        self.press(Keys.ARROW_UP)
        self.stores("tabWidth", "integer", "2")

    def test_title(self):
        """A read-only setting shows the title of its value (B-2)."""
        self.assertEqual(self.row("version", ".value").text, "Second edition")
        self.assertEqual(self.all('[data-key="version"] .control :is(input, select, button)'), [])

    def test_panes(self):
        """A child pane is opened by its row, has a way back, and the browser's back button works
        (B-6)."""
        self.one('a.row[href="#/Advanced"]').click()
        self.says("h1", "Advanced")
        self.one('a.row[href="#/Spelling"]').send_keys(Keys.ENTER)
        self.says("h1", "Spelling")
        self.assertEqual(self.text("#side [aria-current=page]").strip(), "Spelling")
        self.browser.back()
        self.says("h1", "Advanced")
        self.one(".path a").click()
        self.says("h1", "Editor")

    def test_link_to_a_setting(self):
        """A link leads to one setting, which gets the focus (B-16)."""
        self.row("fontSize", ".icon").click()
        self.assertTrue(
            self.row("fontSize", ".details a").get_attribute("href").endswith("#/Root/fontSize")
        )
        self.go("Advanced", "cacheSize")
        self.wait("document.activeElement.closest('[data-key=\"cacheSize\"]')")

    def test_markup_is_text(self):
        """Titles, keys and values that look like markup are text (B-7)."""
        self.go("Markup")
        self.says("legend", "<script>alert(1)</script>")
        self.assertEqual(self.one("main input").get_property("value"), "<script>alert(3)</script>")
        self.one("main .row .icon").click()
        self.says("main dd", "<b>key</b>")
        self.assertEqual(self.all("main :is(script, img, b)"), [])


class KeyboardTest(PageTest):
    def test_password_and_details(self):
        """A password is shown, and the details of a setting are opened and closed, by keyboard
        alone (B-14)."""
        self.tab_to('[data-key="password"] input')
        self.press("hunter2", Keys.TAB, Keys.SPACE)
        self.assertEqual(self.row("password", "input").get_property("type"), "text")
        self.press(Keys.SPACE, Keys.TAB)
        self.assertEqual(self.row("password", "input").get_property("type"), "password")
        self.tab_to('[data-key="password"] .icon')
        self.press(Keys.ENTER)
        self.says('[data-key="password"] .details', "password")
        self.assertNotIn("hunter2", self.text("main"))
        self.press(Keys.ENTER)
        self.assertEqual(self.all(".details"), [])

    def test_panes_on_a_narrow_page(self):
        """On a narrow page the panes are behind a button, and are reached by keyboard alone (B-14).
        """
        self.browser.size(320)
        self.addCleanup(self.browser.size, 1280)
        self.assertFalse(self.browser.find_element("id", "side").is_displayed())
        self.tab_to("#menu")
        self.press(Keys.ENTER)
        self.tab_to('#side a[href="#/Advanced"]')
        self.press(Keys.ENTER)
        self.says("h1", "Advanced")
        self.assertFalse(self.browser.find_element("id", "side").is_displayed())

    def test_everything_is_reached_with_tab(self):
        """Tab reaches every control of a pane, shows where it is, and leaves it again (B-14)."""
        expected = self.script(
            """
            return [...document.querySelectorAll('main :is(a, button, input, select)')]
                .filter(each => each.checkVisibility() && (each.type !== 'radio' || each.checked)).length"""
        )
        reached = set()
        for _ in range(expected + 30):
            self.press(Keys.TAB)
            place = self.script(
                """
                const active = document.activeElement;
                if (!active.closest('main') || active.matches('main, h1')) return null;
                return [[...document.querySelectorAll('main *')].indexOf(active), getComputedStyle(active).outlineStyle]"""
            )
            if place:
                self.assertNotEqual(place[1], "none", "the focus can't be seen")
                reached.add(place[0])
        self.assertEqual(len(reached), expected)

    def test_skip_link(self):
        """The first stop of Tab leads past the navigation to the settings (B-14)."""
        self.press(Keys.TAB, Keys.ENTER)
        self.assertEqual(self.script("return document.activeElement.localName"), "h1")


if __name__ == "__main__":
    unittest.main()
