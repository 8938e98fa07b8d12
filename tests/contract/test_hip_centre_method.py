"""How a hip centre was found is told as an enum; what people read about it decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from biomech_id.dynamics.model_errors import HipCentreMethod
from biomech_id.models.conventional import calibration
from biomech_id.models.joint_centres.hip_regressions import HIP_CENTRES
from biomech_id.models.registry import model_names
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.tables.session_tables import Tables

DATA = Path(__file__).resolve().parents[2] / "data"


def analysed(recipe: Recipe) -> Tables:
    others = tuple(path.name for path in DATA.glob("*.c3d") if path.stem not in ("static", "walk01"))
    return analyse_job(Job((DATA,), recipe=recipe, exclude=others)).tables()


def reworded(monkeypatch: pytest.MonkeyPatch, word: Callable[[str], str]) -> None:
    monkeypatch.setattr(calibration, "HIP_METHOD", word(calibration.HIP_METHOD))
    for name, way in list(HIP_CENTRES.items()):
        monkeypatch.setitem(HIP_CENTRES, name, replace(way, words=word(way.words)))


# Measured poses bring their own joint centres.
@pytest.mark.parametrize("model", [name for name in model_names() if name != "poses"])
def test_other_words_for_the_method_change_no_uncertainty(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe(model=model, hip_centre="davis" if model == "six-dof" else "auto", budget=False)
    before = analysed(recipe)
    reworded(monkeypatch, lambda words: "as in the textbook " + words[::-1])
    after = analysed(recipe)
    assert after.calibration != before.calibration  # the words are other words
    assert len(before.uncertainty) > 1000
    assert after.uncertainty.equals(before.uncertainty)
    assert after.calibration["hip_centre"] == before.calibration["hip_centre"] == dict.fromkeys("LR", HipCentreMethod.DAVIS)
