"""Plates of types 5 to 7: named with their channels, markers read; declared by a laboratory, their forces are known."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.request.recipe import Recipe, read_recipe, recipe_toml
from biomech_id.sample.c3d import write_c3d


@cache
def person():
    return bid.virtual_subject()


@cache
def walk():
    return person().walk("walk")


def calibration(wide: int) -> np.ndarray:
    """(6, wide): what makes forces and moments of that many raw channels."""
    raw = np.hstack([np.diag([1.5, 1.4, 5.8, 590.0, 600.0, 300.0]), np.zeros((6, wide - 6))]) + 0.01 * np.arange(6 * wide).reshape(
        6, wide
    )
    return raw.round(6)


def as_type(path: Path, kind: int, wide: int = 6) -> tuple[Path, list[dict]]:
    """The walk with plates of another type and `wide` raw channels each; and what their laboratory would declare."""
    file = ezc3d.c3d(str(write_c3d(walk(), path)))
    plates, n = file["parameters"]["FORCE_PLATFORM"], file["parameters"]["FORCE_PLATFORM"]["USED"]["value"][0]
    raw = file["data"]["analogs"]
    matrix = calibration(wide)
    blocks = [np.linalg.pinv(matrix) @ raw[0, 6 * k : 6 * k + 6] for k in range(n)]
    rest = raw[0, 6 * n :]
    data = np.vstack([*blocks, rest])
    names = [f"P{k}C{i}" for k in range(n) for i in range(wide)] + file["parameters"]["ANALOG"]["LABELS"]["value"][6 * n :]
    analog = file["parameters"]["ANALOG"]
    for name, value in (("LABELS", names), ("DESCRIPTIONS", [""] * len(names)), ("UNITS", ["V"] * len(names))):
        analog[name]["value"] = value
    for name, value in (("SCALE", 1.0), ("OFFSET", 0)):
        analog[name]["value"] = [value] * len(names)
    analog["USED"]["value"] = [len(names)]
    file["data"]["analogs"] = data[None]
    plates["TYPE"]["value"] = [kind] * n
    plates["CHANNEL"]["value"] = (1 + np.arange(wide * n)).reshape(n, wide).T
    file.write(str(path))
    rows = matrix.tolist()
    return path, [{"plate": k + 1, "type": 4, "matrix": rows} for k in range(n)]


@pytest.mark.parametrize(("kind", "wide"), [(5, 8), (6, 12), (7, 12)])
def test_a_plate_of_an_unknown_type_is_named_and_may_be_declared(tmp_path: Path, kind: int, wide: int) -> None:
    path, said = as_type(tmp_path / "walk.c3d", kind, wide)
    trial = bid.read_c3d(path)
    problems = [f.values["problem"] for f in trial.findings if f.rule == "plate-broken"]
    assert len(problems) == len(said)
    assert all(problem.values["type"] == kind and problem.values["channels"] == wide for problem in problems)
    assert f"its type is {kind} with {wide} channels" in str(problems[0])
    assert trial.plates == ()
    np.testing.assert_allclose(trial.markers.position_m, walk().trial.markers.position_m, atol=1e-6, equal_nan=True)

    declared = Recipe(plate_types=said).declared_plates
    for trust in (True, False):
        known = bid.read_c3d(path, plates=declared, trust=trust)
        for plate, true in zip(known.plates, walk().trial.plates, strict=True):
            np.testing.assert_allclose(plate.force_lab_N, true.force_lab_N, atol=0.05)
            np.testing.assert_allclose(plate.moment_lab_Nm, true.moment_lab_Nm, atol=0.05)


def test_six_channels_may_be_forces_and_moments(tmp_path: Path) -> None:
    file = ezc3d.c3d(str(write_c3d(walk(), tmp_path / "walk.c3d")))
    n = file["parameters"]["FORCE_PLATFORM"]["USED"]["value"][0]
    file["parameters"]["FORCE_PLATFORM"]["TYPE"]["value"] = [7] * n
    file.write(str(tmp_path / "seven.c3d"))
    assert bid.read_c3d(tmp_path / "seven.c3d").plates == ()
    known = bid.read_c3d(tmp_path / "seven.c3d", plates=[DeclaredPlate(k + 1, 2) for k in range(n)])
    for plate, true in zip(known.plates, walk().trial.plates, strict=True):
        np.testing.assert_allclose(plate.force_lab_N, true.force_lab_N, atol=0.05)


def test_a_plate_of_a_known_type_stays_what_its_file_says(tmp_path: Path) -> None:
    path = write_c3d(walk(), tmp_path / "walk.c3d")
    doubled = DeclaredPlate(1, 4, matrix=tuple(map(tuple, 2.0 * np.eye(6))))
    plain, declared = bid.read_c3d(path), bid.read_c3d(path, plates=[doubled])
    np.testing.assert_array_equal(plain.plates[0].force_lab_N, declared.plates[0].force_lab_N)


def test_the_whole_job_takes_it_from_the_recipe(tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    write_c3d(person().static(), folder / "static.c3d")
    _, said = as_type(folder / "walk.c3d", 7, 8)
    recipe = Recipe(plate_types=said, report=False)
    (tmp_path / "recipe.toml").write_text(recipe_toml(recipe), encoding="utf-8")
    assert read_recipe(tmp_path / "recipe.toml").declared_plates == recipe.declared_plates
    with_it = bid.analyse(folder, recipe=read_recipe(tmp_path / "recipe.toml"), uncertainty=False, budget=False)
    without = bid.analyse(folder, uncertainty=False, budget=False)
    assert with_it.trials[0].has_kinetics
    assert not without.trials[0].has_kinetics


@pytest.mark.parametrize(
    "said",
    [
        {"plate": 1, "type": 3},
        {"plate": 1},
        {"plate": 0, "type": 2},
        {"plate": 1, "type": 4, "matrix": [[1.0] * 6] * 5},
        {"plate": 1, "type": 4, "channels": [1, 2, 3, 4, 5, 6, 7], "matrix": [[1.0] * 6] * 6},
        {"plate": 1, "type": 2, "channels": [1, 2, 3]},
        {"plate": 1, "type": 2, "matrix": [[1.0] * 6] * 6},
        {"plate": 1, "type": 2, "origin": [1.0]},
        {"plate": 1, "type": 2, "colour": "red"},
        "plate 1 = type 2",
    ],
)
def test_what_cannot_be_meant_is_refused(said: object) -> None:
    with pytest.raises(OptionError):
        Recipe(plate_types=[said])
    with pytest.raises(OptionError, match="twice"):
        Recipe(plate_types=[{"plate": 1, "type": 2}, {"plate": 1, "type": 4}])
