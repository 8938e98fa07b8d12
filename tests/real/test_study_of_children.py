"""The recorded children as a study: a verdict for each, a norm from them, a report with that norm, and the same bytes again."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app


@pytest.fixture(scope="module")
def children(c3d_dir: Path) -> Path:
    return c3d_dir / "children"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = tmp_path_factory.mktemp("recipe") / "quick.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    return recipe


@pytest.fixture(scope="module")
def out(children: Path, quick: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("children") / "out"
    assert biomech_id("batch", children, "-o", out, "--recipe", quick, "--workers", "2").exit_code in (0, 3)
    return out


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_every_child_has_a_verdict_and_a_result(children: Path, out: Path) -> None:
    folders = sorted({path.parent.relative_to(children).as_posix() for path in children.rglob("*.c3d")})
    with (out / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["subject"] for row in rows] == folders
    for row in rows:
        assert row["verdict"] in ("done", "warnings"), row
        assert int(row["trials"]) == len(list((out / row["subject"] / "trials").glob("*.csv"))) > 0


def test_a_norm_from_them_stands_in_a_childs_report(children: Path, out: Path, quick: Path, tmp_path: Path) -> None:
    from pypdf import PdfReader

    subjects = sorted(path.parent for path in out.rglob("manifest.json"))
    made = biomech_id("norm", *subjects[1:], "-o", tmp_path / "norm.csv", "--source", "five children")
    # All curves of the legs are whole; those of waist and neck end before a recording does, which is said.
    assert made.exit_code == 0, made.output
    assert f"{len(subjects) - 1} subjects, not a clinical norm" in made.output
    one = subjects[0].relative_to(out)
    assert biomech_id(
        "run", children / one, "-o", tmp_path / "one", "--recipe", quick, "--norm", tmp_path / "norm.csv"
    ).exit_code in (0, 3)
    drawn = biomech_id("report", tmp_path / "one")
    assert drawn.exit_code == 0, drawn.output
    text = " ".join(page.extract_text() for page in PdfReader(tmp_path / "one" / "report.pdf").pages)
    assert "five children" in " ".join(text.split())
    with (tmp_path / "one" / "scores.csv").open(encoding="utf-8", newline="") as file:
        # The deviation index needs more people than five.
        assert {"GPS", "GVS"} <= {row["score"] for row in csv.DictReader(file)}


def reproduced(manifest: Path, recordings: Path) -> subprocess.CompletedProcess[str]:
    """What `reproduce` says, in a process of its own: how many threads add up a matrix product is fixed when numpy is loaded."""
    code = "from biomech_id.cli import main; main()"
    words = [sys.executable, "-c", code, "reproduce", str(manifest), "--input", str(recordings)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_child_reproduces(children: Path, out: Path) -> None:
    subject = sorted(path.parent for path in out.rglob("manifest.json"))[0]
    again = reproduced(subject / "manifest.json", children / subject.relative_to(out))
    assert (again.returncode, again.stdout) == (0, ".: equal, byte for byte\n"), again.stdout + again.stderr


def test_one_changed_byte_one_setting_and_one_version_of_a_child_are_named(children: Path, out: Path, tmp_path: Path) -> None:
    subject = sorted(path.parent for path in out.rglob("manifest.json"))[0].relative_to(out)
    recordings, results = shutil.copytree(children / subject, tmp_path / "in"), shutil.copytree(out / subject, tmp_path / "out")
    walk = next(path for path in sorted(recordings.glob("*.c3d")) if (results / "trials" / f"{path.stem}.csv").is_file())
    content = bytearray(walk.read_bytes())
    # Somewhere in the measurements, which are the second half of any recording.
    content[len(content) * 3 // 4] ^= 1
    walk.write_bytes(content)
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    manifest["recipe"]["filter"]["cutoff_hz"] = 7.0
    manifest["dependencies"]["scipy"] = "0.1"
    (results / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    again = reproduced(results, recordings)
    named = ("input ", "setting ", "version ", "command", "output ")
    causes = [line.strip().partition(": ")[0] for line in again.stdout.splitlines() if line.strip().startswith(named)]
    assert causes == [f"input {walk.name}", "version of scipy", "setting [filter] cutoff_hz"]
