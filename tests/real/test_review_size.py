"""The review page stays small: libraries and words below a megabyte, a child's trial of 250 frames below half of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.review_page import CHILD, MOST_PAGE_B, MOST_TRIAL_B, page_bytes, trial_bytes
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe

pytestmark = pytest.mark.slow


def test_a_child_s_trial_takes_half_a_megabyte_at_most(c3d_dir: Path, tmp_path: Path) -> None:
    run_job(Job((c3d_dir / CHILD,), Recipe(report=False, budget=False)), tmp_path / "out")
    assert page_bytes() <= MOST_PAGE_B
    assert 0.2e6 < trial_bytes(tmp_path / "out") <= MOST_TRIAL_B
