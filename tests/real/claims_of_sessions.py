"""What is said of sessions, trials, stances, cycles and grades: each claim checked in raw recordings or written tables."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
from claims import CHECKS, Said, claim, instead, plus, sentence
from claims_of_files import stretches
from raw_c3d import raw
from scipy.signal import butter, sosfiltfilt

from biomech_id.languages import Sentence
from biomech_id.models.poses.points import with_pose_points
from biomech_id.readers import read
from biomech_id.trial import ForcePlate, Trial

OTHER = {"L": "R", "R": "L"}
#: Roles of markers on a foot, and what they are called where a recording has no marker set of its own.
FEET = {"heel": "HEE", "toe": "TOE", "metatarsal_1": "", "metatarsal_2": "", "metatarsal_5": ""}
PELVIS = {"asis": "ASI", "psis": "PSI"}
#: A marker of somebody who stands still stays within this (m).
STILL_M = 0.06
PLATE_EDGE_M = 0.03


@cache
def recorded(path: Path) -> Trial:
    """A recording as read, before anything was filled or filtered."""
    return read(path, trust=True)


@cache
def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def frames_of(said: Said) -> pd.DataFrame:
    """The trial's own table, as written."""
    assert said.session is not None
    assert said.trial is not None
    return table(said.session.out / "trials" / f"{said.trial.name}.csv")


def worn(said: Said, side: str, roles: dict[str, str]) -> list[np.ndarray]:
    """(n, 3) of each marker with one of these roles, m."""
    markers = said.trial.markers
    names = [markers.roles.get((side, role)) or side + label for role, label in roles.items()]
    return [markers[name] for name in names if name in markers]


def foot(said: Said, side: str) -> np.ndarray:
    """(n, k, 3), markers on a foot, m."""
    return np.stack(worn(said, side, FEET), axis=1)


def middle(said: Said, side: str) -> np.ndarray:
    """(n, 3), middle of the foot's markers, m."""
    points = foot(said, side)
    return np.where(np.isfinite(points).all(axis=(1, 2))[:, None], points.mean(axis=1), np.nan)


def frame(said: Said, time_s: float) -> int:
    """Row of a time in arrays at the video rate."""
    n = len(said.trial.markers.position_m)
    return int(np.clip(round(time_s * said.trial.markers.rate_hz) - said.trial.motion.first_frame + 1, 0, n - 1))


def load(said: Said, plate: ForcePlate) -> np.ndarray:
    """(n,), vertical force at the video rate, N."""
    n = len(said.trial.markers.position_m)
    return np.abs(plate.force_lab_N[:, 2]).reshape(n, -1).mean(axis=1)


def over(plate: ForcePlate, points: np.ndarray, margin_m: float = 0.0) -> np.ndarray:
    """Which points (..., 3) lie above a plate, seen from above."""
    centre, c = plate.corners_m.mean(axis=0), plate.corners_m
    inside = np.ones(points.shape[:-1], dtype=bool)
    for one, other in ((c[0], c[1]), (c[0], c[3])):
        side = (one - other)[:2]
        length = np.linalg.norm(side)
        inside &= np.abs((points[..., :2] - centre[:2]) @ (side / length)) < 0.5 * length + margin_m
    return inside


def plates(said: Said) -> dict[str, ForcePlate]:
    return {plate.name: plate for plate in said.trial.plates}


def flat_part(said: Said, start_s: float, end_s: float) -> slice:
    """Frames in which a foot lies flat: a fifth to a half of its stance."""
    first, last = frame(said, start_s), frame(said, end_s)
    return slice(first + (last - first) // 5, max(first + (last - first) // 2, first + (last - first) // 5 + 1))


def ends(said: Said) -> tuple[float, float]:
    """Start and end of the stance: of its own, or of the one that opens the cycle; what is missing is the trial's."""
    about = said.about
    n, rate = len(said.trial.markers.position_m), said.trial.markers.rate_hz
    first_s = (said.trial.motion.first_frame - 1) / rate
    start_s, end_s = about.start_s, getattr(about, "foot_off_s", about.end_s)
    return (start_s if np.isfinite(start_s) else first_s), (end_s if np.isfinite(end_s) else first_s + (n - 1) / rate)


# Stances.


@claim("foot-alone", plates=lambda names: ["plate 9"])
def alone(said: Said) -> bool:
    """The flat foot's markers are over that plate, the load begins and ends with the stance, the other foot is not there."""
    start_s, end_s = ends(said)
    (plate,) = (plates(said)[name] for name in said["plates"])
    force, flat = load(said, plate), flat_part(said, start_s, end_s)
    spot = middle(said, said.about.side)[flat]
    standing = over(plate, spot, PLATE_EDGE_M) & (np.abs(spot[:, 2] - plate.corners_m[:, 2].mean()) < 0.2)
    around = max(2, round(0.08 * said.trial.markers.rate_hz))
    first, last = frame(said, start_s), frame(said, end_s)
    # Where it begins and where it ends the plate is unloaded: another foot comes after a moment, if at all.
    before, behind = force[max(0, first - around) : first + 3], force[max(0, last - 2) : last + around]
    unloaded = max(before.min(initial=np.inf), behind.min(initial=np.inf)) < 0.1 * force[first:last].max()
    return bool(standing[np.isfinite(spot[:, 0])].all() and force[flat].min() > 50.0 and unloaded and not other_stands(said, plate))


def other_stands(said: Said, plate: ForcePlate) -> bool:
    """Whether the other foot rests on the plate for a twentieth of a second: all its markers over it, low and still."""
    start_s, end_s = ends(said)
    part = slice(frame(said, start_s), frame(said, end_s))
    points = foot(said, OTHER[said.about.side])[part]
    if len(points) < 3:
        return False
    speed = np.linalg.norm(np.gradient(points, axis=0), axis=2).max(axis=1) * said.trial.markers.rate_hz
    with np.errstate(invalid="ignore"):
        low = (points[..., 2] - plate.corners_m[:, 2].mean() < 0.15).all(axis=1)
        resting = over(plate, points, -0.02).all(axis=1) & low & (speed < 0.15)
    return bool(resting.sum() > 0.05 * said.trial.markers.rate_hz)


@claim("foot-on-plates", plates=lambda names: ["plate 9"])
def on_plates(said: Said) -> bool:
    """Each of those plates is loaded within the stance, and a marker of the foot is over each."""
    start_s, end_s = ends(said)
    part = slice(frame(said, start_s), frame(said, end_s))
    points = foot(said, said.about.side)[part]
    mine = [plates(said)[name] for name in said["plates"]]
    return len(mine) > 1 and all(load(said, p)[part].max() > 20.0 and over(p, points, 0.08).any() for p in mine)


def nothing_under(said: Said) -> bool:
    """While the foot lies, no plate that carries a tenth of the body is under it."""
    start_s, end_s = ends(said)
    flat = flat_part(said, start_s, end_s)
    spot = middle(said, said.about.side)[flat]
    heavy = 0.1 * 9.81 * (said.trial.mass_kg or 50.0)
    return not any(
        (over(plate, spot) & (load(said, plate)[flat] > heavy) & (np.abs(spot[:, 2] - plate.centre_m[2]) < 0.2)).mean() > 0.5
        for plate in said.trial.plates
    )


@claim("no-loaded-plate", elsewhere=True)
def no_plate(said: Said) -> bool:
    """See `nothing_under`; a recording elsewhere has another foot on it."""
    return said.path is not None and said.path.name == said.trial.file and nothing_under(said)


@claim("no-loaded-plate-cut", "stance-cut", missing=lambda word: "off" if word == "strike" else "strike")
def no_plate_cut(said: Said) -> bool:
    """No event of that kind is known between the stance's other end and the trial's, and no loaded plate is under the foot."""
    about, (start_s, end_s) = said.about, ends(said)
    unknown = about.start_s if said["missing"] == "strike" else about.end_s
    known = [e.time_s for e in said.trial.events if e.side == about.side and said["missing"] in str(e.kind).lower()]
    found = any(start_s < time_s < end_s for time_s in known)
    return not np.isfinite(unknown) and not found and (said.rule == "stance-cut" or nothing_under(said))


def rests_at_the_end(said: Said, start_s: float, end_s: float) -> bool:
    """Whether the toe stays where it is between the missing end of a stance and the known one, in the frames that show it."""
    front = {role: label for role, label in FEET.items() if role != "heel"}
    if str(said.trial.kind) not in ("straight", "turn"):
        return True  # who stands, jumps or squats may lift a foot without an event of walking
    path = worn(said, said.about.side, front)[0][frame(said, start_s) : frame(said, end_s) + 1, :2]
    path = path[np.isfinite(path).all(axis=1)]
    # An event cannot be placed in the last quarter of a second of what is seen.
    edge = round(0.25 * said.trial.markers.rate_hz)
    path = path[edge:] if not np.isfinite(said.about.start_s) else path[:-edge]
    if len(path) < 3:
        return True
    known = path[-3:] if not np.isfinite(said.about.start_s) else path[:3]
    return bool(np.linalg.norm(path - np.median(known, axis=0), axis=1).max() < 0.15)


@claim("foot-by-file", plates=lambda names: ["nobody's force"])
@claim("foot-by-file-cut", plates=lambda names: ["nobody's force"], missing=lambda word: "off" if word == "strike" else "strike")
@claim("foot-alone-cut", plates=lambda names: ["plate 9"], missing=lambda word: "off" if word == "strike" else "strike")
def by_file(said: Said) -> bool:
    """The folder's ExternalLoads puts that force on the heel bone of that side, or it acts there; or that foot alone is over it."""
    if "missing" in said.values:
        unknown = said.about.start_s if said["missing"] == "strike" else said.about.end_s
        if np.isfinite(unknown):
            return False
    if said.rule == "foot-alone-cut":
        (plate,) = (plates(said)[name] for name in said["plates"])
        flat = flat_part(said, *ends(said))
        spot = middle(said, said.about.side)[flat]
        return bool(
            over(plate, spot, PLATE_EDGE_M).mean() > 0.9 and load(said, plate)[flat].max() > 50.0 and not other_stands(said, plate)
        )
    bodies = {}
    for file in said.path.parent.glob("*.xml"):
        for force in ElementTree.parse(file).iter("ExternalForce"):
            bodies[str(force.get("name"))] = str(force.findtext("applied_to_body"))
    side = "r" if said.about.side == "R" else "l"
    if not bodies and said.path.suffix == ".trc":
        return all(name.split()[0] in (acting := under_feet(said)) and acting[name.split()[0]] == side for name in said["plates"])
    names = dict(bodies.items())
    mine = [names.get(name) or next((v for k, v in names.items() if name.split()[0] in k.lower()), "") for name in said["plates"]]
    return all(body.endswith(f"_{side}") for body in mine) and len(mine) > 0


def second_file(said: Said) -> pd.DataFrame:
    """The table of forces beside a recording, as text."""
    (path,) = said.path.parent.glob(f"{said.path.stem}_*.mot")
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip() == "endheader") + 1
    rows = [[float(cell) for cell in line.split()] for line in lines[first + 1 :]]
    return pd.DataFrame(rows, columns=lines[first].split())


def under_feet(said: Said) -> dict[str, str]:
    """Stem of each force of the second file -> "l" or "r", the foot whose markers are nearer to where it acts, Y up."""
    forces, time, found = second_file(said), recorded(said.path).time_s, {}
    for stem in {name[: -len("_vy")] for name in forces.columns if name.endswith("_vy")}:
        loaded = forces[forces[f"{stem}_vy"] > 100.0]
        away = {}
        for side in "LR":
            path = middle(said, side)
            at = [np.interp(loaded["time"], time, path[:, k]) for k in range(2)]
            # The laboratory's y is the table's -z.
            away[side.lower()] = float(np.hypot(loaded[f"{stem}_px"] - at[0], -loaded[f"{stem}_pz"] - at[1]).mean())
        found[stem] = min(away, key=lambda side: away[side])
    return found


@claim("second-forces", lag_ms=plus(80), n=plus(5), cover_percent=plus(40), how=instead("feet"))
def second_clock(said: Said) -> bool:
    """From the tables as text: when a force first exceeds 20 N, and when the heel of the foot it acts on stops falling."""
    forces, time, apart, covered = second_file(said), recorded(said.path).time_s, [], []
    for stem, side in under_feet(said).items():
        up, heel = forces[f"{stem}_vy"].to_numpy(), worn(said, side.upper(), {"heel": "HEE"})[0][:, 2]
        for first, last in stretches(up > 20.0):
            inside = (time >= forces["time"][first]) & (time <= forces["time"][last])
            low = np.stack([path[inside, 2] < np.nanmin(path[:, 2]) + 0.06 for path in worn(said, side.upper(), FEET)])
            covered.append(float(low.any(axis=0).mean()))
            if first > 0:
                began = float(forces["time"][first])
                near = np.flatnonzero(np.abs(time[1:-1] - began) < 0.1) + 1
                stop = near[np.argmax(heel[near + 1] - 2 * heel[near] + heel[near - 1])]
                apart.append(1e3 * (time[stop] - began))
    stamped = said["how"].startswith("stamps")
    return bool(
        len(apart) == said["n"] and abs(np.mean(apart) - said["lag_ms"]) < 40.0 and stamped
        and 0.5 < said["cover_percent"] / 100.0 <= min(1.0, np.mean(covered) + 0.1)
    )  # fmt: skip


