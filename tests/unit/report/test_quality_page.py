"""Cover and quality page: which trial to look at, why, and nothing said twice or wrongly."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from biomech_id.errors import Finding
from biomech_id.judgement.quality import RULES, graded
from biomech_id.languages import LANGUAGES, Sentence
from biomech_id.movement.grades import Grade
from biomech_id.report.layout.findings import finding_lines, session_sentence
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.pages.cover import cycles_in_means, trial_rows
from biomech_id.report.pages.quality import agreement_table, plate_lines, refused_table, rule_table
from biomech_id.session.tables.session_tables import tidy_table
from biomech_id.session.values.summary import verdict_sentence

STYLE = load_style()


def text_of(cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def rows_of(table) -> list[list[str]]:
    return [[text_of(cell) for cell in row] for row in table.rows]


def with_trials(tables, count: int):
    """The first trial again and again, under other names."""
    first = tables.summary["trials"][0]
    names = [f"walk{number}" for number in range(1, count + 1)]
    tables.summary["trials"] = [{**first, "name": name, "file": f"{name}.c3d"} for name in names]
    return tables


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_a_columns_head_or_verdict_is_broken(session, language, tmp_path):
    (tmp_path / "style.toml").write_text(f'language = "{language}"\n', encoding="utf-8")
    style = load_style(tmp_path / "style.toml")
    rules = [rule for rule in RULES if not rule.name.startswith("residual-") and rule.name != "plate-place"]
    told = {"trial": "walk1", "value": 1.0, "limit": 100.0, "verdict": "warn"}
    quality = [{**told, "rule": rule.name, "unit": rule.unit} for rule in rules]
    table = rule_table(replace(session, quality=tidy_table("quality", quality)), style)
    assert len(table.columns) > 12
    assert sum(column.width_mm for column in table.columns) <= RIGHT_MM - LEFT_MM + 1e-9
    verdicts = [style.label(f"verdict.{grade}") for grade in ("accept", "warn", "reject")]
    heads = [(column.head, column.width_mm) for column in table.columns] + [(each, table.columns[-1].width_mm) for each in verdicts]
    for head, width_mm in heads:
        lines = wrapped(head, width_mm - 2 * table.padding_mm, style.size(table.size), weight="bold")
        assert " ".join(lines).split() == head.split(), lines


@pytest.mark.parametrize(
    ("verdicts", "failed", "bare", "ends"),
    [
        ([], [], (), "No trial could be analysed."),
        (["accept"], [], (), "1 trial: 1 accepted."),
        (["accept"], [], (0,), "1 trial: 1 accepted, kinematics only."),
        (["accept", "accept", "warn"], [], (1, 2), "1 with warnings (walk2), kinematics only in walk1, walk2."),
        (["accept", "warn", "warn", "reject"], [], (), "2 with warnings (walk1, walk2), 1 rejected (walk3)."),
        (["not measured", "not judged"], [], (), "0 accepted, 1 not measured (walk0), 1 not judged (walk1)."),
        (["reject"], ["a.c3d", "b.c3d"], (0,), "2 could not be analysed (a.c3d, b.c3d), kinematics only."),
    ],
)
def test_the_sentence_on_the_cover_is_the_one_in_the_tables(verdicts, failed, bare, ends):
    trials = [
        SimpleNamespace(name=f"walk{i}", verdict=Grade(verdict), has_kinetics=i not in bare) for i, verdict in enumerate(verdicts)
    ]
    session = SimpleNamespace(
        movements=trials, failures=[SimpleNamespace(file=file) for file in failed], muscle_signals=SimpleNamespace(present=False)
    )
    said = [{"name": t.name, "verdict": str(t.verdict), "kinetics": t.has_kinetics} for t in trials]
    assert verdict_sentence(session).endswith(ends)
    assert session_sentence({"trials": said, "failed": [{"file": f} for f in failed]}, STYLE) == verdict_sentence(session)


def test_trials_to_look_at_come_first_with_the_rules_they_did_not_pass(build):
    tables = with_trials(build(), 3)
    tables.summary["trials"].append({**tables.summary["trials"][0], "name": "walk4", "file": "walk4.c3d", "kinetics": False})
    for trial, verdict in zip(tables.summary["trials"], ("accept", "warn", "reject", "not measured"), strict=True):
        trial["verdict"] = verdict
    tables.summary["failed"] = [{"file": "torn.c3d", "error": "torn.c3d is cut short."}]
    measured = [("walk2", "plate-baseline", 20.0), ("walk2", "gap-filled", 1.0), ("walk3", "event-lag", 200.0)]
    rows = [vars(graded(*row)) for row in measured]
    tables = replace(tables, quality=tidy_table("quality", rows))
    told = [(text_of(row[0]), text_of(row[-1])) for row in trial_rows(tables, STYLE)]
    assert told == [
        ("torn.c3d", "not analysed: torn.c3d is cut short."),
        ("walk3.c3d", "reject: Kinematic to force events"),
        ("walk2.c3d", "warn: Plate baseline"),
        ("walk4.c3d", "not measured: kinematics only"),
        ("walk1.c3d", "accept"),
    ]


def test_the_first_row_of_the_rules_holds_their_limits(build):
    measured = [
        ("walk1", "plate-baseline", 20.0), ("walk1", "cop-inside-foot", 99.0), ("walk1", "cycles-refused", 2.0),
        ("walk1", "marker-rigidity", float("nan")),
    ]  # fmt: skip
    tables = replace(build(), quality=tidy_table("quality", [vars(graded(*row)) for row in measured]))
    limits, walk = rows_of(rule_table(tables, STYLE))[:2]
    assert limits[1:] == ["≤ 10", "≥ 95", "", "≤ 10", ""]
    assert walk[1:5] == ["20\nlimit 10", "99", "2", "not measured"]


def test_cycles_refused_for_one_reason_share_a_row(build):
    tables = build(cycles=3)
    for trial in tables.summary["trials"]:
        for cycle in trial["cycles"]:
            whole = cycle["cycle"] == 2
            cycle["kinetics_valid"], cycle["reasons"] = (
                ("true", []) if whole else ("false", [Sentence("no-loaded-plate").to_dict()])
            )
    (row,) = rows_of(refused_table(tables, STYLE))
    assert row == ["walk1", "Left 1, 3; Right 1, 3", "yes", "no", "No plate: no loaded plate is under the foot."]


def test_cycles_of_a_turn_are_in_its_own_means(build):
    for kind in ("straight", "turn"):
        tables = build(cycles=1)
        for trial in tables.summary["trials"]:
            trial["kind"] = kind
            for cycle in trial["cycles"]:
                cycle["kinetics_valid"], cycle["reasons"] = "false", []
        assert {tuple(row[2:]) for row in rows_of(refused_table(tables, STYLE))} == {
            ("yes", "no", "The findings of this trial say why.")
        }


def test_why_no_cycle_is_in_the_means(build):
    tables = build(cycles=2)
    cycles = tables.cycle_list.assign(kinematics=False, kinetics=False)
    assert cycles_in_means(cycles, STYLE).startswith(f"none: no cycle of straight walking ({len(cycles)}) is steady")
    assert cycles_in_means(cycles.assign(kind="turn"), STYLE) == "none: no cycle is of a straight walk"
    # The table of layers beside it counts those of turns.
    turning = cycles_in_means(tables.cycle_list.assign(kind="turn"), STYLE)
    assert turning == f"Turn: {cycles_in_means(tables.cycle_list, STYLE)}"


def test_a_session_without_cycles_is_not_said_to_have_kinetics_in_all_of_them(build):
    tables = build(cycles=0)
    assert rows_of(refused_table(tables, STYLE)) == [
        ["The events of these trials hold no whole stride, so there is no gait cycle."]
    ]
    assert cycles_in_means(tables.cycle_list, STYLE) == "none: the events of these trials hold no whole stride"
    empty = replace(tables, quality=tables.quality.iloc[:0])
    assert rows_of(rule_table(empty, STYLE)) == [["No trial could be analysed."]]


def test_the_cover_counts_the_cycles_in_the_means(build):
    tables = build(cycles=3, sides="L")
    tables.summary["trials"][0]["cycles"][0]["kinetics_valid"] = "false"
    tables.summary["trials"][0]["cycles"][1]["used"] = False
    assert cycles_in_means(tables.cycle_list, STYLE) == "kinematics 2 left, 0 right; kinetics 1 left, 0 right"


def test_a_finding_of_many_trials_is_said_once():
    def finding(where: str, message: str, severity: str = "info") -> dict[str, str]:
        return {"rule": "x", "severity": severity, "message": message, "hint": "Do it.", "where": where}

    named = Finding("events-none", {"trial": "c"}, "c")
    opens_with_its_place = {**named.to_dict(), **finding("c", named.message), "rule": named.rule}
    found = [finding("a", "Same."), finding("b", "Same."), opens_with_its_place, finding("a", "Bad.", "error")]
    lines = finding_lines(found, STYLE)
    said = ["[error] a: Bad. Do it.", "[note] a, b: Same. Do it.", "[note] c stores no events. Do it."]
    assert [line.text for line in lines] == said
    assert [line.colour for line in lines] == ["reject", "ink", "ink"]


def test_events_and_plates_of_all_trials_are_told_together(build):
    tables = with_trials(build(), 3)
    apart = {"source": "marker", "reference": "plate", "side": "L", "kind": "Foot Strike", "n": 2}
    measured = ((-4.0, -9.0, 0.2), (-8.0, -21.0, 7.0), (3.0, 12.0, 1.0))
    for trial, (median, worst, baseline) in zip(tables.summary["trials"], measured, strict=True):
        trial["event_agreement"] = [{**apart, "median_ms": median, "worst_ms": worst}]
        trial["plates"] = [{**trial["plates"][0], "baseline_N": baseline}]
    assert rows_of(agreement_table(tables, STYLE)) == [["markers minus force plate", "−4, worst −21 (walk2), n = 6", "–", "–", "–"]]
    assert plate_lines(tables, STYLE) == ["plate 1: type 2, its signal is the force on the foot; unloaded 0.2 – 7 N (trials: 3)"]
