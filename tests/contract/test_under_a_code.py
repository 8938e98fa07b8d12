"""Under a code nothing that is written shows a name: a sample of ``benchmarks.studies.pseudonyms``; names planted everywhere."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from benchmarks.studies.pseudonyms import (
    CODE,
    TABLE,
    Identity,
    identities,
    judged,
    run_here,
    searched,
    survivors,
    virtual_session,
    write_folder,
)
from biomech_id.cli.app import app
from biomech_id.errors import OutputError
from biomech_id.privacy.last_scan import last_scan
from biomech_id.privacy.name_words import NameWords, runs_of, vetted_words
from biomech_id.session.folder.read_write import read_tables

NAME = "Anneliese"
WORDS = NameWords.of([(NAME, "a stored name")])
PERSON = Identity(
    "Jürgen", "Müllerschön", False, "_", 0, "NFD", ("stored", "prefix", "folder", "toml", "refused", "exclude", "review")
)


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return virtual_session(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def coded(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results of somebody whose name stands everywhere, with the review page."""
    root = tmp_path_factory.mktemp("coded")
    assert judged(PERSON, source, root, report=False, page=True) == (3, [])
    return root / "out"


def test_the_study_of_two_hundred_people_meets_its_gate() -> None:
    text = TABLE.read_text(encoding="utf-8")
    n, bad = re.search(r"^\| all \| (\d+) \| (\d+) \|$", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    assert (int(n) >= 200, int(bad)) == (True, 0)


@pytest.mark.slow
def test_a_hand_over_to_opensim_shows_no_name(source: Path, tmp_path: Path) -> None:
    """Every file that OpenSim takes over, and their names: of somebody whose name stands in files, folder, labels and settings."""
    folder, words = write_folder(PERSON, source, tmp_path)
    plain, coded = tmp_path / "plain", tmp_path / "coded"
    assert run_here(["opensim", str(folder), "-o", str(plain), *words]) in (0, 3)
    assert survivors(PERSON, plain) != []
    assert run_here(["opensim", str(folder), "-o", str(coded), "--code", CODE, *words]) in (0, 3)
    assert survivors(PERSON, coded) == []
    written = {path.name for path in coded.rglob("*") if path.is_file()}
    assert any(name.startswith(f"{CODE}_") and name.endswith(".trc") for name in written), written
    assert {path.suffix for path in plain.rglob("*.*")} == {path.suffix for path in coded.rglob("*.*")}


@pytest.mark.parametrize("number", [3, 13])
def test_a_sample_is_as_the_table_says(number: int, source: Path, tmp_path: Path) -> None:
    person = list(identities(number + 1, seed=11))[number]
    code, left = judged(person, source, tmp_path, report=False, page=False)
    assert (code in (0, 3), left) == (True, [])


def test_the_study_sees_a_name(coded: Path, tmp_path: Path) -> None:
    out = Path(shutil.copytree(coded, tmp_path / "out"))
    (out / "gaps.csv").write_text("trial\nMUELLERSCHOEN\n", encoding="utf-8")
    assert survivors(PERSON, out) == ["gaps.csv"]
    assert searched(PERSON) == ["juergen", "jurgen", "muellerschoen", "mullerschon"]


def test_results_say_what_was_left_out_and_are_found_again_by_hash(coded: Path) -> None:
    summary = json.loads((coded / "summary.json").read_text(encoding="utf-8"))
    told = next(found for found in summary["findings"] if found["rule"] == "under-a-code")
    assert told["values"] == {"code": CODE, "clinic": 1, "comments": 1, "conditions": 1}
    assert summary["subject"]["birth_date"] is None
    assert summary["subject"]["age_years"] == pytest.approx(12.2)
    folder = next(path for path in coded.parent.iterdir() if path.is_dir() and path != coded)
    again = biomech_id("reproduce", coded, "--input", folder)
    without = "  unverified: P017_review.toml, P017_subject.toml (the results were made without a key)\n"
    assert (again.exit_code, again.stdout) == (0, f".: equal, byte for byte\n{without}")


def test_every_word_of_the_results_is_vetted(coded: Path) -> None:
    last_scan(coded, words=WORDS)
    tables = " ".join(path.read_text(encoding="utf-8") for path in coded.rglob("*.csv"))
    written = tables + (coded / "summary.json").read_text(encoding="utf-8")
    runs = [run for run in runs_of(re.sub(r"[0-9a-f]{64}", "", written)) if len(run) > 2]
    assert len(runs) > 300
    # Names of variables are run together out of vetted words: LCentreOfPressure, LHJC.
    unknown = {
        run
        for run in runs
        if not {piece.casefold() for piece in list(runs_of(run))[1:] or [run] if len(piece) > 2} <= vetted_words()
    }
    assert {run for run in unknown if not re.fullmatch("[LR][HKA]JC", run)} == set()


def _table(out: Path) -> None:
    with (out / "stances.csv").open("a", encoding="utf-8") as file:
        file.write(f"x,L,0,1,plate 1,out,,{NAME.upper()} limped\n")


def _key(name: str) -> Callable[[Path], None]:
    def plant(out: Path) -> None:
        held = json.loads((out / name).read_text(encoding="utf-8"))
        held["further"] = {f"{NAME}_x": [1]}
        (out / name).write_text(json.dumps(held), encoding="utf-8")

    return plant


def _page(out: Path) -> None:
    text = (out / "review.html").read_text(encoding="utf-8")
    (out / "review.html").write_text(text.replace("<title>", f"<title>{NAME.lower()} "), encoding="utf-8")


def _page_data(out: Path) -> None:
    text = (out / "review.html").read_text(encoding="utf-8")
    (out / "review.html").write_text(text.replace('"verdict"', f'"a{NAME}":1,"verdict"', 1), encoding="utf-8")


def _replay(out: Path) -> None:
    path = next((out / "replay").iterdir())
    with np.load(path) as file:
        held = {name: file[name] for name in file.files}
    np.savez_compressed(path, **{**held, "plate_names": np.array([f"plate {NAME}"])})


def _file_name(out: Path) -> None:
    path = next((out / "trials").iterdir())
    path.rename(path.with_name(f"{NAME}01.csv"))


@pytest.mark.parametrize(
    ("plant", "shown"),
    [
        (_table, "stances.csv"), (_key("summary.json"), "summary.json"), (_key("calibration.json"), "calibration.json"),
        (_page, "review.html"), (_page_data, "review.html"), (_replay, f"replay/{CODE}_walk01.npz"), (_file_name, "a file"),
    ],
)  # fmt: skip
def test_a_name_planted_in_any_text_is_caught_and_not_told(
    plant: Callable[[Path], None], shown: str, coded: Path, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(coded, tmp_path / "out"))
    plant(out)
    with pytest.raises(OutputError, match=f"{shown} would still hold a part of a stored name") as caught:
        last_scan(out, words=WORDS)
    assert NAME.lower() not in str(vars(caught.value)).lower()


@pytest.mark.parametrize(
    ("printed", "also", "shown"), [([f"of {NAME}"], "", "report.pdf"), ([], f'{{"{NAME}": 1}}', "manifest.json")]
)
def test_a_name_in_the_report_or_the_manifest_is_caught(printed: list[str], also: str, shown: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=shown):
        last_scan(tmp_path, words=WORDS, printed=printed, also=also)


def test_every_text_of_a_page_is_heard(coded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biomech_id.report import pdf

    printed: list[str] = []
    monkeypatch.setattr(pdf, "session_line", lambda tables, style: f"{NAME}, Tuesday")
    pdf.draw_report(read_tables(coded), tmp_path / "report.pdf", pages=["cover"], printed=printed)
    assert any(NAME in text for text in printed)
    assert any(text.endswith(CODE) for text in printed)


@pytest.mark.parametrize("words", [(), ("--code", CODE)])
def test_texts_of_the_pages_are_gathered_under_a_code_alone(
    words: tuple[str, ...], source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biomech_id.report import pdf

    gathered = []

    def drawn(tables: object, path: Path, *, printed: list[str] | None, **_: object) -> None:
        gathered.append(printed is not None)
        path.touch()

    monkeypatch.setattr(pdf, "draw_report", drawn)
    assert biomech_id("run", source, "-o", tmp_path / "out", *words).exit_code in (0, 3)
    assert gathered == [bool(words)]


def test_a_text_that_shows_a_name_fails_the_run_and_leaves_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biomech_id.pipeline import run

    monkeypatch.setattr(
        run, "write_replays", lambda folder, trials, **_: (folder / "of.txt").write_text("ANNELIESE's", encoding="utf-8")
    )
    subject = Path(shutil.copytree(source, tmp_path / "anneliese"))
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\nuncertainty = false\n", encoding="utf-8")
    result = biomech_id("run", subject, "-o", tmp_path / "out", "--code", CODE, "--recipe", recipe)
    assert result.exit_code == 1
    assert "of.txt would still hold a part of a folder's name" in result.stderr
    assert "anneliese" not in result.stderr.lower()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["anneliese", "recipe.toml"]


def test_a_study_is_written_under_its_codes_or_not_at_all(source: Path, tmp_path: Path) -> None:
    study, out, quick, codes = tmp_path / "study", tmp_path / "out", tmp_path / "quick.toml", tmp_path / "codes.csv"
    for name in ("Anneliese", "2024/Jürgen"):
        shutil.copytree(source, study / name)
    (study / "Henrike").mkdir()
    (study / "Henrike" / "Henrike.c3d").write_bytes(b"\x02\x50" + bytes(2000))
    quick.write_text(
        "[output]\nreport = false\nbudget = false\nuncertainty = false\n[privacy]\nowner_only = true\n", encoding="utf-8"
    )
    codes.write_text("folder,code\nAnneliese,P1\n2024/Jürgen,P2\n", encoding="utf-8")
    words: list[str | Path] = ["batch", study, "-o", out, "--workers", "1", "--recipe", quick, "--codes", codes]
    refused = biomech_id(*words)
    assert (refused.exit_code, out.exists(), "have no code" in refused.stderr) == (1, False, True)
    codes.write_text("folder,code\nAnneliese,P1\n2024/Jürgen,P2\nHenrike,P3\n", encoding="utf-8")
    assert biomech_id(*words).exit_code == 3
    with (out / "verdicts.csv").open(encoding="utf-8") as file:
        assert [(row["subject"], row["verdict"]) for row in csv.DictReader(file)] == [
            ("P2", "done"),
            ("P1", "done"),
            ("P3", "failed"),
        ]
    for path in out.rglob("*"):
        text = path.name + (
            path.read_bytes().decode("utf-8", "replace") if path.is_file() and path.suffix in (".csv", ".json") else ""
        )
        assert not re.search("anneliese|j.{1,2}rgen|henrike", text.lower()), path
    if os.name == "posix":
        assert stat.S_IMODE((out / "P1").stat().st_mode) == 0o700
        assert stat.S_IMODE((out / "P1" / "summary.json").stat().st_mode) == 0o600
    kept = biomech_id(*words, "--resume")
    assert "2 kept from before" in kept.stdout, kept.output
