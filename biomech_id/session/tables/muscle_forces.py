"""``muscle_forces.csv`` and ``joint_contact.csv``: forces of least effort over the cycles of their side, with both bands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.leg_forces import Banded, LegForces
from biomech_id.gait.normalise import normalise
from biomech_id.movement.cycle import Cycle
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import CURVE_POINTS, block_table

#: Column -> values (n_frames, K) of each curve.
_Curves = Mapping[str, FloatArray]


def force_tables(trials: Iterable[Solved]) -> dict[str, pd.DataFrame]:
    """Make the tables of muscle and contact forces.

    Parameters
    ----------
    trials : Iterable[Solved]
        Solved trials, with or without such forces.

    Returns
    -------
    dict[str, pd.DataFrame]
        "muscle_forces" and "joint_contact"; empty where no trial has such forces. A cycle of which nothing is known has no rows.
    """
    of_cycles = [
        (trial, cycle, trial.muscle_forces[cycle.side]) for trial in trials for cycle in trial.cycles
        if cycle.side in trial.muscle_forces
    ]  # fmt: skip
    if not of_cycles:
        return {}
    muscles = [(t, cycle, "muscle", leg.muscles, _of_muscles(leg)) for t, cycle, leg in of_cycles]
    joints = [(t, cycle, "joint", leg.joints, _of_joints(leg)) for t, cycle, leg in of_cycles]
    return {"muscle_forces": _table("muscle_forces", muscles), "joint_contact": _table("joint_contact", joints)}


def _banded(banded: Banded) -> _Curves:
    return {"force_N": banded.value, "sd_N": banded.sd, "least_N": banded.least, "most_N": banded.most}


def _of_muscles(leg: LegForces) -> _Curves:
    return {"activation": leg.activation, **_banded(leg.force), "at_limit": leg.at_limit.astype(float)}


def _of_joints(leg: LegForces) -> _Curves:
    axes = dict(zip(("anterior_N", "proximal_N", "to_the_right_N"), np.moveaxis(leg.contact_N, 2, 0), strict=True))
    residual = np.repeat(leg.residual_N[:, None], len(leg.joints), axis=1)
    return {
        **_banded(leg.contact), "body_weights": leg.contact.value / leg.weight_N, **axes, "intersegmental_N": leg.intersegmental_N,
        "reserve_share": leg.reserve_share, "residual_N": residual,
    }  # fmt: skip


def _table(name: str, parts: Sequence[tuple[Solved, Cycle, str, tuple[str, ...], _Curves]]) -> pd.DataFrame:
    heads, blocks = list[dict[str, object]](), list[FloatArray]()
    columns: tuple[str, ...] = ()
    for trial, cycle, what, names, curves in parts:
        columns, motion = tuple(curves), trial.motion
        values = np.stack(list(curves.values()), axis=2)
        first_s = (motion.first_frame - 1) / motion.rate_hz
        flat = values.reshape(len(values), -1)
        shown = normalise(flat, motion.rate_hz, first_s, cycle.start_s, cycle.end_s, points=CURVE_POINTS)
        of_cycle = shown.reshape(CURVE_POINTS, *values.shape[1:]).swapaxes(0, 1)
        if np.isfinite(of_cycle[..., columns.index("force_N")]).any():
            heads += [{"trial": cycle.trial, "side": cycle.side, "cycle": cycle.number, what: each} for each in names]
            blocks.append(of_cycle.reshape(-1, len(columns)))
    numbers = np.concatenate([np.empty((0, len(columns))), *blocks])
    table = dict(zip(columns, numbers.T, strict=True))
    limits = np.where(table.pop("at_limit", np.empty(0)) > 0.5, "true", "false")
    made = block_table(
        name, [{**head, "at_limit": ""} for head in heads], CURVE_POINTS,
        {"percent": np.tile(np.arange(CURVE_POINTS), len(heads)), **table},
    )  # fmt: skip
    return made.assign(at_limit=pd.Series(limits, dtype="str")) if "at_limit" in made else made
