"""Events of patients: the study keeps the gates, a few draws of it agree with its table; nothing is found where nobody steps."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.studies.gait_events import STRIKE, TABLE, Compared, compared, found, toe_shares, walk
from biomech_id.gait.events import find_events
from biomech_id.sample import virtual_subject
from biomech_id.sample.patterns.patients import PATIENTS
from biomech_id.trial import Markers

#: Columns of a line of the table, for strikes and then for offs.
COLUMNS = ("n_missed", "mean", "bias", "median", "p95", "sd", "covered")
#: Largest mean error of every pattern at 100 Hz, ms; shares of events within 1.96 standard deviations, percent.
STRIKE_MS, OFF_MS, COVERED = 8.0, 12.0, (90.0, 99.0)


#: Patterns that keep the limits: of the virtual subject's own walk the one whose toes move at the off as recorded ones do.
GATED = (*PATIENTS, "healthy")


def _table() -> dict[str, dict[str, float]]:
    rows = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        if len(cells) == 14 and cells[1][0].isdigit():
            names = [f"{kind}_{column}" for kind in ("strike", "off") for column in COLUMNS]
            rows[name] = {key: float(cell.split(",")[0]) for key, cell in zip(names, cells, strict=True)}
            rows[name] |= {f"{kind}_missed": float(cells[i].split(",")[1]) for kind, i in (("strike", 0), ("off", 7))}
    return rows


def test_the_table_keeps_the_gates() -> None:
    rows = _table()
    for pattern in GATED:
        assert rows[pattern]["strike_mean"] <= STRIKE_MS, pattern
        assert rows[pattern]["off_mean"] <= OFF_MS, pattern
        assert rows[pattern]["strike_missed"] == rows[pattern]["off_missed"] == 0, pattern
    for kind in ("strike", "off"):
        assert COVERED[0] <= rows["all patients"][f"{kind}_covered"] <= COVERED[1], kind
        assert rows["all patients"][f"{kind}_n_missed"] > 1000


def _recorded_shares() -> dict[str, list[float]]:
    """Name -> mean and percentiles of the toe's speed at the off, of the study's last table."""
    lines = TABLE.read_text(encoding="utf-8").split("Speed of the toe marker")[1].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {name: [float(text) for text in rest[1:]] for name, *rest in cells if rest[0].isdigit()}


def test_the_one_walk_whose_offs_come_late_is_like_no_recording() -> None:
    """The virtual subject's own walk unloads its foot before the toes move: its offs from markers are no measure of the rule."""
    shares, rows = _recorded_shares(), _table()
    mean, low, _, high = shares["recorded offs"]
    assert rows["walk"]["off_mean"] > OFF_MS
    assert np.mean(toe_shares(*walk("walk", seed=3))) == pytest.approx(shares["walk"][0], abs=0.02)
    assert shares["walk"][0] < low
    for pattern in GATED:
        assert low < shares[pattern][0] < high, pattern
    assert shares["healthy"][0] == pytest.approx(mean, abs=0.02)


def test_the_same_walk_with_recorded_feet_keeps_the_limits() -> None:
    rows = [row for seed in (3, 4, 5) for row in compared("healthy", *walk("healthy", seed=seed))]
    for kind, limit_ms in ((STRIKE, STRIKE_MS), ("Foot Off", OFF_MS)):
        errors = np.array([row.error_ms for row in rows if row.kind == kind])
        assert len(errors) >= 20
        assert np.abs(errors).mean() < limit_ms


@pytest.mark.parametrize("pattern", PATIENTS)
def test_a_draw_agrees_with_the_table(pattern: str) -> None:
    row = _table()[pattern]
    rows: list[Compared] = list(compared(pattern, *walk(pattern, seed=3)))
    for kind, name in ((STRIKE, "strike"), ("Foot Off", "off")):
        errors = np.array([r.error_ms for r in rows if r.kind == kind])
        assert len(errors) >= 4
        assert np.isfinite(errors).all()
        # One person's feet are one draw each of what the table is the spread of.
        assert np.abs(errors).mean() <= row[f"{name}_p95"]
        assert np.abs(errors).max() <= row[f"{name}_p95"] + 6.0


@pytest.mark.parametrize("pattern", PATIENTS)
def test_no_event_is_invented(pattern: str) -> None:
    trial, truth = walk(pattern, seed=5)
    first_s, last_s = truth[0].time_s, truth[-1].time_s
    for event in found(trial):
        if first_s < event.time_s < last_s:
            assert any(abs(t.time_s - event.time_s) < 0.06 for t in truth if (t.side, t.kind) == (event.side, event.kind)), event
    for side in "LR":
        kinds = [e.kind for e in found(trial) if e.side == side]
        assert all(a is not b for a, b in itertools.pairwise(kinds))


def _with_markers(trial, position_m):
    return replace(trial, markers=Markers(trial.markers.names, position_m, trial.rate_hz), plates=(), events=())


def test_nobody_who_stands_has_events() -> None:
    """Quiet standing, and weight shifted from leg to leg."""
    person = virtual_subject(plates="none", noise_m=0.0005)
    still = person.static(duration_s=6.0).trial
    assert find_events(replace(still, events=())) == ()
    sway = 0.06 * np.sin(2 * np.pi * 0.4 * np.arange(still.n_frames) / still.rate_hz)
    loose = np.array([name[1:] not in ("HEE", "TOE", "ANK") for name in still.markers.names])
    assert find_events(_with_markers(still, still.markers.position_m + sway[:, None, None] * [0, 1, 0] * loose[:, None])) == ()


def test_nobody_who_steps_sideways_has_events() -> None:
    """Right foot out, left foot after it, eight times: feet that lift, travel and land, but never ahead of the body."""
    still = virtual_subject(plates="none", noise_m=0.0005).static(duration_s=9.0).trial
    time_s, stride_m = np.arange(still.n_frames) / still.rate_hz, 0.3
    shift, height = {}, {}
    for side, first_s in (("R", 0.5), ("L", 1.0)):
        u = np.clip((time_s[:, None] - first_s - np.arange(8)) / 0.45, 0.0, 1.0)
        shift[side] = -stride_m * (u**2 * (3 - 2 * u)).sum(axis=1)
        height[side] = 0.05 * np.sin(np.pi * u).sum(axis=1)
    body = 0.5 * (shift["L"] + shift["R"])
    position_m = still.markers.position_m.copy()
    for i, name in enumerate(still.markers.names):
        foot = name[1:] in ("HEE", "TOE", "ANK")
        position_m[:, i, 1] += shift[name[0]] if foot else body
        position_m[:, i, 2] += height[name[0]] if foot else 0.0
    assert np.ptp(position_m[:, 0, 1]) > 2.0
    assert find_events(_with_markers(still, position_m)) == ()


def test_turns_have_their_own_events_only() -> None:
    sample = virtual_subject(plates="none", noise_m=0.0005, pattern="drop foot").walk(direction="turn", duration_s=6.0)
    events = find_events(replace(sample.trial, events=()))
    assert len(events) >= 12
    for event in events:
        times = [s.strike_s if event.kind is STRIKE else s.off_s for s in sample.truth.stances if s.side == event.side]
        assert min(abs(event.time_s - t) for t in times) < 0.08, event
