"""Mass, centre of mass and inertia of thigh, shank and foot in the conventional model's axes.

A segment of mass fraction mu, centre-of-mass fraction c and radii of gyration rho (fractions of its length L; about the long axis
the inertia is zero) hangs from its proximal joint centre, the origin of its frame, along -z::

    m = mu M,     com = (0, 0, -c L),     I = m L^2 diag(rho_x^2, rho_y^2, rho_z^2) about the centre of mass.

These are the model's own tables; any other (`segments_from_table`) has its own end points, and products of inertia. ``textbook``
uses central radii and the lengths of the static trial. ``vicon`` uses the vendor's radii, which are those about the
proximal end, and the distance between the joint centres in every frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.anthropometry import InertialTable, load_table
from biomech_id.dynamics.body import Segment
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.models.table_inertia import ScaledSegment, scale

TABLE_OF_KINETICS = {"textbook": "conventional", "vicon": "conventional-vicon"}


def leg_segments(body_mass_kg: float, length_m: Mapping[str, FloatArray | float], kinetics: str) -> dict[str, Segment]:
    """Return foot, shank and thigh of one leg by the model's own tables.

    Parameters
    ----------
    body_mass_kg : float
        Mass of the whole subject; 0 gives segments without mass.
    length_m : Mapping[str, FloatArray | float]
        Segment -> length, one number or one per frame (n,), metres.
    kinetics : str
        "textbook" or "vicon": which radii of gyration.

    Returns
    -------
    dict[str, Segment]
        Segment -> parameters, segment axes; (n, 3) and (n, 3, 3) where lengths are per frame.
    """
    table = load_table(TABLE_OF_KINETICS[kinetics])
    return {name: _segment(table, name, body_mass_kg, np.asarray(length_m[name])) for name in LEG_SEGMENTS}


def _segment(table: InertialTable, name: str, body_mass_kg: float, length_m: FloatArray) -> Segment:
    row = table[name]
    mass = row.mass_fraction * body_mass_kg
    com = np.zeros((*length_m.shape, 3))
    com[..., 2] = -(row.com_fraction_from_proximal or 0.0) * length_m
    tensor = mass * (length_m**2)[..., None, None] * row.unit_tensor()
    return Segment(name=name, mass_kg=mass, com_m=com, inertia_kgm2=tensor, source=row.citation)


def segments_from_table(
    table: InertialTable, side: str, body_mass_kg: float, points_m: Mapping[str, Mapping[str, FloatArray]]
) -> dict[str, ScaledSegment]:
    """Return foot, shank and thigh of one leg by a published table.

    Parameters
    ----------
    table : Table
        Rows for this subject's sex and age.
    side : str
        Which side, "L" or "R".
    body_mass_kg : float
        Mass of the whole subject.
    points_m : Mapping[str, Mapping[str, FloatArray]]
        Segment -> end point -> (3,) place in the segment's axes from its origin, metres.

    Returns
    -------
    dict[str, ScaledSegment]
        Segment -> parameters in the conventional model's axes, and its length.
    """
    segments = {}
    for name in LEG_SEGMENTS:
        R = CONVENTIONAL_AXES.R_seg_isb[name]
        isb = scale(table[name], side, body_mass_kg, {point: R.T @ place for point, place in points_m[name].items()})
        own = replace(isb.segment, com_m=R @ isb.segment.com_m, inertia_kgm2=R @ isb.segment.inertia_kgm2 @ R.T)
        segments[name] = ScaledSegment(own, isb.length_m)
    return segments
