"""Results that two laboratories' own software stored beside its recordings, against those of a plain run (issue M).

The drop jumps and their walk store moments in N mm/kg about joint centres of their own, the Leardini walks in N m/kg. What differs
by more than 5 degrees or 0.1 N m/kg is explained by a number on ``docs/other-laboratories.md``, and held here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sessions import Sessions

from biomech_id import analyse
from biomech_id.conventions import SIDES
from biomech_id.readers import read
from biomech_id.request.recipe import Recipe
from biomech_id.session import trial_tables
from biomech_id.session.solved import Solved
from biomech_id.trial import Trial

pytestmark = pytest.mark.real
JOINTS = ("Ankle", "Knee", "Hip")
#: The laboratory's results are of smoothed recordings; these cut-offs come nearest. Marker and plate alike in every trial.
SMOOTHED = Recipe(marker_filter="always", cutoff_hz=10.0, plate_cutoff_hz=20.0, report=False, uncertainty=False, budget=False)


class Pair(NamedTuple):
    """Ours and theirs in the frames of the clean stances of one side, and over the whole trial."""

    trial: str
    side: str
    joint: str
    moment: tuple[np.ndarray, np.ndarray]
    angle: tuple[np.ndarray, np.ndarray]
    frames: np.ndarray


def r(pair: tuple[np.ndarray, np.ndarray]) -> float:
    both = np.isfinite(pair[0]) & np.isfinite(pair[1])
    assert both.sum() > 40
    return float(np.corrcoef(pair[0][both], pair[1][both])[0, 1])


def offset(pair: tuple[np.ndarray, np.ndarray]) -> float:
    return float(np.nanmean(pair[0] - pair[1]))


def pairs(result: Solved, stored: Trial, moment: str, angle: str) -> Iterator[Pair]:
    frame, outputs = trial_tables.frames(result), stored.model_outputs
    time_s = result.motion.time_s
    for side in SIDES:
        clean = [s for s in result.assignment.stances if s.side == side and s.verdict == "clean"] if result.assignment else []
        stance = np.logical_or.reduce([np.zeros(len(time_s), bool), *((time_s >= s.start_s) & (time_s < s.end_s) for s in clean)])
        for joint in JOINTS if stance.any() else ():
            theirs = outputs[moment.format(s=side, j=joint)][:, 0]
            angles = np.asarray(frame[f"{side}{joint}Angles.X"]), outputs[angle.format(s=side, j=joint)][:, 0]
            ours = np.asarray(frame[f"{side}{joint}Moment.X"])
            yield Pair(result.name, side, joint, (ours[stance], theirs[stance]), angles, stance)


def test_drop_jumps_and_their_walk(sessions: Sessions) -> None:
    session = sessions["drop_jump"].result
    mass_kg = session.subject.mass_kg
    assert mass_kg == pytest.approx(59.0, abs=1.0)
    seen, knee_offsets = set(), []
    for result in session.trials:
        stored = read(sessions.shared / "c3d" / "drop_jump" / result.file, trust=True)
        for pair in pairs(result, stored, "{s}{j}MomentROT", "{s}{j}Angles"):
            seen.add((pair.trial, pair.joint))
            jump = "SLDJ" in pair.trial
            least = {"Ankle": 0.99, "Knee": 0.98 if jump else 0.97, "Hip": 0.98 if jump else 0.95}[pair.joint]
            assert r(pair.moment) >= least, pair[:3]
            assert r(pair.angle) >= 0.97, pair[:3]
            assert abs(offset(pair.angle)) < 5.0, pair[:3]
            apart = offset((pair.moment[0], pair.moment[1] / 1000.0))
            if jump and pair.joint == "Knee":
                knee_offsets.append(apart)
            else:
                assert abs(apart) < 0.1, pair[:3]
    assert len(seen) == 12
    # docs/other-laboratories.md: the jumps' stored knee moment lies higher throughout, 0.40 to 0.41 N m/kg.
    assert len(knee_offsets) == 3
    assert all(-0.45 < value < -0.35 for value in knee_offsets), knee_offsets


def test_leardini_walks(c3d_dir: Path) -> None:
    folder = c3d_dir / "leardini"
    session = analyse(folder, recipe=SMOOTHED, exclude=("trial02.c3d", "trial03.c3d")).computed
    assert session.subject.mass_kg == pytest.approx(59.0, abs=1.0)
    assert session.subject.mass_kg != 41.0
    assert session.subject.age_years is None or session.subject.age_years != session.subject.mass_kg
    n = 0
    for result in session.trials:
        stored = read(folder / result.file, trust=True)
        for pair in pairs(result, stored, "{s}_{j}_Moment", "{s}_{j}_Angle"):
            n += 1
            assert r(pair.angle) >= 0.97, pair[:3]
            assert abs(offset(pair.angle)) < 6.0, pair[:3]
            if pair.joint == "Hip":
                ours, apart_m = about_their_hip(result, stored, pair)
                # The file's hip centre lies 34 mm from the regression's, most of it forward: about that point the moments agree.
                assert 0.030 < apart_m < 0.038
                assert 0.1 < offset(pair.moment) < 0.2
                assert r((ours, pair.moment[1])) >= 0.95, pair[:3]
                assert abs(offset((ours, pair.moment[1]))) < 0.13
            else:
                assert r(pair.moment) >= {"Ankle": 0.99, "Knee": 0.97}[pair.joint], pair[:3]
                assert abs(offset(pair.moment)) < 0.1, pair[:3]
    assert n == 12


def about_their_hip(result: Solved, stored: Trial, pair: Pair) -> tuple[np.ndarray, float]:
    """Our sagittal hip moment, N m/kg, with the ground reaction about the file's own hip centre; how far that lies from ours, m."""
    frame = trial_tables.frames(result)

    def columns(name: str) -> np.ndarray:
        return np.stack([np.asarray(frame[f"{pair.side}{name}.{axis}"]) for axis in "XYZ"], axis=1)[pair.frames]

    apart_m = stored.markers[f"{pair.side}_HJC"][pair.frames] - columns("HJC") / 1000.0
    way = np.nanmean(np.diff(stored.markers["CV7"], axis=0), axis=0) * [1.0, 1.0, 0.0]
    across = np.cross([0.0, 0.0, 1.0], way / np.linalg.norm(way))
    moved = np.cross(apart_m, columns("GroundReactionForce")) @ across
    return pair.moment[0] + moved, float(np.nanmean(np.linalg.norm(apart_m, axis=1)))
