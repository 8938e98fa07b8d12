"""Muscle paths beside OpenSim 4.6: lengths in every frame of its own motions, and moment arms."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.muscles.muscle_paths import MusclePaths, Wrapping
from biomech_id.readers.opensim.storage import read_storage

CASES = {"gait2392": "scaled.osim", "gait10dof18musc": "subject01.osim", "arm26": "arm26.osim", "rajagopal_walk": "scaled.osim"}
#: The two muscles of arm26 that wrap over ellipsoids, one of them over two cylinders as well.
OVER_ELLIPSOIDS = ("TRIlong", "BIClong")
#: The files hold 12 decimals of lengths and 10 digits of moment arms.
LENGTHS_MM = {0: 1e-6, 1: 1e-5, 2: 0.02}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, shared_dir: Path) -> Path:
    return shared_dir / "opensim_refs" / str(request.param)


@cache
def paths_of(case: Path) -> MusclePaths:
    return MusclePaths(read_osim(case / CASES[case.name]))


def motion(case: Path) -> tuple[FloatArray, FloatArray]:
    """Times and coordinates of the tool's motion, rad and m."""
    table, coordinates = read_storage(case / "ik_1e-9.mot"), paths_of(case).model.coordinates
    q = np.stack([table.values[:, table.columns.index(c.name)] for c in coordinates], axis=1)
    turned = np.array([c.motion == "rotational" for c in coordinates])
    return table.time_s, np.where(turned, np.radians(q), q)


def wraps_of(paths: MusclePaths) -> FloatArray:
    """How many surfaces each muscle has; over ellipsoids as over several, since OpenSim's path is no exact one."""
    return np.array([2 if m.name in OVER_ELLIPSOIDS else len(m.wraps) for m in paths.model.muscles])


def test_lengths(case: Path) -> None:
    paths, table = paths_of(case), read_storage(case / "lengths.sto")
    assert not paths.left_out
    theirs = np.stack([table.values[:, table.columns.index(name)] for name in paths.names], axis=1)
    q, wraps = motion(case)[1], wraps_of(paths)
    drawn, as_opensim, shortest = (paths.lengths(q, wrapping=way) for way in ("drawn", "opensim", "shortest"))
    for count, most_mm in LENGTHS_MM.items():
        columns = wraps == count
        assert 1000 * np.abs((as_opensim - theirs)[:, columns]).max(initial=0.0) < most_mm
        if count < 2:
            assert 1000 * np.abs((drawn - theirs)[:, columns]).max(initial=0.0) < most_mm
    assert (drawn >= shortest - 1e-12).all()
    if case.name == "rajagopal_walk":
        # What OpenSim's sum over two cylinders lacks of the path, and how much longer its path over one is than the shortest.
        assert 5.0 < 1000 * (drawn - theirs)[:, wraps == 2].max() < 6.0
        assert 0.1 < 1000 * (drawn - shortest)[:, wraps == 1].max() < 0.2


def test_moment_arms(case: Path) -> None:
    """OpenSim's where a tension of 1 along its path is asked for; over two cylinders its own path jumps."""
    paths, table = paths_of(case), read_storage(case / "moment_arms.sto")
    time_s, q = motion(case)
    rows = np.abs(time_s[:, None] - table.time_s).argmin(axis=0)
    arms, wraps = paths.moment_arms(q[rows], wrapping="opensim"), wraps_of(paths)
    worst = {0: 0.0, 1: 0.0, 2: 0.0}
    for column, theirs in zip(table.columns, table.values.T, strict=True):
        muscle, coordinate = column.split("|")
        if muscle in paths.names:
            k = paths.names.index(muscle)
            ours = arms[:, k, paths.model.index(coordinate)]
            worst[int(wraps[k])] = max(worst[int(wraps[k])], float(np.abs(ours - theirs).max()))
    assert worst[0] < 1e-8
    assert worst[1] < 1e-8
    assert worst[2] < 1.5e-4


@pytest.mark.parametrize("wrapping", ["drawn", "shortest"])
def test_moment_arms_are_minus_the_derivative_of_the_length(case: Path, wrapping: Wrapping) -> None:
    paths, h = paths_of(case), 1e-6
    q = motion(case)[1][5::30]
    arms = paths.moment_arms(q, wrapping=wrapping)
    for k in paths.tree.free:
        more, less = q.copy(), q.copy()
        more[:, k] += h
        less[:, k] -= h
        difference = (paths.lengths(more, wrapping=wrapping) - paths.lengths(less, wrapping=wrapping)) / (2 * h)
        assert np.abs(arms[:, :, k] + difference).max() < 1e-6
