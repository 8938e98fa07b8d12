"""A norm that comes after the analysis: scores are computed from tables and norm when drawn, and only like is laid over like."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pypdf
import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
RECIPE = "[output]\nbudget = false\nuncertainty = false\nreport = false\n"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results without a norm, a norm made of them, and a style."""
    home = tmp_path_factory.mktemp("norm")
    for name in ("static", "walk01", "walk02"):
        (home / "walks").mkdir(exist_ok=True)
        shutil.copy(ROOT / "data" / f"{name}.c3d", home / "walks")
    (home / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    (home / "lab.toml").write_text('language = "en"\n', encoding="utf-8")
    assert run("run", home / "walks", "-o", home / "out", "--recipe", home / "recipe.toml").exit_code == 0
    assert run("norm", home / "out", "-o", home / "norm.csv").exit_code == 0
    own = pd.read_csv(home / "norm.csv", dtype=str, keep_default_na=False)
    assert (own["variable"] == "contributor.marks").sum() == 1
    own.to_csv(home / "own.csv", index=False)
    # Nobody is compared with himself: the norm counts as somebody else's.
    own.loc[own["variable"] == "contributor.marks", "contributors"] = "0123456789ab"
    own.to_csv(home / "norm.csv", index=False)
    return home


def text_of(pdf: Path) -> str:
    return " ".join(" ".join(page.extract_text().split()) for page in pypdf.PdfReader(pdf).pages)


def test_results_and_norms_carry_how_they_were_computed(home: Path) -> None:
    summary = json.loads((home / "out" / "summary.json").read_text(encoding="utf-8"))
    print_ = {"model": "conventional", "kinetics": "textbook", "hip_centre": "davis", "bandwidth": "like the markers"}
    assert summary["fingerprint"] == print_
    norm = pd.read_csv(home / "norm.csv")
    assert {key: list(norm[key].unique()) for key in print_} == {key: [words] for key, words in print_.items()}


def test_a_norm_after_the_run_gives_scores_and_the_command_that_does(home: Path, tmp_path: Path) -> None:
    out = shutil.copytree(home / "out", tmp_path / "out")
    assert run("report", out, "--pages", "scores,methods").exit_code == 0
    assert "this report has none" in text_of(out / "report.pdf")
    done = run("report", out, "--norm", home / "norm.csv", "--style", home / "lab.toml", "--pages", "scores", "--pages", "methods")
    assert done.exit_code == 0, done.output
    said = text_of(out / "report.pdf")
    assert "this report has none" not in said
    assert "Gait profile score" in said
    assert "0.0" in said, "oneself against oneself"
    assert "biomech-id run . --" in said
    assert "--norm norm.csv --style lab.toml --pages scores --pages methods" in said
    assert run("report", out, "--pages", "methods").exit_code == 0
    assert "--norm" not in text_of(out / "report.pdf")


def test_a_norm_of_the_person_alone_is_refused(home: Path) -> None:
    done = run("report", home / "out", "--norm", home / "own.csv", "--pages", "scores")
    assert done.exit_code == 1
    assert "own.csv holds nobody but this person" in done.output


def test_comparing_with_a_norm_after_the_runs_gives_scores(home: Path, tmp_path: Path) -> None:
    pdf = tmp_path / "two.pdf"
    assert run("compare", home / "out", home / "out", "-o", pdf, "--norm", home / "norm.csv").exit_code == 0
    assert text_of(pdf).count("Gait profile score") >= 2


@pytest.fixture
def raw(home: Path, tmp_path: Path) -> Path:
    """The same results, but of plates that were left as recorded."""
    out = shutil.copytree(home / "out", tmp_path / "raw")
    path = out / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    summary["fingerprint"]["bandwidth"] = "as recorded"
    path.write_text(json.dumps(summary), encoding="utf-8")
    return out


def test_two_bandwidths_are_mixed_only_by_name(home: Path, raw: Path, tmp_path: Path) -> None:
    commands = {
        "norm": ("norm", home / "out", raw, "-o", tmp_path / "norm.csv"),
        "report": ("report", raw, "--norm", home / "norm.csv", "--pages", "scores"),
        "compare": ("compare", home / "out", raw, "-o", tmp_path / "two.pdf"),
    }
    for name, words in commands.items():
        refused = run(*words)
        assert refused.exit_code == 1, (name, refused.output)
        assert "bandwidth" in refused.stderr, name
        assert "like the markers" in refused.stderr, name
        assert "as recorded" in refused.stderr, name
        done = run(*words, "--mix", "bandwidth")
        assert done.exit_code in (0, 3), (name, done.stderr)
    assert set(pd.read_csv(tmp_path / "norm.csv")["bandwidth"]) == {"like the markers + as recorded"}


def test_a_run_refuses_a_norm_of_another_bandwidth_unless_its_recipe_names_it(home: Path, tmp_path: Path) -> None:
    norm = pd.read_csv(home / "norm.csv", keep_default_na=False, na_values={"percent": [""], "sd": [""]})
    other = tmp_path / "raw.csv"
    norm.assign(bandwidth="as recorded").to_csv(other, index=False)
    words = ("run", home / "walks", "-o", tmp_path / "out", "--norm", other)
    refused = run(*words, "--recipe", home / "recipe.toml")
    assert refused.exit_code == 1
    assert "bandwidth of the plates" in refused.stderr
    assert not (tmp_path / "out").exists()
    (tmp_path / "mix.toml").write_text(RECIPE + 'mix = ["bandwidth"]\n', encoding="utf-8")
    done = run(*words, "--recipe", tmp_path / "mix.toml")
    assert done.exit_code == 0, done.stderr
    assert run("report", tmp_path / "out", "--pages", "scores").exit_code == 0, "as its recipe says"


def test_a_norm_that_does_not_say_is_named(home: Path, tmp_path: Path) -> None:
    norm = pd.read_csv(home / "norm.csv", keep_default_na=False, na_values={"percent": [""], "sd": [""]})
    norm.drop(columns=["hip_centre", "bandwidth"]).to_csv(tmp_path / "old.csv", index=False)
    done = run("run", home / "walks", "-o", tmp_path / "out", "--norm", tmp_path / "old.csv", "--recipe", home / "recipe.toml")
    assert done.exit_code == 0, done.stderr
    findings = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["findings"]
    (said,) = (finding for finding in findings if finding["rule"] == "norm-not-told")
    assert said["message"].startswith("The norm old.csv does not say its hip centre nor its bandwidth of the plates:")
