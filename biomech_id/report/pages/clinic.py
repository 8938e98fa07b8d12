"""What the clinic found, as the laboratory wrote it into ``[clinic]`` of ``subject.toml``: section by section, and by joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from matplotlib.figure import Figure

from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import TableColumn, TextTable
from biomech_id.report.page import Content, PageKind, Shows, of_each, register
from biomech_id.results.tables.session_tables import SessionTables

#: Section -> key -> text; "" is the section of keys outside any.
Findings: TypeAlias = Mapping[str, Mapping[str, str]]
#: How laboratories begin the words for a joint and the muscles they test at it, in English, German and Latin; the first word of a
#: key that is one of them decides.
JOINT_WORDS: Mapping[str, tuple[str, ...]] = {
    "hip": ("hip", "hüft", "huft", "coxa", "iliopsoas", "psoas", "glut", "adduct", "adduk", "abduct", "abduk", "thomas", "ely",
            "duncan", "antever"),
    "knee": ("knee", "knie", "genu", "quadri", "rectus", "hamstring", "ischio", "popliteal", "poplitea", "patella", "vast"),
    "ankle": ("ankle", "foot", "feet", "fuß", "fuss", "füße", "sprunggelenk", "osg", "talus", "gastro", "soleus", "tibialis",
              "wade", "calf", "plantar", "dorsi", "silfver", "equin", "spitz"),
}  # fmt: skip
_COLUMNS, _GUTTER_MM, _TOP_MM = 2, 9.0, 26.0


def clinic_pages(clinic: Findings, style: Style) -> Iterator[Figure]:
    """Draw the sections as tables, in two columns, on as many sheets as it takes.

    Parameters
    ----------
    clinic : Findings
        As in ``summary.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    width = (RIGHT_MM - LEFT_MM - _GUTTER_MM * (_COLUMNS - 1)) / _COLUMNS
    columns = (TableColumn(style.label("clinic.key"), width * 0.55), TableColumn(style.label("clinic.found"), width * 0.45))
    left = [(name, TextTable(columns, [[key, text] for key, text in keys.items()])) for name, keys in clinic.items()]
    while True:
        sheet = Sheet(style)
        if not clinic:
            sheet.text(LEFT_MM, 30.0, style.label("clinic.none"), size="heading")
        for column in range(_COLUMNS):
            x, y = LEFT_MM + column * (width + _GUTTER_MM), _TOP_MM
            while left and y < BOTTOM_MM - 24.0:
                name, table = left.pop(0)
                sheet.heading(x, y, _title(name, style), to_mm=x + width)
                y, rest = table.draw(sheet, x, y + 1.6, room_mm=BOTTOM_MM - 8.0 - y)
                y += 9.0
                if rest is not None:
                    left.insert(0, (name, rest))
                    break
        yield sheet.figure
        if not left:
            return


def _title(section: str, style: Style) -> str:
    return section[:1].upper() + section[1:].replace("_", " ") if section else style.label("clinic.general")


def clinic_of_session(tables: SessionTables) -> Findings:
    """Return what ``[clinic]`` of a session's subject file said; empty where it said nothing.

    Parameters
    ----------
    tables : SessionTables
        The session's tables.
    """
    return tables.summary.get("clinic") or {}


def found_at(joint: str, clinic: Findings) -> list[str]:
    """Return what the clinic found at one joint: "section, key: text", in the order of the file.

    Parameters
    ----------
    joint : str
        "hip", "knee" or "ankle".
    clinic : Findings
        As in ``summary.json``.
    """
    return [
        f"{name.replace('_', ' ')}, {key}: {text}" if name else f"{key}: {text}"
        for name, keys in clinic.items()
        for key, text in keys.items()
        if _joint_of(name, key) == joint
    ]


def _joint_of(section: str, key: str) -> str:
    """The joint a key is about: of its first word that means one, else of its section's."""
    for word in [*key.lower().replace("_", " ").split(), *section.lower().replace("_", " ").split()]:
        for joint, beginnings in JOINT_WORDS.items():
            if word.strip("()[],.:").startswith(beginnings):
                return joint
    return ""


def _draw(content: Content) -> Iterator[Figure]:
    return clinic_pages(clinic_of_session(content.tables), content.style)


register(PageKind("clinic", 15, _draw, shows=Shows.SESSION, needs=("clinic",), compare=of_each))
