"""What a session is called (issue L, cases 4 and 5): bad cycles are refused and not trials, and nothing unmeasured is accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.judgement.grade import COUNTED, IN_CYCLES, IN_SIDES, IN_SOME, OF_RESIDUAL
from biomech_id.judgement.quality import BY_CYCLE, RULES
from biomech_id.judgement.session_plates import RULE as PLATE_PLACE
from biomech_id.pipeline.run import Outcome, run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.recording import SampleTrial
from biomech_id.sample.subject import VirtualSubject, virtual_subject
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.trial import Trial

FAST = Recipe(report=False, uncertainty=False, budget=False)
PERSON = virtual_subject(duration_s=4.5)
Change = Callable[[Trial], Trial]


def ran(
    folder: Path, person: VirtualSubject = PERSON, change: Change = lambda trial: trial, recipe: Recipe = FAST
) -> tuple[Outcome, Tables]:
    """A static trial and a walk that was recorded with a fault, analysed as `biomech-id run` does."""
    (folder / "subject").mkdir(parents=True)
    write_c3d(person.static("static", duration_s=1.0), folder / "subject" / "static.c3d")
    sample: SampleTrial = person.walk("walk")
    write_c3d(replace(sample, trial=change(sample.trial)), folder / "subject" / "walk.c3d")
    outcome = run_job(Job((folder / "subject",), recipe), folder / "out")
    return outcome, read_tables(folder / "out")


def moved(name: str, frames: slice, by_m: tuple[float, float, float]) -> Change:
    def change(trial: Trial) -> Trial:
        position = trial.markers.position_m.copy()
        position[frames, trial.markers.names.index(name)] += by_m
        return replace(trial, markers=trial.markers.with_positions(position))

    return change


def quality(tables: Tables, rule: str) -> tuple[float, str]:
    rows = tables.quality
    (row,) = rows[(rows["trial"] == "walk") & (rows["rule"] == rule)].itertuples()
    return row.value, row.verdict


def findings(tables: Tables, rule: str) -> list[dict[str, Any]]:
    every = [*tables.summary["findings"], *(f for trial in tables.summary["trials"] for f in trial["findings"])]
    return [finding for finding in every if finding["rule"] == rule]


def frames_of(tables: Tables, side: str, number: int) -> slice:
    """Indices of the frames of one cycle."""
    (trial,) = tables.summary["trials"]
    (cycle,) = [c for c in trial["cycles"] if (c["side"], c["cycle"]) == (side, number)]
    return slice(*(round(cycle[end] * trial["rate_hz"]) + 1 - trial["first_frame"] for end in ("start_s", "end_s")))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Tables]:
    return ran(tmp_path_factory.mktemp("good"))


def test_every_rule_is_measured_in_one_place() -> None:
    """A new rule is one row of `RULES` and one of these."""
    of_sessions = [PLATE_PLACE, "thigh-rotations"]
    assert sorted([*IN_CYCLES, *IN_SIDES, *IN_SOME, *OF_RESIDUAL, *COUNTED, "plausibility", *of_sessions]) == sorted(
        rule.name for rule in RULES
    )
    assert tuple(IN_CYCLES) == BY_CYCLE


def test_a_good_session_is_accepted_without_a_word(good: tuple[Outcome, Tables]) -> None:
    outcome, tables = good
    assert outcome.complaints == ()
    assert tables.summary["sentence"] == "1 trial: 1 accepted."
    used = tables.cycle_list[tables.cycle_list["used"]]
    assert quality(tables, "cycles-used") == (len(used), "accept")
    assert quality(tables, "cycles-refused") == (len(tables.cycle_list) - len(used), "not judged")
    assert len(used) > 5


def test_a_bad_edge_kills_neither_trial_nor_cycles(good: tuple[Outcome, Tables], tmp_path: Path) -> None:
    """The first quarter second, before any cycle, is off; an old rule said 67 mm and rejected it. That the marker jumps is said."""
    first = min(frames_of(good[1], c.side, c.cycle).start for c in good[1].cycle_list.itertuples())
    assert first > 8
    _, tables = ran(tmp_path, change=moved("LTHI", slice(0, first - 4), (0.6, 0.0, 0.6)))
    assert quality(tables, "marker-rigidity")[1] == "accept"
    assert tables.cycle_list["used"].sum() == good[1].cycle_list["used"].sum()
    (jump,) = (found["values"] for found in findings(tables, "marker-jumps"))
    assert "LTHI" in (jump["marker"], *jump["others"])
    assert tables.summary["verdict"] == "warn"


def test_a_bad_cycle_is_refused_and_named_and_the_others_stay(good: tuple[Outcome, Tables], tmp_path: Path) -> None:
    bad = frames_of(good[1], "L", 2)
    middle = slice(bad.start + 10, bad.stop - 10)
    outcome, tables = ran(tmp_path, change=moved("LTHI", middle, (0.0, 0.15, 0.0)))
    refused = tables.cycle_list[~tables.cycle_list["sound"].astype(bool)]
    assert list(zip(refused["side"], refused["cycle"], strict=True)) == [("L", 2)]
    assert not refused["used"].any()
    assert tables.cycle_list["used"].sum() == good[1].cycle_list["used"].sum() - 1
    assert tables.summary["verdict"] == "warn"
    value, verdict = quality(tables, "marker-rigidity")
    assert (value > 25.0, verdict) == (True, "warn")
    assert quality(tables, "cycles-used")[0] == tables.cycle_list["used"].sum()
    (doubt,) = findings(tables, "cycles-doubted")
    first_frame = tables.summary["trials"][0]["first_frame"]
    said = doubt["values"]["said"]["values"]
    assert (said["place"], said["markers"], doubt["values"]["cycle"], doubt["values"]["refused"]) == (
        "left thigh",
        ["LTHI", "LKNE"],
        "L 2",
        ["L 2"],
    )
    assert said["frames"] == [[middle.start + first_frame, middle.stop - 1 + first_frame]]
    assert any("LTHI and LKNE most, in frames" in words and "that cycle is refused" in words for words in outcome.complaints)
    assert "segment-not-rigid" in [why["rule"] for why in refused["reasons"].iloc[0]]


def test_a_few_bad_frames_do_not_refuse_a_cycle_but_are_said(good: tuple[Outcome, Tables], tmp_path: Path) -> None:
    bad = frames_of(good[1], "R", 2)
    outcome, tables = ran(tmp_path, change=moved("RTHI", slice(bad.start + 20, bad.start + 24), (0.0, -0.2, 0.0)))
    assert tables.cycle_list["sound"].all()
    (off,) = findings(tables, "marker-off-segment")
    assert (off["values"]["place"], off["values"]["markers"], off["values"]["cycle"]) == ("right thigh", ["RTHI", "RKNE"], "R 2")
    assert off["values"]["frames"] == [[bad.start + 21, bad.start + 24]]
    assert any("RTHI and RKNE are off by up to" in words for words in outcome.complaints)


def test_a_trial_is_rejected_when_every_cycle_is(tmp_path: Path) -> None:
    both = [moved(name, slice(None), (0.0, by, 0.0)) for name, by in (("LTHI", 0.15), ("RTHI", -0.15))]
    outcome, tables = ran(tmp_path, change=lambda trial: both[1](both[0](trial)))
    assert not tables.cycle_list["used"].any()
    assert quality(tables, "marker-rigidity")[1] == "reject"
    assert quality(tables, "cycles-used") == (0.0, "warn")
    assert tables.summary["verdict"] == "reject"
    assert "1 rejected (walk)" in outcome.headline


def test_a_laboratory_without_plates_gets_kinematics_only_and_no_warning(tmp_path: Path) -> None:
    outcome, tables = ran(tmp_path, replace(PERSON, plates=()))
    assert outcome.complaints == ()
    assert outcome.headline.endswith("1 trial: 1 accepted, kinematics only.")
    assert tables.summary["verdict"] == "accept"
    assert tables.summary["trials"][0]["kinetics"] is False
    for rule in ("plate-baseline", "cop-inside-foot", "event-lag", "stances-on-plate"):
        value, verdict = quality(tables, rule)
        assert (np.isnan(value), verdict) == (True, "not measured")
    assert set(tables.quality["verdict"]) == {"accept", "not measured", "not judged"}


def test_plates_without_kinetics_are_never_plainly_accepted(tmp_path: Path) -> None:
    person = virtual_subject(duration_s=4.5)
    folder = tmp_path / "subject"
    folder.mkdir()
    write_c3d(person.static("static", duration_s=1.0), folder / "static.c3d")
    # Plates two metres beside the way.
    specs = tuple(replace(spec, centre_m=(spec.centre_m[0], spec.centre_m[1] + 2.0)) for spec in person.plate_specs())
    write_c3d(replace(person, plates=specs).walk("walk"), folder / "walk.c3d")
    outcome = run_job(Job((folder,), FAST), tmp_path / "out")
    tables = read_tables(tmp_path / "out")
    assert tables.summary["verdict"] == "warn"
    assert outcome.headline.endswith("1 trial: 1 accepted, kinematics only.")
    assert any("none of" in words and "gives joint loads" in words for words in outcome.complaints)
    (finding,) = findings(tables, "session-without-kinetics")
    assert finding["values"]["stances"] == len(tables.stances)
    assert finding["values"]["why"]["rule"] in set(tables.stances["rule"])
    assert quality(tables, "stances-on-plate") == (0.0, "not measured")


def test_a_stride_that_no_cycle_is_cut_of_is_said(tmp_path: Path) -> None:
    """Without the events in the middle two strikes lie two strides and more apart, 4.4 s here: no cycle, and a word about it."""

    def sparse(trial: Trial) -> Trial:
        left = [event for event in trial.events if event.side == "L" and event.kind == "Foot Strike"]
        kept = [event for event in trial.events if event not in left[1:-1]]
        return replace(trial, events=tuple(kept))

    outcome, tables = ran(tmp_path, replace(PERSON, duration_s=6.5), sparse, replace(FAST, event_source="file"))
    found = findings(tables, "stride-not-cut")
    assert found
    assert all(finding["values"]["end_s"] - finding["values"]["start_s"] > 4.0 for finding in found)
    assert any("No cycle is cut between the left strikes" in words for words in outcome.complaints)


def walks(folder: Path, *recordings: SampleTrial, recipe: Recipe = FAST) -> tuple[Outcome, dict[str, tuple[str, int, str, str]]]:
    """A static trial and some recordings as one session: of each its kind, number of cycles, verdict, and that of cycles-used."""
    subject = folder / "subject"
    subject.mkdir(parents=True)
    write_c3d(PERSON.static("static", duration_s=1.0), subject / "static.c3d")
    for sample in recordings:
        write_c3d(sample, subject / f"{sample.trial.name}.c3d")
    outcome = run_job(Job((subject,), recipe), folder / "out")
    tables = read_tables(folder / "out")
    rule = tables.quality[tables.quality["rule"] == "cycles-used"].set_index("trial")["verdict"]
    return outcome, {
        trial["name"]: (trial["kind"], len(trial["cycles"]), trial["verdict"], rule[trial["name"]])
        for trial in tables.summary["trials"]
    }  # fmt: skip


def walked(name: str, seconds: float, speed_m_s: float | None = None) -> SampleTrial:
    return virtual_subject(duration_s=seconds, speed_m_s=speed_m_s, plates="none").walk(name)


def test_a_short_recording_is_no_worse_than_its_sister_that_is_too_short_to_be_a_walk(tmp_path: Path) -> None:
    """Neither holds a stride: one was warned of for "Cycles in means 0", the other, which nobody calls a walk, was accepted."""
    outcome, trials = walks(tmp_path, walked("long", 4.5), walked("short", 0.9, 0.9), walked("shorter", 0.2, 1.5))
    assert trials == {
        "long": ("straight", trials["long"][1], "accept", "accept"),
        "short": ("straight", 0, "accept", "not judged"),
        "shorter": ("other", 0, "accept", "not judged"),
    }
    assert trials["long"][1] >= 2
    assert not any("Cycles in means" in words for words in outcome.complaints)


def test_a_session_of_short_recordings_alone_is_warned_of(tmp_path: Path) -> None:
    outcome, trials = walks(tmp_path, walked("walk", 0.9))
    assert trials == {"walk": ("straight", 0, "warn", "warn")}
    assert any("Cycles in means 0" in words for words in outcome.complaints)


def test_a_session_in_which_nobody_goes_is_warned_of(tmp_path: Path) -> None:
    """It was accepted without a word, for a trial that is no walk needs no cycle."""
    outcome, trials = walks(tmp_path / "alone", walked("shorter", 0.2, 1.5))
    assert trials == {"shorter": ("other", 0, "accept", "not judged")}
    assert any("No movement that" in words and "1 analysed" in words for words in outcome.complaints)
    (finding,) = findings(read_tables(tmp_path / "alone" / "out"), "session-without-movement")
    assert finding["values"] == {"trials": 1}
    outcome, _ = walks(tmp_path / "both", walked("shorter", 0.2, 1.5), walked("long", 4.5))
    assert not any("No movement that" in words for words in outcome.complaints)


def test_a_recording_that_is_long_enough_for_a_stride_is_warned_of_where_none_was_found(tmp_path: Path) -> None:
    """From any moment on two strides' time holds a whole one: where its events are missing, something is wrong."""
    others = (walked("missing", 4.5, 1.1), walked("short", 0.9, 0.9))
    without = [replace(sample, trial=replace(sample.trial, events=sample.trial.events[:1])) for sample in others]
    outcome, trials = walks(tmp_path, walked("long", 4.5), *without, recipe=replace(FAST, event_source="file"))
    assert {name: (trial[1] > 0, *trial[2:]) for name, trial in trials.items()} == {
        "long": (True, "accept", "accept"), "missing": (False, "warn", "warn"), "short": (False, "accept", "not judged"),
    }  # fmt: skip
    assert [words for words in outcome.complaints if "Cycles in means" in words] == [
        "missing: Cycles in means 0, below the limit of 1."
    ]
