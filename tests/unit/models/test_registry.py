"""Which body model a name means: a registered one, the file of an OpenSim model, or its name in a laboratory's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.errors import OptionError
from biomech_id.models.registry import MODELS_FOLDER, is_model, model_file, no_model, registered_name
from biomech_id.request.recipe import Recipe


def test_a_file_is_an_opensim_model_and_a_registered_name_is_none() -> None:
    assert model_file("there/Subject01.OSIM") == Path("there/Subject01.OSIM")
    assert registered_name("there/subject01.osim") == "opensim"
    assert model_file("six-dof") is None
    assert registered_name("six-dof") == "six-dof"
    assert Recipe(model="a.osim").known_model == "opensim"


def test_a_short_name_is_looked_for_in_the_laboratorys_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "gait2392_thelen2003muscle.osim",
        "leg.osim",
        "leg39.osim",
        "legs.osim",
        "arm_a.osim",
        "arm_b.osim",
        "gait2392.txt",
    ):
        (tmp_path / name).touch()
    monkeypatch.setenv(MODELS_FOLDER, str(tmp_path))
    assert model_file("gait2392") == tmp_path / "gait2392_thelen2003muscle.osim"
    assert model_file("leg") == tmp_path / "leg.osim"
    # Two begin like this, and nobody knows which is meant.
    assert model_file("arm") is None
    assert not is_model("arm")
    with pytest.raises(OptionError, match="holds no single arm"):
        Recipe(model="arm")


def test_a_model_that_is_not_at_hand_says_where_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODELS_FOLDER, raising=False)
    assert "github.com/opensim-org" in no_model("gait2392")
    with pytest.raises(OptionError, match=r"BIOMECH_ID_MODELS names no folder.*opensim-models"):
        Recipe(model="gait2392")
