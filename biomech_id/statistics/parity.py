"""Our numbers against the vendor's, stored in the same C3D files: variable by variable, axis by axis.

A laboratory runs this on its own archive before it switches. Compared are joint centres, angles, forces, moments, powers and the
ground reaction of every frame that both sides hold, with these exceptions, each counted in the row:

- kinetics only where the file stores the ground reaction of that foot, or where the foot is surely in swing: a stance that the
  vendor computed without its plate holds numbers, but not the foot's;
- foot progression only on straight walks (its reference is a laboratory axis, far from a turning foot) and modulo 360 degrees;
- inside the foot every angle modulo 360 degrees, those in the laboratory on straight walks only, and those that follow the heel not
  against files whose software smoothed it again at each run, unless as often here;
- head and thorax in the laboratory likewise, and every angle above the pelvis modulo 360 degrees;
- waist and neck only where both feet's ground reaction is stored or they are surely in swing;
- a triple of exact zeros is how some software writes "nothing".

The stored ground moment is about the centre of whichever plate was used, ours about the laboratory's origin: it is not compared,
but enters every joint moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import (
    ANGLE_VARIABLE,
    AXES,
    CENTRE_OF_MASS,
    FOOT_IN_LABORATORY,
    FORCE_VARIABLE,
    FREE_JOINTS,
    MOMENT_VARIABLE,
    POWER_VARIABLE,
    SIDES,
    STORED_FOOT,
    UNITS,
    UPPER_BODY_TABLE,
    Quantity,
    rows_of,
)
from biomech_id.errors import MissingInputError
from biomech_id.languages import Sentence
from biomech_id.session.tables.session_tables import tidy_table
from biomech_id.trial import Trial
from biomech_id.values import dataclass

#: What 32-bit storage lets an equal model reach, by kind of quantity: (root mean square, largest) in the quantity's unit.
EQUAL_WITHIN: dict[str, tuple[float, float]] = {
    "point": (0.01, 0.01),
    "centre of mass": (0.05, 0.05),
    "angle": (0.001, 0.01),
    "moment": (2e-4, 1e-3),
    "power": (1e-3, 5e-3),
    "force": (1e-3, 5e-3),
    "ground force": (1e-4, 1e-4),
    "offset": (6e-4, 6e-4),
    "scalar": (1e-3, 5e-3),
}
#: What textbook kinetics compute otherwise than the vendor, on purpose: how plates are sampled, and all that follows.
MECHANICAL = frozenset({"ground force", "force", "moment", "power", "centre of mass"})
#: Our joint centres and the points that hold them in a vendor's file.
STORED_CENTRE: dict[str, str] = {"HJC": "FEP", "KJC": "FEO", "AJC": "TIO", "SJC": "CLO", "EJC": "HUO", "WJC": "RAO"}
#: Static offsets of the foot, as a vendor's file names them.
STORED_OFFSETS: tuple[str, ...] = ("StaticPlantFlex", "StaticRotOff", "HeadOffset")
#: Moments are stored in N mm/kg, powers in the third channel.
MOMENT_FROM_STORED = 1e-3
POWER_CHANNEL = 2
#: Stored names may carry a suffix that the laboratory chose, up to this long.
LONGEST_SUFFIX = 4
FULL_TURN_DEG = 360.0
#: Segments whose angles are those in the laboratory.
_IN_LABORATORY = frozenset({"head", "thorax"})
#: Angles inside the foot that follow the heel's marker, the smoothed heel that older software stores, and the arch's index.
_OF_HEEL = frozenset({"HindfootTibiaAngles", "ForefootHindfootAngles", "HindfootLabAngles"})
_STORED_HEEL, _ARCH = "HE1", "ArchHeightIndex"


class LeftOut(StrEnum):
    """Why frames are not compared: each is a column of the table."""

    TURNING = "turning"
    GROUND_NOT_STORED = "ground_not_stored"
    IN_SWING = "in_swing"
    NOT_STORED = "not_stored"
    NOT_COMPUTED = "not_computed"
    HEEL_PASSES = "heel_passes"


class Columns(Protocol):
    """Columns of one trial by name (a frame table, a data frame, a dictionary): (n_frames,) each."""

    def __getitem__(self, name: str, /) -> Any:
        """Return one column."""
        ...


@dataclass(frozen=True)
class ParityRow:
    """One variable and axis of one trial and side, ours minus stored.

    Attributes
    ----------
    trial : str
        What; ``axis`` is empty for a scalar.
    side : str
        What; ``axis`` is empty for a scalar.
    variable : str
        What; ``axis`` is empty for a scalar.
    axis : str
        What; ``axis`` is empty for a scalar.
    unit : str
        Of ``rmse`` and ``largest``.
    rmse : float
        Root mean square and largest absolute difference; NaN when nothing could be compared.
    largest : float
        Root mean square and largest absolute difference; NaN when nothing could be compared.
    correlation : float
        Of both curves; NaN when one of them is constant or nothing could be compared.
    n_frames : int
        Number of frames that were compared.
    worst_frame : int
        The recording's own number of the frame with the largest difference, or 0.
    left_out : Mapping[LeftOut, int]
        Reason -> number of frames that were not compared.
    quantity : str
        "point", "angle", "moment", "power", "force", "ground force" or "offset".
    """

    trial: str
    side: str
    variable: str
    axis: str
    unit: str
    rmse: float
    largest: float
    correlation: float
    n_frames: int
    worst_frame: int
    left_out: Mapping[LeftOut, int]
    quantity: str

    @property
    def equal(self) -> bool | None:
        """Whether the difference is no more than the rounding of an equal model; None when nothing was compared."""
        if not self.n_frames:
            return None
        rms, largest = EQUAL_WITHIN[self.quantity]
        return self.rmse <= rms and self.largest <= largest


@dataclass(frozen=True, eq=False)
class _Pair:
    """One variable of one side: names of our columns, stored values in our unit, and frames ruled out with their reason."""

    variable: str
    columns: tuple[str, ...]
    stored: FloatArray
    quantity: Quantity
    ruled_out: Mapping[LeftOut, BoolArray]
    wraps: bool = False


def parity_rows(columns: Columns, trial: Trial, *, straight: bool, heel_passes: int = 1) -> tuple[ParityRow, ...]:
    """Compare one trial's frame columns with the outputs stored in its file.

    Parameters
    ----------
    columns : Columns
        Our columns by name, in the units of the sign table (deg, N m/kg, N/kg, W/kg, mm).
    trial : Trial
        As read, with its stored outputs.
    straight : bool
        Whether the trial is a straight walk (foot progression is compared on those only).
    heel_passes : int, optional
        How often the foot model smoothed the heel here.

    Returns
    -------
    tuple[ParityRow, ...]
        One row per side, variable and axis that the file stores; none when it stores nothing.
    """
    pairs = [
        (side, pair)
        for side in SIDES
        for pair in (
            *_pairs(columns, trial, side, straight),
            *_upper(columns, trial, side, straight),
            *_inside_foot(columns, trial, side, straight=straight, heel_passes=heel_passes),
        )
    ]
    com = stored_output(trial.model_outputs, CENTRE_OF_MASS) if _has(columns, f"{CENTRE_OF_MASS}.X") else None
    if com is not None:
        pairs.append(("", _Pair(CENTRE_OF_MASS, _xyz("", CENTRE_OF_MASS), com, "point", {})))
    return tuple(row for side, pair in pairs for row in _rows(columns, trial, side, pair))


def offset_parity(offsets_deg: Mapping[str, Mapping[str, float]], static: Trial) -> tuple[ParityRow, ...]:
    """Compare static foot offsets with those stored in the static trial's file.

    Parameters
    ----------
    offsets_deg : Mapping[str, Mapping[str, float]]
        Side -> {"static_plantar_flexion_deg", "static_rotation_offset_deg"}: ``sides`` of ``calibration.json``.
    static : Trial
        The static trial as read.

    Returns
    -------
    tuple[ParityRow, ...]
        Absolute differences, deg; empty where the file stores none.
    """
    stored = {
        "StaticPlantFlex": ("static_plantar_flexion_deg", static.subject.static_plantar_flexion_rad),
        "StaticRotOff": ("static_rotation_offset_deg", static.subject.static_rotation_offset_rad),
    }
    rows = []
    for side, ours in offsets_deg.items():
        for variable, (field, theirs_rad) in stored.items():
            if theirs_rad.get(side):
                difference = abs(ours[field] - float(np.rad2deg(theirs_rad[side])))
                row = ParityRow(
                    static.name, side, variable, "", "deg", difference, difference, float("nan"), 1, 0, {}, "offset"
                )  # fmt: skip
                rows.append(row)
    return tuple(rows)


def head_offset_parity(calibration: Mapping[str, Any], static: str) -> tuple[ParityRow, ...]:
    """Compare the head's offset that textbook kinetics used with the one that the recording's software stored.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        What the session's ``calibration.json`` holds.
    static : str
        Name of the static trial.

    Returns
    -------
    tuple[ParityRow, ...]
        Absolute difference, deg; empty where the file stores none.
    """
    if "stored_head_offset_deg" not in calibration:
        return ()
    apart = abs(calibration["head_offset_deg"] - calibration["stored_head_offset_deg"])
    return (ParityRow(static, "", "HeadOffset", "", "deg", apart, apart, float("nan"), 1, 0, {}, "offset"),)


class Compared(Protocol):
    """One row of a comparison, as a value or read back from the table."""

    @property
    def side(self) -> str:
        """Which leg: "L" or "R"."""

    @property
    def variable(self) -> str:
        """What was compared."""

    @property
    def largest(self) -> float:
        """Largest absolute difference."""


def why_different(different: Sequence[Compared], kinetics: str) -> Sentence:
    """Return what accounts for curves that differ from the stored ones, as far as it is known.

    Textbook kinetics account for mechanics and for nothing else; offsets that are not the stored ones are named with their size,
    and every angle and moment below follows from them.

    Parameters
    ----------
    different : Sequence[Compared]
        Rows that are not equal.
    kinetics : str
        Mode of the analysis.

    Returns
    -------
    Sentence
        With the largest difference among its values.
    """
    # Of several sessions the largest of each.
    largest: dict[tuple[str, str], float] = {}
    for row in different:
        if row.variable in STORED_OFFSETS:
            key = row.side, row.variable
            largest[key] = max(float(row.largest), largest.get(key, 0.0))
    offsets = [(side, variable, size) for (side, variable), size in largest.items() if side]
    head = [size for (side, _), size in largest.items() if not side]
    others = [row for row in different if row.variable not in STORED_OFFSETS]
    mechanics = kinetics == "textbook" and any(quantity_of(row.variable) in MECHANICAL for row in others)
    strange = [row for row in others if not (kinetics == "textbook" and quantity_of(row.variable) in MECHANICAL)]
    first = min(strange, key=lambda row: (_outwards(row.variable), -float(row.largest)), default=None)
    first_difference = None if first is None else (first.variable, first.side, float(first.largest))
    values = {"offsets": offsets, "head": head, "mechanics": mechanics, "unexplained": len(strange), "kinetics": kinetics}
    values |= {"first": [first_difference] if first_difference else []}
    return Sentence("parity-differs", values)


def _outwards(variable: str) -> int:
    """Where a variable stands in the chain of causes: joint centres from the hip outwards, then angles likewise, then all else."""
    chain = [*STORED_CENTRE, *(f"{joint}Angles" for joint in ("Pelvis", "Hip", "Knee", "Ankle"))]
    return chain.index(variable) if variable in chain else len(chain)


def parity_table(rows: Sequence[ParityRow]) -> pd.DataFrame:
    """Return the rows as the tidy table ``parity`` (its columns are in `conventions.TABLES`).

    Parameters
    ----------
    rows : Sequence[ParityRow]
        Rows of any number of trials.

    Returns
    -------
    pd.DataFrame
        One row for each variable and axis; units stand in a column.
    """
    words = {True: "true", False: "false", None: ""}
    return tidy_table(
        "parity",
        [
            {
                "trial": row.trial, "side": row.side, "variable": row.variable, "axis": row.axis, "unit": row.unit,
                "rmse": row.rmse, "largest": row.largest, "correlation": row.correlation, "frames": row.n_frames,
                "worst_frame": row.worst_frame, "left_out": said(row.left_out), "equal": words[row.equal],
                **{reason: row.left_out.get(reason, 0) for reason in LeftOut},
            }
            for row in rows
        ],
    )  # fmt: skip


def said(left_out: Mapping[LeftOut, int]) -> str:
    """Return why frames were left out, in words: ``12 not stored; 8 not computed``.

    Parameters
    ----------
    left_out : Mapping[LeftOut, int]
        Reason -> number of frames.
    """
    return "; ".join(str(left_out_sentence(reason, count)) for reason, count in left_out.items() if count)


def left_out_sentence(reason: str, count: int) -> Sentence:
    """Return why so many frames were not compared.

    Parameters
    ----------
    reason : str
        Why they were left out: a value of `LeftOut`.
    count : int
        Number of frames left out for it.

    Returns
    -------
    Sentence
        With number and reason as its values.
    """
    return Sentence("frames-left-out", {"n": count, "why": reason})


def quantity_of(variable: str) -> str:
    """Return the kind of quantity of a compared variable: a key of `EQUAL_WITHIN`.

    Parameters
    ----------
    variable : str
        Its name without the side: "KneeMoment".

    Returns
    -------
    str
        "point", "angle", "moment", "power", "force", "ground force", "offset" or "centre of mass".
    """
    if variable == CENTRE_OF_MASS:
        return "centre of mass"
    if variable in STORED_CENTRE:
        return "point"
    if variable in STORED_OFFSETS:
        return "offset"
    return rows_of(variable)[0].quantity


def stored_output(outputs: Mapping[str, FloatArray], name: str) -> FloatArray | None:
    """Return a stored output by its usual name, or by that name with the laboratory's suffix; None if absent or ambiguous.

    Parameters
    ----------
    outputs : Mapping[str, FloatArray]
        Name -> values as stored.
    name : str
        Name without the laboratory's suffix: "LKneeAngles".

    Returns
    -------
    FloatArray | None
        As stored, in the file's unit; None if absent or ambiguous.
    """
    if name in outputs:
        return outputs[name]
    suffixed = [known for known in outputs if known.startswith(name) and len(known) <= len(name) + LONGEST_SUFFIX]
    return outputs[suffixed[0]] if len(suffixed) == 1 else None


def _pairs(columns: Columns, trial: Trial, side: str, straight: bool) -> Iterator[_Pair]:
    """Everything the file stores for one side, in our units."""
    outputs, n = trial.model_outputs, trial.n_frames
    for variable, point in STORED_CENTRE.items():
        stored = stored_output(outputs, side + point)
        if stored is not None and _has(columns, f"{side}{variable}.X"):
            yield _Pair(variable, _xyz(side, variable), stored, "point", {})
    for variable in ANGLE_VARIABLE.values():
        stored = stored_output(outputs, side + variable)
        if stored is not None:
            progress = variable == ANGLE_VARIABLE["foot_progress"]
            ruled_out = {LeftOut.TURNING: np.full(n, True)} if progress and not straight else {}
            yield _Pair(variable, _xyz(side, variable), stored, "angle", ruled_out, wraps=progress)
    ground = stored_output(outputs, f"{side}GroundReactionForce")
    if ground is None:
        return
    ruled_out = {LeftOut.GROUND_NOT_STORED: ~(_loaded(ground) | _in_swing(columns, side))}
    in_swing = {LeftOut.IN_SWING: ~_loaded(ground)}
    yield _Pair("GroundReactionForce", _xyz(side, "GroundReactionForce"), ground, "ground force", in_swing)
    for names, quantity, factor in ((FORCE_VARIABLE, "force", 1.0), (MOMENT_VARIABLE, "moment", MOMENT_FROM_STORED)):
        for variable in names.values():
            stored = stored_output(outputs, side + variable)
            if stored is not None:
                yield _Pair(variable, _xyz(side, variable), factor * stored, quantity, ruled_out)  # type: ignore[arg-type]
    for variable in POWER_VARIABLE.values():
        stored = stored_output(outputs, side + variable)
        if stored is not None:
            yield _Pair(variable, (side + variable,), stored[:, POWER_CHANNEL:], "power", ruled_out)


def _upper(columns: Columns, trial: Trial, side: str, straight: bool) -> Iterator[_Pair]:
    """Everything above the pelvis that the file stores for one side, in our units."""
    both = [_unknown_ground(columns, trial, each) for each in SIDES]
    for variable in dict.fromkeys(row.variable for row in UPPER_BODY_TABLE):
        stored, rows = stored_output(trial.model_outputs, side + variable), rows_of(variable)
        if stored is None or not _has(columns, rows[0].column(side)):
            continue
        names = tuple(row.column(side) for row in rows)
        if rows[0].quantity == "angle":
            turned = {LeftOut.TURNING: np.full(trial.n_frames, True)} if rows[0].joint in _IN_LABORATORY and not straight else {}
            yield _Pair(variable, names, stored, "angle", turned, wraps=True)
        else:
            scale = MOMENT_FROM_STORED if rows[0].quantity == "moment" else 1.0
            ruled_out = {} if rows[0].joint in FREE_JOINTS else {LeftOut.GROUND_NOT_STORED: both[0] | both[1]}
            chosen = stored[:, POWER_CHANNEL:] if rows[0].quantity == "power" else stored
            yield _Pair(variable, names, scale * chosen, rows[0].quantity, ruled_out)


def _inside_foot(columns: Columns, trial: Trial, side: str, *, straight: bool, heel_passes: int) -> Iterator[_Pair]:
    """Angles inside the foot and the arch's index, as far as the file stores them."""
    every = np.full(trial.n_frames, True)
    again = heel_passes == 1 and (side + _STORED_HEEL in trial.markers or side + _STORED_HEEL in trial.model_outputs)
    for variable, name in STORED_FOOT.items():
        stored = trial.model_outputs.get(side + name)
        if stored is None or not _has(columns, f"{side}{variable}.X"):
            continue
        ruled_out = {LeftOut.TURNING: every} if variable in FOOT_IN_LABORATORY and not straight else {}
        ruled_out |= {LeftOut.HEEL_PASSES: every} if variable in _OF_HEEL and again else {}
        yield _Pair(variable, _xyz(side, variable), stored, "angle", ruled_out, wraps=True)
    stored = trial.model_outputs.get(side + _ARCH)
    if stored is not None and _has(columns, side + _ARCH):
        yield _Pair(_ARCH, (side + _ARCH,), stored[:, POWER_CHANNEL:], "scalar", {})


