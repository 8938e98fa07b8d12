"""Children's walks with one stored strike a side: every cycle, where the deleted events were; the study's table is of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.studies.gait_events import KINDS
from benchmarks.studies.one_stored_strike import TABLE, completed, line, nearest_to_plates, stored_walks


def test_children_give_every_cycle_that_their_markers_show(c3d_dir: Path) -> None:
    found = stored_walks(c3d_dir / "children")
    walks = [completed("children", trial, nearest_to_plates(stored, plates), stored) for _, trial, stored, plates in found]
    assert len(walks) == 11
    assert all(walk.cycles >= walk.by_markers > 0 for walk in walks)
    for kind, near_ms, far_ms in zip(KINDS, (30.0, 40.0), (70.0, 40.0), strict=True):
        size_ms = np.abs([row.error_ms for walk in walks for row in walk.rows if row.kind is kind])
        assert len(size_ms) >= 39
        assert np.mean(size_ms <= near_ms) >= 0.9
        assert size_ms.max() <= far_ms
    assert line("children", walks) in TABLE.read_text(encoding="utf-8").splitlines()
