# ruff: noqa: E501
"""Kinds of mutations of OpenSim's files, for `benchmarks.studies.mutated_opensim`: written down before the rules that find them.

Each kind concerns one part of a case (setup, model, motion, loads, their forces, markers) and changes its text by one rule of its
own; a case that has nothing to change raises `NotHere`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

SEED = 20261129
SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared"))
REFERENCES = SHARED / "opensim_refs"


class NotHere(Exception):
    """This case has nothing that the kind could change."""


@dataclass
class Table:
    """A text table: lines up to its names, names, rows of words; of an .mot, .sto or .trc file."""

    head: list[str]
    names: list[str]
    rows: list[list[str]]
    marker_line: str = ""

    @property
    def text(self) -> str:
        """As a file."""
        lines = [*self.head, "\t".join(self.names), *([self.marker_line] if self.marker_line else [])]
        return "\n".join([*lines, *("\t".join(row) for row in self.rows)]) + "\n"

    def column(self, name: str) -> list[float]:
        """Numbers of one column."""
        at = self.names.index(name)
        return [float(row[at]) for row in self.rows]

    def change(self, names: list[str], rule: Callable[[float], float]) -> None:
        """Every number of these columns becomes another one."""
        if not names:
            raise NotHere
        for at in [at for at, each in enumerate(self.names) if each in names]:
            for row in self.rows:
                row[at] = f"{rule(float(row[at])):.10g}"

    def swap(self, one: str, other: str) -> None:
        """Two names change places."""
        if one not in self.names or other not in self.names:
            raise NotHere
        first, second = self.names.index(one), self.names.index(other)
        self.names[first], self.names[second] = other, one


def storage_of(text: str) -> Table:
    """An .mot or .sto file."""
    lines = text.splitlines()
    end = next(at for at, line in enumerate(lines) if line.strip().startswith("endheader"))
    rest = [line for line in lines[end + 1 :] if line.strip()]
    return Table([line.rstrip() for line in lines[: end + 1]], rest[0].split(), [line.split() for line in rest[1:]])


def markers_of(text: str) -> Table:
    """A .trc file; names are those of columns: Frame#, Time, and ``marker.x`` in its three."""
    lines = text.splitlines()
    width = 2 + 3 * len([name for name in lines[3].split("\t")[2:] if name.strip()])
    rows = [(line.split("\t") + [""] * width)[:width] for line in lines[5:] if line.strip()]
    return Table(lines[:3], lines[3].split("\t"), rows, lines[4])


@dataclass
class Case:
    """The files of one setup by their parts: texts, or bytes where an encoding is the matter."""

    tool: str
    name: str
    files: dict[str, str]
    text: dict[str, str | bytes]
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))

    def words(self, part: str) -> str:
        """The text of a part."""
        content = self.text.get(part)
        if not isinstance(content, str):
            raise NotHere
        return content

    def table(self, part: str) -> Table:
        """A part that is a table."""
        return markers_of(self.words(part)) if part == "markers" else storage_of(self.words(part))

    def sub(self, part: str, pattern: str, new: str | Callable[[re.Match[str]], str], count: int = 0) -> None:
        """Replace in a part; not a case of the kind if it is not there."""
        text, times = re.subn(pattern, new, self.words(part), count=count, flags=re.DOTALL)
        if not times or text == self.words(part):
            raise NotHere
        self.text[part] = text


@dataclass(frozen=True)
class Kind:
    """One kind of mutation: the part it concerns, its name, what it does, and why a silent change would be right."""

    part: str
    name: str
    do: Callable[[Case], None]
    tools: tuple[str, ...]
    valid: str = ""


KINDS: list[Kind] = []


def kind(part: str, name: str, do: Callable[[Case], None], tools: str = "id", valid: str = "") -> None:
    """Put a kind into the list."""
    KINDS.append(Kind(part, name, do, tuple(tools.split()), valid))


# -- tools for the kinds ------------------------------------------------------------------------------------------------------------


def tabled(part: str, do: Callable[[Table], None]) -> Callable[[Case], None]:
    """A kind that changes a table."""

    def changed(case: Case) -> None:
        table = case.table(part)
        before = table.text
        do(table)
        if table.text == before:
            raise NotHere
        case.text[part] = table.text

    return changed


def subbed(part: str, pattern: str, new: str | Callable[[re.Match[str]], str], count: int = 0) -> Callable[[Case], None]:
    """A kind that replaces words."""
    return lambda case: case.sub(part, pattern, new, count)


def scaled(match: re.Match[str], factor: float) -> str:
    """Numbers between tags, times a factor: the pattern has the tags as its first and third group."""
    return match[1] + " ".join(f"{factor * float(number):.12g}" for number in match[2].split()) + match[3]


def tag(name: str) -> str:
    """A pattern of a tag's text, in three groups."""
    return rf"(<{name}>)([^<]*)(</{name}>)"


def inside(kind_of: str, name: str, tag_name: str, new: str | Callable[[str], str], part: str = "model") -> Callable[[Case], None]:
    """Change the text of the first such tag within the named object."""

    def changed(case: Case) -> None:
        text = case.words(part)
        match = re.search(rf'<{kind_of} name="{name}">.*?<{tag_name}>([^<]*)</{tag_name}>', text, re.DOTALL)
        if match is None:
            raise NotHere
        case.text[part] = text[: match.start(1)] + (new if isinstance(new, str) else new(match[1])) + text[match.end(1) :]

    return changed


def times(factor: float) -> Callable[[str], str]:
    """Numbers in a text, each times a factor."""
    return lambda text: " ".join(f"{factor * float(number):.12g}" for number in text.split())


def translations(table: Table) -> list[str]:
    """Columns of the root's place."""
    return [name for name in table.names if name.endswith(("_tx", "_ty", "_tz"))]


def forces(table: Table) -> list[str]:
    """Columns of forces."""
    return [name for name in table.names if re.search(r"force.*_v[xyz]$", name)]


def points(table: Table) -> list[str]:
    """Columns of points."""
    return [name for name in table.names if re.search(r"force.*_p[xyz]$", name)]


def torques(table: Table) -> list[str]:
    """Columns of moments."""
    return [name for name in table.names if re.search(r"torque.*[xyz]$", name)]


def moved(table: Table, rule: Callable[[float], float]) -> None:
    """Other times."""
    at = 1 if "Frame#" in table.names else 0
    for row in table.rows:
        row[at] = f"{rule(float(row[at])):.10g}"


def reversed_times(table: Table) -> None:
    """The rows stand the other way round, times stay where they were: a person who walks backwards."""
    at = 1 if "Frame#" in table.names else 0
    stamps = [row[at] for row in table.rows]
    table.rows.reverse()
    for stamp, row in zip(stamps, table.rows, strict=True):
        row[at] = stamp


def reverse_rows(table: Table) -> None:
    """Rows from the last to the first, each with its time."""
    table.rows.reverse()


def all_twice(table: Table) -> None:
    """Each row twice."""
    table.rows = [list(row) for row in table.rows for _ in range(2)]


def one_twice(table: Table) -> None:
    """One row twice."""
    table.rows.insert(20, list(table.rows[20]))


