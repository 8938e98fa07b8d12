"""Labels that changed places are found and named; what merely comes near, moves fast or was placed anew is not."""

from __future__ import annotations

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.signal.marker_exchange import find_exchanges
from biomech_id.trial import Markers

PERSON = bid.virtual_subject(noise_m=5e-4, soft_tissue_m=0.01, clusters=True)


@pytest.fixture(scope="module")
def walk() -> Markers:
    return PERSON.walk().trial.markers


@pytest.fixture(scope="module")
def standing() -> np.ndarray:
    return PERSON.static().trial.markers.position_m


def exchanged(markers: Markers, pair: tuple[str, str], start: int, stop: int) -> np.ndarray:
    a, b = (markers.names.index(name) for name in pair)
    position = markers.position_m.copy()
    position[start:stop, [a, b]] = position[start:stop, [b, a]]
    return position


def found(position: np.ndarray, markers: Markers, reference: np.ndarray | None = None) -> list[tuple[set[str], int, int, bool]]:
    return [
        ({each.first, each.second}, each.first_frame, each.last_frame, each.throughout)
        for each in find_exchanges(position, markers.names, first_frame=11, reference_m=reference)
    ]


@pytest.mark.parametrize("pair", [("RTHI", "RKNE"), ("LASI", "RASI"), ("LHEE", "RHEE"), ("RANK", "RTIB"), ("RTOE", "LANK")])
def test_an_exchange_for_some_frames_is_found_to_the_frame(walk: Markers, pair: tuple[str, str]) -> None:
    assert found(exchanged(walk, pair, 100, 140), walk) == [(set(pair), 111, 150, False)]
    assert found(exchanged(walk, pair, 0, 30), walk) == [(set(pair), 11, 40, False)]


@pytest.mark.parametrize("pair", [("RTHI", "RKNE"), ("LASI", "RASI"), ("LHEE", "RHEE"), ("RANK", "RTIB"), ("RTOE", "LANK")])
def test_an_exchange_throughout_is_told_by_the_static_trial(walk: Markers, standing: np.ndarray, pair: tuple[str, str]) -> None:
    position = exchanged(walk, pair, 0, len(walk.position_m))
    assert found(position, walk, standing) == [(set(pair), 11, 10 + len(position), True)]
    assert found(position, walk) == []


def test_the_static_trial_tells_which_part_is_the_wrong_one(walk: Markers, standing: np.ndarray) -> None:
    position = exchanged(walk, ("RTHI", "RKNE"), 0, 250)
    assert found(position, walk) == [({"RTHI", "RKNE"}, 261, 10 + len(position), False)]  # the smaller part, for want of better
    assert found(position, walk, standing) == [({"RTHI", "RKNE"}, 11, 260, False)]


def test_two_pairs_at_once(walk: Markers, standing: np.ndarray) -> None:
    position = exchanged(walk, ("RTHI", "RKNE"), 100, 140)
    position = exchanged(Markers(walk.names, position, walk.rate_hz), ("LHEE", "LTOE"), 0, len(position))
    assert found(position, walk, standing) == [
        ({"LHEE", "LTOE"}, 11, 10 + len(position), True), ({"RTHI", "RKNE"}, 111, 150, False),
    ]  # fmt: skip


@pytest.mark.parametrize("unseen", [3, 20])
def test_labels_that_come_back_exchanged_after_a_gap(walk: Markers, unseen: int) -> None:
    position = exchanged(walk, ("RHEE", "LHEE"), 100, 140)
    columns = [walk.names.index(name) for name in ("RHEE", "LHEE")]
    position[100 - unseen : 100, columns] = np.nan
    assert [(pair, last) for pair, _, last, _ in found(position, walk)] == [({"RHEE", "LHEE"}, 150)]


@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 200.0])
def test_walks_and_runs_as_they_are_hold_no_exchange(standing: np.ndarray, rate_hz: float) -> None:
    for change in ({}, {"run": True, "speed_m_s": 3.5}, {"direction": "turn"}):
        markers = PERSON.walk(rate_hz=rate_hz, plates=(), **change).trial.markers
        assert found(markers.position_m, markers, standing) == [], change


def test_a_marker_placed_anew_is_no_exchange(walk: Markers, standing: np.ndarray) -> None:
    position = walk.position_m.copy()
    position[:, walk.names.index("RTHI")] += [0.0, 0.0, 0.05]
    assert found(position, walk, standing) == []


def test_the_main_job_says_it_and_changes_nothing() -> None:
    person = bid.virtual_subject()
    model, trial = bid.conventional_model(person.static().trial), person.walk().trial
    markers = trial.markers
    wrong = markers.with_positions(exchanged(markers, ("RTHI", "RKNE"), 0, len(markers.position_m)))
    for recording, expected in ((trial, []), (trial.after("as it came", markers=wrong), [("RTHI", "RKNE", True)])):
        prepared = bid.prepare(recording, model, marker_filter="never")
        said = [f.values for f in prepared.trial.findings if f.rule == "markers-exchanged"]
        assert [(*sorted((v["first"], v["second"])), v["throughout"]) for v in said] == [(*sorted(e[:2]), e[2]) for e in expected]
        assert np.array_equal(prepared.trial.markers.position_m, recording.markers.position_m)


def test_an_exchange_throughout_on_a_small_foot_is_told_too(walk: Markers, standing: np.ndarray) -> None:
    """Exchanged, the two markers change their distances from all others by 23 mm."""
    position = exchanged(walk, ("RTOE", "RMT1"), 0, len(walk.position_m))
    assert found(0.9 * position, walk, 0.9 * standing) == [({"RTOE", "RMT1"}, 11, 10 + len(position), True)]
