"""Muscles of a body model that has some: columns of ``trials/<stem>.csv``, and ``muscles.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CLINIC_MUSCLES, MM_PER_M, muscle_variable
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.muscle_motion import MuscleMotion
from biomech_id.gait.normalise import normalise
from biomech_id.movement.cycle import Cycle
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables, tidy_table

#: An angle whose moment arm never gets beyond this is not acted on, m.
_LEAST_ARM_M = 1e-4


def muscle_columns(motion: BodyMotion) -> dict[str, FloatArray | None]:
    """Return name -> (n_frames,) of each muscle's length over that in standing and its rate, 1/s; nothing without muscles.

    Parameters
    ----------
    motion : BodyMotion
        The tracked body, with or without muscles.
    """
    muscles = motion.muscles
    if muscles is None:
        return {}
    measures = (("Length", muscles.length_m), ("Velocity", muscles.velocity_m_s))
    return {
        side + muscle_variable(word, measure): values[:, k] / muscles.standing_m[k]
        for measure, values in measures
        for k, (side, word) in enumerate(muscles.muscles)
    }


def muscles_table(trials: Iterable[tuple[BodyMotion, Sequence[Cycle]]]) -> pd.DataFrame | None:
    """Return ``muscles.csv``: every muscle over the cycles of its side, by every angle it acts on; None without muscles.

    Parameters
    ----------
    trials : Iterable[tuple[BodyMotion, Sequence[Cycle]]]
        Each trial's tracked body and cycles.
    """
    shown = [(motion, motion.muscles, cycle) for motion, cycles in trials if motion.muscles is not None for cycle in cycles]
    parts = [
        _of_muscle(motion, muscles, cycle, k)
        for motion, muscles, cycle in shown
        for k, (side, _) in enumerate(muscles.muscles)
        if side == cycle.side
    ]
    empty = tidy_table("muscles")
    if not shown:
        return None
    return pd.concat(parts, ignore_index=True)[list(empty.columns)].astype(empty.dtypes.to_dict()) if parts else empty


def _of_muscle(motion: BodyMotion, muscles: MuscleMotion, cycle: Cycle, k: int) -> pd.DataFrame:
    standing_m, arms = muscles.standing_m[k], muscles.moment_arm_m[:, k]
    acts = [c for c in range(arms.shape[1]) if np.isfinite(arms[:, c]).any() and np.nanmax(np.abs(arms[:, c])) > _LEAST_ARM_M]
    measured = np.column_stack([muscles.length_m[:, k], muscles.length_sd_m[:, k], muscles.velocity_m_s[:, k], arms[:, acts]])
    first_s = (motion.first_frame - 1) / motion.rate_hz
    curves = normalise(measured, motion.rate_hz, first_s, cycle.start_s, cycle.end_s, points=CURVE_POINTS)
    side, word = muscles.muscles[k]
    heads = {
        "trial": cycle.trial, "side": side, "cycle": cycle.number, "muscle": word, "path": muscles.paths[k],
        "standing_mm": MM_PER_M * standing_m, "standing": muscles.standing,
    }  # fmt: skip
    numbers = {"percent": np.arange(CURVE_POINTS)}
    numbers |= {name: curves[:, i] / standing_m for i, name in enumerate(("length_normal", "length_sd", "velocity"))}
    parts = [
        pd.DataFrame({**heads, **numbers, "coordinate": muscles.coordinates[c], "moment_arm_mm": MM_PER_M * curves[:, 3 + i]})
        for i, c in enumerate(acts)
    ]
    return pd.concat(parts, ignore_index=True) if parts else tidy_table("muscles")


def mean_length_sd(tables: Tables, side: str, variable: str, cycles: pd.DataFrame) -> dict[str, FloatArray]:
    """Return "total" -> standard deviation (101,) of a mean length over that in standing; empty where it is not known.

    Soft tissue moves alike in every cycle: a mean is off by as much as its cycles are.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with those of muscles.
    side, variable : str
        "L" or "R"; "PsoasLength".
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list` that are in the mean.
    """
    table = tables.muscles
    word = next((name for name in CLINIC_MUSCLES if muscle_variable(name, "Length") == variable), None)
    if table is None or word is None:
        return {}
    of_muscle = table[(table["muscle"] == word) & (table["side"] == side)].drop_duplicates(["trial", "cycle", "percent"])
    in_mean = of_muscle.merge(cycles[["trial", "side", "cycle"]], on=["trial", "side", "cycle"])
    if not len(in_mean):
        return {}
    return {"total": in_mean["length_sd"].to_numpy(dtype=np.float64).reshape(-1, CURVE_POINTS).mean(axis=0)}
