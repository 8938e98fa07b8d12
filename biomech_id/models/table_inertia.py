"""Inertial parameters of a leg's segments from a table: end points, centre of mass and tensor in ISB segment axes.

A table's fractions refer to end points (`anthropometry.table.END_POINTS`); here they are places in the segment's own axes, learnt
at calibration. The toe tip, which carries no marker, is estimated: the forefoot marker sits on the metatarsal heads, at 73 % of
the foot's length from the heel.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anthropometry.osim_masses import osim_mass_fractions
from biomech_id.anthropometry.table import InertialTable, Row, load_table
from biomech_id.dynamics.body import Segment
from biomech_id.errors import Finding, MissingInputError
from biomech_id.models.foot_outline import METATARSAL_SHARE
from biomech_id.models.registry import body_model
from biomech_id.trial import Subject
from biomech_id.values import dataclass

#: Below this age an adult table is a finding.
ADULT_YEARS = 18.0


@dataclass(frozen=True)
class ScaledSegment:
    """A segment scaled from a table: its parameters and the length they refer to, metres.

    Attributes
    ----------
    segment : Segment
        Mass, centre of mass and tensor of this subject's segment.
    length_m : float
        Distance between the table's two end points, metres.
    """

    segment: Segment
    length_m: float


def choose_table(name: str, subject: Subject, *, own: str = "") -> tuple[InertialTable, tuple[Finding, ...]]:
    """Return an inertial table for a subject.

    Parameters
    ----------
    name : str
        A shipped table, the path of a CSV file, or "auto": Jensen's from 4 to 18 years, else Dumas' where the sex is known, else
        Dempster's (which needs nothing but the mass). The path of an OpenSim model (.osim) is "auto" with its masses.
    subject : Subject
        Sex and age decide which table "auto" is.
    own : str, optional
        The table that "auto" stands for in a model that has one of its own.

    Returns
    -------
    table : InertialTable
        With the rows of the subject's sex and age.
    findings : tuple[Finding, ...]
        An adult table on a child, or an age that the table does not cover.

    Raises
    ------
    MissingInputError
        The table asked for needs a sex or an age that is not recorded.
    OptionError, FileRefusedError
        See `load_table`.
    """
    age = subject.age_years
    if Path(name).suffix.lower() == ".osim":
        table, findings = choose_table("auto", subject, own=own)
        return table.with_mass_fractions(osim_mass_fractions(name), Path(name).name), findings
    if name == "auto" and own:
        return load_table(own), ()
    if name == "auto":
        child = age is not None and 4 <= age < ADULT_YEARS
        name = "jensen-1989" if child else "dumas-2007" if subject.sex else "dempster-winter"
    table = load_table(name).for_subject(sex=subject.sex, age_years=age)
    noticed = []
    covers = table.age_range_years
    if covers is None and age is not None and age < ADULT_YEARS:
        noticed.append(Finding("adult-inertia-on-child", {"table": table.name, "age": age}))
    if covers is not None and age is not None and not covers[0] <= age <= covers[1]:
        values = {"table": table.name, "youngest": covers[0], "oldest": covers[1], "age": age}
        noticed.append(Finding("inertia-outside-ages", values))
    return table, tuple(noticed)


def scale(row: Row, side: str, body_mass_kg: float, points_m: Mapping[str, FloatArray]) -> ScaledSegment:
    """Return one segment of one leg, scaled to the subject.

    Parameters
    ----------
    row : Row
        The table's row of that segment.
    side : str
        "L" or "R"; rows in ISB axes describe the right side and are mirrored for the left.
    body_mass_kg : float
        Mass of the whole body.
    points_m : Mapping[str, FloatArray]
        End point -> (3,) place in the segment's ISB axes from its origin, metres.

    Returns
    -------
    ScaledSegment
        Metres, kg and kg m2 about the centre of mass, segment axes.

    Raises
    ------
    MissingInputError
        The row refers to a point that the marker set does not give.
    """
    com = centre_of_mass_m(row, side, points_m)
    length = float(np.linalg.norm(points_m[row.distal] - points_m[row.proximal]))
    mass = row.mass_fraction * body_mass_kg
    axes = _axes(row)
    tensor = mass * length**2 * axes @ row.unit_tensor(side=side) @ axes.T
    return ScaledSegment(Segment(row.segment, mass, com, tensor, row.citation), length)


def centre_of_mass_m(row: Row, side: str, points_m: Mapping[str, FloatArray]) -> FloatArray:
    """Return the centre of mass of one segment of one leg.

    Parameters
    ----------
    row : Row
        The table's row of that segment.
    side : str
        Which side, "L" or "R".
    points_m : Mapping[str, FloatArray]
        End point -> (..., 3) place in the segment's ISB axes from its origin, metres.

    Returns
    -------
    FloatArray
        (..., 3), metres, in the segment's ISB axes from its origin.

    Raises
    ------
    MissingInputError
        The row refers to a point that the marker set does not give.
    """
    missing = sorted({row.proximal, row.distal, row.com_from} - set(points_m))
    if missing:
        raise MissingInputError(
            f"The inertial table refers the {row.segment} to {', '.join(missing)}, which the markers do not give.",
            value=missing, expected=f"a table whose end points are among {', '.join(sorted(points_m))}",
            where=f"{side} {row.segment}",
        )  # fmt: skip
    start, end = points_m[row.proximal], points_m[row.distal]
    if row.com_offset_fraction is None:
        return np.asarray(start + (row.com_fraction_from_proximal or 0.0) * (end - start))
    length = np.linalg.norm(end - start, axis=-1, keepdims=True)
    mirror = np.array([1.0, 1.0, -1.0 if side == "L" and row.axes == "isb" else 1.0])
    offset = (length[..., None] * _axes(row)) @ (mirror * np.asarray(row.com_offset_fraction))
    return np.asarray(points_m[row.com_from] + offset)


def _axes(row: Row) -> FloatArray:
    """(3, 3), components in the axes of the table's row to components in ISB's."""
    return np.eye(3) if row.axes == "isb" else body_model(row.axes).axes.R_seg_isb[row.segment].T


def foot_end_points(
    heel_lab_m: FloatArray, front_lab_m: FloatArray, ankle_lab_m: FloatArray, forward_lab: FloatArray, marker_radius_m: float
) -> dict[str, FloatArray]:
    """Return the end points of inertial tables on the foot.

    Parameters
    ----------
    heel_lab_m : FloatArray
        (n, 3), heel marker, metres, laboratory axes.
    front_lab_m : FloatArray
        (n, 3), forefoot marker on the head of the second metatarsal, metres, laboratory axes.
    ankle_lab_m : FloatArray
        (n, 3), ankle centre, metres, laboratory axes.
    forward_lab : FloatArray
        (n, 3), unit vectors along the foot.
    marker_radius_m : float
        The heel's skin lies this far in front of its marker's centre, metres.

    Returns
    -------
    dict[str, FloatArray]
        End point -> (n, 3), metres, laboratory axes; those without a marker are estimated.
    """
    heel = heel_lab_m + marker_radius_m * forward_lab
    ball = np.einsum("ni,ni->n", front_lab_m - heel, forward_lab)[:, None]
    length = np.linalg.norm(front_lab_m - heel_lab_m, axis=1, keepdims=True) - marker_radius_m
    return {
        "heel": heel,
        "metatarsal_2": front_lab_m,
        "metatarsal_heads": front_lab_m,
        "toe_tip": heel + ball / METATARSAL_SHARE * forward_lab,
        "foot_axis": ankle_lab_m + length * forward_lab,
    }
