"""What may not be compared, of two folders as a laboratory has them: ``changes.csv`` and the sentence of page 1."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pypdf
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.pipeline import demo
from biomech_id.pipeline.run import run_job
from biomech_id.report import compare
from biomech_id.report.comparison.book import standard_pages
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample.write import patient, write_subject
from biomech_id.session.values.norm import write_norm

pytestmark = pytest.mark.slow
RULES = shipped_rules()
#: Walks of the patient that are analysed: three cycles a side.
WALKS = ("static", "walk01", "walk02")
#: What a visit is walked with and in, unless a test says otherwise.
STATED = 'aid = "none"\nfootwear = "barefoot"\n'


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of a crouching virtual patient, and a norm of four virtual walkers."""
    folder = tmp_path_factory.mktemp("laboratory")
    person = replace(patient("crouch"), noise_m=0.0003)
    write_subject(folder / "subject", person)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "NORM_PEOPLE", 4)
        sessions = demo.walkers_sessions(folder / "healthy")
    write_norm(norm_from_sessions(sessions, source="four", name="four"), folder / "norm.csv")
    visit(folder, "before")
    return folder


@pytest.fixture(autouse=True)
def _page_1_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "standard_pages", lambda *given: itertools.islice(standard_pages(*given), 1))


def visit(laboratory: Path, name: str, subject: str = STATED, **settings: object) -> Path:
    """The same walks as one more visit, with what the subject file says and the recipe's settings."""
    out = laboratory / name
    file = laboratory / f"{name}.toml"
    file.write_text(subject, encoding="utf-8")
    recordings = tuple(laboratory / "subject" / f"{each}.c3d" for each in WALKS)
    recipe = Recipe(report=False, budget=False).replaced(**settings)
    run_job(Job(recordings, recipe, norm=laboratory / "norm.csv", subject_file=file), out)
    return out


def compared(first: Path, second: Path, *more: str) -> tuple[pd.DataFrame, str]:
    """``changes.csv`` and the text of page 1, as ``biomech-id compare`` writes them."""
    pdf = second.with_suffix(".pdf")
    command = ["compare", str(first), str(second), "-o", str(pdf), "--warnings-ok", *more]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    text = " ".join(pypdf.PdfReader(pdf).pages[0].extract_text().split())
    return pd.read_csv(pdf.with_suffix(".changes.csv")), text


def test_what_nobody_stated_keeps_nothing_apart(laboratory: Path) -> None:
    changes, text = compared(laboratory / "before", visit(laboratory, "unstated", ""))
    assert {"CRS", "ADF", "SLO"} <= set(changes["pattern"])
    assert "No pattern is compared" not in text
    assert "aid not stated in both" in text


@pytest.mark.parametrize(("key", "word", "reason"), [
    ("aid", "crutches", "another aid"), ("footwear", "shod", "other footwear"),
])  # fmt: skip
def test_nothing_is_compared_across_another_aid_or_footwear(laboratory: Path, key: str, word: str, reason: str) -> None:
    stated = {"aid": "none", "footwear": "barefoot", key: word}
    after = visit(laboratory, word, "".join(f'{name} = "{value}"\n' for name, value in stated.items()))
    changes, text = compared(laboratory / "before", after)
    assert changes.empty
    assert f"No pattern is compared: {reason}." in text
    assert f"Everything: {reason}." in text


@pytest.mark.parametrize(("key", "settings", "reason"), [
    ("hip_centre", {"hip_centre": "harrington"}, "another hip centre"),
    ("model", {"model": "six-dof"}, "another body model"),
])  # fmt: skip
def test_nothing_is_compared_across_another_hip_centre_or_model(
    laboratory: Path, key: str, settings: dict[str, str], reason: str
) -> None:
    after = visit(laboratory, key, **settings, mix=(key, "hip_centre"))
    changes, text = compared(laboratory / "before", after, "--mix", key, "--mix", "hip_centre")
    assert changes.empty
    assert f"No pattern is compared: {reason}" in text


def test_hip_and_knee_outside_the_sagittal_plane_are_not_compared_across_another_knee_axis(laboratory: Path) -> None:
    changes, text = compared(laboratory / "before", visit(laboratory, "axis", knee_axis="walk"))
    assert "CRS" in set(changes["pattern"])
    assert "Hip and knee outside the sagittal plane: another way to the knee axis." in text


def test_ankle_and_foot_are_not_compared_across_another_kind_of_static(laboratory: Path) -> None:
    changes, text = compared(laboratory / "before", visit(laboratory, "static", f"{STATED}foot_flat = false\n"))
    assert "CRS" in set(changes["pattern"])
    assert not {"ankle", "foot"} & {RULES[pattern].joint for pattern in changes["pattern"]}
    assert "Ankle and foot: another kind of static (feet flat or not)." in text
