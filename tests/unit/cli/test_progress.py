"""Progress: every stage of a command, and each part of it, is told of as it begins, whatever time it takes; counted, not timed."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.studies.progress_shares import COMMANDS, TABLE, TENTH, Told, silent, told_by, words_of
from biomech_id.cli.app import app
from biomech_id.cli.progress import ProgressAs, _words, shown_progress
from biomech_id.session.values.step import SHARES, Step, begin, load, stage, steps, telling, timed

DATA = Path(__file__).resolve().parents[3] / "data"


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Results of the virtual subject, and what `run` told on the way."""
    folder = tmp_path_factory.mktemp("progress")
    (folder / "anna").mkdir()
    for name in ("static", "walk01"):
        shutil.copy(DATA / f"{name}.c3d", folder / "anna")
    done = CliRunner().invoke(app, ["run", str(folder / "anna"), "-o", str(folder / "out"), "--progress", "json", "--timings"])
    assert done.exit_code in (0, 3), done.output
    return folder, done.stderr


def told(stderr: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]


def timings(stderr: str) -> list[str]:
    """Stages and parts of stages that --timings names."""
    return re.findall(r"^(\w+) +[\d.]+ s$", stderr, re.MULTILINE)


def table(number: int) -> list[list[str]]:
    """Rows of one of the study's tables: 0 silences, 1 rows of the timings, 2 what begins before a silence."""
    rows = TABLE.read_text(encoding="utf-8").split("\n\n")[1 + number].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def of_command(command: str, folder: Path) -> str:
    """What a command writes to standard error."""
    words = map(str, words_of(command, folder / "anna", folder / "out"))
    done = CliRunner().invoke(app, [*words, "--progress", "json", "--timings"])
    assert done.exit_code in (0, 3), done.output
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_stage_that_takes_time_goes_by_without_a_step(command: str, analysed: tuple[Path, str]) -> None:
    folder, of_run = analysed
    stderr = of_run if command == "run" else of_command(command, folder)
    found = told(stderr)
    assert found[0]["stage"] == "start", "from the first second on"
    assert set(found[0]) == {"stage", "trial", "done", "total", "part", "share"}
    stages = {str(step["stage"]) for step in found}
    begun = stages | {str(step["part"]) for step in found} | {str(step["trial"]) for step in found}
    assert timings(stderr)
    assert set(timings(stderr)) <= begun
    assert stages <= set(SHARES)
    # What takes long by the study's table, in the whole command or without a word in between, is told of by its name.
    assert {name for of, name, *_ in table(1) if of == command} <= begun
    assert {name for of, name, _ in table(2) if of == command} <= begun
    # Pages are drawn before the first of them is written: at least every other one is told of by then.
    pages = [number for number, step in enumerate(found) if step["stage"] == "draw" and step["done"]]
    if pages:
        titles = {step["trial"] for step in found if step["stage"] == "draw"}
        drawn = {step["part"] for step in found[: pages[0]]} & titles
        assert len(drawn) > found[pages[0]]["total"] / 2  # type: ignore[operator]
    # Drawing and reading inside of writing step back; nothing else does.
    shares = [float(str(step["share"])) for step in found if step["stage"] != "write"]
    assert shares == sorted(shares)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "norm"])
def test_the_study_finds_what_its_table_says(command: str, analysed: tuple[Path, str]) -> None:
    """Once more, in a process of its own: what takes a tenth of the time has Steps, and what takes two is in the table."""
    found = told_by(words_of(command, analysed[0] / "anna", analysed[0] / "out"))
    assert found.code in (0, 3)
    assert silent(found) == []
    large = {name for name, (share, _) in found.rows().items() if share > 2 * TENTH}
    assert large
    assert large <= {name for of, name, *_ in table(1) if of == command}
    assert all(int(row[-1]) for row in table(1))


def test_the_study_sees_a_stage_without_a_step() -> None:
    start, read = ("step", "start", "", 0.5), (("begins", "read", "", 1.0), ("ends", "read", "", 3.0))
    draw = (("step", "draw", "", 4.0), ("begins", "draw", "", 4.0), ("ends", "draw", "", 9.0))
    found = Told(0, (start, *read, *draw), 10.0)
    assert silent(found) == ["read"]
    assert dict(found.silences()) == {"interpreter": 0.05, "start": 0.35, "draw": 0.6}
    for step in (("step", "read", "", 1.0), ("step", "read", "a.c3d", 2.0)):
        assert silent(replace(found, events=sorted((start, step, *read, *draw), key=lambda event: event[-1]))) == []


@pytest.mark.slow
def test_a_run_tells_of_each_file_trial_and_page(analysed: tuple[Path, str]) -> None:
    by_stage: dict[str, list[dict[str, object]]] = {}
    for step in (step for step in told(analysed[1]) if not step["part"]):
        by_stage.setdefault(str(step["stage"]), []).append(step)
    assert [step["trial"] for step in by_stage["read"] if step["done"]] == ["static.c3d", "walk01.c3d"]
    assert [step["trial"] for step in by_stage["analyse"] if step["done"]] == ["walk01"]
    assert [step["trial"] for step in by_stage["cycles"] if step["done"]] == ["walk01"]
    pages = [step for step in by_stage["draw"] if step["done"]]
    assert [step["done"] for step in pages] == list(range(1, len(pages) + 1))
    assert {step["total"] for step in pages} == {len(pages)}
    assert set(timings(analysed[1])) >= {"start", "read", "calibrate", "analyse", "judge", "tabulate", "draw", "write"}


@pytest.mark.slow
def test_progress_and_timings_are_no_part_of_the_results(analysed: tuple[Path, str]) -> None:
    manifest = (analysed[0] / "out" / "manifest.json").read_text(encoding="utf-8")
    assert "--progress" not in manifest
    assert "--timings" not in manifest


def test_a_stage_inside_another_takes_its_time_away_from_it() -> None:
    found: list[Step] = []
    with telling(found.append) as clock:
        with stage("write"), stage("draw"):
            pass
        assert list(steps("read", [Path("a"), Path("b")])) == [Path("a"), Path("b")]
    assert [(step.stage, step.trial, step.done, step.total) for step in found] == [
        ("write", "", 0, 1), ("draw", "", 0, 1), ("read", "a", 1, 2), ("read", "b", 2, 2),
    ]  # fmt: skip
    assert set(clock.seconds) == {"write", "draw"}
    with stage("write"):  # nobody listens
        pass
    assert len(found) == 4


def test_a_part_of_a_step_is_told_and_a_log_holds_whole_steps(capsys: pytest.CaptureFixture[str]) -> None:
    found: list[Step] = []
    assert begin("nobody listens") == "nobody listens"
    with telling(found.append) as clock:
        assert begin("before any step") == "before any step"
        assert found == []
        with stage("analyse"):
            clock.tell(Step("analyse", "walk01", 1, 2))
            with timed("solve"):
                load("json")
    assert [(step.trial, step.done, step.part) for step in found] == [
        ("", 0, ""), ("walk01", 1, ""), ("walk01", 1, "solve"), ("walk01", 1, "json"),
    ]  # fmt: skip
    with shown_progress(ProgressAs.TEXT) as tell:
        for step in found:
            tell(step)
    assert capsys.readouterr().err == "[1/2] analyse walk01\n"


def test_people_are_not_told_of_libraries() -> None:
    assert _words(Step("start", part="biomech_id.pipeline.stages")) == "start"
    assert _words(Step("draw", "Methods", 3, 12, part="PDF")) == "draw Methods PDF"
