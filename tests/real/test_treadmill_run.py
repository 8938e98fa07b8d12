"""A run on a treadmill whose one plate lies under the belt: contacts against the rise of the force, and the belt's speed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from biomech_id.feet.contacts import plate_at_rest
from biomech_id.feet.feet import find_feet
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.events import EventSearch, search_events
from biomech_id.readers import read_c3d
from biomech_id.signal.runs import runs
from biomech_id.trial import EventKind, Trial

#: N: 20 N lie within this plate's noise of 7 N (standard deviation) about 3 N.
RISE_N, STEP_N = 50.0, 400.0


@pytest.fixture(scope="module")
def run(c3d_dir: Path) -> Trial:
    return read_c3d(c3d_dir / "treadmill_run" / "RBDS001runT35.c3d", trust=True)


@pytest.fixture(scope="module")
def found(run: Trial) -> EventSearch:
    return search_events(run)


def _crossings_s(trial: Trial) -> tuple[list[float], list[float]]:
    """Times at which the force of every step rises above, and falls below, 50 N."""
    (plate,) = trial.plates
    up_N = plate.force_lab_N[:, 2]
    steps = [(a, b) for a, b in runs(up_N > RISE_N) if up_N[a:b].max() > STEP_N]
    assert len(steps) == 86
    rises = [a - (up_N[a] - RISE_N) / (up_N[a] - up_N[a - 1]) for a, _ in steps if a > 0]
    falls = [b - 1 + (up_N[b - 1] - RISE_N) / (up_N[b - 1] - up_N[b]) for _, b in steps if b < len(up_N)]
    return [trial.first_time_s + i / plate.rate_hz for i in rises], [trial.first_time_s + i / plate.rate_hz for i in falls]


@pytest.mark.parametrize(("kind", "which"), [(EventKind.FOOT_STRIKE, 0), (EventKind.FOOT_OFF, 1)])
def test_strikes_and_offs_lie_within_10_ms_of_50_N(run: Trial, found: EventSearch, kind: EventKind, which: int) -> None:
    times = _crossings_s(run)[which]
    mine = [e.time_s for e in found.events if e.kind is kind]
    assert len(mine) == len(times) >= 85
    assert np.abs(np.subtract(mine, times)).max() < 0.010
    assert plate_at_rest(run.plates[0]).noise_N > 5.0


def test_feet_take_turns_in_all_86_contacts(found: EventSearch) -> None:
    for kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF):
        sides = [e.side for e in found.events if e.kind is kind]
        assert len(sides) >= 85
        assert all(a != b for a, b in pairwise(sides))


def test_the_belt_runs_at_3_5_m_s(run: Trial) -> None:
    travel = find_feet(run).travel
    assert travel.kind is TrialKind.RUN
    assert np.linalg.norm(travel.belt_lab_m_s) == pytest.approx(3.5, abs=0.05)
