"""Starts the settings server and a browser for the tests, each server with a home of its own.

Run them with Debian's python3-selenium, chromium and chromium-driver: /usr/bin/python3 -m unittest discover -s Settings/Tests

SETTINGS_SERVER and DEFAULTS_COMMAND are the paths of `defaults-settings` and `defaults`. AXE_SCRIPT
is the path of
axe.min.js; without it, the one of an installed `axe_core_python` is taken.
"""

import importlib.util
import json
import os
import plistlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

import bundles

# For what comes in the end, also on a busy machine.
PATIENCE = 600

# A shell that starts the tests in the background has them, and the servers, ignore this signal.
signal.signal(signal.SIGINT, signal.default_int_handler)


def program(variable):
    """A program under test: never guessed, so that no other one is tested by mistake."""
    path = os.environ.get(variable, "")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"{variable} must be the path of a program, and is {path!r}")
    return path


def axe_script():
    path = os.environ.get("AXE_SCRIPT")
    if not path:
        package = importlib.util.find_spec("axe_core_python")
        if package is None:
            raise RuntimeError(
                "AXE_SCRIPT must be the path of axe.min.js (or: pip install axe-core-python)"
            )
        path = Path(package.origin).parent / "axe.min.js"
    return Path(path).read_text(encoding="utf-8")


