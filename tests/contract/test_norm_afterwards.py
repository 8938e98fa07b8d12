"""A norm that comes after the analysis: scores are computed from tables and norm when drawn, and only like is laid over like."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from pathlib import Path

import pandas as pd
import pypdf
import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.norms.comparable import several_bandwidths
from biomech_id.report.panels.norm import load_norm
from biomech_id.session.folder.read_write import read_tables

ROOT = Path(__file__).resolve().parents[2]
RECIPE = "[output]\nbudget = false\nuncertainty = false\nreport = false\n"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results without a norm, a norm made of them, and a style."""
    home = tmp_path_factory.mktemp("norm")
    (home / "walks").mkdir()
    for name in ("static", "walk01"):
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
    done = run("compare", home / "out", home / "out", "-o", pdf, "--norm", home / "norm.csv", "--pages", "scores")
    assert done.exit_code == 0, done.output
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


def test_sessions_of_two_bandwidths_are_compared_only_by_name(home: Path, raw: Path, tmp_path: Path) -> None:
    words = ("compare", home / "out", raw, "-o", tmp_path / "two.pdf")
    refused = run(*words)
    assert refused.exit_code == 1, refused.output
    assert all(said in refused.stderr for said in ("bandwidth", "like the markers", "as recorded")), refused.stderr
    mixed = run(*words, "--mix", "bandwidth", "--pages", "kinetics_mean")
    assert mixed.exit_code in (0, 3), mixed.output


def test_a_norm_of_two_bandwidths_holds_both_and_mixes_them_only_by_name(home: Path, raw: Path, tmp_path: Path) -> None:
    assert run("norm", home / "out", raw, "-o", tmp_path / "both.csv").exit_code == 0
    both = pd.read_csv(tmp_path / "both.csv", keep_default_na=False)
    one = pd.read_csv(home / "own.csv", keep_default_na=False)
    loads, angles = (both[both["variable"] == name] for name in ("KneeMoment", "KneeAngles"))
    assert set(loads["bandwidth"]) == {"like the markers", "as recorded"}
    assert set(angles["bandwidth"]) == {""}
    for words, rows in loads.groupby("bandwidth"):
        assert rows["mean"].tolist() == one[one["variable"] == "KneeMoment"]["mean"].tolist(), words
    mixed = run("norm", home / "out", raw, "-o", tmp_path / "mixed.csv", "--mix", "bandwidth")
    assert mixed.exit_code == 0, mixed.output
    assert set(pd.read_csv(tmp_path / "mixed.csv")["bandwidth"]) == {"like the markers + as recorded"}


def other_norm(home: Path, path: Path, **computed: str) -> Path:
    norm = pd.read_csv(home / "norm.csv", keep_default_na=False, na_values={"percent": [""], "sd": [""]})
    norm.assign(**computed).to_csv(path, index=False)
    return path


#: What differs -> variables that the report's norm keeps, and some that it loses.
PARTS = {
    "bandwidth": ("as recorded", {"KneeAngles", "GPS", "cadence"}, {"KneeMoment", "AnklePower", "max_stance.KneeMoment"}),
    "hip_centre": ("harrington", {"PelvisAngles", "cadence"}, {"KneeAngles", "GPS", "KneeMoment"}),
    "kinetics": ("vicon", {"KneeAngles", "GPS", "cadence"}, {"KneeMoment"}),
    "model": ("six-dof", {"cadence"}, {"PelvisAngles", "KneeAngles", "GPS", "KneeMoment"}),
}


@pytest.mark.parametrize("key", PARTS)
def test_what_was_computed_otherwise_is_left_out_of_the_norm_and_said(home: Path, tmp_path: Path, key: str) -> None:
    words, kept, lost = PARTS[key]
    other = other_norm(home, tmp_path / "other.csv", **{key: words})
    tables = read_tables(home / "out")
    norm = load_norm(other, tables)
    assert norm is not None
    assert kept <= set(norm.table["variable"])
    assert not lost & set(norm.table["variable"])
    (said,) = (finding for finding in norm.note["said"] if finding.rule == "norm-part-left-out")
    assert words in str(said)
    mixed = load_norm(other, tables, mix=(key,))
    assert mixed is not None
    assert lost <= set(mixed.table["variable"])


def test_a_norm_never_stops_a_run(home: Path, tmp_path: Path) -> None:
    other = other_norm(home, tmp_path / "raw.csv", bandwidth="as recorded")
    words = ("run", home / "walks", "--recipe", home / "recipe.toml", "--norm", other)
    left_out = run(*words, "-o", tmp_path / "out")
    assert left_out.exit_code == 0, left_out.stderr
    findings = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["findings"]
    (said,) = (finding["message"] for finding in findings if finding["rule"] == "norm-part-left-out")
    assert "Joint loads are not compared" in said
    assert "as recorded" in said
    assert "norm-part-left-out" not in _rules(run(*words, "--mix", "bandwidth", "-o", tmp_path / "mixed"), tmp_path / "mixed")
    assert run("report", tmp_path / "mixed", "--pages", "scores").exit_code == 0, "as its recipe says"
    both = tmp_path / "both.csv"
    one, two = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in (home / "norm.csv", other))
    several_bandwidths({"like the markers": one, "as recorded": two}).to_csv(both, index=False)
    assert "norm-part-left-out" not in _rules(run(*words[:-1], both, "-o", tmp_path / "picked"), tmp_path / "picked")
    numbers = [(tmp_path / out / "scores.csv").read_bytes() for out in ("out", "mixed", "picked")]
    assert numbers[0] == numbers[1] == numbers[2]


