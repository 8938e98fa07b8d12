"""The stillest part of a static trial: all of it where it is still, else what stands; never a step in the mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.models.still_window import STANDS_M, still_part, stillest_window
from biomech_id.request.intake import find_static
from biomech_id.trial import Markers, Trial


@pytest.fixture(scope="module")
def static() -> Trial:
    return bid.virtual_subject().static().trial


@pytest.fixture(scope="module")
def walk() -> Trial:
    return bid.virtual_subject().walk().trial


def joined(static: Trial, walk: Trial, walked_s: float = 1.0) -> Trial:
    """A static trial at whose end somebody walks off."""
    names = tuple(name for name in static.markers.names if name in walk.markers.names)
    n = round(walked_s * walk.rate_hz)
    parts = [np.stack([one.markers[name] for name in names], axis=1) for one in (static, walk)]
    position_m = np.concatenate([parts[0], parts[1][:n]])
    markers = Markers(names, position_m, static.rate_hz, roles=static.markers.roles)
    return replace(static, markers=markers, plates=(), model_outputs={}, events=())


def swaying(sway_m: float, seconds: float = 3.0) -> Markers:
    time_s = np.arange(round(100 * seconds)) / 100.0
    path_m = np.zeros((len(time_s), 5, 3))
    path_m[:, :, 0] = (sway_m * np.sqrt(2.0) * np.sin(2 * np.pi * 2.0 * time_s))[:, None]
    return Markers(tuple("abcde"), path_m, 100.0)


def test_who_stands_still_is_taken_as_a_whole(static: Trial) -> None:
    part, window = still_part(static)
    assert part is static
    assert window.stands


def test_a_step_at_the_end_is_left_out(static: Trial, walk: Trial) -> None:
    part, window = still_part(joined(static, walk))
    assert window.stands
    assert window.stop <= static.n_frames
    assert part.first_frame == static.first_frame + window.first
    for name in part.markers.names:
        np.testing.assert_allclose(np.nanmean(part.markers[name], axis=0), np.nanmean(static.markers[name], axis=0), atol=1e-3)


@pytest.mark.parametrize(("sway_mm", "stands"), [(2.9, True), (3.1, False), (12.0, False)])
def test_sway_decides(sway_mm: float, stands: bool) -> None:
    window = stillest_window(swaying(1e-3 * sway_mm))
    assert (window.sway_m <= STANDS_M and window.length_s >= 0.5) == stands


def test_who_never_stands_is_shown_with_the_stillest_second() -> None:
    window = stillest_window(swaying(0.012))
    assert not window.stands
    assert window.sway_m == pytest.approx(0.012, rel=0.02)
    assert window.length_s == 1.0


def test_markers_that_are_seldom_seen_do_not_count() -> None:
    markers = swaying(0.001)
    position_m = np.array(markers.position_m)
    position_m[::2, 3:] = np.nan
    position_m[:, 4] += np.linspace(0.0, 5.0, len(position_m))[:, None]
    assert stillest_window(replace(markers, position_m=position_m)).sway_m == pytest.approx(0.001, rel=0.02)


def test_a_walk_has_no_part_in_which_somebody_stands(walk: Trial) -> None:
    assert not stillest_window(walk.markers).stands


def test_the_trial_that_begins_with_standing_is_the_static_one(static: Trial, walk: Trial) -> None:
    both = joined(static, walk)
    assert find_static([both, walk], None, lambda trial: True) is both
    assert find_static([both, replace(both, name="again")], None, lambda trial: True) is None
