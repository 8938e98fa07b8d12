from __future__ import annotations

import dataclasses
import inspect
import tomllib
from pathlib import Path

import pytest

import biomech_id
from biomech_id.errors import OptionError
from biomech_id.pipeline.analyse import analyse
from biomech_id.request.in_memory import FUNCTION_SETTINGS
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, Settings, read_recipe, recipe_from_dict, recipe_toml
from biomech_id.sample.subject import VirtualSubject, virtual_subject


def test_printed_recipe_reads_back_as_the_default(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(recipe_toml(), encoding="utf-8")
    assert read_recipe(file) == Recipe()
    assert tomllib.loads(recipe_toml()) == Recipe().as_dict()


def test_every_changed_setting_survives_the_round_trip(tmp_path: Path) -> None:
    recipe = Recipe(kinetics="vicon", cutoff_hz=6.0, stance_verdicts=("walk L 1 = none",), longest_gap_frames=3, budget=False)
    file = tmp_path / "lab.toml"
    file.write_text(recipe_toml(recipe), encoding="utf-8")
    assert read_recipe(file) == recipe


@pytest.mark.parametrize(
    ("sections", "names"),
    [
        ({"model": {"kinetics": "vikon"}}, ["kinetics", "vikon", "textbook"]),
        ({"filter": {"cutoff_hz": "eight"}}, ["cutoff_hz", "eight"]),
        ({"filter": {"cutoff_hz": 0.0}}, ["cutoff_hz", "0.1"]),
        ({"gaps": {"longest_gap_frames": 2.5}}, ["longest_gap_frames", "2.5"]),
        ({"gaps": {"longest": 2}}, ["longest", "gaps", "biomech-id recipe", "Did you mean 'longest_gap_frames'?"]),
        ({"filter": {"budget": False}}, ["budget", "belongs to [output]"]),
        ({"report": False}, ["report", "below [output]."]),
        ({"model": {"model": "six-dof", "kinetics": "vicon"}}, ["vicon kinetics", "conventional model"]),
        ({"gap": {"longest": 2}}, ["longest", "gap"]),
        ({"kinetics": "vicon"}, ["kinetics", "[model]"]),
        ({"output": {"budget": 1}}, ["budget", "1"]),
    ],
)
def test_a_wrong_recipe_is_one_sentence_with_the_value(sections: dict[str, object], names: list[str]) -> None:
    with pytest.raises(OptionError) as caught:
        recipe_from_dict(sections, where="lab.toml")
    for name in names:
        assert name in caught.value.message


def test_a_knee_in_the_cost_is_known_beside_squares_alone() -> None:
    assert Recipe(muscle_knee_cost=0.4).force_options.knee_cost == 0.4
    with pytest.raises(OptionError, match="muscle_knee_cost is known beside muscle_exponent 2, not beside 3"):
        Recipe(muscle_knee_cost=0.4, muscle_exponent=3.0)


def test_a_recipe_that_is_not_toml_names_the_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text("[model\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"lab\.toml.*line 1"):
        read_recipe(file)
    with pytest.raises(OptionError, match="No such file"):
        read_recipe(tmp_path / "absent.toml")
    file.write_bytes(b"# M\xfcller\n")
    with pytest.raises(OptionError, match="save it as UTF-8"):
        read_recipe(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_recipe_reads_alike_from_every_editor_and_shell(tmp_path: Path, encoding: str) -> None:
    """Windows PowerShell writes ``biomech-id recipe > lab.toml`` in UTF-16, Notepad puts a mark in front of UTF-8."""
    file = tmp_path / "lab.toml"
    changed = Recipe(marker_set="Größe.toml", cutoff_hz=6.0)
    file.write_bytes(recipe_toml(changed).replace("\n", "\r\n").encode(encoding))
    assert read_recipe(file) == changed


def test_a_value_that_does_not_fit_is_told_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text('[filter]\ncutoff_hz = "six"\n', encoding="utf-8")
    with pytest.raises(OptionError, match=r"^lab\.toml: Recipe setting cutoff_hz is 'six'; it must be a number"):
        read_recipe(file)


def test_every_setting_is_a_named_and_typed_keyword() -> None:
    """``analyse`` takes the recipe's fields by name; a type checker and an editor know them all."""
    fields = {setting.name: f"{setting.type} | None" for setting in dataclasses.fields(Recipe)}
    typed = {name: kind.__forward_arg__ for name, kind in Settings.__annotations__.items()}
    functions = {name for name, kind in typed.items() if "Callable" in kind}
    assert functions == set(FUNCTION_SETTINGS)
    assert typed == fields | {name: typed[name] for name in functions}
    assert all(typed[name].startswith("str | Callable[") for name in functions)
    named = set(inspect.signature(analyse).parameters) - {"folder", "settings"}
    assert named == set(Job.__dataclass_fields__) - {"paths", "given", "recorded", "remembered"} | {"extra"}


def test_no_function_takes_options_of_any_kind() -> None:
    """What a public function takes has a name and a type; a keyword that it does not have is refused."""
    package = Path(biomech_id.__file__).parent
    assert not [path for path in package.rglob("*.py") if "**options: Any" in path.read_text(encoding="utf-8")]
    assert inspect.signature(virtual_subject).parameters.keys() == VirtualSubject.__dataclass_fields__.keys()
    with pytest.raises(OptionError, match="no option named bodi"):
        virtual_subject(bodi="child")  # type: ignore[call-arg]


def test_a_list_in_python_is_kept_as_a_tuple() -> None:
    assert Recipe(stance_verdicts=["walk L 1 = none"]).stance_verdicts == ("walk L 1 = none",)  # type: ignore[arg-type]
