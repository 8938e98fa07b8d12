"""How paths were written: frames twice, markers that shake, one path under two labels; and nothing of the kind in a walk."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.sample import virtual_subject
from biomech_id.signal.filters import filter_named
from biomech_id.signal.marker_paths import (
    find_filled_stretches,
    find_repeated_frames,
    find_shaking_markers,
    find_twin_paths,
)


def walk(**options: float) -> dict[str, np.ndarray]:
    markers = virtual_subject(plates=(), **options).walk().trial.markers
    return {name: markers[name].copy() for name in markers.names}


@pytest.mark.parametrize("rate_hz", [60.0, 100.0, 250.0])
def test_a_walk_as_it_is_has_nothing_of_it(rate_hz: float) -> None:
    for paths in (walk(rate_hz=rate_hz), walk(rate_hz=rate_hz, noise_m=0.001, soft_tissue_m=0.01)):
        assert find_repeated_frames(paths) == ()
        assert find_shaking_markers(paths, rate_hz) == ()
        assert find_twin_paths(paths) == ()
        assert find_filled_stretches(as_stored(paths), rate_hz) == ()


def as_stored(paths: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Millimetres in single precision, as a C3D file holds them."""
    return {name: np.asarray(np.float32(1000.0 * path), dtype=float) / 1000.0 for name, path in paths.items()}


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


def bridged(path: np.ndarray, first: int, last: int, degree: int) -> np.ndarray:
    """A path whose frames of these indices are a polynomial through the frames around them."""
    beside = (degree + 1) // 2
    around = np.r_[first - beside : first, last + 1 : last + 1 + beside]
    middle, filled = 0.5 * (first + last), path.copy()
    frames = np.arange(first, last + 1)
    for axis in range(3):
        filled[frames, axis] = np.polyval(np.polyfit(around - middle, path[around, axis], degree), frames - middle)
    return filled


@pytest.mark.parametrize("degree", [1, 3, 5])
@pytest.mark.parametrize("rate_hz", [100.0, 200.0])
def test_a_gap_that_was_filled_with_a_polynomial_is_found(degree: int, rate_hz: float) -> None:
    paths, n = walk(rate_hz=rate_hz, noise_m=0.0003), round(0.3 * rate_hz)
    first = round(1.2 * rate_hz)
    paths["LASI"] = bridged(paths["LASI"], first, first + n - 1, degree)
    (found,) = find_filled_stretches(as_stored(paths), rate_hz, first_frame=11)
    # Measured frames beside it are on the curve where it was drawn through them.
    assert (found.name, found.like) == ("LASI", "")
    assert 0 <= first + 11 - found.first_frame <= 3
    assert 0 <= found.last_frame - (first + 11 + n - 1) <= 3


@pytest.mark.parametrize(("filled_s", "n_found"), [(0.07, 0), (0.15, 1)])
def test_a_short_gap_counts_as_measured(filled_s: float, n_found: int) -> None:
    paths = walk(noise_m=0.0003)
    paths["RASI"] = bridged(paths["RASI"], 100, 99 + round(100 * filled_s), 3)
    assert len(find_filled_stretches(as_stored(paths), 100.0)) == n_found


def test_a_gap_that_was_filled_from_another_marker_names_both() -> None:
    paths = walk(noise_m=0.0003)
    apart = paths["LTHI"] - paths["LKNE"]
    share = np.linspace(0.0, 1.0, 42)[1:-1, None]
    paths["LTHI"][100:140] = paths["LKNE"][100:140] + (1.0 - share) * apart[99] + share * apart[140]
    (found,) = find_filled_stretches(as_stored(paths), 100.0)
    assert {found.name, found.like} == {"LTHI", "LKNE"}
    assert (found.first_frame, found.last_frame) == (101, 140)


def test_paths_that_are_smooth_or_rest_are_not_called_filled() -> None:
    paths = walk(noise_m=0.0003)
    low = filter_named("butterworth")
    smooth = {name: low.apply(path[:, None], 100.0, 6.0)[:, 0] for name, path in paths.items()}
    assert find_filled_stretches(as_stored(smooth), 100.0) == ()
    paths["LHEE"][60:100] = paths["LHEE"][60]
    assert find_filled_stretches(as_stored(paths), 100.0) == ()


@pytest.mark.parametrize("step_m", [1e-3, 1e-4])
@pytest.mark.parametrize("rate_hz", [50.0, 100.0])
def test_numbers_of_few_digits_are_not_called_filled(step_m: float, rate_hz: float) -> None:
    paths = {name: step_m * np.round(path / step_m) for name, path in walk(rate_hz=rate_hz, noise_m=0.0002).items()}
    belt = np.linspace(0.0, -3.0, round(3.0 * rate_hz))[:, None] * [1.0, 0.0, 0.0]
    noise = np.random.default_rng(2).normal(0.0, 0.0002, (2, len(belt), 3))
    paths |= {f"foot {k}": step_m * np.round((belt + 0.1 * k + noise[k]) / step_m) for k in range(2)}
    n = min(map(len, paths.values()))
    assert find_filled_stretches({name: path[:n] for name, path in paths.items()}, rate_hz) == ()