def _rules(done: Result, out: Path) -> set[str]:
    assert done.exit_code == 0, done.stderr
    return {finding["rule"] for finding in json.loads((out / "summary.json").read_text(encoding="utf-8"))["findings"]}


def test_a_norm_holds_no_hash_of_a_name(home: Path) -> None:
    code = json.loads((home / "out" / "summary.json").read_text(encoding="utf-8"))["subject"]["code"]
    assert code
    text = (home / "own.csv").read_text(encoding="utf-8")
    for digest in ("md5", "sha1", "sha256", "sha512"):
        assert hashlib.new(digest, code.encode()).hexdigest()[:8] not in text, digest


def test_under_a_code_a_norm_says_that_ones_own_sessions_leave_it(home: Path, tmp_path: Path) -> None:
    own, other = (pd.read_csv(home / name, dtype=str, keep_default_na=False) for name in ("own.csv", "norm.csv"))
    told = own["contributors"].where(own["contributors"] == "", own["contributors"] + ";" + other["contributors"])
    own.assign(contributors=told).to_csv(tmp_path / "two.csv", index=False)
    words = ("run", home / "walks", "--recipe", home / "recipe.toml", "--norm", tmp_path / "two.csv", "-o", tmp_path / "out")
    assert "norm-own-session" in _rules(run(*words, "--code", "P017"), tmp_path / "out")


def test_a_norm_is_made_with_a_name_a_version_and_a_date(home: Path, tmp_path: Path) -> None:
    words = ("norm", home / "out", "-o", tmp_path / "norm.csv", "--name", "Adults", "--norm-version", "2")
    assert run(*words, "--date", "2026-01-31").exit_code == 0
    norm = pd.read_csv(tmp_path / "norm.csv", dtype=str)
    assert {key: norm[key].unique().tolist() for key in ("name", "version", "date")} == {
        "name": ["Adults"], "version": ["2"], "date": ["2026-01-31"],
    }  # fmt: skip
    assert run(*words).exit_code == 0
    (today,) = pd.read_csv(tmp_path / "norm.csv", dtype=str)["date"].unique()
    assert datetime.date.fromisoformat(today) >= datetime.date(2026, 1, 31)
    refused = run(*words, "--date", "31.1.2026")
    assert refused.exit_code == 1
    assert "'31.1.2026' is no day" in refused.output


def test_means_of_others_are_imported_and_scores_need_no_people(home: Path, tmp_path: Path) -> None:
    norm = pd.read_csv(home / "norm.csv", dtype=str, keep_default_na=False)
    kept = norm["variable"].isin(["PelvisAngles", "HipAngles", "KneeAngles", "AnkleAngles", "FootProgressAngles"])
    theirs = norm.loc[kept, ["variable", "component", "percent", "mean"]].assign(sd="3", n="30", age_min_y="20", age_max_y="40")
    theirs.assign(model="conventional").to_csv(tmp_path / "theirs.csv", index=False)
    made = run("norm", "--import", tmp_path / "theirs.csv", "-o", tmp_path / "norm.csv", "--name", "Published")
    assert (made.exit_code, "30 subjects" in made.output) == (0, True), made.output
    drawn = run("report", home / "out", "--norm", tmp_path / "norm.csv", "--pages", "first", "--pages", "scores")
    assert drawn.exit_code == 0, drawn.output
    text = text_of(home / "out" / "report.pdf")
    assert "Norm: Published, " in text
    assert "the norm holds means and SDs and no people" in text
    assert run("norm", home / "out", "--import", tmp_path / "theirs.csv", "-o", tmp_path / "none.csv").exit_code == 2
    for option, value in (("--condition", "shod"), ("--oldest", "30"), ("--without", "P007"), ("--mix", "model")):
        refused = run("norm", "--import", tmp_path / "theirs.csv", "-o", tmp_path / "none.csv", option, value)
        assert (refused.exit_code, option in refused.output) == (2, True), option


def test_a_norm_leaves_out_who_has_a_diagnosis_and_says_so(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "out", tmp_path / "patient")
    summary = json.loads((tmp_path / "patient" / "summary.json").read_text(encoding="utf-8"))
    summary |= {"clinic": {"": {"diagnosis": "spastic diplegia"}}, "subject": {**summary["subject"], "code": "P"}}
    (tmp_path / "patient" / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    made = run("norm", home / "out", tmp_path / "patient", "-o", tmp_path / "norm.csv")
    assert made.exit_code == 3, made.output
    assert "P not in the means: has a diagnosis (spastic diplegia): no patient is in a norm." in made.output
    nobody = run("norm", tmp_path / "patient", "-o", tmp_path / "nobody.csv")
    assert nobody.exit_code == 1
    assert "no person with a diagnosis is in one (P)" in " ".join(nobody.output.split())
    assert not (tmp_path / "nobody.csv").exists()


def test_a_norm_that_does_not_say_is_named(home: Path, tmp_path: Path) -> None:
    norm = pd.read_csv(home / "norm.csv", keep_default_na=False, na_values={"percent": [""], "sd": [""]})
    norm.drop(columns=["hip_centre", "bandwidth"]).to_csv(tmp_path / "old.csv", index=False)
    done = run("run", home / "walks", "-o", tmp_path / "out", "--norm", tmp_path / "old.csv", "--recipe", home / "recipe.toml")
    assert done.exit_code == 0, done.stderr
    findings = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["findings"]
    (said,) = (finding for finding in findings if finding["rule"] == "norm-not-told")
    assert said["message"].startswith("The norm old.csv does not say its hip centre nor its bandwidth of the plates:")
