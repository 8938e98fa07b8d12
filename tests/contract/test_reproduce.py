"""The same numbers again: equal where nothing has changed, and otherwise what has, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.pipeline.study.batch import run_study
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

#: Bands are made again by the study below.
RECIPE = "[output]\nreport = false\nbudget = false\nuncertainty = false\n"


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def told(result: Result) -> tuple[list[str], list[str]]:
    """What `reproduce` printed below its headlines: what has changed, and what came out otherwise."""
    lines = [line.strip() for line in result.stdout.splitlines() if line.startswith("  ")]
    causes = [line for line in lines if line.split()[0] in ("input", "setting", "version", "command:", "output")]
    return causes, [line for line in lines if line not in causes]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings, a recipe, results made with them, and a norm of somebody else."""
    root = tmp_path_factory.mktemp("lab")
    person = virtual_subject(code="ben")
    (root / "ben").mkdir()
    write_c3d(person.static("static"), root / "ben" / "static.c3d")
    # As vendors' files have them, for a comparison with what the file stores.
    write_c3d(person.walk("walk01"), root / "ben" / "walk01.c3d", model_outputs=True)
    (root / "quick.toml").write_text(RECIPE, encoding="utf-8")
    assert biomech_id("run", root / "ben", "-o", root / "out", "--recipe", root / "quick.toml").exit_code in (0, 3)
    other = virtual_subject(code="ada", noise_m=0.001)
    (root / "ada").mkdir()
    for name, trial in (("static", other.static("static")), ("walk01", other.walk("walk01"))):
        write_c3d(trial, root / "ada" / f"{name}.c3d")
    assert biomech_id("run", root / "ada", "-o", root / "of_ada", "--recipe", root / "quick.toml").exit_code in (0, 3)
    assert biomech_id("norm", root / "of_ada", "-o", root / "norm.csv").exit_code == 0
    return root


@pytest.fixture
def lab(original: Path, tmp_path: Path) -> Path:
    """One's own copy of it."""
    return Path(shutil.copytree(original, tmp_path / "lab"))


def again(lab: Path, *words: str | Path) -> Result:
    return biomech_id("reproduce", lab / "out" / "manifest.json", "--input", lab / "ben", *words)


