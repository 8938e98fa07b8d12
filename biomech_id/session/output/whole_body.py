"""``whole_body.csv``: every series of the whole body at the video rate, tidy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.session.tables.session_tables import block_table
from biomech_id.session.values.whole_body import WholeBodyResult

#: Variable -> its unit and what it is, for the data dictionary. Of L and R each its own foot or leg.
WHOLE_BODY_VARIABLES: Mapping[str, tuple[str, str]] = {
    "CentreOfMass": ("mm", "where the segments' masses lie together, laboratory axes"),
    "CentreOfMassFromForces": ("mm", "the same as the plates' forces move it: integrated twice, laboratory axes"),
    "ExtrapolatedCentreOfMass": ("mm", "c + v / sqrt(g / l), l the mean distance of the ankle markers from c; laboratory axes"),
    "MarginOfStabilityAnkle": ("mm", "from the extrapolated centre of mass sideways to the ankle marker of the standing foot, "
                               "positive inside"),
    "MarginOfStabilityMetatarsal5": ("mm", "the same to the marker on the fifth metatarsal"),
    "MarginOfStabilityToe": ("mm", "forwards to the toe marker, positive inside"),
    "ResidualForce": ("%BW", "sum of ground forces and weight less mass times acceleration, below 6 Hz; forward, to the left, up"),
    "ResidualMoment": ("N m/kg", "the same of moments about the centre of mass; forward, to the left, up"),
    "PotentialEnergy": ("J/kg", "of the centre of mass over the floor"),
    "KineticEnergy": ("J/kg", "of the centre of mass relative to the floor; forward, to the left, up"),
    "InternalEnergy": ("J/kg", "kinetic energy of the segments relative to the centre of mass"),
    "LegPower": ("W/kg", "ground force of that leg times velocity of the centre of mass"),
    "AngularMomentum": ("m2/s", "about the centre of mass per body mass; forward, to the left, up"),
}  # fmt: skip
_EDGE_VARIABLE = {"ankle": "MarginOfStabilityAnkle", "metatarsal_5": "MarginOfStabilityMetatarsal5", "toe": "MarginOfStabilityToe"}

#: Side, variable, component, values (n,).
Series = tuple[str, str, str, FloatArray]


def whole_body_table(trials: Iterable[tuple[str, FloatArray, WholeBodyResult, Mapping[str, BoolArray]]]) -> pd.DataFrame:
    """Return the table of a session's trials; what is missing has no row.

    Parameters
    ----------
    trials : Iterable[tuple[str, FloatArray, WholeBodyResult, Mapping[str, BoolArray]]]
        Name, time of every frame (s), the whole body, and side -> frames in which that foot is on the floor.
    """
    heads: list[dict[str, object]] = []
    times_s: list[FloatArray] = []
    shown: list[FloatArray] = []
    for name, time_s, whole, on_floor in trials:
        for side, variable, component, values in whole_body_series(whole, on_floor):
            seen, unit = np.isfinite(values), WHOLE_BODY_VARIABLES[variable][0]
            heads.append({"trial": name, "variable": side + variable, "component": component, "unit": unit})
            times_s.append(time_s[seen])
            shown.append(values[seen])
    counts = np.array([len(values) for values in shown], dtype=np.intp)
    numbers = {"time_s": np.concatenate([*times_s, []]), "value": np.concatenate([*shown, []])}
    return block_table("whole_body", heads, counts, numbers)


def whole_body_series(whole: WholeBodyResult, on_floor: Mapping[str, BoolArray]) -> Iterator[Series]:
    """Yield every series of one trial, in the units of `WHOLE_BODY_VARIABLES`.

    Parameters
    ----------
    whole : WholeBodyResult
        What was computed of the whole body.
    on_floor : Mapping[str, BoolArray]
        Side -> frames (n,) in which that foot is on the floor: margins are of feet that stand.
    """
    body, energy = whole.momentum, whole.energy
    yield from _xyz("CentreOfMass", MM_PER_M * body.com_lab_m)
    from_forces, residual = whole.com_from_forces_lab_m(), whole.residual()
    if from_forces is not None:
        yield from _xyz("CentreOfMassFromForces", MM_PER_M * from_forces)
    if whole.stability is not None:
        yield from _xyz("ExtrapolatedCentreOfMass", MM_PER_M * whole.stability.xcom_lab_m)
        for (side, edge), margin in whole.stability.margin_m.items():
            yield side, _EDGE_VARIABLE[edge], "", np.where(on_floor[side], MM_PER_M * margin, np.nan)
    if residual is not None:
        for name, values in zip(("ResidualForce", "ResidualMoment"), residual, strict=True):
            yield from _xyz(name, values)
    yield "", "PotentialEnergy", "", energy.potential_J_kg
    yield from _xyz("KineticEnergy", np.stack([energy.forward_J_kg, energy.sideways_J_kg, energy.vertical_J_kg], axis=1))
    yield "", "InternalEnergy", "", body.internal_energy_J / body.mass_kg
    for side, power in energy.leg_power_W_kg.items():
        yield side, "LegPower", "", power
    yield from _xyz("AngularMomentum", whole.spin_m2_s)


def _xyz(variable: str, values: FloatArray) -> Iterator[Series]:
    for component, column in zip("XYZ", values.T, strict=False):
        yield "", variable, component, column