@claim("foot-beyond-plate", beyond_mm=plus(40), plates=lambda names: ["plate 9"])
def beyond(said: Said) -> bool:
    """The outermost point of the foot's outline, in the table of the trial, while the foot lies flat: how far outside the plate."""
    points = outline(said)[flat_part(said, *ends(said))]
    mine = [plates(said)[name] for name in said["plates"]]
    out = [margin for margin in np.arange(0.0, 0.4, 0.001) if any(over(p, points, margin).all(axis=1).mean() > 0.5 for p in mine)]
    return bool(out) and abs(1000.0 * out[0] - said["beyond_mm"]) < 25.0 and said["beyond_mm"] > 0.0


def outline(said: Said) -> np.ndarray:
    """(n, k, 3), outline of the stance's foot, m."""
    columns = [c[:-2] for c in frames_of(said).columns if c.startswith(said.about.side) and c.endswith("Outline.X")]
    return np.stack([frames_of(said)[[f"{c}.{axis}" for axis in "XYZ"]].to_numpy() for c in columns], axis=1) / 1000.0


@claim("force-ends-early", force_end_s=plus(0.15), time_s=plus(0.15))
def ends_early(said: Said) -> bool:
    """The plate's force falls below 20 N there, and the foot's toe still rests: it leaves the ground later."""
    _, end_s = ends(said)
    (plate,) = (plates(said)[name] for name in said["plates"])
    force = load(said, plate)
    fall = frame(said, said["force_end_s"])
    below = (force[fall - 6 : fall - 2].min() > 20.0) and (force[fall + 3 : frame(said, said["time_s"])] < 20.0).all()
    return bool(
        below
        and abs(said["time_s"] - end_s) < 1e-3
        and rests_at_the_end(replace(said), said["force_end_s"] - 0.1, said["force_end_s"])
    )


@claim("other-foot-on-plate", time_s=plus(-0.6), side=lambda side: OTHER[side], plate=lambda name: "plate 9")
def other_foot(said: Said) -> bool:
    """At that time the other foot comes onto the plate: from then on a marker of it is over it and low, and the plate is loaded."""
    plate, rate = plates(said)[said["plate"]], said.trial.markers.rate_hz
    here = slice(frame(said, said["time_s"]), frame(said, said["time_s"]) + round(0.12 * rate))
    points = foot(said, said["side"])[here]
    with np.errstate(invalid="ignore"):
        low = over(plate, points, 0.1) & (points[..., 2] - plate.centre_m[2] < 0.12)
    strikes = [e.time_s for e in said.trial.events if e.side == said["side"] and "strike" in str(e.kind).lower()]
    known = any(abs(time - said["time_s"]) < 0.06 for time in strikes) or low[0].any()
    mine = getattr(said.about, "side", OTHER[said["side"]])
    return bool(low.any(axis=1).mean() > 0.7 and load(said, plate)[here].max() > 20.0 and known and mine == OTHER[said["side"]])


@claim("plate-event-distrusted", time_s=plus(0.2))
def distrusted(said: Said) -> bool:
    """No event that is used comes from that force; and the reason, where it has a check of its own, is true."""
    plate_events = [e for e in said.trial.events if str(e.source) == "plate" and e.side == said["side"] and e.kind == said["kind"]]
    unused = not any(abs(event.time_s - said["time_s"]) < 1e-3 for event in plate_events)
    crossed = any(abs(time - said["time_s"]) < 0.06 for plate in said.trial.plates for time in crossings(said, plate))
    return unused and crossed


def crossings(said: Said, plate: ForcePlate) -> list[float]:
    """Times at which the plate's force begins or ends, s."""
    rate, n = said.trial.markers.rate_hz, len(said.trial.markers.position_m)
    fine = plate.rate_hz
    first_s = (said.trial.motion.first_frame - 1) / rate
    found = stretches(np.abs(plate.force_lab_N[:, 2]) > 20.0)
    assert n
    return [first_s + sample / fine for pair in found for sample in pair]


# Cycles.


