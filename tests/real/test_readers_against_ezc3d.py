"""Two readers, one truth: positions, analog channels and plate wrenches equal ezc3d's on every file that it reads rightly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.c3d.plate_setup import describe_plates
from biomech_id.readers.c3d.plate_wrench import stored_wrench
from biomech_id.readers.source import read_source


def readable_by_ezc3d(c3d_dir: Path) -> list[str]:
    files = json.loads((c3d_dir / "facts.json").read_text(encoding="utf-8"))["files"]
    return [f["path"] for f in files if f["ezc3d"] == "ok" and "ezc3d_silently_wrong" not in f.get("tags", [])]


def test_positions_analogs_and_wrenches_are_equal(c3d_dir: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    names = readable_by_ezc3d(c3d_dir)
    assert len(names) > 50
    plates = 0
    for name in names:
        file = open_c3d(read_source(c3d_dir / name))
        other = ezc3d.c3d(str(c3d_dir / name), extract_forceplat_data=True)
        positions, measured = file.points()
        mine = np.where(measured[..., None], positions, np.nan)
        assert np.array_equal(mine, other["data"]["points"][:3].transpose(2, 1, 0), equal_nan=True), name
        if file.layout.channels:
            assert np.array_equal(file.analog(range(file.layout.channels)), other["data"]["analogs"][0].T), name
        for setup, platform in zip(describe_plates(file), other["data"]["platform"], strict=True):
            force, moment = stored_wrench(setup, file.analog(setup.channels))
            # Rounding of sums of the same products in another order: 1e-12 of a newton, 1e-9 N mm.
            np.testing.assert_allclose(force, platform["force"].T, atol=1e-12, rtol=1e-12, err_msg=name)
            np.testing.assert_allclose(moment, platform["moment"].T, atol=1e-9, rtol=1e-12, err_msg=name)
            plates += 1
    assert plates > 60
