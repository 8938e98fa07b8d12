"""The list of stages: short, flat, readable; ended early, and interrupted between two trials."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from types import FrameType

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.pipeline import stages
from biomech_id.pipeline.analyse import analyse
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.values.step import Step

DATA = Path(__file__).parents[3] / "data"
QUICK = Recipe(report=False, uncertainty=False, budget=False)
WALKS = tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02"))
LONGEST_STAGE = 60
MOST_LINES, MOST_IMPORTS = 200, 25


def test_the_list_and_its_stages_are_short() -> None:
    source = Path(stages.__file__).read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert len(source.splitlines()) <= MOST_LINES
    assert len(imports) <= MOST_IMPORTS
    lines = {each.name: len(inspect.getsource(each.function).splitlines()) for each in stages.STAGES}
    assert max(lines.values()) <= LONGEST_STAGE
    assert len(lines) == len(stages.STAGES)


def test_from_analyse_to_every_stage_are_two_calls_and_in_the_order_of_the_list() -> None:
    names = {each.function.__code__: each.name for each in stages.STAGES}
    between: dict[str, int] = {}

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in names and names[frame.f_code] not in between:
            caller, calls = frame.f_back, 1
            while caller is not None and caller.f_code is not inspect.unwrap(analyse).__code__:
                caller, calls = caller.f_back, calls + 1
            between[names[frame.f_code]] = calls

    sys.setprofile(count)
    try:
        analyse(WALKS[:2], uncertainty=False, budget=False)
    finally:
        sys.setprofile(None)
    assert list(between) == list(stages.stage_names())
    assert max(between.values()) <= 2


def test_a_run_ends_early_and_writes_nothing(tmp_path: Path) -> None:
    words = ["run", *map(str, WALKS[:2]), "-o", str(tmp_path / "out"), "--until"]
    ended = CliRunner().invoke(app, [*words, "track"])
    assert (ended.exit_code, ended.stdout) == (0, "Ended after track; nothing was written.\n")
    wrong = CliRunner().invoke(app, [*words, "tracks"])
    assert wrong.exit_code == 2
    assert "there is no stage tracks" in wrong.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_progress_raises_ends_a_run_between_two_trials(tmp_path: Path) -> None:
    told: list[str] = []

    def end_at_the_second(step: Step) -> None:
        told.append(f"{step.stage} {step.trial}")
        if step.trial == "walk02":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_job(Job(WALKS, QUICK), tmp_path / "out", progress=end_at_the_second)
    assert told[-2:] == ["analyse walk01", "analyse walk02"]
    assert list(tmp_path.iterdir()) == []
