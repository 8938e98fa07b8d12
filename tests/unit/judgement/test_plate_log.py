"""A laboratory's log of its plates: what it proposes, when it does not, and that a plate that moved is noticed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import MissingInputError
from biomech_id.judgement.plate_log import LoggedSession, log_findings, own_population, plate_logs, read_log
from biomech_id.plates.records import population_records, read_population, step_record
from biomech_id.plates.steps import PlateStep
from tests.moved_plates import as_if_moved

SHIFT = (0.018, -0.022, np.radians(3.0))


def sessions(moved_from: int = 0, shift: tuple[float, float, float] = SHIFT) -> list[LoggedSession]:
    """Every person of the population steps with both feet, there and back, on one plate; it is moved from some session on."""
    people: dict[str, list[PlateStep]] = {}
    for _, person, step in population_records()[1]:
        people.setdefault(person, []).append(step)
    found = []
    for at, (person, steps) in enumerate(people.items()):
        mine = [replace(step, plate="plate 1") for step in steps]
        mine += [half_turned(step) for step in mine]
        mine = [as_if_moved(step, shift) for step in mine] if at >= moved_from else mine
        found.append(LoggedSession(f"healthy/{person}", person, f"2026-01-{at + 1:02d}", tuple(mine), True))
    return found


def half_turned(step: PlateStep) -> PlateStep:
    """The same step walked the other way."""
    vectors = ("direction_lab", "forward_lab", "heel_from_plate_m", "momentum_lab_m")
    return replace(step, **{name: -getattr(step, name) for name in vectors})


def test_ten_people_and_both_ways_tell_a_plate_from_the_markers_and_a_correction_is_proposed() -> None:
    (log,) = plate_logs(sessions())
    assert log.people == 14
    assert log.told_apart == ("x", "y", "turn")
    assert (np.abs(log.elsewhere - SHIFT) < [0.003, 0.003, np.radians(1.0)]).all()
    (finding,) = log_findings([log])
    assert finding.rule == "plate-log-proposal"
    assert set(log.proposal) == {"plate", "x_mm", "y_mm", "turn_deg"}
    assert log.proposal["plate"] == 1
    assert log.proposal["x_mm"] == pytest.approx(18.0, abs=3.0)
    assert "Platte 1" in finding.text("de")


def test_nine_people_or_one_direction_propose_nothing() -> None:
    (short,) = plate_logs(sessions()[:9])
    assert short.proposal == {}
    assert [finding.rule for finding in log_findings([short])] == ["plate-log-short"]
    one_way = []
    for session in sessions():
        steps = [step for step in session.steps if step.side == "L" and step.direction_lab[1] > 0]
        # Nor may the whole body tell.
        steps = [replace(step, momentum_lab_m=np.full(2, np.nan)) for step in steps]
        one_way += [replace(session, steps=tuple(steps))] if steps else []
    (log,) = plate_logs(one_way)
    assert "x" not in log.told_apart
    assert "x_mm" not in log.proposal


def test_a_plate_that_moved_is_noticed_and_nothing_is_proposed_from_a_log_that_holds_both() -> None:
    (log,) = plate_logs(sessions(moved_from=9, shift=(0.0, 0.03, 0.0)))
    assert log.changed
    assert set(log.changed) <= {f"healthy/{session.person}" for session in sessions()[10:]}
    assert log.proposal == {}
    assert [finding.rule for finding in log_findings([log])] == ["plate-log-changed"]
    (still,) = plate_logs(sessions(shift=(0.0, 0.0, 0.0)))
    assert still.changed == ()


def test_untypical_sessions_are_left_out() -> None:
    every = sessions()
    (log,) = plate_logs([replace(every[0], typical=False), *every[1:]])
    assert log.people == 13
    assert every[0].name not in log.sessions


def write(folder: Path, session: LoggedSession) -> None:
    target = folder / session.name
    target.mkdir(parents=True)
    subject = {"code": session.person, "session_date": session.date}
    silent = [] if session.typical else [{"plate": "plate 1", "rule": "plate-no-heel-landing", "reason": ""}]
    plates = {"steps": [step_record(step) for step in session.steps], "silent": silent}
    summary = {"schema": 2, "subject": subject, "plates": plates}
    text = json.dumps(summary).replace("NaN", "null")
    (target / "summary.json").write_text(text, encoding="utf-8")


def test_the_command_prints_the_recipe_draws_the_chart_and_writes_a_population(tmp_path: Path) -> None:
    every = sessions()
    for session in (*every[:-1], replace(every[-1], typical=False)):
        write(tmp_path / "out", session)
    chart, own = tmp_path / "plates.pdf", tmp_path / "own.json"
    result = CliRunner().invoke(app, ["plates", str(tmp_path / "out"), "-o", str(chart), "--population", str(own)])
    assert result.exit_code == 3, result.output
    assert "plate_places = [{" in result.stdout.replace("[ {", "[{")
    assert every[-1].name in result.output
    assert chart.read_bytes().startswith(b"%PDF")
    assert read_population(own).n_steps == sum(len(session.steps) for session in every[:-1])
    own_population(every[:-2], own)
    assert read_population(own).n_steps == sum(len(session.steps) for session in every[:-2]), "read anew, not remembered"
    assert [session.name for session in read_log(tmp_path / "out")] == [session.name for session in every]


def test_nothing_to_read_and_too_few_steps_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No session below"):
        read_log(tmp_path)
    with pytest.raises(MissingInputError, match="too few"):
        own_population(sessions()[:1], tmp_path / "own.json")
    (tmp_path / "bad.json").write_text('{"schema": 2}', encoding="utf-8")
    with pytest.raises(MissingInputError, match="no population"):
        read_population(tmp_path / "bad.json")
