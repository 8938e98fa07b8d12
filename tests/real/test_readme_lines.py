"""The README's five lines give what the whole main job gives, on recordings that nobody has filled or filtered."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid

pytestmark = [pytest.mark.real, pytest.mark.slow]
README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
#: Raw recordings: noise above 20 Hz, gaps in one of them.
RAW = [
    "norm_subjects/NP1003/walkNorm_NP1003a09.c3d",
    "norm_subjects/NP1006/walkNorm_NP1006a12.c3d",
    "norm_subjects/NP1010/*.c3d",
    "norm_subjects/NP1013/*.c3d",
    "norm_subjects/NP1022/*.c3d",
    "walking/bmc_gait.c3d",
]  # fmt: skip
MASS_KG = 60.0


def five_lines() -> str:
    """The lines that lead from a model to the loads, as they stand in the README."""
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    return code[code.index("trial ") : code.index('loads["R"')]


@pytest.mark.parametrize("pattern", RAW)
def test_five_lines_are_the_main_job(c3d_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    shutil.copy(min(c3d_dir.glob(pattern)), tmp_path / "walk.c3d")
    monkeypatch.chdir(tmp_path)
    whole = bid.analyse("walk.c3d", model="six-dof", mass_kg=MASS_KG, uncertainty=False, budget=False).computed
    (trial,) = whole.trials
    assert any(finding.rule == "marker-filter" and finding.values["filtered"] for finding in trial.findings), "raw"
    walk = bid.read_c3d("walk.c3d")
    subject = walk.subject.with_values("scales", mass_kg=MASS_KG)
    names: dict[str, object] = {"bid": bid, "model": bid.six_dof_model(None, subject, walks=[walk])}
    exec(compile(five_lines(), "README.md", "exec"), names)
    loads = names["loads"]
    assert isinstance(loads, type(trial.loads))
    assert trial.loads is not None
    assert set(loads) == set(trial.loads)
    for key, load in trial.loads.items():
        np.testing.assert_allclose(loads[key].wrench.moment_Nm, load.wrench.moment_Nm, rtol=0, atol=1e-12)
        np.testing.assert_allclose(loads[key].wrench.force_N, load.wrench.force_N, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(loads[key].known, load.known)
    assert any(load.known.any() for load in loads.values())