def _unknown_ground(columns: Columns, trial: Trial, side: str) -> BoolArray:
    """Frames (n,) in which the file neither holds a foot's ground reaction nor do we know it to be in swing."""
    ground = stored_output(trial.model_outputs, f"{side}GroundReactionForce")
    return np.full(trial.n_frames, True) if ground is None else ~(_loaded(ground) | _in_swing(columns, side))


def _has(columns: Columns, name: str) -> bool:
    try:
        columns[name]
    except (KeyError, MissingInputError):
        return False
    return True


def _xyz(side: str, variable: str) -> tuple[str, ...]:
    return tuple(f"{side}{variable}.{axis}" for axis in AXES)


def _loaded(ground: FloatArray) -> BoolArray:
    """Frames (n,) in which the file holds a ground reaction on the foot."""
    return np.asarray(np.isfinite(ground).all(axis=1) & (ground != 0.0).any(axis=1))


def _in_swing(columns: Columns, side: str) -> BoolArray:
    """Frames (n,) in which we know the foot to carry nothing."""
    ours = np.column_stack([np.asarray(columns[name], dtype=np.float64) for name in _xyz(side, "GroundReactionForce")])
    return np.asarray((ours == 0.0).all(axis=1))


def _rows(columns: Columns, trial: Trial, side: str, pair: _Pair) -> Iterator[ParityRow]:
    zero = (pair.stored == 0.0).all(axis=1)
    missing = ~np.isfinite(pair.stored).all(axis=1) | zero
    for number, name in enumerate(pair.columns):
        ours, theirs = np.asarray(columns[name], dtype=np.float64), pair.stored[:, number]
        reasons = {**pair.ruled_out, LeftOut.NOT_STORED: missing, LeftOut.NOT_COMPUTED: ~np.isfinite(ours)}
        compared = np.ones(len(ours), dtype=np.bool_)
        left_out = {}
        for reason, frames in reasons.items():
            left_out[reason] = int((compared & frames).sum())
            compared &= ~frames
        difference = ours - theirs
        if pair.wraps:
            difference = (difference + FULL_TURN_DEG / 2) % FULL_TURN_DEG - FULL_TURN_DEG / 2
        axis = name.rpartition(".")[2] if "." in name else ""
        yield _row(trial, side, pair, axis, _Curves(ours, theirs, np.where(compared, difference, np.nan), left_out))