class Home:
    """A home directory with the bundles, an empty set of domains and no policy."""

    def __init__(self, language="en", path=None):
        if path:
            Path(path).mkdir()
        self.path = Path(path or tempfile.mkdtemp(prefix="settings-test-"))
        self.system = self.path / "system"
        (self.system / "managed").mkdir(parents=True, mode=0o755)
        bundles.install(self.path / "share")
        locale = "C.UTF-8" if language == "en" else f"{language}_DE.UTF-8"
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("XDG_", "LC_", "LANG", "STRATA_"))
        }
        self.environment = {
            **kept,
            "HOME": str(self.path),
            "XDG_DATA_HOME": str(self.path / "share"),
            "LANG": locale,
            "LANGUAGE": language,
            "STRATA_SYSTEM_DIRECTORY": str(self.system),
        }

    def force(self, domain, values):
        """Has an administrator fix values of a domain."""
        path = self.system / "managed" / f"{domain}.plist"
        path.write_bytes(plistlib.dumps(values))
        path.chmod(0o644)
        return path

    def defaults(self, *arguments, check=True):
        """Runs the `defaults` command and returns what it prints."""
        done = subprocess.run(
            [program("DEFAULTS_COMMAND"), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if check and done.returncode != 0:
            raise AssertionError(
                f"defaults {' '.join(arguments)} ended with {done.returncode}: {done.stderr}"
            )
        return done.stdout.strip() if done.returncode == 0 else None

    def fill(self, domain, values):
        """Imports values into a domain."""
        path = self.path / "import.plist"
        path.write_bytes(plistlib.dumps(values))
        self.defaults("import", domain, str(path))

    def stored(self, domain, key):
        """The type and text of a stored value as the command prints them, or None."""
        kind = self.defaults("read-type", domain, key, check=False)
        # It may be reset between the two.
        text = self.defaults("read", domain, key, check=False)
        return None if kind is None or text is None else (kind.removeprefix("Type is "), text)

    def values(self, domain):
        """All values of a domain, with their types."""
        done = subprocess.run(
            [program("DEFAULTS_COMMAND"), "export", domain, "-"],
            env=self.environment,
            capture_output=True,
            timeout=600,
            check=False,
        )
        if done.returncode != 0:
            if b"does not exist" in done.stderr:
                return {}
            raise AssertionError(
                f"defaults export {domain} ended with {done.returncode}: {done.stderr.decode()}"
            )
        return plistlib.loads(done.stdout)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Server:
    """`defaults-settings open TARGET`, until it is stopped."""

    def __init__(self, home, target, port=0):
        command = [program("SETTINGS_SERVER"), "open", target, "--port", str(port)]
        self.process = subprocess.Popen(
            command, env=home.environment, stdout=subprocess.PIPE, text=True
        )
        self.address = None
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+/open\?token=\S+", line)
            if found:
                self.address = found.group()
                break
        if self.address is None:
            raise AssertionError(
                f"The server printed no address and ended with {self.process.wait()}"
            )
        self.origin = self.address.split("/open")[0]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Browser(webdriver.Chrome):
    """Chromium without a window, with a log of its console and of its requests."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--window-size=1280,900",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--force-device-scale-factor=1",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(options=options, service=Service(shutil.which("chromedriver")))

    def media(self, **features):
        """Emulates media features, such as `prefers_color_scheme="dark"`."""
        named = [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
        ]
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": named})

    def size(self, width, height=900):
        """Emulates a window of so many CSS pixels, also ones narrower than a window can be."""
        self.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )


class PageTest(unittest.TestCase):
    """A test with a server for `target`, and its page open in a browser that the whole class
    shares."""

    target = bundles.EDITOR
    language = "en"
    # Where the home is; by default, a new directory.
    home_path = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.home = Home(self.language, self.home_path)
        self.addCleanup(self.home.remove)
        self.prepare()
        self.server = Server(self.home, self.target)
        self.addCleanup(self.server.stop)
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.open()
        self.addCleanup(self.leave)

    def prepare(self):
        """Fills the home before the server starts."""

    def leave(self):
        """Ends each test: every request went to the server, and the console has no error (B-7)."""
        self.check_requests()
        self.browser.get("about:blank")
        while len(self.browser.window_handles) > 1:
            self.browser.switch_to.window(self.browser.window_handles[-1])
            self.browser.close()
            self.browser.switch_to.window(self.browser.window_handles[0])

    expected_errors = ()

    def check_requests(self):
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                self.assertTrue(
                    url.startswith((self.server.origin + "/", "data:", "about:")),
                    f"a request left the server: {url}",
                )
        errors = [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if entry["level"] == "SEVERE"
        ]
        errors = [
            text
            for text in errors
            if not any(expected in text for expected in self.expected_errors)
        ]
        self.assertEqual(errors, [], "the console has errors")

    def open(self):
        self.browser.get(self.server.address)
        self.wait("document.querySelector('main')?.ariaBusy === null")

    def go(self, pane, key=None):
        """Opens the address of a pane or of one setting, as a link does."""
        fragment = f"#/{quote(pane, safe='')}" + (f"/{quote(key, safe='')}" if key else "")
        self.script("location.hash = arguments[0]", fragment)
        self.wait("document.querySelector('main h1')")

    # What is on the page

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def wait(self, condition, *arguments, within=PATIENCE):
        """Waits until an expression of the page is true, and returns its value."""
        end = time.monotonic() + within
        while True:
            value = self.script(f"return {condition}", *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not true within {within} s: {condition} {arguments}")
            time.sleep(0.02)

    def eventually(self, read, expected):
        """Waits until `read` returns the expected value."""
        end = time.monotonic() + PATIENCE
        while (found := read()) != expected and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(found, expected)

    def stores(self, key, kind, text):
        """Expects a value of the type to be stored, as the command reads it."""
        self.eventually(lambda: self.home.stored(self.target, key), (kind, text))

    def shows(self, key, within, text):
        """Expects a control to show a text once the page has the answer."""
        self.eventually(lambda: self.row(key, within).get_property("value"), text)

    def stores_nothing(self, key):
        self.eventually(lambda: self.home.stored(self.target, key), None)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        self.wait("document.querySelector(arguments[0])", selector)
        element = self.browser.find_element(By.CSS_SELECTOR, selector)
        self.show(element)
        return element

    def show(self, element):
        """Scrolls an element away from the header that stays in place."""
        self.script(
            "if (!document.querySelector('dialog').open) arguments[0].scrollIntoView({ block: 'center' })",
            element,
        )

    def row(self, key, within=""):
        """The row of a setting, or what a selector finds in it."""
        return self.one(f'[data-key="{key}"] {within}'.strip())

    def text(self, selector):
        return self.one(selector).get_property("textContent")

    def says(self, selector, text):
        """Waits until an element says the text."""
        self.wait(
            "document.querySelector(arguments[0])?.textContent.includes(arguments[1])",
            selector,
            text,
        )

    def button(self, name, within="body"):
        """A visible button by the beginning of its text."""
        self.wait(
            "[...document.querySelectorAll(arguments[0] + ' button')].some("
            "each => each.checkVisibility() && each.textContent.startsWith(arguments[1]))",
            within,
            name,
        )
        found = next(
            each
            for each in self.all(f"{within} button")
            if each.is_displayed() and each.get_property("textContent").startswith(name)
        )
        self.show(found)
        return found

    def replace(self, field, *text):
        """Types over what is in a field."""
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.NULL, Keys.BACKSPACE, *text)

    def search(self, text):
        self.replace(self.one("#query"), text)
        self.wait("location.hash.startsWith('#?')")

    # The keyboard alone

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def chord(self, modifier, key):
        ActionChains(self.browser).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def tab_to(self, selector, limit=200):
        """Presses Tab until the element that the selector finds has the focus."""
        for _ in range(limit):
            if self.script("return document.activeElement.matches(arguments[0])", selector):
                return
            self.press(Keys.TAB)
        self.fail(f"Tab does not reach {selector}")
