"""Progress: every stage of a command is told of as it begins, from the first on, whatever time it takes; counted, not timed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.session.values.step import SHARES, Step, stage, steps, telling

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


def timed(stderr: str) -> list[str]:
    """Stages that --timings names, without the parts of a trial's analysis, which go by within its own step."""
    return [name for name in re.findall(r"^(\w+) +[\d.]+ s$", stderr, re.MULTILINE) if name in SHARES]


def of_command(command: str, folder: Path) -> str:
    """What a command writes to standard error."""
    words = {
        "check": ["check", str(folder / "anna")],
        "compare": ["compare", str(folder / "out"), str(folder / "out"), "-o", str(folder / "both.pdf")],
        "norm": ["norm", str(folder / "out"), "-o", str(folder / "norm.csv")],
        "review": ["review", str(folder / "out"), "-o", str(folder / "anna.html")],
    }[command]
    done = CliRunner().invoke(app, [*words, "--progress", "json", "--timings"])
    assert done.exit_code in (0, 3), done.output
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "check", "compare", "norm", "review"])
def test_no_stage_that_takes_time_goes_by_without_a_step(command: str, analysed: tuple[Path, str]) -> None:
    folder, of_run = analysed
    stderr = of_run if command == "run" else of_command(command, folder)
    found = told(stderr)
    assert found[0]["stage"] == "start", "from the first second on"
    assert set(found[0]) == {"stage", "trial", "done", "total", "share"}
    stages = timed(stderr)
    assert stages
    assert set(stages) <= {str(step["stage"]) for step in found} <= set(SHARES)
    # Drawing and reading inside of writing step back; nothing else does.
    shares = [float(str(step["share"])) for step in found if step["stage"] != "write"]
    assert shares == sorted(shares)


@pytest.mark.slow
def test_a_run_tells_of_each_file_trial_and_page(analysed: tuple[Path, str]) -> None:
    by_stage: dict[str, list[dict[str, object]]] = {}
    for step in told(analysed[1]):
        by_stage.setdefault(str(step["stage"]), []).append(step)
    assert [step["trial"] for step in by_stage["read"] if step["done"]] == ["static.c3d", "walk01.c3d"]
    assert [step["trial"] for step in by_stage["analyse"] if step["done"]] == ["walk01"]
    assert [step["trial"] for step in by_stage["cycles"] if step["done"]] == ["walk01"]
    pages = [step for step in by_stage["draw"] if step["done"]]
    assert [step["done"] for step in pages] == list(range(1, len(pages) + 1))
    assert {step["total"] for step in pages} == {len(pages)}
    assert set(timed(analysed[1])) >= {"start", "read", "calibrate", "analyse", "judge", "tabulate", "draw", "write"}


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
