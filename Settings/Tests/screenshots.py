"""Makes the pictures of the Settings page for the documentation: screenshots.py DIRECTORY [BUNDLE]

Each picture is made in light and dark: NAME-light.png and NAME-dark.png. The variables are those of
harness.py.
"""

import shutil
import sys
from pathlib import Path

import bundles
from harness import Browser, PageTest

WIDTH, HEIGHT = 1120, 760


class Studio(PageTest):
    """A server with its page, outside of any test."""

    # Paths are in the pictures. It must not exist yet.
    home_path = "/tmp/ada"

    def __init__(self, browser, target, prepare):
        super().__init__("run")
        self.browser, self.target, self.fill = browser, target, prepare

    def prepare(self):
        self.fill(self.home)

    def take(self, directory, name):
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            path = Path(directory) / f"{name}-{scheme}.png"
            if not self.browser.save_screenshot(str(path)):
                raise OSError(f"{path} can't be written")
            print(path)


def editor(home):
    home.force(bundles.EDITOR, {"proxy": "http://proxy.corp.example:3128"})
    home.fill(bundles.EDITOR, {"fontSize": 14, "theme": "dark", "cacheSize": 250})


def main(directory):
    Path(directory).mkdir(parents=True, exist_ok=True)
    browser = Browser()
    try:
        browser.size(WIDTH, HEIGHT)
        studio = Studio(browser, bundles.EDITOR, editor)
        studio.setUp()
        studio.take(directory, "settings-pane")
        studio.go("Advanced")
        studio.take(directory, "settings-locked")
        studio.one("#only").click()
        studio.says("h1", "Changed")
        studio.take(directory, "settings-changed")
        studio.doCleanups()
        studio = Studio(
            browser, bundles.TABLE, lambda home: home.fill(bundles.TABLE, bundles.VALUES)
        )
        studio.setUp()
        studio.take(directory, "settings-table")
        studio.doCleanups()
    finally:
        browser.quit()


def show(directory, bundle):
    """Makes one picture, of another bundle's first pane."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    name = Path(bundle).stem
    browser = Browser()
    try:
        browser.size(900, 620)
        studio = Studio(
            browser,
            name,
            lambda home: shutil.copytree(bundle, home.path / "share/defaults" / f"{name}.bundle"),
        )
        studio.setUp()
        studio.take(directory, name.lower())
        studio.doCleanups()
    finally:
        browser.quit()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        show(sys.argv[1], sys.argv[2])
