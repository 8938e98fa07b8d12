"""Tables of segment inertial parameters: one CSV per publication, one citation per row.

A row scales to a subject by body mass M (kg) and by the segment's length L (m), the distance between the two end points
the publication names::

    mass = mass_fraction M,    inertia = m L^2 [ r_x^2  p_xy  p_xz ; .  r_y^2  p_yz ; .  .  r_z^2 ]   about the centre of mass,

where r are radii of gyration as fractions of L and each product p = sign(q) q^2 comes from a signed radius q: publications
print an imaginary radius "7i" for a negative product, which the CSV writes as -0.07.

The centre of mass is either a fraction of the way from the proximal to the distal end point (``com_fraction``), or a
vector in segment axes (``com_x, com_y, com_z``, fractions of L) from the proximal end point or from the point ``com_from`` names.

Axes: ``isb`` is X anterior, Y proximal (for the foot: up), Z to the right, and rows describe the RIGHT side (mirroring to
the left changes the sign of com_z, product_xz and product_yz); the name of a body model stands for its own segment axes.

A cell may hold a polynomial in the subject's age in years, coefficients from the constant term up, joined by ``;``.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, InvalidValueError, MissingInputError
from biomech_id.files.settings import ANYTHING, Section, Setting, must_fit, shipped_or_own
from biomech_id.values import dataclass, replace

_FOLDER = Path(__file__).parent / "tables"
_INDEX = list(csv.DictReader((_FOLDER / "index.csv").read_text(encoding="utf-8").splitlines()))
#: Tables shipped with the package, in order of the years of their sources, body models' own last.
INERTIAL_TABLES: tuple[str, ...] = tuple(row["table"] for row in _INDEX)
#: Points a table's lengths and fractions may refer to; each model says where they are in its own segments.
END_POINTS: frozenset[str] = frozenset({
    "hip_centre", "knee_centre", "ankle_centre", "lateral_malleolus", "heel", "toe_tip", "metatarsal_2", "metatarsal_heads",
    "foot_axis", "shoulder_centre", "elbow_centre", "wrist_centre", "metacarpal_3", "vertex", "mid_gonion", "cervicale",
    "suprasternale", "mid_hip", "glenohumeral", "greater_trochanter", "femoral_condyles", "medial_malleolus", "elbow_axis",
    "ulnar_styloid", "knuckle_2", "wrist_axis", "cervical_joint", "lumbar_joint", "middle_finger_tip",
})  # fmt: skip
#: ISB's, and those of body models that brought tables of their own.
_AXES: tuple[str, ...] = tuple(dict.fromkeys(row["axes"] for row in _INDEX))
_COLUMNS = (
    "segment", "sex", "age_min_y", "age_max_y", "axes", "proximal", "distal", "mass_fraction", "com_fraction", "com_from", "com_x",
    "com_y", "com_z", "radius_x", "radius_y", "radius_z", "product_xy", "product_xz", "product_yz", "citation",
)  # fmt: skip

#: The columns that hold numbers: all between the end points and the citation but the point of the offset.
_NUMBERS = tuple(column for column in _COLUMNS[7:-1] if column != "com_from")
_SEXES: dict[str, str] = {
    "": "", "f": "female", "female": "female", "woman": "female", "m": "male", "male": "male", "man": "male",
}  # fmt: skip

#: Value of a cell as a polynomial in age: coefficients from the constant term up; empty for an empty cell.
Polynomial = tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """Inertial parameters of one segment as fractions of body mass and segment length.

    Attributes
    ----------
    segment : str
        Name of the segment, "thigh".
    sex : str
        "female", "male", or "" when the source does not separate them.
    axes : str
        "isb" (right side), or the body model in whose segment axes the vectors below are, see the module.
    proximal : str
        The end point that ``com_fraction_from_proximal`` counts from, of `END_POINTS`.
    distal : str
        The other end point of the segment's length.
    mass_fraction : float
        Mass as a fraction of body mass.
    com_fraction_from_proximal : float | None
        Along the line from the proximal to the distal end point, or None when ``com_offset`` is given.
    com_offset_fraction : tuple[float, float, float] | None
        (3,) centre of mass from ``com_from`` in segment axes, fractions of the length, or None.
    radii_fraction : tuple[float, float, float] | None
        (3,) radii of gyration about the centre of mass for axes x, y, z, fractions of the length; None in a row that gives a mass
        only.
    products_fraction : tuple[float, float, float]
        (3,) signed radii of the products xy, xz, yz (negative radius: negative product).
    citation : str
        Where the numbers are printed.
    com_from : str, optional
        The point that offset starts at; the proximal end point unless the source says otherwise.
    age_range_years : tuple[float, float] | None, optional
        Ages the source covers, or None.
    """

    segment: str
    sex: str
    axes: str
    proximal: str
    distal: str
    mass_fraction: float
    com_fraction_from_proximal: float | None
    com_offset_fraction: tuple[float, float, float] | None
    radii_fraction: tuple[float, float, float] | None
    products_fraction: tuple[float, float, float]
    citation: str
    com_from: str = ""
    age_range_years: tuple[float, float] | None = None

    def unit_tensor(self, *, side: str = "R") -> FloatArray:
        """Inertia of 1 kg and 1 m about the centre of mass.

        Parameters
        ----------
        side : str, optional
            "L" mirrors an ISB row across the sagittal plane; "R" leaves it.

        Returns
        -------
        FloatArray
            (3, 3), kg m2, in the row's axes; times mass and length squared it is the segment's.

        Raises
        ------
        MissingInputError
            The row gives a mass only.
        """
        if self.radii_fraction is None:
            raise MissingInputError(
                f"The inertial table gives the {self.segment} a mass but no radii of gyration ({self.citation}).",
                value=self.segment, expected="a row with radii", where=self.segment,
            )  # fmt: skip
        rx, ry, rz = self.radii_fraction
        mirror = -1.0 if side == "L" and self.axes == "isb" else 1.0
        xy, xz, yz = (np.sign(q) * q * q for q in self.products_fraction)
        xz, yz = mirror * xz, mirror * yz
        return np.array([[rx * rx, xy, xz], [xy, ry * ry, yz], [xz, yz, rz * rz]])


@dataclass(frozen=True)
class _AgedRow:
    """One line of the CSV before an age is known: a row without numbers, and its numbers as polynomials in age."""

    row: Row
    cells: Mapping[str, Polynomial]

    def at(self, age_years: float | None) -> Row:
        values = {name: _value(cell, age_years, self.row) for name, cell in self.cells.items() if cell}

        def triple(kind: str, axes: tuple[str, str, str] = ("x", "y", "z")) -> tuple[float, float, float]:
            x, y, z = (values.get(f"{kind}_{axis}", 0.0) for axis in axes)
            return x, y, z

        return replace(
            self.row,
            mass_fraction=values["mass_fraction"],
            com_fraction_from_proximal=values.get("com_fraction"),
            com_offset_fraction=triple("com") if "com_x" in values else None,
            radii_fraction=triple("radius") if "radius_x" in values else None,
            products_fraction=triple("product", ("xy", "xz", "yz")),
        )


@dataclass(frozen=True)
class InertialTable:
    """Inertial parameters of a body's segments for one kind of subject.

    ``table["thigh"]`` is the row of a segment. A table whose source separates the sexes or depends on age needs the subject
    first: ``table.for_subject(sex="female", age_years=31)``.

    Attributes
    ----------
    name : str
        "de-leva-1996", or the stem of a user's file.
    sex : str, optional
        Sex that the rows were chosen for; "" before `for_subject`.
    age_years : float | None, optional
        Age that the rows were chosen for; None before `for_subject`.
    """

    name: str
    _rows: tuple[_AgedRow, ...]
    sex: str = ""
    age_years: float | None = None

    @property
    def by_sex(self) -> bool:
        """Whether the source separates the sexes."""
        return any(aged.row.sex for aged in self._rows)

    @property
    def by_age(self) -> bool:
        """Whether a value depends on age."""
        return any(len(cell) > 1 for aged in self._rows for cell in aged.cells.values())

    @property
    def age_range_years(self) -> tuple[float, float] | None:
        """Ages the source covers, or None when it does not say."""
        return self._rows[0].row.age_range_years

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments, in the order of the file."""
        return tuple(dict.fromkeys(aged.row.segment for aged in self._rows))

    def for_subject(self, *, sex: str | None = None, age_years: float | None = None) -> InertialTable:
        """Choose the rows of one subject.

        Parameters
        ----------
        sex : str | None, optional
            "female" or "male" (any case, or the first letter); needed when `by_sex`.
        age_years : float | None, optional
            Needed when `by_age`; clamped to nothing: an age outside the source's range is the caller's finding.

        Returns
        -------
        InertialTable
            With the rows of that sex; its values are those at that age.

        Raises
        ------
        MissingInputError
            The table needs a sex or an age that is not given.
        InvalidValueError
            A sex that cannot be understood.
        """
        chosen = _sex(sex)
        if self.by_sex and not chosen:
            raise MissingInputError(
                f"The inertial table {self.name} differs between women and men, and the subject's sex is not recorded: "
                "give it in subject.toml, or choose a table that does not need it (dempster-winter).",
                value=sex, expected="female or male", where=self.name,
            )  # fmt: skip
        if self.by_age and age_years is None:
            raise MissingInputError(
                f"The inertial table {self.name} depends on age, and the subject's age is not recorded: give it in subject.toml.",
                value=None, expected="the age in years", where=self.name,
            )  # fmt: skip
        rows = tuple(aged for aged in self._rows if aged.row.sex in ("", chosen))
        return replace(self, _rows=rows, sex=chosen, age_years=age_years)

    def with_mass_fractions(self, fractions: Mapping[str, float], source: str) -> InertialTable:
        """Take other mass fractions for some segments.

        Parameters
        ----------
        fractions : Mapping[str, float]
            Segment -> mass as a fraction of the body's.
        source : str
            Where they come from, with its citation.

        Returns
        -------
        InertialTable
            With ``source`` appended to the citation of these rows.
        """
        rows = []
        for aged in self._rows:
            row, cells = aged.row, aged.cells
            if row.segment in fractions:
                row = replace(row, citation=f"{row.citation}; mass from {source}")
                cells = MappingProxyType({**cells, "mass_fraction": (fractions[row.segment],)})
            rows.append(_AgedRow(row, cells))
        return replace(self, _rows=tuple(rows))

    def __getitem__(self, segment: str) -> Row:
        """Return the row of a segment.

        Raises
        ------
        MissingInputError
            No such segment, or a sex or age is still needed.
        """
        rows = [aged for aged in self._rows if aged.row.segment == segment]
        if not rows:
            raise MissingInputError(
                f"The inertial table {self.name} has no segment named {segment}.",
                value=segment, expected=f"one of {', '.join(self.segments)}", where=self.name,
            )  # fmt: skip
        if len(rows) > 1:
            self.for_subject()  # raises: the sex is missing
        return rows[0].at(self.age_years)

    def __iter__(self) -> Iterator[str]:
        return iter(self.segments)


