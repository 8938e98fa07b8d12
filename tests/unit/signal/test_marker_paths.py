"""How paths were written: frames twice, markers that shake, one path under two labels; and nothing of the kind in a walk."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.sample import virtual_subject
from biomech_id.signal.marker_paths import find_repeated_frames, find_shaking_markers, find_twin_paths


def walk(**options: float) -> dict[str, np.ndarray]:
    markers = virtual_subject(plates=(), **options).walk().trial.markers
    return {name: markers[name].copy() for name in markers.names}


@pytest.mark.parametrize("rate_hz", [60.0, 100.0, 250.0])
def test_a_walk_as_it_is_has_nothing_of_it(rate_hz: float) -> None:
    for paths in (walk(rate_hz=rate_hz), walk(rate_hz=rate_hz, noise_m=0.001, soft_tissue_m=0.01)):
        assert find_repeated_frames(paths) == ()
        assert find_shaking_markers(paths, rate_hz) == ()
        assert find_twin_paths(paths) == ()


def test_frames_that_are_written_twice_are_counted() -> None:
    paths = walk(noise_m=0.0005)
    for path in paths.values():
        path[1::2] = path[: 2 * len(path[1::2]) : 2]
    found = find_repeated_frames(paths, first_frame=11)
    assert found[0] == 14
    assert len(found) == len(next(iter(paths.values()))) // 2 - 2
    paths["LKNE"][30:] += 1e-9 * np.arange(len(paths["LKNE"]) - 30)[:, None]
    assert max(find_repeated_frames(paths)) <= 31


def test_who_stands_still_repeats_no_frame() -> None:
    paths = walk()
    for path in paths.values():
        path[40:70] = path[40]
        path[:2] = path[0]
    assert find_repeated_frames(paths) == ()


def test_a_marker_that_shakes_is_named_with_its_size() -> None:
    paths = walk(noise_m=0.0005)
    paths["RANK"] += np.random.default_rng(1).normal(0.0, 0.004, paths["RANK"].shape)
    paths["RANK"][50:60] = np.nan
    ((name, sd_m),) = find_shaking_markers(paths, 100.0)
    assert (name, round(1000.0 * sd_m)) == ("RANK", 4)
    assert find_shaking_markers(paths, 30.0) == ()


def test_one_path_under_two_labels_is_named() -> None:
    paths = walk(noise_m=0.0005)
    paths["LANK"] = paths["LHEE"].copy()
    assert find_twin_paths(paths) == (("LANK", "LHEE"),) or find_twin_paths(paths) == (("LHEE", "LANK"),)
    paths["LANK"][10] += 1e-6
    assert find_twin_paths(paths) == ()
