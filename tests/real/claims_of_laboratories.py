"""What is said of the laboratories abroad alone, checked from the written tables and the points as stored (see `claims.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from claims import Said, claim, instead, plus
from claims_of_sessions import OTHER, hips_and_plate, recorded, session_recordings, table
from raw_c3d import raw

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


@claim(
    "impulse-sideways", pushed_m_s=plus(0.3), gained_m_s=plus(0.3), side=OTHER.__getitem__, plates=instead(("plate 9",)),
    turned=lambda turned: not turned,
)  # fmt: skip
def impulse_of_one_foot(said: Said) -> bool:
    """The force's sum while the other foot is off the floor by stances.csv, and the hips' speed at its ends, from their table."""
    rows = table(said.session.out / "stances.csv")
    mine = rows[(rows["trial"] == said.trial.name) & (rows["side"] == said["side"])]
    if not len(mine) or (mine["start_s"] - said["start_s"]).abs().min() > 1e-3:
        return False
    time_s, hips, _, force, _ = hips_and_plate(said)
    others = rows[(rows["trial"] == said.trial.name) & (rows["side"] == OTHER[said["side"]])]
    down = np.any([~(time_s < row.start_s) & ~(time_s >= row.end_s) for row in others.itertuples()], axis=0)
    alone = np.flatnonzero(~down & (force[:, 2] > FIRM_N_KG))
    away = left_of(hips) * (-1.0 if said["side"] == "L" else 1.0)
    step_s = float(np.median(np.diff(time_s)))
    speed = np.gradient(hips[:, :2] @ away, step_s)
    pushed, gained = float((force[alone, :2] @ away).sum()) * step_s, float(speed[alone[-1]] - speed[alone[0]])
    near = abs(pushed - said["pushed_m_s"]) < 0.06 and abs(gained - said["gained_m_s"]) < 0.12
    return near and (said["pushed_m_s"] < 0) == said["turned"]


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


@claim("foot-slides", speed_m_s=plus(0.2), side=OTHER.__getitem__, marker=lambda name: ("L" if name[0] == "R" else "R") + name[1:])
def never_rests(said: Said) -> bool:
    """The slowest fifth of a marker's steps within that stance, of the points as stored, ends at that speed."""
    rows = table(said.session.out / "stances.csv")
    mine = rows[(rows["trial"] == said.trial.name) & (rows["side"] == said["side"])]
    if not len(mine) or (mine["start_s"] - said["start_s"]).abs().min() > 1e-3 or said["marker"][0] != said["side"]:
        return False
    stance = mine.loc[(mine["start_s"] - said["start_s"]).abs().idxmin()]
    first, last = (round(edge_s * said.raw.rate_hz) - said.raw.first_frame + 1 for edge_s in (stance["start_s"], stance["end_s"]))
    path_m = said.raw.path_of(said["marker"])[first:last, :3] * said.raw.length_m
    speed = np.linalg.norm(np.diff(path_m, axis=0), axis=1) * said.raw.rate_hz
    return abs(np.nanpercentile(speed, 20) - said["speed_m_s"]) < 0.06 and said["speed_m_s"] > said["limit_m_s"]


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


def stored_plantar_flexion(path: Path) -> list[float]:
    """Static plantar flexion offsets that a recording stores, degrees or radians as they are; zero is none."""
    return [value for key in raw(path).parameters if key.endswith("STATICPLANTFLEX") and (value := raw(path).number(key))]


@claim("foot-flat-assumed", elsewhere=True)
def nothing_says_flat(said: Said) -> bool:
    """The static trial stores no offset of the foot, neither do the others."""
    paths = session_recordings(said) if said.path is None else [said.path]
    return not any(map(stored_plantar_flexion, paths))


@claim("offsets-as-stored", walks=instead("NOBODY"))
def offsets_of_walks(said: Said) -> bool:
    """No file of the session is its static trial, and the named ones store the offsets that calibration.json has."""
    calibration = said.session.tables.calibration
    named = [path for path in session_recordings(said) if path.stem in said["walks"].split(", ")]
    ours = [abs(calibration["sides"][side]["static_plantar_flexion_deg"]) for side in "LR"]
    stored = [abs(value) for path in named for value in stored_plantar_flexion(path)]
    near = [min(abs(each - value) for value in (*stored, *map(np.degrees, stored))) < 0.01 for each in ours] if stored else [False]
    return all(near) and not said.session.tables.summary["static"]["file"]
