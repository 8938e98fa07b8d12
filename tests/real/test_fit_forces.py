"""A recorded walk fitted to its loads: little is left over, and a plate that stands off is seen and does not bend the motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies import fit_forces as study

pytestmark = pytest.mark.real


def test_a_recorded_walk_and_its_plate_moved(shared_dir: Path) -> None:
    model, motion, outer = study.recorded(shared_dir / "opensim_refs/rajagopal_walk")
    base, shifted = (study.solved(model, motion, study.moved(outer, 2, mm)) for mm in (0.0, 30.0))
    table = study.TABLE.read_text(encoding="utf-8")
    for mm, one in ((0, base), (30, shifted)):
        figures = " | ".join(study.left(each) for each in (one.before, one.after, one.if_moved))
        assert f"| rajagopal_walk | {mm:+d} sideways | {figures} | {study.change_deg(one):.2f} |" in table
    assert base.before.peak_moment_share > 0.03
    assert base.after.peak_force_share <= 0.05
    assert base.after.peak_moment_share <= 0.01
    assert base.consistent
    assert not shifted.consistent
    for k, contact in enumerate(shifted.contacts):
        wanted_m = -0.03 if contact.body == outer[0].segment else 0.0
        assert abs(contact.offset_m[1] - base.contacts[k].offset_m[1] - wanted_m) < 0.012
        assert abs(contact.offset_m[1] - wanted_m) < 2 * contact.sd_m[1]
    assert study.change_deg(shifted) < study.MOST_CHANGE * study.change_deg(base)
    assert np.abs(np.log(base.mass_factor) / base.mass_sd).max() < 3.0