@claim("turns", turn_deg=plus(30))
def turns(said: Said) -> bool:
    """The direction in which the pelvis goes, at the end against the beginning of the trial."""
    way = pelvis(said)
    step = max(2, len(way) // 6)
    legs = [way[step] - way[0], way[-1] - way[-1 - step]]
    angles = [np.arctan2(leg[1], leg[0]) for leg in legs]
    turn = np.degrees(np.abs((angles[1] - angles[0] + np.pi) % (2 * np.pi) - np.pi))
    return bool(abs(turn - abs(said["turn_deg"])) < 25.0)


def pelvis(said: Said) -> np.ndarray:
    """(n, 2), middle of the iliac spines on the floor where all are seen, m."""
    points = np.stack([path for side in "LR" for path in worn(said, side, PELVIS)], axis=1)[..., :2]
    return points.mean(axis=1)[np.isfinite(points).all(axis=(1, 2))]


@claim("next-strike-outside", elsewhere=True)
def next_outside(said: Said) -> bool:
    """No later strike of that side is known, and the cycle's assumed end is not one."""
    if said.path is None or said.path.name != said.trial.file:
        return False
    strikes = [e.time_s for e in said.trial.events if e.side == said.about.side and "strike" in str(e.kind).lower()]
    return not any(time > said.about.start_s + 0.2 for time in strikes)


# Trials.


@claim("no-gait", travel=instead({"rule": "goes-nowhere", "values": {"way_m": 3.0, "speed_m_s": 1.2}}))
def no_gait(said: Said) -> bool:
    """How far the pelvis comes from where it began; how far the feet move."""
    inner = sentence(said["travel"])
    way = np.linalg.norm(pelvis(said) - pelvis(said)[0], axis=1) if len(pelvis(said)) else np.zeros(1)
    if inner.rule == "goes-nowhere":
        steps = np.linalg.norm(np.diff(pelvis(said)[:: max(1, round(said.trial.markers.rate_hz / 4))], axis=0), axis=1).sum()
        mean_speed = steps / (len(pelvis(said)) / said.trial.markers.rate_hz)
        return abs(way.max() - inner.values["way_m"]) < 0.05 and inner.values["speed_m_s"] < mean_speed + 0.25
    if inner.rule == "stands-still":
        position = said.trial.markers.position_m
        ranges = np.nanpercentile(position, 98, axis=0) - np.nanpercentile(position, 2, axis=0)
        return bool(np.nanmedian(np.linalg.norm(ranges, axis=1)) < 0.06)
    if inner.rule == "on-the-spot":
        ways = [np.ptp(middle(said, side)[:, :2], axis=0).max() for side in "LR"]
        return bool(min(ways) < inner.values["range_mm"] * 1e-3 + 0.01 and way.max() > 0.05)
    if inner.rule == "comes-up":
        points = np.stack([path for side in "LR" for path in worn(said, side, PELVIS)], axis=1).mean(axis=1)
        first, last = points[np.isfinite(points).all(axis=1)][[0, -1]]
        rise, forward = (100.0 * part / last[2] for part in (last[2] - first[2], np.linalg.norm((last - first)[:2])))
        feet = [np.ptp(path, axis=0).max() for side in "LR" for path in worn(said, side, FEET)]
        near = abs(rise - inner.values["percent"]) < 6.0 and abs(forward - inner.values["behind_percent"]) < 10.0
        return bool(near and np.nanmax(feet) < 0.05)
    if inner.rule == "not-ahead":
        frames = said.trial.motion.motions["", "pelvis"].frames
        way = (frames.origin_lab_m[-1] - frames.origin_lab_m[0])[:2]
        ahead = frames.R_lab_seg[:, :2, 0].mean(axis=0)
        return bool(way @ ahead < 0.7 * np.linalg.norm(way) * np.linalg.norm(ahead) and inner.values["percent"] < 50)
    return False


@claim("marker-filter", filtered=lambda value: not value, residual_mm=lambda value: 20 * value + 1)
def filtered(said: Said) -> bool:
    """Whether the positions used differ from those recorded; and what another low-pass of that frequency takes from them."""
    before, after = with_pose_points(recorded(said.path)).markers, said.trial.markers
    names = [name for group in said.session.result.marker_groups.values() for name in group if name in before and name in after]
    names = names or [name for name in after.names if name in before]
    both = np.stack([after[name] for name in names], axis=1), np.stack([before[name] for name in names], axis=1)
    with np.errstate(invalid="ignore"):
        moved = np.nanmax(np.abs(both[0] - both[1])) > 1e-9
    if bool(moved) != said["filtered"] or not said["seen"]:
        return bool(moved) == said["filtered"]
    sizes, low = [], butter(2, said["above_hz"] / 0.802, fs=before.rate_hz, output="sos")
    for path in both[1].swapaxes(0, 1):
        first, last = max(stretches(np.isfinite(path).all(axis=1)), key=lambda s: s[1] - s[0], default=(0, 0))
        if last - first > 30:
            part = path[first : last + 1]
            left = part - sosfiltfilt(low, part, axis=0)
            sizes.append(float(np.sqrt((left**2).mean())))
    # Near half the frame rate two low-passes of one frequency agree less.
    within = 2.0 if before.rate_hz > 4 * said["above_hz"] else 6.0
    return 1 / within < 1000.0 * float(np.median(sizes)) / said["residual_mm"] < within


# Sessions.


def session_recordings(said: Said) -> list[Path]:
    """Every recording of the session that was read."""
    found = []
    for word in said.session.said["words"][1:]:
        path = Path(word)
        inside = said.sessions.shared in (*path.parents, path)
        if inside and path.is_dir():
            found += [p for p in sorted(path.iterdir()) if p.suffix.lower() in (".c3d", ".trc")]
        elif inside and path.suffix.lower() in (".c3d", ".trc"):
            found.append(path)
    return list(dict.fromkeys(found))


def still_share(path: Path) -> float:
    """Share of the markers that stay within a few centimetres."""
    position = recorded(path).markers.position_m
    seen = np.isfinite(position).all(axis=2).sum(axis=0) >= max(1, len(position) // 2)
    if seen.sum() < 4:
        return 0.0
    spread = np.nanpercentile(position[:, seen], 98, axis=0) - np.nanpercentile(position[:, seen], 2, axis=0)
    return float((np.linalg.norm(spread, axis=1) < STILL_M).mean())


@claim("calibrated-from-walk", trial=instead("NOBODY"))
def from_walk(said: Said) -> bool:
    """In no recording of the session most markers stay in place, and the one that is named is among them."""
    files = session_recordings(said)
    return said["trial"] in {path.stem for path in files} and all(still_share(path) < 0.75 for path in files)


@claim("static-moves", trial=lambda name: "PiG_Calibration3_FF")
def moves(said: Said) -> bool:
    """More than a quarter of the markers of that recording leave their place."""
    found = list(said.sessions.shared.rglob(f"{said['trial']}.c3d"))
    return len(found) == 1 and still_share(found[0]) <= 0.75


@claim("inertia-of-both-sexes", system=lambda name: f"{name} of others")
def both_sexes(said: Said) -> bool:
    """Nobody says the sex, and the poses that were taken are that system's."""
    result = said.session.result
    return not result.subject.sex and result.calibration.get("system") == said["system"]


@claim("no-markers", channels=plus(3), segments=plus(1))
def markerless(said: Said) -> bool:
    """That file of the session has no trajectories; analog channels as its header counts them."""
    (path,) = (path for path in session_recordings(said) if path.name == said["file"])
    trial = recorded(path)
    counted = (len(trial.analog.names), len(trial.rotations.names))
    return not trial.markers.names and counted == (said["channels"], said["segments"])


@claim("events-disagree", apart_ms=plus(150))
def disagree(said: Said) -> bool:
    """Some stored event of that side and kind lies as far from the nearest rise or fall of a plate's force."""
    mine = [e for e in said.trial.events if e.side == said["side"] and e.kind == said["kind"] and e.source == "file"]
    edges = np.array([time for plate in recorded(said.path).plates for time in crossings(said, plate)])
    apart = [1000.0 * float(np.abs(edges - event.time_s).min()) for event in mine if len(edges)]
    return any(abs(value - said["apart_ms"]) < 40 for value in apart)


@claim("muscles-without-model", refusal=instead("Everything is known."))
def muscles_alone(said: Said) -> bool:
    """No trial has results, some channel has; and the words name markers of the file as unknown."""
    tables = said.session.tables
    labels = [name for path in session_recordings(said) for name in recorded(path).markers.names]
    known = {"LASI", "RASI", "LKNE", "RKNE", "LHEE", "RHEE"} & set(labels)
    return not tables.summary["trials"] and tables.channels is not None and not known and "no known marker set" in said["refusal"]


def sway_mm(position: np.ndarray) -> float:
    """Median over markers of the root mean square distance from their mean places."""
    apart = np.linalg.norm(position - np.nanmean(position, axis=0), axis=2)
    return 1000 * float(np.nanmedian(np.sqrt(np.nanmean(apart**2, axis=0))))


@claim("static-sways", sway_mm=plus(60))
def swaying(said: Said) -> bool:
    """No second of that recording sways less, and in no other of the session somebody stands still."""
    files = session_recordings(said)
    (path,) = (path for path in files if path.stem == said["trial"])
    trial = recorded(path)
    length = round(trial.rate_hz)
    seconds = [sway_mm(trial.markers.position_m[at : at + length]) for at in range(0, max(1, trial.n_frames - length), 10)]
    return min(seconds) > 0.9 * said["sway_mm"] > 2.7 and all(still_share(other) < 0.75 for other in files)


@claim("static-part", sway_mm=plus(60), last=plus(-5))
def stillest_part(said: Said) -> bool:
    """Between these frames markers sway so much, for so long, and by more than 3 mm in all of it."""
    (path,) = (path for path in session_recordings(said) if path.stem == said["trial"])
    trial = recorded(path)
    part = trial.markers.position_m[said["first"] - trial.first_frame : said["last"] - trial.first_frame + 1]
    lasts = abs(len(part) / trial.rate_hz - said["length_s"]) < 0.01
    return lasts and abs(sway_mm(part) - said["sway_mm"]) < 0.3 and sway_mm(trial.markers.position_m) > 2.9


@claim("upper-body-not-placed", lacks=instead(["LASI"]))
def not_placed(said: Said) -> bool:
    """No recording shows a marker of such a name, and no measurement of it is stored above zero; the pelvis' own are there."""
    shown = {name for path in session_recordings(said) for name in recorded(path).markers.names}
    return not shown & set(said["lacks"])


@claim("static-one-frame", frame=plus(7))
def one_frame(said: Said) -> bool:
    """That frame of that recording shows markers, and no other frame does."""
    (path,) = (path for path in session_recordings(said) if path.stem == said["trial"])
    raw = recorded(path)
    shown = np.flatnonzero(np.isfinite(raw.markers.position_m).all(axis=2).any(axis=1))
    return [int(frame) + raw.first_frame for frame in shown] == [said["frame"]]


@claim("recorded-twice", pairs=instead((("trial02", "trial03"),)))
def copied(said: Said) -> bool:
    """Every tenth frame of the shorter recording is nearly a frame of the longer one, and no sooner than the one before."""
    files = {path.stem: path for path in session_recordings(said)}
    for pair in said["pairs"]:
        if not set(pair) <= set(files):
            return False
        short, long = sorted((recorded(files[name]).markers for name in pair), key=lambda m: len(m.position_m))
        common = [name for name in short.names if name in long]
        frames = [np.hstack([markers[name] for name in common]) for markers in (short, long)]
        found = []
        for frame in frames[0][::10]:
            known = np.isfinite(frame)
            apart = np.abs(frames[1][:, known] - frame[known])
            apart = np.where(np.isfinite(apart).all(axis=1), apart.mean(axis=1), np.inf)
            if np.isfinite(apart).any():
                found.append((int(apart.argmin()), apart.min()))
        at, off = np.array(found).T
        if np.mean(off < 0.005) < 0.8 or np.mean(np.diff(at) >= 0) < 0.9:
            return False
    return bool(said["pairs"])


@claim("model-chosen", model=instead("conventional"), lacks=instead(["LTOE", "the moon"]))
def chosen(said: Said) -> bool:
    """Results carry that model's name; a marker that is named is missing in some recording, a measurement in all."""
    files = [path for path in session_recordings(said) if path.suffix.lower() == ".c3d"]
    for item in said["lacks"][:3]:  # those that the sentence names
        name = item.split(" (")[0]
        words = {"leg lengths": "LegLength", "knee widths": "KneeWidth", "ankle widths": "AnkleWidth", "body mass": "Bodymass"}
        measured = name in words and any(raw(path).number(f"L{words[name]}") for path in files)
        worn = [path for path in session_recordings(said) if name in recorded(path).markers.names]
        known = name in words or name == "a static trial" or name[:1] in "LRS"
        if not known or measured or len(worn) == len(session_recordings(said)):
            return False
    return said.session.tables.summary["model"] == said["model"] != "conventional"


@claim("mass-from-plates", mass_kg=plus(8))
def weighed(said: Said) -> bool:
    """Standing: the mean of all plates. Steps: what the feet's impulses on their plates carry over one stride, from the tables."""
    (path,) = (path for path in session_recordings(said) if path.stem == said["trial"])
    trial = recorded(path)
    if not trial.plates:  # they come from a second file
        (with_forces,) = (each for each in said.session.result.trials if each.name == said["trial"])
        trial = replace(trial, plates=with_forces.plates)
    if said["how"] == "standing":
        total = sum(plate.force_lab_N[:, 2] for plate in trial.plates)
        return bool(abs(np.mean(total) / 9.80665 - said["mass_kg"]) < 0.5)
    stances = said.session.tables.stances
    mine = stances[(stances["trial"] == said["trial"]) & (stances["verdict"] == "clean")]
    per_frame = len(trial.plates[0].force_lab_N) / trial.n_frames
    impulses: dict[str, list[float]] = {}
    for row in mine.itertuples():
        plate = next(plate for plate in trial.plates if plate.name == row.plate)
        rate_hz = trial.rate_hz * per_frame
        first, last = (round((t - trial.first_time_s) * rate_hz) for t in (row.start_s, row.end_s))
        impulses.setdefault(row.side, []).append(float(plate.force_lab_N[first:last, 2].sum()) / rate_hz)
    every = stances[stances["trial"] == said["trial"]].dropna(subset=["start_s"])
    strides = [gap for _, of_side in every.groupby("side") for gap in np.diff(np.sort(of_side["start_s"])) if gap < 2.2]
    if not strides:  # from one off to the same foot's next, all plates together
        ended = stances[stances["trial"] == said["trial"]].dropna(subset=["end_s"])
        (ends_s,) = (np.sort(of_side["end_s"]) for _, of_side in ended.groupby("side") if len(of_side) == 2)
        total = sum(plate.force_lab_N[:, 2] for plate in trial.plates)
        first, last = np.round((ends_s - trial.first_time_s) * trial.rate_hz * per_frame).astype(int)
        return bool(abs(np.mean(total[first:last]) / 9.80665 / said["mass_kg"] - 1.0) < 0.05)
    if set(impulses) != {"L", "R"}:  # one foot alone: it carries about half
        (one,) = impulses.values()
        impulses = {"L": one, "R": one}
    carried = sum(float(np.median(values)) for values in impulses.values()) / (9.80665 * float(np.median(strides)))
    return abs(carried / said["mass_kg"] - 1.0) < 0.05


@claim("mass-unknown", n=plus(1))
def unknown_mass(said: Said) -> bool:
    """Nothing in the results has a mass, and no recording of the session a plate."""
    files = session_recordings(said)
    plates = [plate for path in files for plate in recorded(path).plates]
    shown = sum(bool(recorded(path).markers.names or recorded(path).rotations.names) for path in files)
    return said.session.tables.summary["subject"]["mass_kg"] is None and not plates and said["n"] == shown


@claim("mass-unlike-weight", standing_kg=plus(10), mass_kg=plus(-9))
def unlike(said: Said) -> bool:
    """Mean vertical force of all plates of that recording over standard gravity."""
    (path,) = said.sessions.shared.rglob(f"{said['trial']}.c3d")
    total = sum(plate.force_lab_N[:, 2] for plate in recorded(path).plates)
    off = abs(said["mass_kg"] - said["standing_kg"]) > 0.1 * said["standing_kg"]
    return bool(abs(np.mean(total) / 9.80665 - said["standing_kg"]) < 0.5 and off)


@claim("mass-unlike-steps", steps_kg=plus(8))
def unlike_steps(said: Said) -> bool:
    """From one foot's off to the other's, all plates together bear the body but for what its spines' speed changes."""
    (path,) = (path for path in session_recordings(said) if path.stem == said["trial"])
    trial = recorded(path)
    total = sum(plate.force_lab_N[:, 2] for plate in trial.plates)
    rate_hz = len(total) / trial.n_frames * trial.rate_hz
    stances = said.session.tables.stances
    mine = stances[(stances["trial"] == said["trial"]) & (stances["verdict"] == "clean")].sort_values("start_s")
    offs_s = stances[stances["trial"] == said["trial"]]["end_s"].dropna().sort_values()
    spines = sum(trial.markers[label][:, 2] for label in ("LASI", "RASI")) / 2
    rising = np.gradient(sosfiltfilt(butter(2, 6.0, fs=trial.rate_hz, output="sos"), spines)) * trial.rate_hz
    weighed = []
    for one, other in pairwise(mine.itertuples()):
        (start_s,) = offs_s[(offs_s > one.start_s) & (offs_s < other.start_s)]
        first, last = (round((t - trial.first_time_s) * rate_hz) for t in (start_s, one.end_s))
        change = np.diff(np.interp([start_s, one.end_s], trial.markers.time_s, rising))[0] / (one.end_s - start_s)
        weighed.append(float(np.mean(total[first:last])) / (9.80665 + change))
    return abs(float(np.median(weighed)) / said["steps_kg"] - 1.0) < 0.02 and abs(said["mass_kg"] / said["steps_kg"] - 1.0) > 0.05


def varus_in_swing(said: Said) -> tuple[float, float]:
    """Mean range of varus and its slope on flexion where the ankle is faster than half of its own fastest, level walks pooled."""
    swings = []
    for trial in said.session.result.trials:
        side = said["side"]
        if str(trial.kind) not in ("straight", "treadmill") or str(trial.verdict) == "reject":
            continue
        ankle, knee = trial.motion.joint_centres_lab_m[side, "ankle"], np.degrees(trial.motion.joint_angles_rad[side, "knee"])
        speed = np.linalg.norm(np.gradient(ankle, axis=0), axis=1)
        fast = (speed > 0.5 * np.nanpercentile(speed, 98)) & np.isfinite(knee).all(axis=1)
        edges = np.flatnonzero(np.diff(np.r_[0, fast.astype(int), 0]))
        swings += [knee[a:b] for a, b in edges.reshape(-1, 2) if b - a >= 0.15 * trial.motion.rate_hz]
    every = np.concatenate(swings)
    return float(np.mean([np.ptp(swing[:, 1]) for swing in swings])), float(np.polyfit(every[:, 0], every[:, 1], 1)[0])


@claim("knee-varus-follows", "knee-varus-wide", "knee-axis-turned", slope=plus(0.3), range_deg=plus(9))
def varus(said: Said) -> bool:
    range_deg, slope = varus_in_swing(said)
    return abs(range_deg - said["range_deg"]) < 0.5 and abs(slope - said["slope"]) < 0.02


@claim("offsets-of-trials-differ", most_deg=plus(2), trials=lambda names: [*names, "static"])
def tuned(said: Said) -> bool:
    """In the thigh's stored axes the thigh marker of these walks, and of no others, is turned so far against the static trial."""
    turned: dict[str, list[float]] = {}
    for path in session_recordings(said):
        trial = recorded(path)
        for side, sign in (("L", 1), ("R", -1)):
            o, a, p = (trial.model_outputs[f"{side}FE{tip}"] for tip in "OAP")
            x, z, arm = a - o, p - o, 1000 * trial.markers[f"{side}THI"] - o
            y = np.cross(z, x)
            along = [np.einsum("ij,ij->i", arm, axis) / np.linalg.norm(axis, axis=1) for axis in (x, y)]
            turned.setdefault(side, []).append(float(np.nanmean(-np.degrees(np.arctan2(along[0], sign * along[1])))))
    names = [path.stem for path in session_recordings(said)]
    apart = {
        name: max(abs(turned[side][i] - turned[side][names.index(said["static"])]) for side in "LR") for i, name in enumerate(names)
    }
    far = {name for name, deg in apart.items() if deg > 0.5}
    return far == set(said["trials"]) and abs(max(apart.values()) - said["most_deg"]) < 0.1


@claim("offsets-not-checked", trials=plus(1))
def nothing_to_check(said: Said) -> bool:
    """No recording of the session stores both hip centres and hip angles."""
    trials = [recorded(path) for path in session_recordings(said) if recorded(path).markers.names]
    both = [
        trial for trial in trials if "LFEP" in trial.model_outputs and any("LHipAngles" in name for name in trial.model_outputs)
    ]
    return not both and said["trials"] == len(trials)


@claim("further-markers", markers=lambda markers: (*markers[:-1], "C7"))
def keep_their_places(said: Said) -> bool:
    """Each is in one segment's cluster, and its distances to the others there vary by less than 15 mm in every recording."""
    calibration = said.session.tables.calibration
    clusters = [calibration["pelvis"], *(each for side in calibration["sides"].values() for each in side["segments"].values())]
    for label in said["markers"]:
        mates = [set(cluster["cluster_mm"]) - {label} for cluster in clusters if label in cluster["cluster_mm"]]
        for markers in (recorded(path).markers for path in session_recordings(said)):
            shown = [mate for mate in (mates[0] if len(mates) == 1 else ()) if mate in markers and label in markers]
            if not mates or any(np.nanstd(np.linalg.norm(markers[label] - markers[mate], axis=1)) > 0.015 for mate in shown):
                return False
    return said["n"] == len(said["markers"])


@claim("marker-diameter-assumed", diameter_mm=plus(5))
def assumed(said: Said) -> bool:
    """No recording of the session has a parameter of that name with a number; the calibration says what was used."""
    told = [
        raw(p).number(key)
        for p in session_recordings(said)
        if p.suffix.lower() == ".c3d"
        for key in raw(p).parameters
        if "MARKERDIAMETER" in key
    ]
    used = said.session.tables.calibration.get(
        "marker_diameter_mm", said["diameter_mm"] if said.session.result.model != "conventional" else None
    )
    return not any(told) and used == said["diameter_mm"]


@claim("marker-diameter-from-outputs", diameter_mm=plus(3))
def from_outputs(said: Said) -> bool:
    """Twice the distance from the knee's marker to the stored knee centre, less the knee's width."""
    sizes = []
    for path in session_recordings(said):
        file = raw(path)
        for side in "LR":
            width = next(
                (v for key in file.parameters if key.split(":")[-1] == f"{side}KNEEWIDTH" and (v := file.number(key))), None
            )
            if width and f"{side}FEO" in file.labels and f"{side}KNE" in file.labels:
                away = np.linalg.norm(file.path_of(f"{side}KNE") - file.path_of(f"{side}FEO"), axis=1)
                sizes.append(2.0 * float(np.nanmedian(away)) * file.length_m * 1000.0 - width)
    return bool(sizes) and abs(np.median(sizes) - said["diameter_mm"]) < 1.0


@claim("foot-flat-as-stored", flat=lambda value: not value, equal=lambda value: not value)
def flat_as_stored(said: Said) -> bool:
    """The stored static offsets (rad or deg) beside those of calibration.json."""
    calibration = said.session.tables.calibration
    apart = []
    # The static trial's own values; where it was stored before it was processed, those of the others.
    files = sorted(map(raw, session_recordings(said)), key=lambda file: file.path.name != calibration["static_file"])
    told = [file for file in files if any(file.number(key) for key in file.parameters if key.endswith("STATICPLANTFLEX"))]
    for file in told[:1]:
        for side, (word, ours) in product(
            "LR", (("PLANTFLEX", "static_plantar_flexion_deg"), ("ROTOFF", "static_rotation_offset_deg"))
        ):
            key = next((key for key in file.parameters if key.endswith(f":{side}STATIC{word}")), "")
            # Radians or degrees: vendors write both.
            stored = [value for value in (file.number(key), np.degrees(file.number(key) or 0.0)) if value]
            apart += [min((abs(value - calibration["sides"][side][ours]) for value in stored), default=9.0)] if stored else []
    same = max(apart) < 0.01
    return calibration["foot_flat"] == said["flat"] and same == said["equal"] and (same or max(apart) < said["apart_deg"] + 0.05)


@claim("torsion-turns-foot", torsion_deg=plus(5), lean_deg=plus(5), side=lambda side: OTHER[side])
def torsion(said: Said) -> bool:
    """The torsion of that side in calibration.json; it tips the offset by the product of their sines, at most."""
    side = said.session.tables.calibration["sides"][said["side"]]
    offset, turn = (np.sin(np.radians(abs(side[key]))) for key in ("static_plantar_flexion_deg", "tibial_torsion_deg"))
    return abs(abs(side["tibial_torsion_deg"]) - said["torsion_deg"]) < 0.1 and said["lean_deg"] < np.degrees(offset * turn) + 0.01


@claim("functional-too-small", joint=instead("hip"))
def too_small(said: Said) -> bool:
    """In no functional trial the thigh's markers turn against those of the shank (or of the pelvis) by thirty degrees."""
    words = said.session.said["words"]
    named = [Path(words[i + 1]) for i, word in enumerate(words) if word == "--functional"]
    return all(swing_deg(recorded(path), said["side"], said["joint"]) < 30.0 for path in named)


def swing_deg(trial: Trial, side: str, joint: str) -> float:
    """Range of the angle between two lines of markers above and below a joint."""
    lines = {
        "knee": (("THI", "KNE"), ("KNE", "ANK")),
        "hip": (("PSI", "ASI"), ("ASI", "KNE")),
        "ankle": (("KNE", "ANK"), ("ANK", "TOE")),
    }
    (a, b), (c, d) = ((trial.markers[side + one], trial.markers[side + other]) for one, other in lines[joint])
    upper, lower = b - a, d - c
    cosine = (upper * lower).sum(axis=1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(lower, axis=1)
    return float(np.degrees(np.ptp(np.arccos(cosine[np.isfinite(cosine)]))))


# Grades.


@claim("quality:gap-largest", value=plus(200))
def largest_gap(said: Said) -> bool:
    """The longest stretch between two sights of a marker, in the recording as read, of any marker of the trial's set."""
    markers, longest = recorded(said.path).markers, 0
    for name in set(said.trial.markers.roles.values()) & set(markers.names):
        seen = np.isfinite(markers[name]).all(axis=1)
        for first, last in stretches(~seen):
            if first > 0 and last < len(seen) - 1:
                longest = max(longest, last - first + 1)
    # A gap that reaches into the trial's ends may be counted where a cycle is; none is longer than the longest time unseen.
    unseen_s = max(
        (last - first + 1 for name in markers.names for first, last in stretches(~np.isfinite(markers[name]).all(axis=1))),
        default=0,
    )
    return np.isnan(said["value"]) or said["value"] <= 1000.0 * max(longest, unseen_s) / markers.rate_hz + 1e-6


@claim("quality:gap-filled", value=plus(5))
def filled(said: Said) -> bool:
    """Samples that are missing in the recording and there in the trial, of all samples of the model's markers."""
    before, after = recorded(said.path).markers, said.trial.markers
    # A marker set may spell the labels in its own way, in the same order.
    same = len(before.names) == len(after.names)
    pairs = zip(before.names, after.names, strict=True) if same else ((n, n) for n in after.names if n in before)
    gained = {b: int((~np.isfinite(before[a]).all(axis=1) & np.isfinite(after[b]).all(axis=1)).sum()) for a, b in pairs}
    # Of a cycle or of the trial, of the model's markers or of all: nothing filled means none, and none means nothing filled there.
    most = max((100.0 * n / max(1, round(0.5 * before.rate_hz)) for n in gained.values()), default=0.0)
    return np.isnan(said["value"]) or said["value"] <= most + 1e-6


@claim("quality:frames-untracked", value=plus(30))
def untracked(said: Said) -> bool:
    """Rows of the trial's table between the first and the last angle in which an angle is empty."""
    frames = frames_of(said)
    angles = (
        frames[[c for c in frames.columns if re.match(r"[LR](Pelvis|Hip|Knee|Ankle|FootProgress)Angles", c)]].notna().to_numpy()
    )
    seen = np.flatnonzero(angles.any(axis=1))
    spans = [angles[seen[0] : seen[-1] + 1]] if len(seen) else []
    spans += [angles[frame(said, c.start_s) : frame(said, c.end_s) + 1] for c in said.trial.cycles]
    shares = [100.0 * (1.0 - span.all(axis=1).mean()) for span in spans if len(span)]
    # Of a cycle, or of the whole trial: one of them has this share, or the shares enclose it.
    return np.isnan(said["value"]) or min(shares) - 1.5 <= said["value"] <= max(shares) + 1.5


@claim("markers-exchanged", first=instead("NOBODY"), second=instead("NOBODY"), last_frame=plus(-9), throughout=instead(False))
def exchanged(said: Said) -> bool:
    """Throughout: with both labels exchanged the middle distances to all other markers are more like those of the static trial."""
    before, after = said.session.result.static_markers, said.trial.markers
    if any(label not in markers for label in (said["first"], said["second"]) for markers in (before, after)):
        return False
    others = [n for n in after.names if n in before and n not in (said["first"], said["second"])]

    def off(label: str, as_label: str) -> float:
        now, then = (
            np.array([np.nanmedian(np.linalg.norm(m[name] - m[other], axis=1)) for other in others])
            for m, name in ((after, label), (before, as_label))
        )
        return float(np.nanmedian(np.abs(now - then)))

    one, other = said["first"], said["second"]
    whole = said["last_frame"] - said["first_frame"] + 1 == len(after.position_m)
    return whole == said["throughout"] and off(one, other) + off(other, one) < off(one, one) + off(other, other)


@claim("quality:marker-rigidity", value=plus(60))
def rigidity(said: Said) -> bool:
    """Some pair of markers of one segment changes its distance, in the mean square, by as much."""
    if np.isnan(said["value"]):
        return said.session.result.static_name == ""
    before, after = said.session.result.static_markers, said.trial.markers
    worst = 0.0
    for group in said.session.result.marker_groups.values():
        for one, other in combinations([n for n in group if n in before and n in after], 2):
            rest = np.nanmean(np.linalg.norm(before[one] - before[other], axis=1))
            now = np.linalg.norm(after[one] - after[other], axis=1)
            worst = max(worst, 1000.0 * float(np.sqrt(np.nanmean((now - rest) ** 2))))
    return said["value"] <= worst + 1e-6


@claim("quality:centre-drift", value=plus(40))
def drift(said: Said) -> bool:
    """Distances of the joint centres in the trial's table against the lengths of the calibration's static trial."""
    if np.isnan(said["value"]):
        return said.session.result.static_motion is None
    frames, static = frames_of(said), said.session.result.static_motion
    worst = 0.0
    for side in "LR":
        for (upper, long_upper), (lower, long_lower) in pairwise((("HJC", "hip"), ("KJC", "knee"), ("AJC", "ankle"))):
            now = np.linalg.norm(
                frames[[f"{side}{upper}.{a}" for a in "XYZ"]].to_numpy() - frames[[f"{side}{lower}.{a}" for a in "XYZ"]].to_numpy(),
                axis=1,
            )
            centres = static.joint_centres_lab_m
            rest = 1000.0 * np.nanmean(np.linalg.norm(centres[side, long_upper] - centres[side, long_lower], axis=1))
            worst = max(worst, float(np.nanmax(np.abs(now - rest))))
    return said["value"] <= worst + 1e-6


@claim("quality:plate-baseline", value=plus(80))
def graded_baseline(said: Said) -> bool:
    """The largest of what the recording's findings say was subtracted; 0 where they say nothing."""
    told = [f.values["force_N"] for f in recorded(said.path).findings if f.rule.startswith("plate-baseline")]
    if np.isnan(said["value"]):
        return not told
    return abs(said["value"] - max(told)) < 1e-6 if told else said["value"] < 10.0


@claim("quality:cop-inside-foot", value=lambda value: value - 60)
def pressure(said: Said) -> bool:
    """Centres of pressure of the table within the box around the outline of the flat foot, with a margin of 4 cm."""
    if np.isnan(said["value"]):
        return True
    frames, inside = frames_of(said), []
    for stance in said.trial.assignment.stances:
        if not (stance.verdict.accepted and np.isfinite([stance.start_s, stance.end_s]).all()):
            continue
        here = replace(said, about=stance)
        part = slice(frame(said, stance.start_s), frame(said, stance.end_s))
        spots = frames[[f"{stance.side}CentreOfPressure.{a}" for a in "XY"]].to_numpy()[part] / 1000.0
        shape = outline(here)[..., :2]
        flat = np.nanmedian(shape[flat_part(here, stance.start_s, stance.end_s)], axis=0)
        # A belt carries the foot along; over ground it is where it lies flat.
        shape = shape[part] if carried(said) else np.broadcast_to(flat, (part.stop - part.start, *flat.shape))
        for spot, box in zip(spots, shape, strict=True):
            if np.isfinite(spot).all() and np.isfinite(box).all():
                inside.append(within(spot, box))
    return not inside or abs(100.0 * float(np.mean(inside)) - said["value"]) < 20.0


def carried(said: Said) -> bool:
    """Whether the summary lists a belt."""
    return bool(next(t for t in said.session.tables.summary["trials"] if t["name"] == said.trial.name).get("belts"))


def within(spot: np.ndarray, outline_m: np.ndarray, margin_m: float = 0.03) -> bool:
    """Whether a spot lies in the box around an outline, along its own axes."""
    points = outline_m - outline_m.mean(axis=0)
    turn = np.linalg.svd(points, full_matrices=False)[2].T
    local = (spot - outline_m.mean(axis=0)) @ turn
    return bool(((local > (points @ turn).min(axis=0) - margin_m) & (local < (points @ turn).max(axis=0) + margin_m)).all())


@claim("quality:cop-offset", value=plus(400))
def offset(said: Said) -> bool:
    """No stance has its centre of pressure, in the mean of the table, so far from the middle of the flat foot."""
    if np.isnan(said["value"]):
        return True
    frames, farthest = frames_of(said), 0.0
    feet = {side: middle(said, side) for side in {stance.side for stance in said.trial.assignment.stances}}
    for stance in said.trial.assignment.stances:
        if np.isfinite([stance.start_s, stance.end_s]).all():
            part = slice(frame(said, stance.start_s), frame(said, stance.end_s))
            spots = frames[[f"{stance.side}CentreOfPressure.{a}" for a in "XY"]].to_numpy()[part]
            away = np.linalg.norm(spots - 1000.0 * feet[stance.side][part, :2], axis=1)
            farthest = max(farthest, float(np.nanmax(away, initial=0.0)))
    return abs(said["value"]) <= farthest + 1.0


@claim("quality:event-lag", value=plus(90))
def lag(said: Said) -> bool:
    """The median of the medians that the summary lists of plates against markers."""
    summary = next(t for t in said.session.tables.summary["trials"] if t["name"] == said.trial.name)
    rows = [abs(r["median_ms"]) for r in summary["event_agreement"] if {r["source"], r["reference"]} == {"plate", "marker"}]
    return abs(np.median(rows) - said["value"]) < 1e-6 if rows else np.isnan(said["value"])


def cycle_rows(said: Said) -> list[tuple[str, float, float]]:
    """(side, start, end) of strikes that follow each other, counted from the events."""
    found = []
    for side in "LR":
        strikes = sorted(e.time_s for e in said.trial.events if e.side == side and "strike" in str(e.kind).lower())
        found += [(side, a, b) for a, b in pairwise(strikes)]
    return found


@claim("quality:cycles-used", "quality:cycles-refused", value=plus(9))
def counted(said: Said) -> bool:
    """Pairs of strikes of one side in the summary's events: no more cycles than these; used and refused are the whole ones."""
    listed = next(t for t in said.session.tables.summary["trials"] if t["name"] == said.trial.name)["cycles"]
    if np.isnan(said["value"]):
        return not listed or str(said.trial.kind) not in ("straight", "turn", "run")
    used = sum(any(cycle[layer]["counts"] for layer in ("kinematics", "kinetics")) for cycle in listed)
    told = {"quality:cycles-used": used, "quality:cycles-refused": len(listed) - used}
    return said["value"] == told[said.rule] and len(listed) <= len(cycle_rows(said)) + 2


@claim("quality:stances-on-plate", value=plus(1))
def on_plate(said: Said) -> bool:
    """Rows of stances.csv with an accepted verdict."""
    rows = table(said.session.out / "stances.csv")
    mine = rows[rows.trial == said.trial.name]
    if np.isnan(said["value"]):
        return mine.empty
    return said["value"] == mine.verdict.isin(["clean", "two_plates", "override"]).sum()


# Plates as smooth as the markers.


@claim(
    "plate-bandwidth", done=lambda done: "recorded" if done != "recorded" else "matched", held_percent=lambda value: 0.1 * value - 1
)
def bandwidth(said: Said) -> bool:
    """The table's ground reaction against the plate as recorded: equal where it says so, else different by at most so much."""
    frames, apart, largest = frames_of(said), 0.0, 1.0
    for plate, side in product(said.trial.plates, "LR"):
        ground, force = frames[f"{side}GroundReactionForce.Z"].to_numpy() * (said.trial.mass_kg or 1.0), load(said, plate)
        here = (ground > 20.0) & (force > 20.0)
        # One foot on this plate and on no other.
        # Not where the force begins or ends within a frame.
        here &= np.convolve(here, np.ones(7), mode="same") == 7
        if here.sum() > 20 and np.corrcoef(ground[here], force[here])[0, 1] > 0.9:
            # The force of a frame lies between those of its neighbours, whatever instant of it is meant.
            around = np.stack([np.roll(force, -1), force, np.roll(force, 1)])
            off = np.maximum(ground - around.max(axis=0), around.min(axis=0) - ground)[here].max()
            apart, largest = max(apart, float(off)), max(largest, float(force.max()))
    percent = 100.0 * apart / largest
    if said["done"] == "recorded":
        return percent < 3.0
    return said["done"] != "matched" or (percent < said["held_percent"] + 3.0 and taken_as_said(said))


def taken_as_said(said: Said) -> bool:
    """What a filter of that half amplitude takes from the plates, against what is said, within a factor of two."""
    shares = []
    for plate in said.trial.plates:
        force = np.nan_to_num(plate.force_lab_N[:, 2])
        # Twice the square root of a half is a half.
        smooth = sosfiltfilt(butter(2, said["half_amplitude_hz"], fs=plate.rate_hz, output="sos"), force)
        if force.max() > 50.0:
            shares.append(100.0 * float(np.abs(force - smooth).max() / force.max()))
    return bool(shares) and 0.5 < max(shares) / said["held_percent"] < 2.0


@claim("plate-bandwidth-peaks", peaks=lambda rows: [(*row[:4], row[4] + 5.0, row[5]) for row in rows])
def bandwidth_peaks(said: Said) -> bool:
    """The value that is said to be in the results is the one in peaks.csv."""
    peaks = table(said.session.out / "peaks.csv")
    mine = peaks[peaks.trial == said.trial.name]
    return all(
        (np.abs(mine[(mine.side == side) & (mine.cycle == cycle)].value - used) < 1e-6).any() and abs(recorded_peak - used) > 0.0
        for side, _, cycle, recorded_peak, used, _ in said["peaks"]
    )


# What cycles and sessions lack.


@claim("no-plates", elsewhere=True)
def none_there(said: Said) -> bool:
    """FORCE_PLATFORM:USED of the recording; no other file of the folder holds forces."""
    if said.path is None or said.path.name != said.trial.file:
        return False
    return (raw(said.path).n_plates == 0) if said.path.suffix.lower() == ".c3d" else not said.trial.plates


@claim("session-without-kinetics", stances=plus(3))
def without_kinetics(said: Said) -> bool:
    """Rows of stances.csv: as many, and none accepted; the moments of every trial's table are empty."""
    rows = table(said.session.out / "stances.csv")
    accepted = rows.verdict.isin(["clean", "two_plates", "override"]).sum()
    # Loads of accepted stances are gone where a rule took them: then no cycle is left with kinetics.
    cycles = [cycle["kinetics_valid"] for trial in said.session.tables.summary["trials"] for cycle in trial["cycles"]]
    return len(rows) == said["stances"] and (accepted == 0 or (bool(cycles) and set(cycles) == {"false"}))


@claim("session-without-movement", trials=plus(2))
def without_movement(said: Said) -> bool:
    """As many trials in the summary, no row of cycles.csv, and in no trial the pelvis goes half a metre, or not where it faces."""
    trials = [trial["name"] for trial in said.session.tables.summary["trials"]]
    if len(trials) != said["trials"] or len(table(said.session.out / "cycles.csv")):
        return False
    for trial in said.session.session.movements:
        markers = trial.markers if trial.markers.names else with_pose_points(trial.motion.trial).markers
        left, right = (markers[markers.roles.get((side, "asis")) or side + "ASI"][:, :2] for side in "LR")
        seen = np.isfinite(left + right).all(axis=1)
        steps, across = np.diff((left + right)[seen] / 2.0, axis=0), (right - left)[seen][:-1]
        # Ahead is a quarter turn to the left of what goes from left to right.
        faces = np.stack([-across[:, 1], across[:, 0]], axis=1) / np.linalg.norm(across, axis=1)[:, None]
        ahead = (steps * faces).sum(axis=1)
        if np.linalg.norm(steps.sum(axis=0)) > 0.5 and ahead.sum() > 0.9 * np.linalg.norm(steps, axis=1).sum():
            return False
    return True


@claim("foot-on-other-level", height_mm=plus(150))
def other_level(said: Said) -> bool:
    """The lowest marker of the flat foot, less its height above the floor of the other stances, against that plate."""
    plate = plates(said)[said["plate"]]
    flat = foot(said, said.about.side)[flat_part(said, *ends(said))]
    height = 1000.0 * (np.nanmedian(flat[..., 2].min(axis=1)) - plate.centre_m[2])
    return -20.0 < height - said["height_mm"] < 80.0 and load(said, plate)[flat_part(said, *ends(said))].max() > 20.0


@claim("joint-methods-differ", left=lambda text: "not " + text, joint=lambda joint: "ankle" if joint != "ankle" else "hip")
def methods_differ(said: Said) -> bool:
    """The methods that calibration.json names for that joint of both legs."""
    text = str(said.session.tables.calibration)
    told = [str(said[side]).split(", residual")[0] for side in ("left", "right")]
    return told[0] != told[1] and all(method in text for method in told) and said["joint"] in ("knee", "hip")


@claim("beyond-walking", speed_m_s=plus(3), froude=plus(2))
def fast(said: Said) -> bool:
    """Belt and pelvis together: the foot on the ground against the pelvis; Froude's number of that speed and a leg."""
    speeds = []
    stances = said.trial.assignment.stances if said.trial.assignment else ()
    feet, pelvis = {side: middle(said, side) for side in {stance.side for stance in stances}}, pelvis_all(said)
    for stance in stances:
        if np.isfinite([stance.start_s, stance.end_s]).all():
            part = flat_part(replace(said, about=stance), stance.start_s, stance.end_s)
            both = [feet[stance.side][part, :2], pelvis[part]]
            rate = (
                np.gradient(both[1] - both[0], 1.0 / said.trial.markers.rate_hz, axis=0)
                if len(both[0]) > 3
                else np.full((1, 2), np.nan)
            )
            speeds.append(float(np.nanmedian(np.linalg.norm(rate, axis=1))))
    speed = np.nanmedian(speeds)
    leg = said["speed_m_s"] ** 2 / 9.81 / said["froude"]
    return bool(abs(speed - said["speed_m_s"]) < 0.25 * speed and 0.5 < leg < 1.2)


def pelvis_all(said: Said) -> np.ndarray:
    """(n, 2), middle of the iliac spines on the floor, m; NaN where not all are seen."""
    return np.stack([path for side in "LR" for path in worn(said, side, PELVIS)], axis=1)[..., :2].mean(axis=1)


@claim("falls-freely", fall_ms=plus(400))
def falls(said: Said) -> bool:
    """The longest stretch in which the pelvis accelerates downwards by more than half of gravity."""
    height = np.stack([path for side in "LR" for path in worn(said, side, PELVIS)], axis=1)[..., 2].mean(axis=1)
    rate = said.trial.markers.rate_hz
    smooth = np.convolve(height, np.ones(5) / 5, mode="same")
    down = np.gradient(np.gradient(smooth)) * rate**2 < -0.5 * 9.81
    longest = max((last - first + 1 for first, last in stretches(down)), default=0)
    return abs(1000.0 * longest / rate - said["fall_ms"]) < 150.0


@claim(
    "jump-landed-otherwise", number=plus(1), of=plus(1), by_mm=plus(120), flight_mm=plus(40), centre_mm=plus(120),
    cause=lambda cause: {"lower": "higher", "higher": "lower"}[cause],
)  # fmt: skip
def landed_otherwise(said: Said) -> bool:
    """In the points and channels as stored: how long all plates are empty while the pelvis falls, and its heights."""
    file = said.raw
    force = sum(np.abs(file.force(index)[:, 2]) for index in range(file.n_plates))
    rate_hz = file.rate_hz * len(force) / file.n_frames
    markers = recorded(said.path).markers
    names = [markers.roles.get((side, role)) or side + label for side in "LR" for role, label in PELVIS.items()]
    height_m = np.stack([markers[name][:, 2] for name in names], axis=1).mean(axis=1)
    time_s = np.arange(len(height_m)) / markers.rate_hz
    flights = []
    for first, last in stretches(force < 20.0):
        inside = (time_s > first / rate_hz) & (time_s < last / rate_hz)
        if first > 0 and last < len(force) - 1 and inside.sum() > 7 and np.ptp(height_m[inside]) > 0.02:
            flights.append((first / rate_hz, (last + 1) / rate_hz, height_m[inside].max()))
    if len(flights) != said["of"] or not 1 <= said["number"] <= len(flights):
        return False
    off_s, down_s, top_m = flights[said["number"] - 1]
    off_m, down_m = np.interp([off_s, down_s], time_s, height_m)
    # Of the whole body's centre, legs that bend and arms that swing take a part.
    limit_mm = 60.0 if said["body"] else 10.0
    return bool(
        abs(125.0 * 9.81 * (down_s - off_s) ** 2 - said["flight_mm"]) < 15.0
        and abs(abs(1000.0 * (off_m - down_m)) - said["by_mm"]) < limit_mm
        and abs(1000.0 * (top_m - off_m) - said["centre_mm"]) < limit_mm
        and said["cause"] == ("lower" if down_m < off_m else "higher")
    )


@claim("marker-events-refused", refusal=lambda text: "Events cannot be found from markers here: The pelvis is never seen.")
def events_refused(said: Said) -> bool:
    """The movement is none of walking: the pelvis falls or goes faster than people walk; no event used comes from markers."""
    marker_events = [event for event in said.trial.events if str(event.source) == "marker"]
    told = said["refusal"]
    why = told if isinstance(told, str) else str(sentence(told))
    known = (
        "that of a run" in why or "falls freely" in why or "goes nowhere" in why or "on the spot" in why or "goes no further" in why
    )
    return not marker_events and known and str(said.trial.kind) not in ("straight", "turn")


@claim("bandwidth-mixed", trials=lambda rows: [(words, f"{names} NOBODY") for words, names in rows])
def mixed(said: Said) -> bool:
    """Each trial's own finding says how its plates were treated."""
    told = {}
    for trial in said.session.result.trials:
        # Plates that hold nothing which the markers lack are as smooth as they, untouched.
        done = next((f"{f.values['done']} {f.values['why']}" for f in trial.findings if f.rule == "plate-bandwidth"), "recorded")
        told[trial.name] = done.startswith("recorded") and not done.endswith("nothing")
    listed = {name: words == "as recorded" for words, names in said["trials"] for name in str(names).split()}
    return listed == told and len(set(told.values())) > 1


@claim("bone-length-changed", value=plus(60), place=instead("left NOBODY"))
@claim(
    "cycles-doubted",
    said=lambda inner: replace(sentence(inner), values={**sentence(inner).values, "value": sentence(inner).values["value"] + 500}),
)
def doubted(said: Said) -> bool:
    """Joint centres, or pairs of markers of that segment, in the frames of the cycle: some distance is off by as much."""
    inner = sentence(said["said"]) if said.rule == "cycles-doubted" else Sentence(said.rule, said.values)
    value, place = float(inner.values["value"]), str(inner.values.get("place", ""))
    if inner.rule == "bone-length-changed":
        if "NOBODY" in place:
            return False
        side, bone = place.split()
        names = {"hip": "HJC", "knee": "KJC", "ankle": "AJC"}
        one, other = (frames_of(said)[[f"{side[0].upper()}{names[j]}.{a}" for a in "XYZ"]].to_numpy() for j in bone.split("-"))
        centres, static = bone.split("-"), said.session.result.static_motion.joint_centres_lab_m
        rest = (
            np.nanmean(np.linalg.norm(static[side[0].upper(), centres[0]] - static[side[0].upper(), centres[1]], axis=1)) * 1000.0
        )
        return bool(np.nanmax(np.abs(np.linalg.norm(one - other, axis=1) - rest)) >= value - 0.5)
    before, after, worst = said.session.result.static_markers, said.trial.markers, 0.0
    if before is None:
        return value < 500.0
    for group in said.session.result.marker_groups.values():
        for one, other in combinations([n for n in group if n in before and n in after], 2):
            rest = np.nanmean(np.linalg.norm(before[one] - before[other], axis=1))
            worst = max(
                worst, 1000.0 * float(np.nanmax(np.abs(np.linalg.norm(after[one] - after[other], axis=1) - rest), initial=0.0))
            )
    return value <= worst + 0.5 or (inner.rule != "distances-changed" and value < 500.0)


# Muscle signals.


def channels_of(said: Said) -> pd.DataFrame:
    rows = table(said.session.out / "channels.csv")
    return rows[rows.trial == said.trial.name] if said.trial else rows


@claim("emg-doubtful-names", labels=lambda labels: [*labels, "L Rectus"])
def doubtful(said: Said) -> bool:
    """The labels are in the file, and none is the plain name of a muscle; those of a session have no muscle in channels.csv."""
    # Recordings of muscle signals alone are no trials: what is said of them is said of the session.
    files = [said.path] if said.path is not None else session_recordings(said)
    labels = {str(name) for path in files for name in raw(path).joined("ANALOG:LABELS")}
    plain = any(
        re.search(r"rectus|vastus|hamstring|gastroc|soleus|tibialis|glut", label, re.IGNORECASE) for label in said["labels"]
    )
    unnamed = True
    if said.session is not None:
        rows = channels_of(said)
        unnamed = bool(rows[rows.label.isin(list(said["labels"]))].muscle.isna().all())
    return set(said["labels"]) <= labels and not plain and unnamed


def _names_both(said: Said, path: Path) -> bool:
    return {said["first"], said["second"]} <= {str(name) for name in raw(path).joined("ANALOG:LABELS")}


@claim("emg-alike", correlation=lambda value: value - 0.6, second=instead("NOBODY"))
def alike(said: Said) -> bool:
    """Correlation of the two channels as stored, or of their rectified and smoothed course."""
    if said.path is None:
        return any(alike(replace(said, path=path)) for path in session_recordings(said) if _names_both(said, path))
    labels = [str(name) for name in said.raw.joined("ANALOG:LABELS")]
    one, other = (said.raw.analog[:, labels.index(said[name])] for name in ("first", "second"))
    found = [abs(np.corrcoef(one, other)[0, 1])]
    low = butter(
        2, [20.0, 0.45 * said.raw.rate_hz * said.raw.samples], "band", fs=said.raw.rate_hz * said.raw.samples, output="sos"
    )
    high = [sosfiltfilt(low, np.nan_to_num(values)) for values in (one, other)]
    smooth = butter(2, 6.0, fs=said.raw.rate_hz * said.raw.samples, output="sos")
    found += [abs(np.corrcoef(*high)[0, 1]), abs(np.corrcoef(*(sosfiltfilt(smooth, np.abs(v)) for v in high))[0, 1])]
    return any(abs(value - said["correlation"]) < 0.15 for value in found)


@claim("emg-late", device=instead("Nobody's"))
def late(said: Said) -> bool:
    """The device's name is written in the file; its makers state a delay of tens of milliseconds."""
    files = [said.path] if said.path is not None else session_recordings(said)
    named = [str(said["device"]).lower().encode() in path.read_bytes().lower() for path in files]
    return any(named) and 1.0 < said["delay_ms"] < 500.0


@claim("emg-gain", unit=instead("furlong"), size=lambda size: 1e-5 * size)
def gain(said: Said) -> bool:
    """The unit is that of channels of the file; what they measure is more than a muscle gives the skin (1.5 mV RMS)."""
    sizes, units = [], set()
    for path in [said.path] if said.session is None else session_recordings(said):
        # Channels of plates measure newtons and have another unit.
        for column in range(raw(path).n_channels):
            sizes.append(float(np.percentile(np.abs(raw(path).analog[:, column] - raw(path).analog[:, column].mean()), 99)))
            units.add(str([*raw(path).joined("ANALOG:UNITS"), *[""] * 999][column]))
    return (
        said["unit"] in units
        and said["size"] <= max(sizes) * 3
        and said["size"] * {"V": 1.0, "mV": 1e-3}.get(said["unit"], 1.0) > 0.002
    )


@claim("emg-not-shown", channels=lambda rows: [(rows[0][0], "clipped" if rows[0][1] != "clipped" else "hum"), *rows[1:]])
def not_shown(said: Said) -> bool:
    """channels.csv has that verdict; of a recording alone: channels of the file, and no verdict is that of a live one."""
    if said.session is None:
        labels = " ".join(str(name) for name in said.raw.joined("ANALOG:LABELS"))
        words = {"dead", "hum", "railed", "intermittent", "artefact", "noise", "flat"}
        return all(verdict in words and (name in labels or " " in name) for name, verdict in said["channels"])
    # Where muscle signals stand alone the sentence is the session's, and of one of its recordings.
    for _, rows in channels_of(said).groupby("trial"):
        told = {str(row.label): str(row.verdict) for row in rows.itertuples()}
        told |= {f"{row.side} {row.muscle}".replace("_", " ").strip(): str(row.verdict) for row in rows.itertuples()}
        if all(told.get(name) == verdict for name, verdict in said["channels"]):
            return True
    return False


# Headlines.


@claim("headline", text=lambda text: text.replace("trial", "9 trial", 1) if "trial" in text else text + " 1 accepted")
def headline(said: Said) -> bool:
    """Every number of the line against the verdicts that the summary holds, and every name against the trials that have them."""
    trials, text = said.session.tables.summary["trials"], said["text"]
    channels = said.session.tables.channels
    if not trials and channels is not None and (channels["verdict"] != "not_emg").any():
        # Muscle signals alone: every recording that is named has channels, and every one that has them is named.
        named = re.fullmatch(r"Muscle signals without movement in (.*): shown over time, and not judged\.", text)
        return bool(named) and set(named[1].split(", ")) == set(channels["trial"])
    if not trials:
        return text.startswith("No trial could be analysed")
    verdicts = Counter(trial["verdict"] for trial in trials)
    told = {"accepted": verdicts["accept"], "with warnings": verdicts["warn"], "rejected": verdicts["reject"]}
    if not re.match(rf"{len(trials)} trials?: ", text):
        return False
    for words, number in told.items():
        found = re.search(rf"(\d+) {words}(?: \(([^)]*)\))?", text)
        if (int(found[1]) if found else 0) != number:
            return False
        if found and found[2]:
            names = {
                t["name"]
                for t in trials
                if t["verdict"] == {"accepted": "accept", "with warnings": "warn", "rejected": "reject"}[words]
            }
            if set(found[2].split(", ")) != names:
                return False
    failed = re.search(r"(\d+) could not be analysed", text)
    return (int(failed[1]) if failed else 0) == len(said.session.tables.summary["failed"])


@claim("complaints", lines=lambda lines: [*lines, "biomech-id: HC002D06: Largest gap 900 ms, above the limit of 500 ms."])
def complaints(said: Said) -> bool:
    """Every complaint stands in the summary too: a warning, a grade, a failed file; and exit 3 is never without one."""
    lines = [line.partition(": ")[2] for line in said["lines"] if line.startswith("biomech-id: ")]
    summary = said.session.tables.summary
    written = [f["message"] for f in summary["findings"]] + [f"{f['file']}: {f['error']}" for f in summary["failed"]]
    for trial in summary["trials"]:
        written += [f"{trial['name']}: {f['message']}" for f in trial["findings"]] + [
            f"{trial['name']}: {r}." for r in trial["reasons"]
        ]
    only = [line for line in lines if line.endswith("is the only trial: the model is calibrated, and there is nothing to analyse.")]
    return (
        set(lines) - set(only) <= set(written)
        and bool(only) == (not summary["trials"] and bool(summary["static"]["file"]))
        and (said.session.exit_code == 3) == bool(lines)
    )


@claim("refusal", text=lambda text: text.replace("LAN", "LAS").replace("LKNE", "LASI") + " Missing: NOBODY")
def refused(said: Said) -> bool:
    """Labels that the sentence says are missing are in no recording of the session, or never seen; files it names are there."""
    files = [path for path in session_recordings(said) if path.stat().st_size]
    labels = {name for path in files for name in recorded(path).markers.names if recorded(path).markers.present(name)}
    text = said["text"]
    if "NOBODY" in text:
        return False
    missing = re.search(r"[Mm]issing: (.*)", text)
    named = set(re.findall(r"\b[A-Z][A-Z0-9]{2,5}\b", missing[1])) if missing else set()
    named |= set(re.findall(r"\b[LR][A-Z]{3}\b", (re.search(r"markers? ([A-Z][^.]*)", text) or ["", ""])[1]))
    counts = re.search(r"(\d+) of its (\d+) required markers are in the file", text)
    return bool(files or "is empty" in text) and (counts is None or int(counts[1]) < int(counts[2])) and not named & labels


assert CHECKS


# The whole body.


def on_known_plates(said: Said) -> tuple[np.ndarray, np.ndarray]:
    """Frames of the longest stretch in which plates hold both feet's force, and their vertical force (n,), N."""
    contacts = said.trial.contacts
    known = np.logical_and(*(contacts[side].known for side in "LR"))
    vertical = sum(contacts[side].force_lab_N[:, 2] for side in "LR")
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known & (vertical > 0.2 * np.nanmax(vertical)), [False])).astype(int)))
    first, last = max(edges.reshape(-1, 2), key=lambda ends: ends[1] - ends[0])
    return np.arange(first, last), vertical