class _Curves(NamedTuple):
    """Ours and the stored one, (n,), their difference where they are compared (else NaN), and why frames were left out."""

    ours: FloatArray
    theirs: FloatArray
    difference: FloatArray
    left_out: Mapping[LeftOut, int]


def _row(trial: Trial, side: str, pair: _Pair, axis: str, curves: _Curves) -> ParityRow:
    compared = np.isfinite(curves.difference)
    n = int(compared.sum())
    rmse = largest = correlation = float("nan")
    worst = 0
    if n:
        gap = np.abs(curves.difference[compared])
        rmse, largest = float(np.sqrt(np.mean(gap**2))), float(gap.max())
        worst = trial.first_frame + int(np.flatnonzero(compared)[np.argmax(gap)])
        a, b = curves.ours[compared], curves.theirs[compared]
        if n > 1 and a.std() > 0 and b.std() > 0:
            correlation = float(np.corrcoef(a, b)[0, 1])
    return ParityRow(
        trial=trial.name, side=side, variable=pair.variable, axis=axis, rmse=rmse, largest=largest,
        unit=UNITS.get(pair.quantity) or rows_of(pair.variable)[0].unit,
        correlation=correlation, n_frames=n, worst_frame=worst, left_out=curves.left_out,
        quantity=quantity_of(pair.variable) if pair.variable == CENTRE_OF_MASS else pair.quantity,
    )  # fmt: skip
