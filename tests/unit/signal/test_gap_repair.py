"""Longer gaps come from the other markers, each with an error of its own that the truth stays below, or stay open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.languages import Sentence
from biomech_id.signal.gap_repair import LARGEST_ERROR_M, MATES, MOVEMENTS, cut_places, repair_gaps, stated_error_m
from biomech_id.signal.gaps import LEFT_OPEN, RIGID_BODY, SPLINE, Gap, fill_gaps
from biomech_id.trial import Markers

START, STOP = 90, 130
PERSON = bid.virtual_subject(soft_tissue_m=0.01, noise_m=2e-4)


@pytest.fixture(scope="module")
def walk() -> Markers:
    """A walk with skin that slides and cameras that tremble."""
    return PERSON.walk().trial.markers


@pytest.fixture(scope="module")
def bend() -> Markers:
    """The same around a bend, where few strides are alike."""
    return PERSON.walk(direction="turn").trial.markers


def broken(markers: Markers, names: Sequence[str], start: int = START, stop: int = STOP) -> np.ndarray:
    position = markers.position_m.copy()
    position[start:stop, [markers.names.index(name) for name in names]] = np.nan
    return position


def repaired(
    markers: Markers, position: np.ndarray, *, longest: int = 60, shortest: int = 10
) -> tuple[np.ndarray, tuple[Gap, ...]]:
    filled, _, gaps = fill_gaps(position, markers.names, longest=shortest)
    return repair_gaps(position, markers.names, filled, gaps, longest=longest)


def rms_m(off_m: np.ndarray) -> float:
    return float(np.sqrt((off_m**2).sum(axis=-1).mean()))


@pytest.mark.parametrize("name", ["RKNE", "LTIB", "RHEE", "LASI", "RTOE"])
def test_a_gap_too_long_for_a_spline_comes_from_the_others(walk: Markers, name: str) -> None:
    position, column = broken(walk, [name]), walk.names.index(name)
    filled, gaps = repaired(walk, position)
    assert [(gap.marker, gap.first_frame, gap.last_frame) for gap in gaps] == [(name, START + 1, STOP)]
    assert gaps[0].method in (MATES, MOVEMENTS)
    off = rms_m(filled[START:STOP, column] - walk.position_m[START:STOP, column])
    by_spline, _, _ = fill_gaps(position, walk.names, longest=60)
    assert off <= gaps[0].error_m < LARGEST_ERROR_M
    assert off < 0.4 * rms_m(by_spline[START:STOP, column] - walk.position_m[START:STOP, column])
    measured = np.isfinite(position)
    assert np.array_equal(filled[measured], position[measured])


def test_a_bend_costs_what_the_body_does_there_and_no_more(bend: Markers) -> None:
    filled, gaps = repaired(bend, broken(bend, ["RTIB"]))
    column = bend.names.index("RTIB")
    assert rms_m(filled[START:STOP, column] - bend.position_m[START:STOP, column]) <= gaps[0].error_m < 0.005


def test_a_fill_that_is_not_sure_to_fifteen_millimetres_is_not_made(bend: Markers) -> None:
    position = broken(bend, ["RTOE"])
    filled, gaps = repaired(bend, position)
    assert [gap.method for gap in gaps] == [LEFT_OPEN]
    assert np.array_equal(filled, position, equal_nan=True)


def test_the_fill_joins_both_ends_without_a_kink() -> None:
    walk = bid.virtual_subject(soft_tissue_m=0.01).walk().trial.markers
    filled, _ = repaired(walk, broken(walk, ["RHEE"]))
    bends = [np.diff(positions[:, walk.names.index("RHEE")], n=2, axis=0) for positions in (filled, walk.position_m)]
    at = [START - 2, START - 1, STOP - 2, STOP - 1]
    assert np.abs(bends[0][at] - bends[1][at]).max() < 5e-4  # m per frame squared; the walk's own are up to 5e-3


def test_what_nobody_else_tells_stays_open(walk: Markers) -> None:
    rng = np.random.default_rng(3)
    stray = np.cumsum(np.cumsum(rng.normal(0, 2e-3, (len(walk.position_m), 1, 3)), axis=0), axis=0)
    position = np.concatenate([walk.position_m, stray], axis=1)
    position[START:STOP, -1] = np.nan
    names = (*walk.names, "STRAY")
    filled, _, gaps = fill_gaps(position, names, longest=10)
    filled, gaps = repair_gaps(position, names, filled, gaps, longest=60)
    assert [(gap.method, np.isnan(gap.error_m)) for gap in gaps] == [(LEFT_OPEN, True)]
    assert np.isnan(filled[START:STOP, -1]).all()


def test_gaps_at_the_ends_longer_ones_and_unwanted_ones_stay_open(walk: Markers) -> None:
    for position, longest in (
        (broken(walk, ["RKNE"], 0, 40), 60), (broken(walk, ["RKNE"]), 39), (broken(walk, ["RKNE"]), 0),
    ):  # fmt: skip
        filled, gaps = repaired(walk, position, longest=longest)
        assert [gap.method for gap in gaps] == [LEFT_OPEN]
        assert np.array_equal(filled, position, equal_nan=True)


def test_a_whole_cluster_lost_at_once_comes_from_the_rest(walk: Markers) -> None:
    names = ["RTIB", "RKNE"]
    filled, gaps = repaired(walk, broken(walk, names))
    for gap in gaps:
        column = walk.names.index(gap.marker)
        assert gap.method != LEFT_OPEN
        assert rms_m(filled[START:STOP, column] - walk.position_m[START:STOP, column]) <= gap.error_m


def test_short_fills_say_their_error_too_and_are_taken_back_where_it_is_large(walk: Markers) -> None:
    column, within = walk.names.index("RHEE"), []
    for start in range(20, 320, 10):
        filled, gaps = repaired(walk, broken(walk, ["RHEE"], start, start + 8))
        assert gaps[0].method == SPLINE
        off = rms_m(filled[start : start + 8, column] - walk.position_m[start : start + 8, column])
        within.append(off <= gaps[0].error_m < 0.005)
    assert 0.9 <= np.mean(within) < 1.0
    # The same walk at a seventh of the rate: a spline across half a second is no more than a guess.
    slow = Markers(walk.names, walk.position_m[::7], walk.rate_hz / 7)
    slow_gap = broken(slow, ["RHEE"], 12, 18)
    guessed, _, _ = fill_gaps(slow_gap, slow.names, longest=10)
    assert rms_m(guessed[12:18, column] - slow.position_m[12:18, column]) > LARGEST_ERROR_M
    told, gaps = repaired(slow, slow_gap)
    assert gaps[0].method != SPLINE
    assert gaps[0].method == LEFT_OPEN or rms_m(told[12:18, column] - slow.position_m[12:18, column]) <= gaps[0].error_m


def test_what_is_taken_back_is_left_open_where_nothing_may_come_from_others(walk: Markers) -> None:
    position = broken(walk, ["RHEE"])
    assert fill_gaps(position, walk.names, longest=60)[2][0].method == SPLINE
    told, (allowed,) = repaired(walk, position, shortest=60)
    assert allowed.method in (MATES, MOVEMENTS)
    told, (forbidden,) = repaired(walk, position, shortest=60, longest=0)
    assert forbidden.method == LEFT_OPEN
    assert np.array_equal(told, position, equal_nan=True)


def test_a_rigid_fill_says_its_error(walk: Markers) -> None:
    pelvis = ["LASI", "RASI", "LPSI", "RPSI"]
    position = broken(walk, ["LPSI"], 100, 108)
    filled, _, gaps = fill_gaps(position, walk.names, longest=10, groups=[pelvis])
    assert gaps[0].method == RIGID_BODY
    filled, gaps = repair_gaps(position, walk.names, filled, gaps, longest=60, groups=[pelvis])
    off = rms_m(filled[100:108, walk.names.index("LPSI")] - walk.position_m[100:108, walk.names.index("LPSI")])
    assert off <= gaps[0].error_m < 0.002


def test_cuts_lie_where_the_marker_is_seen() -> None:
    seen = np.ones(100, dtype=bool)
    seen[40:60] = False
    places = cut_places(seen, 20)
    assert places
    assert all(seen[start - 3 : start + 23].all() and 3 <= start <= 77 for start in places)
    assert cut_places(seen, 40) == []


def test_few_cuts_show_no_error() -> None:
    assert np.isnan(stated_error_m(np.full(3, 0.001)))


def test_the_main_job_marks_every_filled_value() -> None:
    person = bid.virtual_subject(noise_m=2e-4)
    static, gap = person.static().trial, ("RKNE", 91, 130)
    trial, whole = person.walk(gaps=(gap,)).trial, person.walk().trial
    model = bid.conventional_model(static)
    prepared = bid.prepare(trial, model, marker_filter="never")
    column = trial.markers.names.index("RKNE")
    assert [(g.marker, g.first_frame, g.last_frame) for g in prepared.gaps] == [gap]
    assert prepared.gaps[0].method in (MATES, MOVEMENTS)
    marked = prepared.trial.markers.filled
    assert marked is not None
    assert marked[90:130, column].all()
    assert marked.sum() == 40
    assert "gaps-repaired" in [said.rule for said in prepared.trial.history if isinstance(said, Sentence)]
    off = prepared.trial.markers.position_m[90:130, column] - whole.markers.position_m[90:130, column]
    assert rms_m(off) <= prepared.gaps[0].error_m
    for nothing in ({"longest_repair_s": 0.0}, {"longest_gap_frames": 0}):
        left = bid.prepare(trial, model, marker_filter="never", **nothing)
        assert [g.method for g in left.gaps] == [LEFT_OPEN]
        assert left.trial.markers.filled is None or not left.trial.markers.filled.any()