def load_table(name: str | Path) -> InertialTable:
    """Load a shipped table by its name, or a user's by its CSV path.

    Parameters
    ----------
    name : str | Path
        One of `INERTIAL_TABLES`, or the path of a ``.csv`` file.

    Returns
    -------
    InertialTable
        Before `for_subject`: for any subject.

    Raises
    ------
    OptionError
        No shipped table has that name and no such file exists.
    FileRefusedError
        A CSV that cannot be understood; the message names the line and the column.
    """
    return _parse(shipped_or_own(name, "inertial table", INERTIAL_TABLES, _FOLDER, ".csv"), Path(name).stem)


@lru_cache(maxsize=16)
def _parse(content: str, name: str) -> InertialTable:
    reader = csv.DictReader(content.splitlines(), restval="")
    must_fit(_HEADER, reader.fieldnames or (), name, FileRefusedError)
    lines = list(reader)
    must_fit(_LINES, lines, name, FileRefusedError)
    for number, line in enumerate(lines, start=2):
        must_fit(_LINE, line, f"{name}, line {number}", FileRefusedError)
    return InertialTable(name, tuple(map(_row, lines)))


def _row(line: Mapping[str, str]) -> _AgedRow:
    youngest, oldest = line["age_min_y"], line["age_max_y"]
    ages = (float(youngest), float(oldest)) if youngest and oldest else None
    row = Row(
        segment=line["segment"].strip(), sex=_sex(line["sex"]), axes=line["axes"], proximal=line["proximal"], distal=line["distal"],
        mass_fraction=np.nan, com_fraction_from_proximal=None, com_offset_fraction=None, radii_fraction=None,
        products_fraction=(0.0,) * 3, citation=line["citation"].strip(), com_from=line["com_from"] or line["proximal"],
        age_range_years=ages,
    )  # fmt: skip
    return _AgedRow(row, MappingProxyType({column: _polynomial(line[column]) for column in _NUMBERS}))


