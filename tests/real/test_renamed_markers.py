"""A child's recordings under other names for their markers: events, verdicts and tables stay the same to the byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.renamed_markers import Session, renaming
from biomech_id.request.recipe import Recipe


@pytest.mark.parametrize("model", ["conventional", "six-dof"])
def test_random_names_change_no_byte_of_a_childs_results(c3d_dir: Path, model: str, tmp_path: Path) -> None:
    session = Session(tuple(sorted((c3d_dir / "children" / "HC002D").glob("*.c3d"))), Recipe(model=model), tmp_path)
    assert {"LHEE", "RHEE", "LTIB", "RTIB"} <= set(session.labels)
    rng = np.random.default_rng(41)
    for number in range(10):
        names = renaming(session.labels, rng)
        assert session.differences(names, plates=number % 2 == 0) == [], names
