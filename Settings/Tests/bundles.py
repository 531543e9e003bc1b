"""The settings bundles and domains that the browser tests open."""

import datetime
import plistlib
from pathlib import Path

EDITOR = "com.example.editor"
LONG = "com.example.long"
DAMAGED = "com.example.damaged"
EMPTY = "com.example.empty"
TABLE = "com.example.table"

GERMAN = {
    "Editor": "Editor für Textdokumente",
    "Font": "Schriftart",
    "Size": "Schriftgröße im Bearbeitungsbereich",
    "Ligatures": "Ligaturen verwenden",
    "Dark": "Dunkel",
    "Appearance": "Erscheinungsbild der Benutzeroberfläche",
    "Advanced": "Erweiterte Einstellungen für Datenverarbeitung",
    "Proxy server": "Proxyserveradresse für Rechtschreibprüfungsdienste",
    "The size applies to new windows.": "Die Größe gilt für neu geöffnete Fenster, für Druckvorschauen und für die "
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenausstellung.",
}


def _row(kind, title=None, key=None, default=None, **more):
    row = {"Type": f"PS{kind}Specifier", **more}
    row.update(
        {
            name: value
            for name, value in (("Title", title), ("Key", key), ("DefaultValue", default))
            if value is not None
        }
    )
    return row


def _group(title, footer=None):
    return _row("Group", title, **({"FooterText": footer} if footer else {}))


def _editor():
    root = [
        _group("Font", "The size applies to new windows."),
        _row("Slider", "Size", "fontSize", 12, MinimumValue=8, MaximumValue=72),
        _row("Slider", "Line height", "lineHeight", 1.2, MinimumValue=0.5, MaximumValue=3.0),
        _row(
            "ToggleSwitch",
            "Ligatures",
            "ligatures",
            True,
            StrataDescription="Joins letters such as f and i.",
        ),
        _row(
            "ToggleSwitch", "Anti-aliasing", "antialiasing", "off", TrueValue="on", FalseValue="off"
        ),
        _group("Appearance"),
        _row(
            "MultiValue",
            "Theme",
            "theme",
            "system",
            Titles=["System", "Light", "Dark"],
            Values=["system", "light", "dark"],
        ),
        _row(
            "RadioGroup",
            "Tab width",
            "tabWidth",
            4,
            Titles=["2 columns", "4 columns", "8 columns"],
            Values=[2, 4, 8],
            FooterText="Existing documents keep their own.",
        ),
        _group("Account", "The name appears in comments and in the history of a document."),
        _row("TextField", "Name", "authorName", "", AutocapitalizationType="Words"),
        _row("TextField", "Password", "password", "", IsSecure=True),
        _row("TextField", "Port", "port", 8080, KeyboardType="NumberPad"),
        _row(
            "TitleValue",
            "Version",
            "version",
            2,
            Titles=["First edition", "Second edition"],
            Values=[1, 2],
        ),
        _group(None),
        _row("ChildPane", "Advanced", File="Advanced"),
        _row("ChildPane", "Markup", File="Markup"),
    ]
    advanced = [
        _group("Network", "An administrator may have fixed some of these."),
        _row("TextField", "Proxy server", "proxy", "http://proxy.example", KeyboardType="URL"),
        _row("ToggleSwitch", "Send usage reports", "usageReports", True),
        _row("Slider", "Cache size", "cacheSize", 100, MinimumValue=0, MaximumValue=1000),
        _group("Dictionaries"),
        _row("ChildPane", "Spelling", File="Spelling"),
    ]
    spelling = [_row("ToggleSwitch", "Check spelling", "spelling", False)]
    markup = [
        _group(
            "<script>alert(1)</script>", "Titles, keys and values are text: <b>never</b> markup."
        ),
        _row(
            "TextField", "<img src=x onerror=alert(2)>", "<b>key</b>", "<script>alert(3)</script>"
        ),
    ]
    return {
        "Root": ("Editor", root),
        "Advanced": ("Advanced", advanced),
        "Spelling": ("Spelling", spelling),
        "Markup": ("Markup", markup),
    }


def _long():
    rows = []
    for index in range(1000):
        if index % 50 == 0:
            rows.append(_group(f"Group {index // 50 + 1}"))
        kind = index % 4
        name = f"Setting {index + 1}"
        if kind == 0:
            rows.append(_row("ToggleSwitch", name, f"key{index}", index % 8 == 0))
        elif kind == 1:
            rows.append(
                _row("Slider", name, f"key{index}", index % 100, MinimumValue=0, MaximumValue=100)
            )
        elif kind == 2:
            rows.append(_row("TextField", name, f"key{index}", f"text {index}"))
        else:
            rows.append(
                _row(
                    "MultiValue",
                    name,
                    f"key{index}",
                    "b",
                    Titles=["One", "Two", "Three"],
                    Values=["a", "b", "c"],
                )
            )
    return {"Root": ("A thousand settings", rows)}


def _damaged():
    rows = [
        _group("What is left"),
        _row("ToggleSwitch", "Still works", "works", True),
        {"Type": "PSFooSpecifier", "Title": "Unknown", "Key": "foo"},
        _row("ChildPane", "Gone", File="Gone"),
    ]
    return {"Root": ("Damaged", rows)}


BUNDLES = {EDITOR: _editor, LONG: _long, DAMAGED: _damaged, EMPTY: lambda: {"Root": ("Empty", [])}}

VALUES = {
    "aBoolean": True,
    "aDate": datetime.datetime(2020, 1, 1, 10, 20, 30),
    "aDictionary": {"name": "Ada", "lines": [1, 2, 3], "nested": {"isOn": False}},
    "aReal": 0.1,
    "aString": "text with <b>markup</b> and\na second line",
    "anArray": ["one", 2, 3.5, True],
    "anInteger": -9223372036854775808,
    "bigInteger": 9007199254740993,
    "someData": b"Hello, settings",
}


def install(directory):
    """Writes all bundles where the server looks for them, below `directory`."""
    for domain, panes in BUNDLES.items():
        bundle = Path(directory) / "defaults" / f"{domain}.bundle"
        bundle.mkdir(parents=True)
        for name, (title, rows) in panes().items():
            described = {"Title": title, "StringsTable": "Root", "PreferenceSpecifiers": rows}
            (bundle / f"{name}.plist").write_bytes(plistlib.dumps(described))
    german = Path(directory) / "defaults" / f"{EDITOR}.bundle" / "de.lproj"
    german.mkdir()
    (german / "Root.strings").write_bytes(plistlib.dumps(GERMAN))