def _polynomial(cell: str) -> Polynomial:
    return tuple(map(float, cell.split(";"))) if cell.strip() else ()


def _is_polynomial(cell: str) -> bool:
    try:
        return all(map(math.isfinite, _polynomial(cell)))
    except ValueError:
        return False


def _is_complete(line: Mapping[str, str]) -> bool:
    """Whether a row has a mass, and either nothing else or a whole tensor and one centre of mass."""
    given = {column for column in _NUMBERS if line[column].strip()} - {"product_xy", "product_xz", "product_yz"}
    radii, offset = ({f"{kind}_{axis}" for axis in "xyz"} for kind in ("radius", "com"))
    return given in ({"mass_fraction"}, {"mass_fraction", "com_fraction", *radii}, {"mass_fraction", *offset, *radii})


def _unknown_points(line: Mapping[str, str]) -> list[str]:
    return [point for point in (line["proximal"], line["distal"], line["com_from"] or line["proximal"]) if point not in END_POINTS]


_HEADER = Setting(", ".join(_COLUMNS), lambda names: set(_COLUMNS) <= set(names), said=lambda at: (
    f"The inertial table {at.where} lacks the columns {', '.join(column for column in _COLUMNS if column not in at.value)}."
))  # fmt: skip
_LINES = Setting("one row per segment", bool, said=lambda at: f"The inertial table {at.where} has no rows.")
_CELL = Setting("a number, or numbers joined by ';'", _is_polynomial, said=lambda at: (
    f"{at.where}, column {at.key}: {at.value!r} is neither a number nor a polynomial in age."
))  # fmt: skip
_AGE = Setting("a number or nothing", lambda cell: ";" not in cell and _is_polynomial(cell))
_COMPLETE = Setting("a complete row or a mass alone", _is_complete, said=lambda at: (
    f"{at.where}: a row needs a mass_fraction, then radius_x, radius_y, radius_z with com_fraction or all of com_x, com_y, com_z, "
    "or nothing but the mass."
))  # fmt: skip
_PLACED = Setting(
    f"axes in {_AXES}, end points in {', '.join(sorted(END_POINTS))}",
    lambda line: not _unknown_points(line) and line["axes"] in _AXES and line["citation"].strip(),
    said=lambda at: (
        f"{at.where}: unknown end point, unknown axes, or no citation ({_unknown_points(at.value) or at.value['axes']})."
    ),
)
_SEX = Setting("female or male", lambda word: word in _SEXES, said=lambda at: f"The sex {at.value!r} is not understood.")
#: What a line of an inertial table may say.
_LINE = Section({**dict.fromkeys(_NUMBERS, _CELL), **dict.fromkeys(_COLUMNS[2:4], _AGE)}, rest=ANYTHING, rules=(_COMPLETE, _PLACED))


def _value(cell: Polynomial, age_years: float | None, row: Row) -> float:
    if len(cell) == 1:
        return cell[0]
    if age_years is None:
        raise MissingInputError(
            f"The {row.segment}'s inertial parameters depend on age, and the subject's age is not recorded.",
            value=None, expected="the age in years", where=row.segment,
        )  # fmt: skip
    return float(sum(c * age_years**k for k, c in enumerate(cell)))


def _sex(text: str | None) -> str:
    word = (text or "").strip().lower()
    must_fit(_SEX, word, "sex", InvalidValueError)
    return _SEXES[word]