@claim(
    "residual-weight",
    percent=plus(9),
    mass_kg=lambda mass: 1.3 * mass,
    fitting_kg=lambda mass: 1.3 * mass,
    more=lambda w: f"not {w}",
)
def weight_left_over(said: Said) -> bool:
    """Momentum theorem, without a centre of mass: mean force over weight, less what the pelvis' markers gain in speed."""
    frames, vertical = on_known_plates(said)
    height = np.stack([path[:, 2] for side in "LR" for path in worn(said, side, PELVIS)], axis=1).mean(axis=1)
    rise = np.gradient(height, 1.0 / said.trial.markers.rate_hz)
    gained = (rise[frames[-1]] - rise[frames[0]]) / (9.81 * len(frames) / said.trial.markers.rate_hz)
    over = 100.0 * (vertical[frames].mean() / (9.81 * said["mass_kg"]) - 1.0 - gained)
    signed = said["percent"] if said["more"] == "more" else -said["percent"] if said["more"] == "less" else 100.0
    fitting = said["mass_kg"] * (1.0 + signed / 100.0)
    return abs(over - signed) < 4.0 and abs(fitting - said["fitting_kg"]) < 0.1


@claim(
    "no-whole-body", parts=lambda parts: () if parts else (Sentence("left-out-trunk"),), trials=lambda trials: (*trials, "nobody")
)
def left_out(said: Said) -> bool:
    """Columns of the trials' tables: what is said to be left out has no angle in any of them, all else has."""
    names = said["trials"] or [trial["name"] for trial in said.session.tables.summary["trials"]]
    column = {"left-out-trunk": "LThoraxAngles.X", "left-out-head": "LHeadAngles.X"}
    parts = {sentence(part).rule: sentence(part).values for part in said["parts"]}
    for name in names:
        if name not in said.session.tables.frames:
            return False
        frames = said.session.tables.frames[name]
        seen = {rule: label in frames and frames[label].notna().any() for rule, label in column.items()}
        arms = {side: f"{side}WristAngles.X" in frames and frames[f"{side}WristAngles.X"].notna().any() for side in "LR"}
        seen["left-out-arms"] = any(arms.values())
        if any(seen[rule] == (rule in parts) for rule in (*column, "left-out-arms")):
            return False
        if "left-out-arm" in parts and arms[str(parts["left-out-arm"]["side"])]:
            return False
    return True