def one_back(table: Table) -> None:
    """Two rows have changed places."""
    table.rows[20], table.rows[21] = table.rows[21], table.rows[20]


def hole(table: Table) -> None:
    """A fifth of a second is not there."""
    at, n = len(table.rows) // 2, max(10, len(table.rows) // 12)
    del table.rows[at : at + n]


def half(table: Table) -> None:
    """The second half is not there."""
    del table.rows[len(table.rows) // 2 :]


def last_word_cut(case: Case, part: str) -> None:
    """The last line ends in its middle."""
    text = case.words(part).rstrip()
    case.text[part] = text[: text.rindex("\n") + 1 + (len(text) - text.rindex("\n")) // 2]


def cell(word: str, at: int = 20) -> Callable[[Table], None]:
    """One cell holds another word."""

    def changed(table: Table) -> None:
        table.rows[at][chosen(table)] = word

    return changed


def whole_column(word: str) -> Callable[[Table], None]:
    """All cells of one column hold a word."""

    def changed(table: Table) -> None:
        for row in table.rows:
            row[chosen(table)] = word

    return changed


def chosen(table: Table) -> int:
    """The column that is changed: a coordinate, a force or a marker in the middle of the body."""
    for name in ("hip_flexion_r", "r_shoulder_elev", "ground_force_vy", "ground_force_r_vy"):
        if name in table.names:
            return table.names.index(name)
    return 6


def chosen_name(table: Table) -> int:
    """Its name: that of a marker stands over the first of its three columns."""
    return chosen(table) if table.names[chosen(table)].strip() else 5


def outlier(factor: float) -> Callable[[Table], None]:
    """One number is much too large."""

    def changed(table: Table) -> None:
        row = table.rows[len(table.rows) // 2]
        row[chosen(table)] = f"{factor * (abs(float(row[chosen(table)])) + 1.0):.8g}"

    return changed


def doubled_column(twin: float) -> Callable[[Table], None]:
    """One column stands there twice; the second holds the first times a number."""

    def changed(table: Table) -> None:
        at = chosen(table)
        table.names.append(table.names[at])
        for row in table.rows:
            row.append(f"{twin * float(row[at]):.8g}")
        table.head = [re.sub(r"^nColumns=.*", f"nColumns={len(table.names)}", line) for line in table.head]

    return changed


def less_a_column(table: Table) -> None:
    """One column is gone, and the header knows."""
    at = chosen(table)
    for row in [table.names, *table.rows]:
        del row[at]
    table.head = [re.sub(r"^nColumns=.*", f"nColumns={len(table.names)}", line) for line in table.head]


def less_a_name(table: Table) -> None:
    """One name is gone, its numbers are not."""
    del table.names[chosen_name(table)]


def other_name(new: Callable[[str], str]) -> Callable[[Table], None]:
    """One column has another name."""

    def changed(table: Table) -> None:
        table.names[chosen_name(table)] = new(table.names[chosen_name(table)])

    return changed


def shuffled(table: Table) -> None:
    """Columns in another order, names with their numbers."""
    order = [0, *range(len(table.names) - 1, 0, -1)]
    table.names = [table.names[at] for at in order]
    table.rows = [[row[at] for at in order] for row in table.rows]


def shifted_names(table: Table) -> None:
    """Names one place further than their numbers."""
    table.names = [table.names[0], table.names[-1], *table.names[1:-1]]


def sides_swapped(table: Table) -> None:
    """Names of left and right have changed places."""
    pairs = {name: name[:-2] + "_l" for name in table.names if name.endswith("_r")}
    pairs |= {name: "1_" + name for name in table.names if name.startswith("ground_")}
    pairs |= {name: name.replace("_r_", "_l_") for name in table.names if "_r_" in name}
    pairs |= {name: "L" + name[1:] for name in table.names if name.startswith("R.")}
    whole = {one: other for one, other in pairs.items() if other in table.names and one != other}
    back = {other: one for one, other in whole.items()}
    table.names = [whole.get(name, back.get(name, name)) for name in table.names]


def head_line(pattern: str, new: str | None) -> Callable[[Table], None]:
    """A line of the header reads otherwise, or is gone."""

    def changed(table: Table) -> None:
        if not any(re.match(pattern, line) for line in table.head):
            raise NotHere
        kept = [line for line in table.head if new is not None or not re.match(pattern, line)]
        table.head = [re.sub(rf"^{pattern}.*", new, line) if new is not None else line for line in kept]

    return changed


def headless(table: Table) -> None:
    """Names and rows only."""
    table.head = []


def in_radians(table: Table) -> None:
    """Angles in radians, the header still says degrees."""
    linear = {*translations(table), "time"}
    table.change([name for name in table.names if name not in linear], np.deg2rad)


def turned(groups: Callable[[Table], list[str]], rule: Callable[[list[float]], list[float]]) -> Callable[[Table], None]:
    """Every three columns x, y, z become others."""

    def changed(table: Table) -> None:
        names = groups(table)
        if not names or len(names) % 3:
            raise NotHere
        for first in range(0, len(names), 3):
            at = [table.names.index(name) for name in names[first : first + 3]]
            for row in table.rows:
                for place, value in zip(at, rule([float(row[each]) for each in at]), strict=True):
                    row[place] = f"{value:.8g}"

    return changed


def all_loads(table: Table) -> list[str]:
    """Forces, points and moments, each three in the file's order."""
    return forces(table) + points(table) + torques(table)


def marker_threes(
    rule: Callable[[list[float]], list[float]], only: Callable[[int], bool] = lambda _: True
) -> Callable[[Table], None]:
    """Every marker's x, y, z become others."""

    def changed(table: Table) -> None:
        for row in table.rows:
            for number in range((len(row) - 2) // 3):
                at = 2 + 3 * number
                if only(number) and all(word.strip() for word in row[at : at + 3]):
                    row[at : at + 3] = [f"{value:.6f}" for value in rule([float(word) for word in row[at : at + 3]])]

    return changed


def z_up(xyz: list[float]) -> list[float]:
    """Y up turned into Z up."""
    return [xyz[0], -xyz[2], xyz[1]]


def encoded(part: str, encoding: str, word: str = "") -> Callable[[Case], None]:
    """A file in another encoding; with a word in its first line that ASCII has not."""

    def changed(case: Case) -> None:
        text = case.words(part)
        case.text[part] = (re.sub(r"\n", word + "\n", text, count=1) if word else text).encode(encoding)

    return changed


def after_header(part: str, rule: Callable[[str], str]) -> Callable[[Case], None]:
    """All lines of numbers read otherwise."""

    def changed(case: Case) -> None:
        table = case.table(part)
        body = "\n".join("\t".join(row) for row in table.rows) + "\n"
        case.text[part] = table.text[: len(table.text) - len(body)] + rule(body)

    return changed


def written(part: str, rule: Callable[[str], str]) -> Callable[[Case], None]:
    """A whole text becomes another one."""

    def changed(case: Case) -> None:
        case.text[part] = rule(case.words(part))

    return changed


# -- kinds that any table knows -----------------------------------------------------------------------------------------------------

for _part, _tools in (("motion", "id"), ("forces", "id"), ("markers", "ik")):
    for _name, _do in (
        ("header gone", tabled(_part, headless)),
        ("rows from last to first", tabled(_part, reverse_rows)),
        ("numbers run backwards, times forwards", tabled(_part, reversed_times)),
        ("every row twice", tabled(_part, all_twice)),
        ("one row twice", tabled(_part, one_twice)),
        ("two rows exchanged", tabled(_part, one_back)),
        ("a hole in time", tabled(_part, hole)),
        ("second half missing", tabled(_part, half)),
        ("times in milliseconds", tabled(_part, lambda table: moved(table, lambda t: 1000.0 * t))),
        ("times at double the rate", tabled(_part, lambda table: moved(table, lambda t: 0.5 * t))),
        ("times 0.1 s late", tabled(_part, lambda table: moved(table, lambda t: t + 0.1))),
        ("times 10 s late", tabled(_part, lambda table: moved(table, lambda t: t + 10.0))),
        ("times rounded to 0.01 s", tabled(_part, lambda table: moved(table, lambda t: round(t, 2)))),
        ("last line cut", lambda case, part=_part: last_word_cut(case, part)),
        ("a word for a number", tabled(_part, cell("abc"))),
        ("NaN in a cell", tabled(_part, cell("NaN"))),
        ("1.#QNAN in a cell", tabled(_part, cell("1.#QNAN"))),
        ("a column of NaN", tabled(_part, whole_column("NaN"))),
        ("a column of zeros", tabled(_part, whole_column("0.0"))),
        ("a column that stands still", tabled(_part, whole_column("17.0"))),
        ("infinity in a cell", tabled(_part, cell("inf"))),
        ("one number 10 times too large", tabled(_part, outlier(10.0))),
        ("one number 1000 times too large", tabled(_part, outlier(1000.0))),
        ("decimal commas", after_header(_part, lambda text: text.replace(".", ","))),
        ("commas between numbers", written(_part, lambda text: text.replace("\t", ","))),
        ("semicolons between numbers", after_header(_part, lambda text: text.replace("\t", ";"))),
        ("CRLF line ends", written(_part, lambda text: text.replace("\n", "\r\n"))),
        ("CR line ends", written(_part, lambda text: text.replace("\n", "\r"))),
        ("byte order mark", encoded(_part, "utf-8-sig")),
        ("UTF-16", encoded(_part, "utf-16")),
        ("code page 1252", encoded(_part, "cp1252", " Prüfling")),
        ("file empty", written(_part, lambda text: "")),
        ("file twice in one", written(_part, lambda text: text + text)),
        ("a column gone", tabled(_part, less_a_column)),
        ("a name gone, numbers there", tabled(_part, less_a_name)),
        ("a name with a letter wrong", tabled(_part, other_name(lambda name: name[:-2] + "x" + name[-2:]))),
        ("a name in capitals", tabled(_part, other_name(str.swapcase))),
        ("left and right names exchanged", tabled(_part, sides_swapped)),
    ):  # fmt: skip
        clock = _part == "markers" and _name == "times 0.1 s late"
        kind(_part, _name, _do, _tools, "the recording's clock, and nothing else to compare it with" if clock else "")

for _part in ("motion", "forces"):
    for _name, _do in (
        ("endheader gone", tabled(_part, head_line("endheader", None))),
        ("nRows too small", tabled(_part, head_line("nRows=", "nRows=50"))),
        ("nRows too large", tabled(_part, head_line("nRows=", "nRows=99999"))),
        ("nColumns too small", tabled(_part, head_line("nColumns=", "nColumns=3"))),
        ("nColumns too large", tabled(_part, head_line("nColumns=", "nColumns=99"))),
        ("nRows no number", tabled(_part, head_line("nRows=", "nRows=many"))),
        ("version gone", tabled(_part, head_line("version=", None))),
        ("spaces for tabs", written(_part, lambda text: text.replace("\t", "   "))),
        ("a column twice, the same", tabled(_part, doubled_column(1.0))),
        ("a column twice, another", tabled(_part, doubled_column(-0.5))),
        ("columns in another order", tabled(_part, shuffled)),
        ("names one place further", tabled(_part, shifted_names)),
        ("time called t", tabled(_part, lambda table: table.names.__setitem__(0, "t"))),
        ("time called Time", tabled(_part, lambda table: table.names.__setitem__(0, "Time"))),
    ):  # fmt: skip
        kind(_part, _name, _do)

# -- motions ------------------------------------------------------------------------------------------------------------------------

for _name, _do in (
    ("inDegrees gone", tabled("motion", head_line("inDegrees=", None))),
    ("inDegrees=no over degrees", tabled("motion", head_line("inDegrees=", "inDegrees=no"))),
    ("inDegrees=perhaps", tabled("motion", head_line("inDegrees=", "inDegrees=perhaps"))),
    ("radians below inDegrees=yes", tabled("motion", in_radians)),
    ("one column in radians", tabled("motion", lambda t: t.change([t.names[chosen(t)]], np.deg2rad))),
    ("root's place in mm", tabled("motion", lambda t: t.change(translations(t), lambda x: 1000.0 * x))),
    ("root's place in cm", tabled("motion", lambda t: t.change(translations(t), lambda x: 100.0 * x))),
    ("root's y and z exchanged", tabled("motion", lambda t: t.swap("pelvis_ty", "pelvis_tz"))),
    ("root's x and z exchanged", tabled("motion", lambda t: t.swap("pelvis_tx", "pelvis_tz"))),
    ("root turned to Z up", tabled("motion", turned(translations, z_up))),
    ("root 1 m aside", tabled("motion", lambda t: t.change([n for n in t.names if n == "pelvis_tz"], lambda x: x + 1.0))),
    ("root 0.2 m up", tabled("motion", lambda t: t.change([n for n in t.names if n == "pelvis_ty"], lambda x: x + 0.2))),
    ("sign of the knees", tabled("motion", lambda t: t.change([n for n in t.names if n.startswith("knee_angle_")], lambda x: -x))),
    ("sign of one hip", tabled("motion", lambda t: t.change([t.names[chosen(t)]], lambda x: -x))),
    ("sign of the pelvis' tilt", tabled("motion", lambda t: t.change([n for n in t.names if n == "pelvis_tilt"], lambda x: -x))),
    ("pelvis turned by 180 degrees", tabled("motion", lambda t: t.change([n for n in t.names if n == "pelvis_rotation"], lambda x: x + 180.0))),
    ("adduction and rotation exchanged", tabled("motion", lambda t: t.swap("hip_adduction_r", "hip_rotation_r"))),
    ("knee and ankle exchanged", tabled("motion", lambda t: t.swap("knee_angle_r", "ankle_angle_r"))),
    ("one hip 30 degrees off", tabled("motion", lambda t: t.change([t.names[chosen(t)]], lambda x: x + 30.0))),
    ("a turn of 360 degrees in the middle", lambda case: _whole_turn(case)),
    ("all coordinates 0", tabled("motion", lambda t: t.change(t.names[1:], lambda x: 0.0))),
    ("names as paths of states", tabled("motion", lambda t: t.names.__setitem__(slice(1, None), [f"/jointset/j/{n}/value" for n in t.names[1:]]))),
    ("numbers with one decimal", tabled("motion", lambda t: t.change([n for n in t.names if n not in ("time", *translations(t))], lambda x: round(x, 1)))),
):  # fmt: skip
    kind("motion", _name, _do)


def _whole_turn(case: Case) -> None:
    table = case.table("motion")
    at = chosen(table)
    for row in table.rows[len(table.rows) // 2 :]:
        row[at] = f"{float(row[at]) + 360.0:.8f}"
    case.text["motion"] = table.text


# -- forces -------------------------------------------------------------------------------------------------------------------------

for _name, _do, _valid in (
    ("forces in kN", tabled("forces", lambda t: t.change(forces(t) + torques(t), lambda x: 0.001 * x)), ""),
    ("forces in body weights", tabled("forces", lambda t: t.change(forces(t), lambda x: x / 712.0)), ""),
    ("forces in pounds", tabled("forces", lambda t: t.change(forces(t), lambda x: 0.2248 * x)), ""),
    ("forces in kilopond", tabled("forces", lambda t: t.change(forces(t), lambda x: x / 9.81)), ""),
    ("forces doubled", tabled("forces", lambda t: t.change(forces(t), lambda x: 2.0 * x)), ""),
    ("points in mm", tabled("forces", lambda t: t.change(points(t), lambda x: 1000.0 * x)), ""),
    ("points in cm", tabled("forces", lambda t: t.change(points(t), lambda x: 100.0 * x)), ""),
    ("moments in N mm", tabled("forces", lambda t: t.change(torques(t), lambda x: 1000.0 * x)), ""),
    ("force on the ground, all signs", tabled("forces", lambda t: t.change(forces(t) + torques(t), lambda x: -x)), ""),
    ("vertical upside down", tabled("forces", lambda t: t.change([n for n in forces(t) if n.endswith("vy")], lambda x: -x)), ""),
    ("forward force with the other sign", tabled("forces", lambda t: t.change([n for n in forces(t) if n.endswith("vx")], lambda x: -x)), ""),
    ("sideways force with the other sign", tabled("forces", lambda t: t.change([n for n in forces(t) if n.endswith("vz")], lambda x: -x)), ""),
    ("all turned to Z up", tabled("forces", turned(all_loads, z_up)), ""),
    ("forces turned to Z up", tabled("forces", turned(forces, z_up)), ""),
    ("all turned by 90 degrees about the vertical", tabled("forces", turned(all_loads, lambda v: [v[2], v[1], -v[0]])), ""),
    ("all turned by 180 degrees about the vertical", tabled("forces", turned(all_loads, lambda v: [-v[0], v[1], -v[2]])), ""),
    ("forces turned by 90 degrees about the vertical", tabled("forces", turned(forces, lambda v: [v[2], v[1], -v[0]])), ""),
    ("forces turned by 180 degrees about the vertical", tabled("forces", turned(forces, lambda v: [-v[0], v[1], -v[2]])), ""),
    ("points 1 m ahead", tabled("forces", lambda t: t.change([n for n in points(t) if n.endswith("px")], lambda x: x + 1.0)), ""),
    ("points 0.3 m aside", tabled("forces", lambda t: t.change([n for n in points(t) if n.endswith("pz")], lambda x: x + 0.3)), ""),
    ("points 0.1 m ahead", tabled("forces", lambda t: t.change([n for n in points(t) if n.endswith("px")], lambda x: x + 0.1)), ""),
    ("points all at the origin", tabled("forces", lambda t: t.change(points(t), lambda x: 0.0)), ""),
    ("points' x and z exchanged", tabled("forces", turned(points, lambda v: [v[2], v[1], v[0]])), ""),
    ("moments about the origin", lambda case: _moments_at_origin(case), ""),
    ("one plate silent", tabled("forces", lambda t: t.change(forces(t)[:3], lambda x: 0.0)), ""),
    ("both forces on one plate", lambda case: _one_plate(case), ""),
    ("plate not tared, 50 N", tabled("forces", lambda t: t.change([n for n in forces(t) if n.endswith("vy")][:1], lambda x: x + 50.0)), ""),
    ("forces 20 ms late", tabled("forces", lambda t: moved(t, lambda x: x + 0.02)), ""),
    ("force kept at its peak", tabled("forces", lambda t: t.change([n for n in forces(t) if n.endswith("vy")], lambda x: min(x, 500.0))), ""),
):  # fmt: skip
    kind("forces", _name, _do, "id", _valid)


def _moments_at_origin(case: Case) -> None:
    table = case.table("forces")
    for first in range(0, len(forces(table)), 3):
        names = [group[first : first + 3] for group in (forces(table), points(table), torques(table))]
        at = [[table.names.index(name) for name in group] for group in names]
        for row in table.rows:
            force, point, moment = (np.array([float(row[each]) for each in group]) for group in at)
            for place, value in zip(at[2], moment + np.cross(point, force), strict=True):
                row[place] = f"{value:.8g}"
    case.text["forces"] = table.text


def _one_plate(case: Case) -> None:
    table = case.table("forces")
    names = forces(table)
    for one, other in zip(names[:3], names[3:6], strict=True):
        for row in table.rows:
            row[table.names.index(one)] = f"{float(row[table.names.index(one)]) + float(row[table.names.index(other)]):.8g}"
            row[table.names.index(other)] = "0.0"
    case.text["forces"] = table.text


# -- loads --------------------------------------------------------------------------------------------------------------------------


def _sides(case: Case) -> None:
    case.text["loads"] = re.sub(r"calcn_([rl])", lambda m: "calcn_" + {"r": "l", "l": "r"}[m[1]], case.words("loads"))


def _first_gone(case: Case) -> None:
    case.sub("loads", r"<ExternalForce name.*?</ExternalForce>", "", 1)


def _first_twice(case: Case) -> None:
    case.sub("loads", r"<ExternalForce name.*?</ExternalForce>", lambda m: m[0] + m[0], 1)


for _name, _do, _valid in (
    ("feet exchanged", _sides, ""),
    ("both on one foot", subbed("loads", "calcn_l", "calcn_r"), ""),
    ("applied to the shank", subbed("loads", "calcn_r", "tibia_r"), ""),
    ("applied to the toes", subbed("loads", "(?<=<applied_to_body>)(\\s*)calcn_", r"\1toes_"), ""),
    ("applied to the pelvis", subbed("loads", "calcn_[rl]", "pelvis"), ""),
    ("applied to a body that is not there", subbed("loads", "calcn_r", "calcaneus_r"), ""),
    ("applied to ground", subbed("loads", "calcn_r", "ground"), ""),
    ("force in the foot's axes", subbed("loads", r"(<force_expressed_in_body>\s*)ground", r"\1calcn_r"), ""),
    ("point in the foot's axes", subbed("loads", r"(<point_expressed_in_body>\s*)ground", r"\1calcn_r"), ""),
    ("axes of a body that is not there", subbed("loads", r"(<force_expressed_in_body>\s*)ground", r"\1floor"), ""),
    ("force identifier without its v", subbed("loads", r"(force(?:_r|_l)?_)v", r"\1"), ""),
    ("force identifier empty", subbed("loads", tag("force_identifier"), r"\1\3", 1), ""),
    ("force identifier wrong", subbed("loads", tag("force_identifier"), r"\1grf\3", 1), ""),
    ("point identifier empty", subbed("loads", tag("point_identifier"), r"\1\3", 1), ""),
    ("point identifier wrong", subbed("loads", tag("point_identifier"), r"\1cop\3", 1), ""),
    ("point and force identifiers exchanged", subbed("loads", r"(ground_force(?:_r|_l)?_)([vp])", lambda m: m[1] + {"v": "p", "p": "v"}[m[2]]), ""),
    ("torque identifier empty", subbed("loads", tag("torque_identifier"), r"\1\3", 1), ""),
    ("torque identifier gone", subbed("loads", tag("torque_identifier"), "", 1), ""),
    ("torque identifier that of the force", subbed("loads", r"ground_torque(_[rl])?_", r"ground_force\1_v"), ""),
    ("points of the other foot", subbed("loads", r"(<point_identifier>\s*)(1_)?(ground_force)(_[rl])?", lambda m: m[1] + ("" if m[2] or m[4] else "1_") + m[3] + ({"_r": "_l", "_l": "_r"}.get(m[4] or "", ""))), ""),
    ("one load switched off", subbed("loads", r"<applied_to_body>", "<appliesForce>false</appliesForce><isDisabled>true</isDisabled><applied_to_body>", 1), ""),
    ("one load gone", _first_gone, ""),
    ("one load twice", _first_twice, ""),
    ("all loads gone", subbed("loads", r"<ExternalForce name.*</ExternalForce>", ""), ""),
    ("data file not there", subbed("loads", tag("datafile"), r"\1nowhere.mot\3"), ""),
    ("data file the motion", subbed("loads", tag("datafile"), r"\1ik_1e-9.mot\3"), ""),
    ("data file unnamed", subbed("loads", tag("datafile"), ""), ""),
    ("a tag misspelt", subbed("loads", "applied_to_body", "applied_to_bodies"), ""),
    ("point's tag misspelt", subbed("loads", "point_identifier", "point_identifyer"), ""),
    ("document cut", written("loads", lambda text: text[: len(text) // 2]), ""),
    ("document empty", written("loads", lambda text: ""), ""),
    ("byte order mark", encoded("loads", "utf-8-sig"), ""),
    ("UTF-16 below a line that says UTF-8", encoded("loads", "utf-16"), ""),
    ("code page 1252 below a line that says UTF-8", written("loads", lambda text: text.replace("<objects>", "<!-- Prüfling --><objects>")), ""),
    ("root with another name", subbed("loads", "ExternalLoads", "ExternalForces"), ""),
):  # fmt: skip
    kind("loads", _name, _do, "id", _valid)

# -- setups -------------------------------------------------------------------------------------------------------------------------

for _name, _do, _valid in (
    ("time range in ms", subbed("setup", tag("time_range"), lambda m: scaled(m, 1000.0)), ""),
    ("time range backwards", subbed("setup", tag("time_range"), lambda m: m[1] + " ".join(m[2].split()[::-1]) + m[3]), ""),
    ("time range behind the motion", subbed("setup", tag("time_range"), r"\g<1>20 30\3"), ""),
    ("time range half behind the motion", subbed("setup", tag("time_range"), r"\g<1>1.5 30\3"), ""),
    ("time range of one number", subbed("setup", tag("time_range"), r"\g<1>1.5\3"), ""),
    ("time range with a decimal comma", subbed("setup", tag("time_range"), r"\g<1>0,5 1,5\3"), ""),
    ("time range NaN", subbed("setup", tag("time_range"), r"\g<1>NaN NaN\3"), ""),
    ("time range gone", subbed("setup", tag("time_range"), ""), "OpenSim takes the whole motion; so is it here"),
    ("model not there", subbed("setup", tag("model_file"), r"\1nowhere.osim\3"), ""),
    ("model unnamed", subbed("setup", tag("model_file"), ""), ""),
    ("model's tag misspelt", subbed("setup", "model_file", "modelfile"), ""),
    ("tool with another name", subbed("setup", "Inverse(Dynamics|Kinematics)Tool", "InverseTool"), ""),
    ("document cut", written("setup", lambda text: text[: len(text) // 2]), ""),
    ("byte order mark", encoded("setup", "utf-8-sig"), ""),
    ("UTF-16 below a line that says UTF-8", encoded("setup", "utf-16"), ""),
):  # fmt: skip
    kind("setup", _name, _do, "id ik", _valid)

LOWPASS = "lowpass_cutoff_frequency_for_coordinates"
for _name, _do, _valid in (
    ("cut-off in rad/s", subbed("setup", tag(LOWPASS), lambda m: scaled(m, 2.0 * np.pi)), ""),
    ("cut-off 0", subbed("setup", tag(LOWPASS), r"\g<1>0\3"), ""),
    ("cut-off 600 Hz", subbed("setup", tag(LOWPASS), r"\g<1>600\3"), ""),
    ("cut-off 0.6 Hz", subbed("setup", tag(LOWPASS), r"\g<1>0.6\3"), ""),
    ("cut-off a word", subbed("setup", tag(LOWPASS), r"\g<1>six\3"), ""),
    ("cut-off NaN", subbed("setup", tag(LOWPASS), r"\g<1>NaN\3"), ""),
    ("cut-off gone", subbed("setup", tag(LOWPASS), ""), "OpenSim's default is no filter"),
    ("cut-off's tag misspelt", subbed("setup", LOWPASS, "lowpass_cutoff_frequency"), ""),
    ("cut-off twice", subbed("setup", rf"<{LOWPASS}>", rf"<{LOWPASS}>12</{LOWPASS}><{LOWPASS}>"), ""),
    ("loads unnamed", subbed("setup", tag("external_loads_file"), ""), "a motion without loads; OpenSim takes it so"),
    ("loads not there", subbed("setup", tag("external_loads_file"), r"\1nowhere.xml\3"), ""),
    ("loads' tag misspelt", subbed("setup", "external_loads_file", "external_load_file"), ""),
    ("loads the table itself", subbed("setup", tag("external_loads_file"), r"\1forces.mot\3"), ""),
    ("all forces excluded", subbed("setup", tag("forces_to_exclude"), r"\1All\3"), "the setup's word for no loads"),
    ("motion the loads' table", subbed("setup", tag("coordinates_file"), r"\1forces.mot\3"), ""),
    ("motion not there", subbed("setup", tag("coordinates_file"), r"\1nowhere.mot\3"), ""),
    ("motion unnamed", subbed("setup", tag("coordinates_file"), ""), ""),
    ("coordinates_in_degrees false beside inDegrees=yes", subbed("setup", "<time_range>", "<coordinates_in_degrees>false</coordinates_in_degrees><time_range>"), ""),
    ("another subject's motion", lambda case: _other_motion(case), ""),
):  # fmt: skip
    kind("setup", _name, _do, "id", _valid)


def _other_motion(case: Case) -> None:
    other = {"gait2392": "gait10dof18musc", "gait10dof18musc": "gait2392", "rajagopal_walk": "gait2392"}.get(case.name)
    if other is None:
        raise NotHere
    case.text["motion"] = (REFERENCES / other / "ik_1e-9.mot").read_text(encoding="utf-8")


for _name, _do, _valid in (
    ("markers not there", subbed("setup", tag("marker_file"), r"\1nowhere.trc\3"), ""),
    ("markers unnamed", subbed("setup", tag("marker_file"), ""), ""),
    ("weights 0", subbed("setup", tag("weight"), r"\g<1>0\3"), ""),
    ("a weight negative", subbed("setup", tag("weight"), r"\g<1>-1\3", 1), ""),
    ("a weight NaN", subbed("setup", tag("weight"), r"\g<1>NaN\3", 1), ""),
    ("a weight a word", subbed("setup", tag("weight"), r"\g<1>high\3", 1), ""),
    ("a weight with a decimal comma", subbed("setup", tag("weight"), r"\g<1>0,5\3", 1), ""),
    ("a weight 1000 times larger", subbed("setup", tag("weight"), lambda m: scaled(m, 1000.0), 1), "weights are the laboratory's choice"),
    ("a task twice with another weight", subbed("setup", r"<IKMarkerTask .*?</IKMarkerTask>", lambda m: m[0] + re.sub(r"<weight>[^<]*", "<weight>500", m[0]), 1), ""),
    ("a task of a marker nobody has", subbed("setup", r'IKMarkerTask name="', 'IKMarkerTask name="x', 1), ""),
    ("tasks off", subbed("setup", tag("apply"), r"\1false\3"), ""),
    ("task set gone", subbed("setup", r"<IKTaskSet.*</IKTaskSet>", ""), "OpenSim tracks all markers with weight 1; so is it here"),
    ("apply a word", subbed("setup", tag("apply"), r"\1perhaps\3", 1), ""),
    ("a drawn coordinate in degrees", subbed("setup", r"(IKCoordinateTask name=\"subtalar_angle_r\".*?)default_value(.*?<value>)0", r"\1manual_value\g<2>10"), ""),
):  # fmt: skip
    kind("setup", _name, _do, "ik", _valid)

# -- models -------------------------------------------------------------------------------------------------------------------------

for _name, _do, _valid in (
    ("masses in g", subbed("model", tag("mass"), lambda m: scaled(m, 1000.0)), ""),
    ("one mass in g", inside("Body", "(?:tibia_r|r_humerus)", "mass", times(1000.0)), ""),
    ("masses in pounds", subbed("model", tag("mass"), lambda m: scaled(m, 2.2046)), ""),
    ("one mass 0", inside("Body", "(?:femur_r|r_humerus)", "mass", "0"), ""),
    ("one mass negative", inside("Body", "(?:femur_r|r_humerus)", "mass", times(-1.0)), ""),
    ("one mass NaN", inside("Body", "(?:femur_r|r_humerus)", "mass", "NaN"), ""),
    ("one mass with a decimal comma", inside("Body", "(?:femur_r|r_humerus)", "mass", lambda text: text.strip()[:6].replace(".", ",")), ""),
    ("one mass gone", lambda case: _without_mass(case), ""),
    ("one mass 10 % larger", inside("Body", "(?:femur_r|r_humerus)", "mass", times(1.1)), "a plausible mass of a plausible person"),
    ("a mass' tag misspelt", subbed("model", tag("mass"), r"<mas>\2</mas>", 3), ""),
    ("inertias in kg cm2", subbed("model", tag("inertia"), lambda m: scaled(m, 1e4)), ""),
    ("inertias in kg mm2", subbed("model", tag("inertia"), lambda m: scaled(m, 1e6)), ""),
    ("one inertia in kg cm2", inside("Body", "(?:tibia_r|r_humerus)", "inertia", times(1e4)), ""),
    ("one inertia 0", inside("Body", "(?:femur_r|r_humerus)", "inertia", "0 0 0 0 0 0"), ""),
    ("one inertia that no body has", inside("Body", "(?:femur_r|r_humerus)", "inertia", "1 0.1 0.1 0 0 0"), ""),
    ("one inertia negative", inside("Body", "(?:femur_r|r_humerus)", "inertia", times(-1.0)), ""),
    ("mass centres in mm", subbed("model", tag("mass_center"), lambda m: scaled(m, 1000.0)), ""),
    ("one mass centre in mm", inside("Body", "(?:tibia_r|r_humerus)", "mass_center", times(1000.0)), ""),
    ("one mass centre in cm", inside("Body", "(?:tibia_r|r_humerus)", "mass_center", times(100.0)), ""),
    ("one mass centre mirrored", inside("Body", "(?:femur_r|r_humerus)", "mass_center", times(-1.0)), ""),
    ("one mass centre NaN", inside("Body", "(?:femur_r|r_humerus)", "mass_center", "0 NaN 0"), ""),
    ("one mass centre of two numbers", inside("Body", "(?:femur_r|r_humerus)", "mass_center", "0 -0.1"), ""),
    ("gravity along z", subbed("model", tag("gravity"), r"\g<1>0 0 -9.80665\3"), ""),
    ("gravity along -x", subbed("model", tag("gravity"), r"\g<1>-9.80665 0 0\3"), ""),
    ("gravity upwards", subbed("model", tag("gravity"), r"\g<1>0 9.80665 0\3"), ""),
    ("gravity 0", subbed("model", tag("gravity"), r"\g<1>0 0 0\3"), ""),
    ("gravity in mm/s2", subbed("model", tag("gravity"), r"\g<1>0 -9806.65 0\3"), ""),
    ("gravity in cm/s2", subbed("model", tag("gravity"), r"\g<1>0 -980.665 0\3"), ""),
    ("gravity in g", subbed("model", tag("gravity"), r"\g<1>0 -1 0\3"), ""),
    ("gravity gone", subbed("model", tag("gravity"), ""), "OpenSim's default, 0 -9.80665 0"),
    ("gravity of two numbers", subbed("model", tag("gravity"), r"\g<1>0 -9.80665\3"), ""),
    ("gravity a word", subbed("model", tag("gravity"), r"\g<1>earth\3"), ""),
    ("length_units millimeters", subbed("model", tag("length_units"), r"\1millimeters\3"), ""),
    ("lengths in mm", subbed("model", tag("translation"), lambda m: scaled(m, 1000.0)), ""),
    ("one joint's place in mm", inside("PhysicalOffsetFrame", "(?:femur_r_offset|r_humerus_offset)", "translation", lambda text: "0 -400 0"), ""),
    ("a coordinate's name wrong", subbed("model", "(hip_flexion_r|r_elbow_flex)", r"\1x"), ""),
    ("a coordinate's name twice", subbed("model", r'Coordinate name="(hip_adduction_r|r_elbow_flex)"', lambda m: 'Coordinate name="' + {"hip_adduction_r": "hip_flexion_r", "r_elbow_flex": "r_shoulder_elev"}[m[1]] + '"'), ""),
    ("a body's name twice", subbed("model", '<Body name="tibia_l"', '<Body name="tibia_r"'), ""),
    ("a body's name wrong", subbed("model", '<Body name="tibia_r"', '<Body name="shank_r"'), ""),
    ("a joint's parent wrong", subbed("model", "<socket_parent_frame>(femur_r_offset|r_humerus_offset)", r"<socket_parent_frame>nobody", 1), ""),
    ("a joint's child twice", subbed("model", "(<socket_parent>/bodyset/)tibia_l(</socket_parent>)", r"\1tibia_r\2"), ""),
    ("left and right bodies exchanged", subbed("model", r'<Body name="(femur|tibia)_([rl])"', lambda m: f'<Body name="{m[1]}_' + {"r": "l", "l": "r"}[m[2]] + '"'), "a body weighs as much on either side in these models"),
    ("a coordinate locked", inside("Coordinate", "(?:hip_flexion_r|r_shoulder_elev)", "locked", "true"), ""),
    ("a coordinate locked, in the motion it stands", inside("Coordinate", "mtp_angle_r", "locked", "true"), ""),
    ("a range in degrees", inside("Coordinate", "(?:hip_flexion_r|r_shoulder_elev)", "range", "-120 120"), ""),
    ("a default in degrees", inside("Coordinate", "(?:knee_angle_r|r_elbow_flex)", "default_value", "90"), ""),
    ("an axis with the other sign", lambda case: _axis(case, "0 0 -1"), ""),
    ("an axis of another joint's direction", lambda case: _axis(case, "0 1 0"), ""),
    ("an axis 0", lambda case: _axis(case, "0 0 0"), ""),
    ("an axis not of length 1", lambda case: _axis(case, "0 0 2"), ""),
    ("an axis NaN", lambda case: _axis(case, "0 0 NaN"), ""),
    ("document cut", written("model", lambda text: text[: len(text) // 2]), ""),
    ("byte order mark", encoded("model", "utf-8-sig"), ""),
    ("UTF-16 below a line that says UTF-8", encoded("model", "utf-16"), ""),
    ("code page 1252 below a line that says UTF-8", lambda case: _cp1252(case), ""),
    ("masses in the document's mg by exponent", inside("Body", "(?:femur_r|r_humerus)", "mass", lambda text: f"{float(text):.4f}e3"), ""),
):  # fmt: skip
    kind("model", _name, _do, "id", _valid)


def _without_mass(case: Case) -> None:
    text = case.words("model")
    match = re.search(r'<Body name="(?:femur_r|r_humerus)">.*?(<mass>[^<]*</mass>)', text, re.DOTALL)
    if match is None:
        raise NotHere
    case.text["model"] = text[: match.start(1)] + text[match.end(1) :]


def _axis(case: Case, new: str) -> None:
    text = case.words("model")
    match = re.search(r"<coordinates>(?:hip_flexion_r|r_elbow_flex)</coordinates>.*?<axis>([^<]*)</axis>", text, re.DOTALL)
    if match is None:
        raise NotHere
    case.text["model"] = text[: match.start(1)] + new + text[match.end(1) :]


def _cp1252(case: Case) -> None:
    case.text["model"] = case.words("model").replace("<gravity>", "<!-- Prüfling --><gravity>").encode("cp1252", "replace")


for _name, _do, _valid in (
    ("gravity along z", subbed("model", tag("gravity"), r"\g<1>0 0 -9.80665\3"), ""),
    ("markers' places in mm", subbed("model", r"(<Marker name=.*?<location>)([^<]*)(</location>)", lambda m: scaled(m, 1000.0)), ""),
    ("one marker's place in mm", subbed("model", r"(<Marker name=.*?<location>)([^<]*)(</location>)", lambda m: scaled(m, 1000.0), 1), ""),
    ("one marker's place in cm", subbed("model", r"(<Marker name=.*?<location>)([^<]*)(</location>)", lambda m: scaled(m, 100.0), 1), ""),
    ("one marker on another body", subbed("model", r"(<Marker name=\"(?:R.Knee|R.ASIS|r_humerus_epicondyle)\".*?<socket_parent_frame>/bodyset/)(\w+)", r"\1GROUND"), ""),
    ("a marker's name wrong", subbed("model", r'<Marker name="R.ASIS"', '<Marker name="RASIS"'), ""),
    ("a marker's name twice", subbed("model", r'<Marker name="L.ASIS"', '<Marker name="R.ASIS"'), ""),
    ("a coordinate locked", inside("Coordinate", "(?:knee_angle_r|r_elbow_flex)", "locked", "true"), "a lock is the modeller's choice"),
    ("a clamped range in degrees", inside("Coordinate", "(?:knee_angle_r|r_elbow_flex)", "range", "-120 10"), ""),
    ("another person's model, 20 % larger", lambda case: _larger(case), ""),
    ("document cut", written("model", lambda text: text[: len(text) // 2]), ""),
):  # fmt: skip
    kind("model", _name, _do, "ik", _valid)


def _larger(case: Case) -> None:
    for name in ("translation", "location"):
        case.sub("model", tag(name), lambda m: scaled(m, 1.2))


# -- markers ------------------------------------------------------------------------------------------------------------------------


def _trc_word(at: int, new: str) -> Callable[[Table], None]:
    """A word of the third line: rate, camera rate, frames, markers, unit."""

    def changed(table: Table) -> None:
        words = table.head[2].split("\t")
        words[at] = new
        table.head[2] = "\t".join(words)

    return changed


def _marker_names(rule: Callable[[list[str]], list[str]]) -> Callable[[Table], None]:
    """Other names over the same numbers."""

    def changed(table: Table) -> None:
        places = [at for at, name in enumerate(table.names) if at > 1 and name.strip()]
        for at, name in zip(places, rule([table.names[at] for at in places]), strict=True):
            table.names[at] = name

    return changed


def _exchange(one: int, other: int) -> Callable[[list[str]], list[str]]:
    def changed(names: list[str]) -> list[str]:
        if len(names) <= max(one, other):
            raise NotHere
        names = list(names)
        names[one], names[other] = names[other], names[one]
        return names

    return changed


for _name, _do, _valid in (
    ("Units m over mm", tabled("markers", _trc_word(4, "m")), ""),
    ("Units cm over mm", tabled("markers", _trc_word(4, "cm")), ""),
    ("Units inch", tabled("markers", _trc_word(4, "inch")), ""),
    ("Units empty", tabled("markers", _trc_word(4, "")), ""),
    ("Units furlong", tabled("markers", _trc_word(4, "furlong")), ""),
    ("metres below Units mm", tabled("markers", marker_threes(lambda v: [0.001 * x for x in v])), ""),
    ("DataRate doubled", tabled("markers", _trc_word(0, "120.0")), ""),
    ("DataRate 0", tabled("markers", _trc_word(0, "0")), ""),
    ("NumFrames too small", tabled("markers", _trc_word(2, "20")), ""),
    ("NumFrames too large", tabled("markers", _trc_word(2, "9999")), ""),
    ("NumMarkers too small", tabled("markers", _trc_word(3, "3")), ""),
    ("NumMarkers too large", tabled("markers", _trc_word(3, "99")), ""),
    ("Z up", tabled("markers", marker_threes(z_up)), ""),
    ("X up", tabled("markers", marker_threes(lambda v: [v[1], -v[0], v[2]])), ""),
    ("mirrored left to right", tabled("markers", marker_threes(lambda v: [v[0], v[1], -v[2]])), ""),
    ("y and z exchanged", tabled("markers", marker_threes(lambda v: [v[0], v[2], v[1]])), ""),
    ("turned by 90 degrees about the vertical", tabled("markers", marker_threes(lambda v: [v[2], v[1], -v[0]])), "a laboratory's axes: the same person walks another way"),
    ("two neighbours exchanged", tabled("markers", _marker_names(_exchange(3, 4))), ""),
    ("two far markers exchanged", tabled("markers", _marker_names(_exchange(0, 18))), ""),
    ("names one place further", tabled("markers", _marker_names(lambda names: [names[-1], *names[:-1]])), ""),
    ("a name twice", tabled("markers", _marker_names(lambda names: [*names[:-1], names[0]])), ""),
    ("names with the subject before", tabled("markers", _marker_names(lambda names: [f"Anna:{name}" for name in names])), ""),
    ("one marker 0 0 0 throughout", tabled("markers", marker_threes(lambda v: [0.0, 0.0, 0.0], lambda n: n == 0)), ""),
    ("one marker 50 mm off", tabled("markers", marker_threes(lambda v: [v[0] + 50.0, v[1], v[2]], lambda n: n == 0)), "a marker placed otherwise; the errors in the table of errors show it"),
    ("one marker 200 mm off", tabled("markers", marker_threes(lambda v: [v[0] + 200.0, v[1], v[2]], lambda n: n == 0)), ""),
    ("one marker stands still", lambda case: _still(case), ""),
    ("one frame of all markers 0", lambda case: _zero_frame(case), ""),
    ("all in one place", tabled("markers", marker_threes(lambda v: [1.0, 1.0, 1.0])), ""),
    ("half the person's size", tabled("markers", marker_threes(lambda v: [0.5 * x for x in v])), ""),
):  # fmt: skip
    kind("markers", _name, _do, "ik", _valid)


def _still(case: Case) -> None:
    table = case.table("markers")
    for row in table.rows:
        row[2:5] = table.rows[0][2:5]
    case.text["markers"] = table.text


def _zero_frame(case: Case) -> None:
    table = case.table("markers")
    row = next(row for row in table.rows if float(row[1]) > case_start(case) + 0.1)
    row[2:] = ["0.0" if word.strip() else word for word in row[2:]]
    case.text["markers"] = table.text


def case_start(case: Case) -> float:
    """Start of the setup's range in s."""
    match = re.search(r"<time_range>\s*([\d.]+)", case.words("setup"))
    return float(match[1]) if match else 0.0


# -- scaling ------------------------------------------------------------------------------------------------------------------------

for _name, _do, _valid in (
    ("mass in g", subbed("setup", tag("mass"), lambda m: scaled(m, 1000.0), 1), ""),
    ("mass in pounds", subbed("setup", tag("mass"), lambda m: scaled(m, 2.2046), 1), "160 lb read as 160 kg is a person's mass"),
    ("mass negative", subbed("setup", tag("mass"), lambda m: scaled(m, -1.0), 1), ""),
    ("mass 0", subbed("setup", tag("mass"), r"\g<1>0\3", 1), ""),
    ("mass NaN", subbed("setup", tag("mass"), r"\g<1>NaN\3", 1), ""),
    ("mass gone", subbed("setup", tag("mass"), "", 1), ""),
    ("mass with a decimal comma", subbed("setup", tag("mass"), r"\g<1>72,6\3", 1), ""),
    ("a pair of one marker twice", subbed("setup", tag("markers"), lambda m: m[1] + " ".join([m[2].split()[0]] * 2) + m[3], 1), ""),
    ("a pair's marker unknown", subbed("setup", tag("markers"), lambda m: m[1] + m[2].split()[0] + " Nobody" + m[3], 1), ""),
    ("a pair of one word", subbed("setup", tag("markers"), lambda m: m[1] + m[2].split()[0] + m[3], 1), ""),
    ("a pair of the two sides exchanged", subbed("setup", tag("markers"), lambda m: m[1] + " ".join(m[2].split()[::-1]) + m[3], 1), ""),
    ("a pair's marker another", subbed("setup", r"(<markers>\s*\S+\s+)(\S+)(\s*</markers>)", r"\1R.Heel\3", 1), ""),
    ("a factor 0", subbed("setup", tag("scales"), r"\g<1>0 0 0\3", 1), ""),
    ("a factor in percent", subbed("setup", tag("scales"), lambda m: scaled(m, 100.0), 1), ""),
    ("a factor negative", subbed("setup", tag("scales"), lambda m: scaled(m, -1.0), 1), ""),
    ("a factor NaN", subbed("setup", tag("scales"), r"\g<1>NaN NaN NaN\3", 1), ""),
    ("a factor's body unknown", subbed("setup", tag("segment"), r"\1nobody\3", 1), ""),
    ("a scaled body unknown", subbed("setup", r'<BodyScale name="\w+"', '<BodyScale name="nobody"', 1), ""),
    ("axes X Y W", subbed("setup", tag("axes"), r"\g<1>X Y W\3", 1), ""),
    ("axes empty", subbed("setup", tag("axes"), r"\1\3", 1), ""),
    ("scaling_order misspelt", subbed("setup", tag("scaling_order"), r"\1measurments manualscale\3"), ""),
    ("scaling_order empty", subbed("setup", tag("scaling_order"), r"\1\3"), ""),
    ("time range behind the recording", subbed("setup", tag("time_range"), r"\g<1>70 80\3"), ""),
    ("time range backwards", subbed("setup", tag("time_range"), lambda m: m[1] + " ".join(m[2].split()[::-1]) + m[3]), ""),
    ("model not there", subbed("setup", tag("model_file"), r"\1nowhere.osim\3"), ""),
    ("preserve_mass_distribution a word", subbed("setup", tag("preserve_mass_distribution"), r"\1perhaps\3"), ""),
    ("a marker's weight negative", subbed("setup", tag("weight"), r"\g<1>-1\3", 1), ""),
):  # fmt: skip
    kind("scale setup", _name, _do, "scale", _valid)

for _name, _do, _valid in (
    ("Units m over mm", tabled("markers", _trc_word(4, "m")), ""),
    ("metres below Units mm", tabled("markers", marker_threes(lambda v: [0.001 * x for x in v])), ""),
    ("Units cm over mm", tabled("markers", _trc_word(4, "cm")), ""),
    ("Z up", tabled("markers", marker_threes(z_up)), ""),
    ("names one place further", tabled("markers", _marker_names(lambda names: [names[-1], *names[:-1]])), ""),
    ("two far markers exchanged", tabled("markers", _marker_names(_exchange(0, 18))), ""),
    ("left and right names exchanged", tabled("markers", sides_swapped), ""),
    ("mirrored left to right", tabled("markers", marker_threes(lambda v: [v[0], v[1], -v[2]])), ""),
    ("times in milliseconds", tabled("markers", lambda table: moved(table, lambda t: 1000.0 * t)), ""),
    ("one marker 200 mm off", tabled("markers", marker_threes(lambda v: [v[0] + 200.0, v[1], v[2]], lambda n: n == 0)), ""),
    ("second half missing", tabled("markers", half), ""),
    ("decimal commas", after_header("markers", lambda text: text.replace(".", ",")), ""),
    ("half the person's size", tabled("markers", marker_threes(lambda v: [0.5 * x for x in v])), ""),
):  # fmt: skip
    kind("scale markers", _name, _do, "scale", _valid)
