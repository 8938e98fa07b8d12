"""What a reader weighs a session by: how many cycles, the rules that a trial did not pass, and what the analysis noticed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from biomech_id.conventions import LAYERS_OF_MEANS, SIDES
from biomech_id.languages import opens_with, plates_called
from biomech_id.movement.grades import Grade
from biomech_id.report.layout.reasons import in_language
from biomech_id.report.layout.records import records
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell
from biomech_id.session.tables.means import counted
from biomech_id.session.tables.session_tables import Table, Tables

_GRAVITY = {"error": 0, "warning": 1, "info": 2}
_COLOUR = {"error": "reject", "warning": "warn", "info": "ink"}


class NotedFinding(TypedDict):
    """One finding as ``summary.json`` has it."""

    rule: str
    severity: str
    message: str
    hint: str
    where: str
    values: NotRequired[Mapping[str, object]]


def grade_colour(grade: str) -> str:
    """Name of the colour that a grade is written in: what was not measured or not judged is quiet.

    Parameters
    ----------
    grade : str
        Of a rule, a trial or the session.
    """
    return "quiet" if grade in (Grade.NOT_MEASURED, Grade.NOT_JUDGED) else grade


def rules_not_passed(trial: str, tables: Tables, style: Style) -> list[str]:
    """Names of the quality rules that one trial did not pass, in the order of the rules.

    Parameters
    ----------
    trial : str
        Name of the trial.
    tables : Tables
        Tables of the session, with ``quality.csv``.
    style : Style
        Colours, words, scales and units of the report.
    """
    doubted = [row for row in records(tables.quality) if row.trial == trial and Grade(row.verdict).doubted]
    return [style.label(f"rule.{row.rule}") for row in doubted]


def session_sentence(summary: Mapping[str, Any], style: Style) -> str:
    """The verdict of the session in one line, naming every trial that is not simply accepted.

    Parameters
    ----------
    summary : Mapping[str, Any]
        What the session's ``summary.json`` holds.
    style : Style
        Colours, words, scales and units of the report.
    """
    trials, failed = summary.get("trials", ()), summary.get("failed", ())
    if not trials:
        return style.label("absent.no_trials")
    named = {grade: [trial["name"] for trial in trials if trial["verdict"] == grade] for grade in Grade}
    counted = style.label("sentence.trial" if len(trials) == 1 else "sentence.trials", n=len(trials))
    parts = [f"{counted}: {style.label('sentence.accept', n=len(named[Grade.ACCEPT]))}"]
    others = (Grade.WARN, Grade.REJECT, Grade.NOT_MEASURED, Grade.NOT_JUDGED)
    for word, names in (*((grade, named[grade]) for grade in others), ("failed", [each["file"] for each in failed])):
        if names:
            parts.append(style.label(f"sentence.{word}", n=len(names), names=", ".join(names)))
    # Tables of the first version do not say.
    bare = [trial["name"] for trial in trials if not trial.get("kinetics", True)]
    if bare:
        parts.append(style.label("sentence.bare" if len(bare) == len(trials) else "sentence.bare_in", names=", ".join(bare)))
    return ", ".join(parts) + "."


def with_kinetics(cycles: Table) -> Table:
    """Those of these cycles that have joint loads, in stance at least.

    Parameters
    ----------
    cycles : Table
        Rows of the cycles.
    """
    return cycles[cycles["kinetics_valid"] != "false"]


def count_by_side(cycles: Table) -> dict[str, int]:
    """Number of these cycles on each side.

    Parameters
    ----------
    cycles : Table
        Rows of the cycles.
    """
    return {side: int((cycles["side"] == side).sum()) for side in SIDES}


def cycle_counts(cycles: Table, style: Style) -> str:
    """How many cycles of each side are in the means of angles, and of loads: ``kinematics 3 left, 2 right; kinetics 1 left ...``.

    Parameters
    ----------
    cycles : Table
        Rows of the cycles.
    style : Style
        Colours, words, scales and units of the report.
    """
    counts, loaded = (count_by_side(counted(cycles, layer)) for layer in LAYERS_OF_MEANS)
    return style.label("cover.cycle_counts", left=counts["L"], right=counts["R"], left_loaded=loaded["L"], right_loaded=loaded["R"])


def all_findings(tables: Tables) -> list[NotedFinding]:
    """Findings of the session and of every trial; those of a trial say which.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with its summary.
    """
    findings: list[NotedFinding] = list(tables.summary.get("findings", ()))
    for trial in tables.summary.get("trials", ()):
        noted: list[NotedFinding] = trial["findings"]
        findings += [{**finding, "where": finding["where"] or trial["name"]} for finding in noted]
    return findings


def finding_lines(findings: Iterable[NotedFinding], style: Style) -> list[Cell]:
    """Findings as sentences, the gravest first, each once with every place it was found in and with what to do about it.

    Parameters
    ----------
    findings : Iterable[NotedFinding]
        Findings as ``summary.json`` holds them.
    style : Style
        Colours, words, scales and units of the report.
    """
    places: dict[tuple[str, str, str], list[str]] = {}
    for finding in sorted(findings, key=lambda finding: _GRAVITY.get(finding["severity"], len(_GRAVITY))):
        message = in_language(finding, "text", finding["message"], style)
        hint = in_language(finding, "hint", finding["hint"], style)
        opening = finding.get("values", {}).get(opens_with(finding["rule"], style.language))
        if "values" not in finding and message.startswith(finding["where"]):
            opening = finding["where"]  # the first version's words are all there is
        where = places.setdefault((finding["severity"], message, hint), [])
        # Many sentences begin with their file's name.
        where += [finding["where"]] if finding["where"] not in ("", opening, *where) else []
    return [Cell(_sentence(*key, of_finding, style), colour=_COLOUR.get(key[0], "ink")) for key, of_finding in places.items()]


def _sentence(severity: str, message: str, hint: str, places: list[str], style: Style) -> str:
    where = f"{plates_called(', '.join(places), style.language)}:" if places else ""
    return " ".join(part for part in (f"[{style.label(f'severity.{severity}')}]", where, message, hint) if part)