@cache
def momentum_of(folder: Path, trial: str) -> tuple[pd.DataFrame, dict[str, np.ndarray], float]:
    """Of one trial of a folder: residual force by frame, frames of each phase by stances.csv, rate."""
    rows = table(folder / "whole_body.csv")
    rows = rows[(rows["trial"] == trial) & rows["variable"].isin(["ResidualForce", "ResidualMoment", "CentreOfMass"])]
    wide = rows.pivot_table(index="time_s", columns=["variable", "component"], values="value")
    stances, time_s = table(folder / "stances.csv"), wide.index.to_numpy()
    standing = {}
    for side in "LR":
        mine = stances[(stances["trial"] == trial) & (stances["side"] == side)]
        standing[side] = np.any(
            [~(time_s < row.start_s) & ~(time_s >= row.end_s) for row in mine.itertuples()] + [np.zeros(len(time_s), bool)], axis=0
        )
    known = wide["ResidualForce"].notna().all(axis=1).to_numpy()
    phases = {"single": known & (standing["L"] ^ standing["R"]), "double": known & standing["L"] & standing["R"]}
    return wide, phases, 1.0 / float(np.median(np.diff(time_s)))


_OF_RESIDUAL = ("single", "double", "fore-aft", "sideways", "vertical", "weight", "moment")


