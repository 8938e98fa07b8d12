"""Markers that jump or slide on their segment: found where they do, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.sample import virtual_subject
from biomech_id.signal.marker_jumps import find_frozen_markers, find_marker_jumps, find_marker_slides

LEG = ("KNE", "TIB", "ANK")


def walk(name: str = "", frames: slice = slice(0), by_m: float = 0.0) -> dict[str, np.ndarray]:
    markers = virtual_subject(noise_m=0.0005).walk().trial.markers
    paths = {name: markers["L" + name].copy() for name in LEG}
    if name:
        paths[name][frames] += by_m * np.array([0.6, 0.64, 0.48])
    return paths


@pytest.mark.parametrize("length", [1, 5, 20])
def test_a_marker_that_is_elsewhere_for_some_frames_is_named(length: int) -> None:
    found = find_marker_jumps(walk("KNE", slice(80, 80 + length), 0.03), [LEG], 100.0)
    assert found[0].name == "KNE"
    assert 0.02 < found[0].size_m < 0.04
    assert abs(found[0].frames[0] - 81) <= 1
    if length > 5:
        assert abs(found[0].frames[1] - 101) <= 1


def test_a_spike_that_a_filter_takes_away_is_none() -> None:
    paths = walk("KNE", slice(80, 81), 0.03)
    assert find_marker_jumps(paths, [LEG], 100.0, cutoff_hz=6.0) == ()
    assert find_marker_jumps(walk("KNE", slice(80, 100), 0.03), [LEG], 100.0, cutoff_hz=6.0)


@pytest.mark.parametrize("noise_m", [0.0, 0.001, 0.003])
@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 250.0])
def test_a_walk_as_it_is_has_none(noise_m: float, rate_hz: float) -> None:
    markers = virtual_subject(noise_m=noise_m, rate_hz=rate_hz, soft_tissue_m=0.01, plates=()).walk().trial.markers
    paths = {name: markers[name] for name in markers.names}
    groups = [[side + name for name in names] for side in "LR" for names in (("THI", "KNE"), LEG, ("ANK", "HEE", "TOE"))]
    assert find_marker_jumps(paths, groups, rate_hz) == ()
    assert find_marker_slides(paths, groups) == ()


def test_a_marker_that_comes_off_slowly_slides() -> None:
    paths = walk()
    paths["TIB"] += np.linspace(0.0, 0.04, len(paths["TIB"]))[:, None] * [0.0, 0.0, 1.0]
    slide = find_marker_slides(paths, [LEG])[0]
    assert "TIB" in (slide.first, slide.second)
    assert 0.02 < abs(slide.change_m) < 0.05


def test_frames_that_are_missing_are_no_jump() -> None:
    paths = walk()
    paths["TIB"][40:70] = np.nan
    assert find_marker_jumps(paths, [LEG], 100.0) == ()


@pytest.mark.parametrize("name", ["THI", "KNE"])
def test_of_two_markers_of_a_segment_the_one_that_stays_on_its_other_segment_is_not_the_one(name: str) -> None:
    markers = virtual_subject(noise_m=0.0005).walk().trial.markers
    paths = {each: markers["L" + each].copy() for each in ("THI", *LEG)}
    paths[name][80:100] += 0.05
    assert [jump.name for jump in find_marker_jumps(paths, [("THI", "KNE"), LEG], 100.0)] == [name]


def test_a_spike_of_which_a_filter_leaves_a_centimetre_is_told() -> None:
    """60 mm for one frame at 100 Hz: a filter of 8 Hz spreads 10 mm of it over ten frames."""
    found = find_marker_jumps(walk("KNE", slice(80, 81), 0.06), [LEG], 100.0, cutoff_hz=8.0)
    assert [jump.name for jump in found] == ["KNE"]
    assert find_marker_jumps(walk("KNE", slice(80, 81), 0.06), [LEG], 100.0, cutoff_hz=4.0) == ()


def test_a_marker_that_stands_still_while_its_segment_moves_is_frozen() -> None:
    paths = walk()
    paths["ANK"][80:100] = paths["ANK"][80]
    frozen = find_frozen_markers(paths, [LEG], 100.0, first_frame=11)
    assert [(each.name, each.first_frame, each.last_frame) for each in frozen] == [("ANK", 91, 110)]
    paths["ANK"][80:100] = np.nan
    assert find_frozen_markers(paths, [LEG], 100.0) == ()


def test_a_foot_that_rests_as_a_whole_is_not_frozen() -> None:
    """Without noise every marker of a flat foot has the same place for as long as it is flat."""
    markers = virtual_subject(noise_m=0.0).walk().trial.markers
    paths = {name: markers[name] for name in markers.names}
    groups = [[side + name for name in names] for side in "LR" for names in (("THI", "KNE"), LEG, ("ANK", "HEE", "TOE"))]
    assert find_frozen_markers(paths, groups, 100.0) == ()
