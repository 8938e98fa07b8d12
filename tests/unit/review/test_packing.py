"""Arrays survive the page's packing: curves to a millionth of their range, positions to half a step, missing ones as missing."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np
import pytest

from biomech_id.review.packing import Block, Blocks


def unpacked(block: Block, name: str) -> np.ndarray[Any, Any]:
    """What the page's unpack.js does."""
    raw = gzip.decompress(base64.b85decode(block.text().translate(str.maketrans(",./", "<>&"))))
    note = block.notes[name]
    width = {"f4": 4, "d4": 4, "u1": 1}[note["type"]]
    count = int(np.prod(note["shape"]))
    planes = np.frombuffer(raw[note["at"] : note["at"] + width * count], dtype=np.uint8).reshape(width, count)
    kind = {"f4": "<f4", "d4": "<i4", "u1": "u1"}[note["type"]]
    values = np.frombuffer(planes.T.tobytes(), dtype=kind).reshape(note["shape"])
    if note["type"] == "f4" and values.size:
        return np.cumsum(values.view("<i4"), axis=-1, dtype=np.int32).view(np.float32)
    if note["type"] != "d4":
        return values
    sums = np.cumsum(np.cumsum(values, axis=0, dtype=np.int32), axis=0, dtype=np.int32) * float(note["step"])
    missing = f"{name}?"
    return np.where(unpacked(block, missing) == 1, np.nan, sums) if missing in block.notes else sums


def path(seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(50, 3, 3)).cumsum(axis=0)


def test_curves_are_kept_to_a_millionth_of_their_range() -> None:
    """Wherever they lie: an offset of a hundred times the range costs no digit that single precision has."""
    block, values = Block(), path() + np.array([0.0, 100.0, -1e-3])[:, None]
    values[4, 1, 1], values[5, 2], values[6, 0] = np.nan, np.nan, [12.3, 12.3, 12.4]
    block.curves("a", np.arange(7))
    block.curves("b", values)
    np.testing.assert_array_equal(unpacked(block, "a"), np.arange(7))
    found, span = unpacked(block, "b"), np.fmax.reduce(values, axis=-1) - np.fmin.reduce(values, axis=-1)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    # What single precision does to the number comes on top.
    assert np.nanmax((np.abs(found - values) - 2.0**-24 * np.abs(values)) / span[..., None]) <= 1e-6


@pytest.mark.parametrize("step", [1e-4, 0.1])
def test_steps_are_kept_to_half_a_step_and_missing_stays_missing(step: float) -> None:
    block, values = Block(), path()
    values[0, 0], values[10:20, 1], values[:, 2] = np.nan, np.nan, np.nan
    block.steps("p", values, step)
    found = unpacked(block, "p")
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmax(np.abs(found - values)) <= 0.5 * step * (1.0 + 1e-9)


def test_numbers_that_no_laboratory_has_do_not_turn_others_wrong() -> None:
    block, values = Block(), np.array([0.5, 1e9, -1e9, np.inf, 0.25])
    block.steps("p", values, 1e-4)
    found = unpacked(block, "p")
    np.testing.assert_allclose(found[[0, 4]], [0.5, 0.25])
    assert found[1] > 2e5
    assert np.isnan(found[3])


def test_nothing_at_all_is_packed_too() -> None:
    block = Block()
    block.steps("none", np.empty((10, 0, 3)), 1e-4)
    block.steps("short", np.empty((0, 2, 3)), 1e-4)
    assert unpacked(block, "none").shape == (10, 0, 3)
    assert unpacked(block, "short").shape == (0, 2, 3)


def test_equal_blocks_stand_once_and_give_the_same_bytes() -> None:
    blocks, names = Blocks(), []
    for seed in (1, 2, 1):
        block = Block()
        block.steps("p", path(seed), 1e-4)
        names.append(blocks.add(block))
    assert names[0] == names[2] != names[1]
    assert set(blocks.texts) == set(names)