@claim(*(f"quality:residual-{name}" for name in _OF_RESIDUAL), value=plus(9))
def left_over(said: Said) -> bool:
    """Rows of whole_body.csv in the frames that stances.csv calls single or double support."""
    name = said.rule.removeprefix("quality:residual-")
    if np.isnan(said["value"]):
        return True
    wide, phases, _ = momentum_of(said.session.out, said.trial.name)
    of = wide["ResidualMoment" if name == "moment" else "ResidualForce"].to_numpy()[
        phases["double" if name == "double" else "single"]
    ]
    each = np.sqrt((of**2).mean(axis=0))
    found = {"fore-aft": each[0], "sideways": each[1], "vertical": each[2], "weight": abs(of[:, 2].mean())}
    return abs(found.get(name, float(np.linalg.norm(each))) - said["value"]) < 0.05 + 0.02 * said["value"]


def force_and_inertia(said: Said) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Force and mass times acceleration (n, 3) in body weights, frames on known plates, rate: from whole_body.csv alone."""
    wide, phases, rate_hz = momentum_of(said.session.out, said.trial.name)
    com = wide["CentreOfMass"].to_numpy() / 1000.0 @ said.trial.motion.progression_R_lab.T
    bend = np.gradient(np.gradient(com, 1.0 / rate_hz, axis=0), 1.0 / rate_hz, axis=0) / 9.81
    half_hz = np.arctan(np.tan(np.pi * 6.0 / rate_hz) / (np.sqrt(2.0) - 1.0) ** 0.25) * rate_hz / np.pi
    inertia = sosfiltfilt(butter(2, half_hz, fs=rate_hz, output="sos"), bend, axis=0)
    force = wide["ResidualForce"].to_numpy() / 100.0 + inertia + [0.0, 0.0, 1.0]
    return force, inertia, phases["single"] | phases["double"], rate_hz


@claim("quality:residual-slope-fore-aft", "quality:residual-slope-sideways", value=plus(0.6))
def slope_of_force(said: Said) -> bool:
    """A straight line through force over mass times acceleration, differenced and filtered anew."""
    if np.isnan(said["value"]):
        return True
    force, inertia, frames, _ = force_and_inertia(said)
    axis = 0 if said.rule.endswith("fore-aft") else 1
    return abs(np.polyfit(inertia[frames, axis], force[frames, axis], 1)[0] - said["value"]) < 0.2


@claim("quality:residual-lag", value=plus(40))
def lag_of_plates(said: Said) -> bool:
    """Where the vertical force correlates best with mass times acceleration at another time."""
    if np.isnan(said["value"]):
        return True
    force, inertia, frames, rate_hz = force_and_inertia(said)
    at = np.flatnonzero(frames)
    lags = np.arange(-int(0.1 * rate_hz), int(0.1 * rate_hz) + 1)
    inner = at[(at + lags[0] >= 0) & (at + lags[-1] < len(inertia))]
    alike = [np.corrcoef(force[inner, 2], inertia[inner - lag, 2])[0, 1] for lag in lags]
    return abs(abs(1000.0 * lags[int(np.argmax(alike))] / rate_hz) - said["value"]) < 16.0


@claim("residual-sign", slope=plus(0.8), axis=instead("nowhere"))
def runs_against(said: Said) -> bool:
    """The same straight line as of the quality rule, and that it falls."""
    axis = ("fore_aft", "sideways", "vertical").index(said["axis"])
    force, inertia, frames, _ = force_and_inertia(said)
    slope = np.polyfit(inertia[frames, axis], force[frames, axis], 1)[0]
    return slope < 0 and abs(slope - said["slope"]) < 0.3


# What physics speaks against.


def hips_and_plate(said: Said) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of the named stance, from trials/*.csv alone: time, middle of the hips and centre of pressure, m, force N/kg, free moment."""
    frames = said.session.tables.frames[said.trial.name]
    stances = table(said.session.out / "stances.csv")
    mine = stances[(stances["trial"] == said.trial.name) & (stances["side"] == said["side"])]
    stance = mine.loc[(mine["start_s"] - said["start_s"]).abs().idxmin()]
    assert abs(stance["start_s"] - said["start_s"]) < 1e-3
    assert all(plate in str(stance["plate"]) for plate in said["plates"]), stance["plate"]
    at = frames[(frames["time"] >= stance["start_s"]) & (frames["time"] < stance["end_s"])]

    def three(name: str) -> np.ndarray:
        return at[[f"{name}.{axis}" for axis in "XYZ"]].to_numpy(dtype=float)

    hips = 0.0005 * (three("LHJC") + three("RHJC"))
    side = said["side"]
    cop, force, moment = (
        0.001 * three(f"{side}CentreOfPressure"),
        three(f"{side}GroundReactionForce"),
        three(f"{side}GroundReactionMoment"),
    )
    free = moment[:, 2] - (cop[:, 0] * force[:, 1] - cop[:, 1] * force[:, 0])
    return at["time"].to_numpy(), hips, cop, force, free