def edited(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_nothing_has_changed(lab: Path) -> None:
    result = again(lab)
    assert result.exit_code == 0, result.output
    assert result.stdout == ".: equal, byte for byte\n"


def test_one_byte_of_an_input(lab: Path) -> None:
    path = lab / "ben" / "walk01.c3d"
    content = bytearray(path.read_bytes())
    # A high byte of one number near the end of the file's data.
    content[-701] ^= 1
    path.write_bytes(content)
    result = again(lab)
    causes, _ = told(result)
    assert [cause.partition(": was ")[0] for cause in causes] == ["input walk01.c3d"]
    assert f"{path.name}: was" in causes[0]


def test_one_setting(lab: Path) -> None:
    edited(lab / "out" / "manifest.json", lambda manifest: manifest["recipe"]["filter"].update(marker_filter="always"))
    result = again(lab)
    assert result.exit_code == 1
    causes, differences = told(result)
    assert causes == ["setting [filter] marker_filter: was auto, is always"]
    # By how much each table moved.
    assert [line for line in differences if line.startswith("cycles.csv: numbers differ by at most ")]


@pytest.mark.parametrize("package", ["numpy", "ezc3d", "biomech-id", "python"])
def test_one_version(lab: Path, package: str) -> None:
    key = {"biomech-id": "version"}.get(package, package)
    where = (lambda manifest: manifest) if key in ("version", "python") else (lambda manifest: manifest["dependencies"])
    edited(lab / "out" / "manifest.json", lambda manifest: where(manifest).update({key: "0.1"}))
    result = again(lab)
    causes, differences = told(result)
    assert [cause.partition(", is ")[0] for cause in causes] == [f"version of {package}: was 0.1"]
    # The numbers are the same all the same, and that is what counts.
    assert differences == []
    assert result.exit_code == 0
    assert result.stdout.startswith(".: equal, byte for byte\n")


def test_an_output_that_somebody_has_changed(lab: Path) -> None:
    path = lab / "out" / "spatiotemporal.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",m/s", ",km/h"), encoding="utf-8")
    result = again(lab)
    assert result.exit_code == 1
    assert told(result) == (
        ["output spatiotemporal.csv: has been changed or removed since"],
        ["spatiotemporal.csv: other text in column unit"],
    )


def test_without_recordings(lab: Path) -> None:
    shutil.rmtree(lab / "ben")
    result = again(lab)
    assert result.exit_code == 1
    assert f"There is no folder {lab / 'ben'} with the recordings; name it with --input." in result.stdout


def test_a_norm_kept_elsewhere_is_the_sessions_own(lab: Path) -> None:
    """The norm lies beside the recordings' folder, and is gone by now: the session has kept it."""
    words = ["run", lab / "ben", "-o", lab / "out", "--recipe", lab / "quick.toml", "--norm", lab / "norm.csv"]
    assert biomech_id(*words).exit_code in (0, 3)
    (lab / "norm.csv").unlink()
    result = again(lab)
    assert (result.exit_code, result.stdout) == (0, ".: equal, byte for byte\n")


def test_files_kept_elsewhere_are_named(lab: Path) -> None:
    (lab / "about").mkdir()
    (lab / "about" / "ben.toml").write_text('code = "B"\nmass_kg = 71.5\n', encoding="utf-8")
    words = ["run", lab / "ben", "-o", lab / "out", "--recipe", lab / "quick.toml", "--subject", lab / "about" / "ben.toml"]
    assert biomech_id(*words).exit_code in (0, 3)
    missing = again(lab)
    assert missing.exit_code == 1
    assert "does not hold ben.toml, which the results were made with; if it lies elsewhere, name it with --also." in missing.stdout
    for place in (lab / "about", lab / "about" / "ben.toml"):
        assert again(lab, "--also", place).stdout == ".: equal, byte for byte\n"
    (lab / "about" / "ben.toml").write_text('code = "B"\nmass_kg = 71.6\n', encoding="utf-8")
    causes, _ = told(again(lab, "--also", lab / "about"))
    assert [cause.partition(": was ")[0] for cause in causes] == ["input ben.toml"]


def test_a_report_drawn_since_is_drawn_again(lab: Path) -> None:
    """With a norm of its own and on one page; the analysis had drawn none."""
    drawn = biomech_id("report", lab / "out", "--norm", lab / "norm.csv", "--pages", "cover")
    assert drawn.exit_code == 0, drawn.output
    noted = json.loads((lab / "out" / "manifest.json").read_text(encoding="utf-8"))["drawn"]
    assert noted["norm"]["name"] == "norm.csv"
    assert noted["pages"] == ["cover"]
    result = again(lab, "--also", lab)
    assert (result.exit_code, result.stdout) == (0, ".: equal, byte for byte\n")
    # Without that norm it says so.
    result = again(lab)
    assert result.exit_code == 1
    causes, differences = told(result)
    assert len(causes) == 1
    assert causes[0].startswith("output report.pdf: ")
    assert "norm.csv" in causes[0]
    assert differences == ["report.pdf: missing in the results computed again"]


@pytest.mark.slow
def test_an_appendix_says_with_what_it_was_drawn(lab: Path) -> None:
    drawn = biomech_id("report", lab / "out", "--norm", lab / "norm.csv", "--appendix")
    assert drawn.exit_code == 0, drawn.output
    manifest = json.loads((lab / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["drawn_appendix"]["norm"]["name"] == "norm.csv"
    assert "drawn" not in manifest
    result = again(lab)
    assert result.exit_code == 1
    assert "norm.csv" in told(result)[0][0]
    result = again(lab, "--also", lab)
    assert (result.exit_code, result.stdout) == (0, ".: equal, byte for byte\n")


def test_a_comparison_with_stored_outputs_is_made_again(lab: Path) -> None:
    assert biomech_id("parity", lab / "out", lab / "ben", "--report").exit_code in (0, 3)
    assert (lab / "out" / "parity.csv").is_file()
    result = again(lab)
    assert (result.exit_code, result.stdout) == (0, ".: equal, byte for byte\n")


@pytest.fixture(scope="module")
def study(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    for subject in ("anna", "ben"):
        shutil.copytree(original / "ben", root / "recordings" / subject)
    recipe = Recipe(report=False, budget=False)
    assert not run_study(root / "recordings", root / "out", Job((root / "recordings",), recipe=recipe)).complaint
    return root


def test_a_study_and_its_tables(study: Path, tmp_path: Path) -> None:
    out = Path(shutil.copytree(study / "out", tmp_path / "out"))
    result = biomech_id("reproduce", out, "--input", study / "recordings")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [f"{name}: equal, byte for byte" for name in ("anna", "ben", "study")]

    changed = next(path for path in sorted((out / "study").rglob("*")) if "spatiotemporal" in path.as_posix() and path.is_file())
    content = bytearray(changed.read_bytes())
    content[-20] ^= 1
    changed.write_bytes(content)
    result = biomech_id("reproduce", out, "--input", study / "recordings")
    assert result.exit_code == 1
    headlines = [line for line in result.stdout.splitlines() if not line.startswith("  ")]
    assert headlines == ["anna: equal, byte for byte", "ben: equal, byte for byte", "study: differs"]
    _, differences = told(result)
    assert [line.partition(": ")[0] for line in differences] == [changed.relative_to(out / "study").as_posix()]
