"""What is said of the laboratories abroad alone, checked from the written tables and the points as stored (see `claims.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from claims import Said, claim, instead, plus
from claims_of_sessions import hips_and_plate, recorded, table

#: Frames in which a foot bears a third of the body are looked at (N/kg).
FIRM_N_KG = 3.0


def stances(said: Said, side: str = "LR") -> Iterator[tuple[str, float, Said]]:
    """Side and length of each whole stance of the trial that has a plate of its own, and the sentence as said of that stance."""
    rows = table(said.session.out / "stances.csv")
    for row in rows[(rows["trial"] == said.trial.name) & rows["side"].isin(list(side))].itertuples():
        if np.isfinite([row.start_s, row.end_s]).all() and isinstance(row.plate, str) and row.plate:
            values = {**said.values, "side": row.side, "start_s": row.start_s, "plates": (row.plate,)}
            yield row.side, row.end_s - row.start_s, replace(said, values=values)


def left_of(hips: np.ndarray) -> np.ndarray:
    """Unit vector to the left of the way that the hips go."""
    way = (hips[-1] - hips[0])[:2] / np.linalg.norm((hips[-1] - hips[0])[:2])
    return np.array([-way[1], way[0]])


def to_the_left(said: Said) -> tuple[float, float] | None:
    """Mean of body and force to the left, over their height, while a foot bears; None where nothing is known."""
    _, hips, cop, force, _ = hips_and_plate(said)
    firm = (force[:, 2] > FIRM_N_KG) & np.isfinite(hips[:, 0])
    if firm.sum() < 8:
        return None
    left = left_of(hips[firm])
    body, pointing = (vector[:, :2] @ left / vector[:, 2] for vector in ((hips - cop)[firm], force[firm]))
    return float(body.mean()), float(pointing.mean())


@claim("force-sideways", ratio=plus(0.5), turned=lambda turned: not turned)
def lean_of_both_sides(said: Said) -> bool:
    """Mean lean of the force of right feet less that of left feet, over the body's, from the tables."""
    leans: dict[str, list[tuple[float, float]]] = {"L": [], "R": []}
    for side, _, stance in stances(said):
        lean = to_the_left(stance)
        leans[side] += [lean] if lean else []
    body, force = np.mean(leans["R"], axis=0) - np.mean(leans["L"], axis=0)
    usual = said["least"] <= force / body <= said["most"]
    return abs(force / body - said["ratio"]) < 0.15 and (force / body < 0) == said["turned"] and not usual


@claim("free-moment-turned", value=plus(0.2), n=plus(1))
def free_moment_of_both_sides(said: Said) -> bool:
    """Mean free moment of the second half of each stance less that of the first, a right foot's with the other sign."""
    rises = []
    for side, _, stance in stances(said):
        *_, force, free = hips_and_plate(stance)
        firm = free[(force[:, 2] > FIRM_N_KG) & np.isfinite(free)] * (1.0 if side == "L" else -1.0)
        if len(firm) >= 8:
            rises.append(firm[len(firm) // 2 :].mean() - firm[: len(firm) // 2].mean())
    return len(rises) == said["n"] and abs(np.mean(rises) - said["value"]) < 0.04 and said["value"] > said["limit"]


@claim("plate-far-from-feet", distance_cm=plus(8), plate=instead("plate 1"))
def pressure_beside_feet(said: Said) -> bool:
    """Where the plate's own wrench presses, and the nearest of the markers that are no higher than a foot."""
    trial = recorded(said.path)
    plate = next(each for each in trial.plates if each.name == said["plate"])
    samples = len(plate.force_lab_N) // trial.n_frames
    force, moment = (values[::samples][: trial.n_frames] for values in (plate.force_lab_N, plate.moment_lab_Nm))
    loaded = force[:, 2] > 100.0
    spot = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / force[:, 2:] + plate.corners_m.mean(axis=0)[:2]
    points = trial.markers.position_m
    away = np.linalg.norm(points[..., :2] - spot[:, None], axis=2)
    away = np.where(points[..., 2] - plate.corners_m[:, 2].mean() < 0.2, away, np.inf)[loaded]
    return abs(100.0 * float(np.median(np.nanmin(away, axis=1))) - said["distance_cm"]) < 3.0