@claim("force-slope", slope=plus(0.5), plates=instead(("plate 9",)), turned=lambda turned: not turned)
def turns_with_the_body(said: Said) -> bool:
    """Change of the force's direction over the body's, from the fifth of the frames farthest back to that farthest forward."""
    _, hips, cop, force, _ = hips_and_plate(said)
    firm = force[:, 2] > 3.0
    body, pointing = (hips - cop)[firm], force[firm]
    way = (hips[-1] - hips[0])[:2] / np.linalg.norm((hips[-1] - hips[0])[:2])
    a, b = (vector[:, :2] @ way / vector[:, 2] for vector in (body, pointing))
    order, fifth = np.argsort(a), max(2, len(a) // 5)
    slope = (b[order[-fifth:]].mean() - b[order[:fifth]].mean()) / (a[order[-fifth:]].mean() - a[order[:fifth]].mean())
    return abs(slope - said["slope"]) < 0.2 and (slope < 0) == said["turned"] and not said["least"] <= said["slope"] <= said["most"]


@claim("angle-beyond-joint", value_deg=plus(40), frame=plus(9), variable=instead("LHipAngles.Y"))
def beyond_a_joint(said: Said) -> bool:
    """The trial's table has that angle in that frame, and the two limits enclose it not."""
    rows = table(said.session.out / "trials" / f"{said.trial.name}.csv").set_index("frame")
    there = rows.loc[said["frame"], said["variable"]]
    return abs(there - said["value_deg"]) < 0.5 and not said["least_deg"] <= there <= said["most_deg"]


@claim("free-moment-large", value=plus(0.4), plates=instead(("plate 9",)))
def free_moment(said: Said) -> bool:
    """Largest moment about the vertical at the centre of pressure, of the trial's table."""
    *_, force, free = hips_and_plate(said)
    return abs(np.nanmax(np.abs(free[force[:, 2] > 3.0])) - said["value"]) < 0.1 * said["value"] and said["value"] > said["limit"]


@claim(
    "force-unlike-weight", percent=plus(25), more=lambda more: {"more": "less", "less": "more"}[more], plates=instead(("plate 9",))
)
def unlike_weight(said: Said) -> bool:
    """Mean force while no other foot bears any or stands, over weight, less what the hips gain in speed."""
    time_s, hips, _, force, _ = hips_and_plate(said)
    stances = table(said.session.out / "stances.csv")
    other = stances[(stances["trial"] == said.trial.name) & (stances["side"] != said["side"])]
    down = np.any([~(time_s < row.start_s) & ~(time_s >= row.end_s) for row in other.itertuples()], axis=0)
    alone = np.flatnonzero(~down)
    rise = np.gradient(hips[:, 2], time_s)
    gained = (rise[alone[-1]] - rise[alone[0]]) / (9.81 * (time_s[alone[-1]] - time_s[alone[0]]))
    percent = 100.0 * (force[alone, 2].mean() / 9.81 - 1.0 - gained)
    signed = said["percent"] if said["more"] == "more" else -said["percent"] if said["more"] == "less" else 100.0
    return abs(percent - signed) < 8.0


@claim("marker-jumps", size_mm=plus(90), frames=lambda frames: tuple(frame + 7 for frame in frames))
def jumps(said: Said) -> bool:
    """In the points as stored the marker's distance to some marker near it changes at once, there and by no more than is said."""
    markers = recorded(said.path).markers
    # A marker set may spell a label in its own way.
    label, first = next(n for n in markers.names if n.lower() == said["marker"].lower()), recorded(said.path).first_frame
    apart = {name: np.linalg.norm(markers[name] - markers[label], axis=1) for name in markers.names if name != label}
    near = [d for d in apart.values() if np.isfinite(d).sum() > 50 and 0.03 < np.nanmedian(d) < 0.5]
    for frame in said["frames"]:
        k = frame - first
        step = [np.nanmax(np.abs(d[k - 2 : k] - d[k + 1 : k + 3]), initial=0.0) for d in near] + [0.0]
        bend = [np.nanmax(np.abs(np.diff(d[max(k - 3, 0) : k + 3], n=2)), initial=0.0) for d in near] + [0.0]
        if max(*step, *bend) < 0.004:
            return False
    largest = max(np.nanmax(np.abs(np.diff(d, n=2)), initial=0.0) for d in near)
    return bool(said["size_mm"] < 2500.0 * largest)


@claim("path-filled", first=plus(-8), last=plus(8))
def is_no_measurement(said: Said) -> bool:
    """A curve through the stored points of those frames, or a line through their distance from the other marker, misses none."""
    trial = recorded(said.path)
    by_lower = {name.lower(): trial.markers[name] for name in trial.markers.names}
    path_mm = 1000.0 * by_lower[said["marker"].lower()]
    if said["way"] == "marker":
        path_mm = path_mm - 1000.0 * by_lower[said["like"].lower()]
    degree, n = 1 if said["way"] == "marker" else 5, said["last"] - said["first"] + 1

    def missed_mm(first: int) -> float:
        rows = slice(first - trial.first_frame, first - trial.first_frame + n)
        times = np.linspace(-1.0, 1.0, n)
        curve = np.polynomial.polynomial.polyvander(times, degree) @ np.polynomial.polynomial.polyfit(times, path_mm[rows], degree)
        return float(np.abs(path_mm[rows] - curve).max())

    return missed_mm(said["first"]) < 1e-3 and missed_mm(said["first"] + n) > 0.02


def sideways_m_s(said: Said) -> tuple[float, float]:
    """What the force of the named stance, and what the hips, gain sideways while no other foot stands, to the left, m/s."""
    time_s, hips, _, force, _ = hips_and_plate(said)
    stances = table(said.session.out / "stances.csv")
    other = stances[(stances["trial"] == said.trial.name) & (stances["side"] != said["side"])]
    down = np.any([~(time_s < row.start_s) & ~(time_s >= row.end_s) for row in other.itertuples()], axis=0)
    alone = np.flatnonzero(~down)
    way = (hips[-1] - hips[0])[:2] / np.linalg.norm((hips[-1] - hips[0])[:2])
    left = np.array([-way[1], way[0]])
    speed = np.gradient(hips[:, :2] @ left, time_s)
    return float(np.trapezoid(force[alone, :2] @ left, time_s[alone])), float(speed[alone[-1]] - speed[alone[0]])


@claim("impulse-sideways", pushed_m_s=plus(0.5), plates=instead(("plate 9",)))
def pushes_sideways(said: Said) -> bool:
    """Impulse over mass and gain of the hips while that foot is alone, from the trial's table; positive towards the other foot."""
    towards = -1.0 if said["side"] == "L" else 1.0
    pushed, gained = (towards * value for value in sideways_m_s(said))
    near = abs(pushed - said["pushed_m_s"]) < 0.05 and abs(gained - said["gained_m_s"]) < 0.12
    return near and not said["least"] <= said["pushed_m_s"] / said["gained_m_s"] <= said["most"]


@claim(
    "plates-sideways-turned",
    stances=plus(1),
    plates=lambda plates: [(number, "xy"[axis == "x"], part) for number, axis, part in plates],
)
def pushes_to_the_wrong_side(said: Said) -> bool:
    """In each stance alone on a plate the force pushes against what the hips gain; the axis named lies across the walk."""
    rows = table(said.session.out / "stances.csv").query("trial == @said.trial.name and verdict == 'clean'")
    shown = [
        sideways_m_s(replace(said, values={"side": r.side, "start_s": r.start_s, "plates": [r.plate]})) for r in rows.itertuples()
    ]
    way = pelvis(said)[-1] - pelvis(said)[0]
    plates_there = recorded(said.path).plates
    axes = {"x": lambda corners: corners[0] - corners[1], "y": lambda corners: corners[0] - corners[3]}
    across = [axes[axis](plates_there[number - 1].corners_m) for number, axis, _ in said["plates"]]
    square = all(abs(axis[:2] @ way[:2]) < 0.5 * np.linalg.norm(axis[:2]) * np.linalg.norm(way[:2]) for axis in across)
    return square and len(shown) == said["stances"] and all(pushed * gained < 0 for pushed, gained in shown)


@claim("foot-slides", speed_m_s=plus(0.3), marker=instead("LASI"))
def never_rests(said: Said) -> bool:
    """Speed of that foot's marker over a twentieth of a second, in that stance: four fifths of it are above what is said."""
    rows = table(said.session.out / "stances.csv")
    (stance,) = rows[
        (rows["trial"] == said.trial.name) & (rows["side"] == said["side"]) & ((rows["start_s"] - said["start_s"]).abs() < 1e-3)
    ].itertuples()
    time_s, path = said.trial.motion.time_s, said.trial.markers[said["marker"]]
    part = path[(time_s >= stance.start_s) & (time_s < stance.end_s)]
    step = max(1, round(0.05 * said.trial.markers.rate_hz))
    speed = np.linalg.norm(part[step:] - part[:-step], axis=1) / (step / said.trial.markers.rate_hz)
    own = said["marker"][0] == said["side"]
    return bool(own and said["speed_m_s"] > said["limit_m_s"] and abs(np.nanpercentile(speed, 20) - said["speed_m_s"]) < 0.08)


@claim("quality:thigh-rotations", value=plus(1))
def tuned_by(said: Said) -> bool:
    """The largest difference that the session's finding has of its trials."""
    (finding,) = (each for each in said.session.tables.summary["findings"] if each["rule"] == "offsets-of-trials-differ")
    return said.trial.name in finding["values"]["trials"] and abs(said["value"] - finding["values"]["most_deg"]) < 0.05


@claim(
    "markers-left-over",
    points=lambda points: [
        (side, "lateral_malleolus" if "medial" in role else "medial_malleolus", label) for side, role, label in points
    ],
)
def lies_inside(said: Said) -> bool:
    """In the recording each medial marker is nearer to the middle than the lateral one of its joint, and no higher by 50 mm."""
    markers = recorded(next(path for path in session_recordings(said) if path.stem == said["trial"])).markers
    middle = 0.5 * (np.nanmean(markers["LANK"], axis=0) + np.nanmean(markers["RANK"], axis=0))
    beside = {"medial_epicondyle": "KNE", "medial_malleolus": "ANK"}
    for side, role, label in said["points"]:
        place = np.nanmean(markers[label], axis=0)
        if role not in (*beside, "metatarsal_1", "metatarsal_5"):
            return False
        if role in beside:
            lateral = np.nanmean(markers[side + beside[role]], axis=0)
            inside = np.linalg.norm((place - middle)[:2]) < np.linalg.norm((lateral - middle)[:2])
            if not inside or abs(place[2] - lateral[2]) > 0.05:
                return False
    return True


@claim("offsets-as-stored", walks=instead("walk99"))
def stored_offsets_used(said: Said) -> bool:
    """The session has no static trial, and the files named store a thigh rotation."""
    named = [raw(path) for path in session_recordings(said) if path.stem in said["walks"].split(", ")]
    has = [any(key.endswith("THIGHROTATION") for key in file.parameters) for file in named]
    return said.session.session.static_name == "" and bool(has) and all(has)


@claim("foot-flat-assumed", elsewhere=True)
def nothing_says_flat(said: Said) -> bool:
    """No recording of the session stores a static offset that is not zero, and calibration.json calls the foot flat."""
    files = [said.raw] if said.path else map(raw, session_recordings(said))
    told = any(file.number(key) for file in files for key in file.parameters if key.endswith("STATICPLANTFLEX"))
    return not told and bool(said.session.tables.calibration["foot_flat"])


@claim("quality:plausibility", value=plus(1))
def against_physics(said: Said) -> bool:
    """Findings of that kind, counted in the summary."""
    kinds = {
        "force-slope", "force-beside-body", "force-sideways", "force-unlike-weight", "free-moment-large", "foot-above-plate",
        "force-clipped", "load-without-foot", "kinetics-expected", "beyond-movement", "force-points-elsewhere", "impulse-sideways",
        "force-unlike-acceleration", "free-moment-turned", "pressure-fast", "angle-drifts", "plate-reads-unloaded",
        "plate-channel-lost", "force-beyond-friction", "force-leans", "angle-beyond-joint", "foot-slides",
        "plate-silent-under-foot", "force-ends-in-stance", "plates-sideways-turned",
    }  # fmt: skip
    trial = next(trial for trial in said.session.tables.summary["trials"] if trial["name"] == said.trial.name)
    return said["value"] == sum(finding["rule"] in kinds for finding in trial["findings"])


def unmeasured(said: Said) -> tuple[np.ndarray, float] | None:
    """Stored force (m, 3), N, plate axes, of the stance without kinetics that is meant, and body weight; None if it is not there.

    The stance is a row of stances.csv, and while its foot lies flat every marker of it is that far within the plate's edges.
    """
    rows, names = table(said.session.out / "stances.csv"), list(plates(said))
    mine = rows[
        (rows["trial"] == said.trial.name) & (rows["side"] == said["side"]) & ((rows["start_s"] - said["start_s"]).abs() < 1e-3)
    ]
    if len(mine) != 1 or said["plate"] not in names:
        return None
    start_s, end_s = (float(mine.iloc[0][name]) for name in ("start_s", "end_s"))
    points = foot(said, said["side"])[flat_part(said, start_s, end_s)]
    inside = over(plates(said)[said["plate"]], points, 0.02 - 0.001 * said["inside_mm"])
    bare = mine.iloc[0]["verdict"] not in ("clean", "two_plates", "override", "part")
    stored = said.raw.force(names.index(said["plate"]))
    rate_hz = said.raw.rate_hz * said.raw.samples
    first, last = (round(edge_s * rate_hz) - (said.raw.first_frame - 1) * said.raw.samples for edge_s in (start_s, end_s))
    if not (bare and inside[np.isfinite(points[..., 0])].all()):
        return None
    return stored[first:last] - np.median(stored[:first], axis=0), 9.81 * said.trial.mass_kg


@claim(
    "plate-silent-under-foot", side=OTHER.__getitem__, plate=instead("plate 9"), start_s=plus(0.3), inside_mm=plus(250),
    peak_percent=plus(30), shear_percent=plus(30),
)  # fmt: skip
def silent_under_foot(said: Said) -> bool:
    """What the file stores of that plate in that stance: the largest vertical force of one sign, and the largest horizontal one.

    Not within a sixteenth of a second of strike and off, where another foot may still, or already, be there.
    """
    stored = unmeasured(said)
    if stored is None:
        return False
    force, weight_N = stored
    edge = round(said.raw.rate_hz * said.raw.samples / 16)
    force = force[edge:-edge]
    upwards = [100.0 * max(float((sign * force[:, 2]).max()), 0.0) / weight_N for sign in (1.0, -1.0)]
    sideways = 100.0 * float(np.linalg.norm(force[:, :2], axis=1).max()) / weight_N
    near = min(abs(each - said["peak_percent"]) for each in upwards) < 3.0 and abs(sideways - said["shear_percent"]) < 3.0
    return near and said["peak_percent"] < said["limit_percent"]


@claim(
    "force-ends-in-stance", side=OTHER.__getitem__, plate=instead("plate 9"), start_s=plus(0.3), inside_mm=plus(250),
    peak_percent=plus(30), from_percent=plus(-20), to_percent=plus(-20), back=lambda back: not back,
)  # fmt: skip
def ends_in_stance(said: Said) -> bool:
    """The stored force has that peak, is a quarter of the body just before it ends there, and less than a fiftieth from then on."""
    stored = unmeasured(said)
    if stored is None:
        return False
    force, weight_N = stored
    share = np.abs(force[:, 2]) / weight_N
    first, last = (round(0.01 * said[name] * len(share)) for name in ("from_percent", "to_percent"))
    near = max(2, round(0.01 * len(share)))
    gone = bool((share[first + near : last - near] < 0.02).all()) and last - first > 4 * near
    back = last < len(share) - near
    alone = bool((share[last + near : last + 3 * near] > 0.02).any()) if back else True
    peak = abs(100.0 * share.max() - said["peak_percent"]) < 3.0
    return gone and alone and peak and back == said["back"] and float(share[max(0, first - 2 * near) : first - 1].mean()) > 0.25


# Where plates stand, by the steps on them.

#: Where typical walkers press late in stance (70 to 88 %): this share of the way from the heel marker to the toe marker.
LATE_PRESSED = 1.05


def told_places(said: Said) -> dict[str, dict]:
    told = said.session.tables.summary["plates"]
    return {place["plate"]: place for place in told["places"]} if told else {}


def implied_mm(said: Said, plate: str) -> np.ndarray:
    """By how much a plate stands elsewhere if feet press late in their stance where typical ones do, mm: from markers."""
    found = []
    for trial in said.session.result.trials:
        here = replace(said, trial=trial)
        for stance in trial.assignment.stances if trial.assignment and str(trial.kind) == "straight" else ():
            if stance.plates != (plate,) or not stance.verdict.accepted:
                continue
            path = frames_of(here)[[f"{stance.side}CentreOfPressure.{axis}" for axis in "XY"]].to_numpy()
            first = frame(here, stance.start_s)
            loaded = first + np.flatnonzero(np.isfinite(path[first : frame(here, stance.end_s), 0]))
            spots, flat = (loaded[round(low * len(loaded)) : round(high * len(loaded))] for low, high in ((0.7, 0.88), (0.2, 0.4)))
            ends = {"heel": "HEE", "toe": "TOE"}
            heel, toe = (worn(here, stance.side, {role: label})[0][flat, :2].mean(axis=0) for role, label in ends.items())
            spots = path[spots]
            found += [1000.0 * (heel + LATE_PRESSED * (toe - heel)) - spots.mean(axis=0)] if len(spots) else []
    return np.mean(found, axis=0) if found else np.full(2, np.nan)


@claim(
    "plate-elsewhere", x_mm=plus(120), y_mm=plus(120), turn_deg=plus(30), steps=plus(20), shift_mm=plus(40), moment_Nm_kg=plus(1)
)
def elsewhere_by_push_off(said: Said) -> bool:
    """Feet press, late in stance, elsewhere against their two markers by so much, if a step has kinetics; beyond its limit."""
    place, near = told_places(said)[said["plate"]], implied_mm(said, said["plate"])
    shift = np.hypot(said["x_mm"], said["y_mm"])
    own = abs(said["turn_deg"]) <= 15.0 and said["steps"] == sum(
        step["plate"] == said["plate"] for step in said.session.tables.summary["plates"]["steps"]
    )
    worth = abs(said["shift_mm"] - shift) < 0.1 and abs(said["moment_Nm_kg"] - 9.81 * shift / 1000.0) < 0.01
    return (
        own
        and worth
        and bool(place["beyond"])
        and not bool((np.abs(near - [said["x_mm"], said["y_mm"]]) >= 50.0 + 2.6 * abs(said["turn_deg"])).any())
    )


@claim("plates-stand", plates=instead(("plate 99",)), mm=plus(-60), deg=plus(-30))
def stand_by_push_off(said: Said) -> bool:
    """No foot presses, late in stance, so far from there that a plate of these would have to stand elsewhere."""
    places = told_places(said)
    near = [implied_mm(said, plate) for plate in said["plates"]]
    largest = max(places[plate]["limit"][axis] for plate in said["plates"] for axis in ("x_mm", "y_mm"))
    turn = max(places[plate]["limit"]["turn_deg"] for plate in said["plates"])
    told = abs(said["mm"] - largest) < 0.1 and abs(said["deg"] - turn) < 0.1
    return told and not any((np.abs(each) > said["mm"] + 35.0).any() for each in near)


@claim("plates-not-told", plates=instead((("plate 99", Sentence("plate-step-cut")),)))
def nothing_told(said: Said) -> bool:
    """Each of these plates has a foot on it in stances.csv, and no place in the summary but one that may be the person's habit."""
    trodden = set(table(said.session.out / "stances.csv").plate)
    places = told_places(said)
    unsure = {plate for plate, place in places.items() if place["verdict"] == "not judged"}
    return all(plate in trodden and (plate not in places or plate in unsure) for plate, _ in said["plates"])


@claim("quality:plate-place", value=plus(0.8))
def place_over_limit(said: Said) -> bool:
    """The largest number of the summary's plates under this trial's feet over its limit."""
    names = [stance.plates[0] for stance in said.trial.assignment.stances if len(stance.plates) == 1]
    places = [told_places(said)[name] for name in names if name in told_places(said)]
    over = [max(abs(place["elsewhere"][key]) / place["limit"][key] for key in place["limit"]) for place in places]
    # Steps whose stance was refused tell nothing of their plate.
    return bool(np.isnan(said["value"]) or any(abs(each - said["value"]) < 0.01 for each in over))


@claim("events-beside-markers", apart_ms=plus(250))
def beside_markers(said: Said) -> bool:
    """The heel is farthest ahead of the pelvis near a strike, the toe farthest behind near an off: not where the event stands."""
    rate, first = said.trial.markers.rate_hz, said.trial.motion.first_frame
    pelvis = said.trial.motion.motions["", "pelvis"].frames.origin_lab_m
    ahead = pelvis[-1] - pelvis[0] if np.isfinite(pelvis[[0, -1]]).all() else np.nanmean(np.diff(pelvis, axis=0), axis=0)
    way = (middle(said, said["side"]) - pelvis) @ (ahead / np.linalg.norm(ahead))
    at = frame(said, said["time_s"])
    near = slice(max(at - round(0.3 * rate), 0), at + round(0.3 * rate))
    turning = np.nanargmax(way[near]) if said["kind"] == "Foot Strike" else np.nanargmin(way[near])
    seen_s = (near.start + turning + first - 1) / rate
    return abs(1000.0 * abs(seen_s - said["time_s"]) - said["apart_ms"]) < 100.0


@claim("pressure-elsewhere", value=plus(400))
def elsewhere(said: Said) -> bool:
    """As of the number behind it: no centre of pressure of the table lies so far from the middle of the flat foot."""
    return offset(said)


@claim("marker-off-segment", value_mm=plus(500))
def off_segment(said: Said) -> bool:
    """The marker's distance to some other of its segment differs by as much from the static trial's, in the frames named."""
    before, after = said.session.result.static_markers, said.trial.markers
    first = said.trial.motion.first_frame
    worst = 0.0
    for name in said["markers"]:
        for group in said.session.result.marker_groups.values():
            for other in [each for each in group if name in group and each != name and each in before and each in after]:
                rest = np.nanmean(np.linalg.norm(before[name] - before[other], axis=1))
                for begin, end in said["frames"]:
                    now = np.linalg.norm(after[name] - after[other], axis=1)[begin - first : end - first + 1]
                    worst = max(worst, 1000.0 * float(np.nanmax(np.abs(now - rest), initial=0.0)))
    return said["value_mm"] <= worst + 1.0
