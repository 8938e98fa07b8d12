"""Repairs of recordings: decided by a person, applied where they are read, said on page 1, and never better than "with limits"."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import Finding, OptionError
from biomech_id.gait.review import Repair
from biomech_id.judgement.check.markers import inspect_markers
from biomech_id.judgement.plate_repairs import CONTRADICTIONS
from biomech_id.pipeline.repairs import repaired
from biomech_id.report.panels.session_differences import session_differences
from biomech_id.sample.c3d import write_c3d
from biomech_id.session.session import Session
from biomech_id.session.tables.means import mean_curves
from biomech_id.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
LABELS = ("LKNE", "LANK")


def exchange(path: Path, one: str, other: str) -> None:
    c3d = ezc3d.c3d(str(path))
    labels = c3d["parameters"]["POINT"]["LABELS"]["value"]
    at = [labels.index(name) for name in (one, other)]
    c3d["data"]["points"][:, at] = c3d["data"]["points"][:, at[::-1]]
    c3d["data"]["meta_points"]["residuals"][:, at] = c3d["data"]["meta_points"]["residuals"][:, at[::-1]]
    c3d.write(str(path))


def analysed(folder: Path, review: str = "") -> Session:
    (folder / "review.toml").unlink(missing_ok=True)
    if review:
        (folder / "review.toml").write_text("schema = 2\n" + review, encoding="utf-8")
    return bid.analyse(folder, uncertainty=False, budget=False, report=False)


def rules(session: Session) -> set[str]:
    return {finding.rule for finding in session.session_findings}


@pytest.fixture
def walks(tmp_path: Path) -> Path:
    folder = tmp_path / "anna"
    folder.mkdir()
    for name in ("static", "walk01"):
        shutil.copy(ROOT / "data" / f"{name}.c3d", folder)
    return folder


def test_two_labels_that_are_exchanged_are_put_back_by_a_decision(walks: Path) -> None:
    right = analysed(walks)
    exchange(walks / "walk01.c3d", *LABELS)
    wrong = analysed(walks)
    review = f'[[repair]]\nkind = "labels"\nwhat = {list(LABELS)}\ntrials = ["walk01"]\nauthor = "AB"\nreason = "seen on video"\n'
    put_right = analysed(walks, review)
    as_it_was, as_repaired = (mean_curves(each.tables()) for each in (right, put_right))
    for condition, curves in as_it_was.items():
        for name, curve in curves.items():
            np.testing.assert_allclose(as_repaired[condition][name], curve, atol=1e-3, err_msg=str(name))
    assert wrong.trial("walk01").verdict != "accept"
    assert right.trial("walk01").verdict == "accept"
    assert put_right.trial("walk01").verdict == "warn"
    (said,) = (finding for finding in put_right.trial("walk01").findings if finding.rule == "repaired")
    assert "LKNE, LANK" in said.message
    assert "by AB" in said.message
    assert put_right.summary["review"]["decisions"][0]["decision"] == "repair"
    compared = session_differences(right.tables(), put_right.tables())
    assert compared == ("The recordings of B were repaired by hand: labels LKNE, LANK by AB.",)


def test_exchanged_labels_of_one_leg_are_found_and_the_repair_is_offered(walks: Path) -> None:
    path = walks / "walk01.c3d"
    assert "leg-labels-exchanged" not in {finding.rule for finding in inspect_markers(bid.read_c3d(path))}
    exchange(path, *LABELS)
    (said,) = (finding for finding in inspect_markers(bid.read_c3d(path)) if finding.rule == "leg-labels-exchanged")
    assert re.search(r"LKNE lies \d\d mm above the floor, LANK \d{3} mm", said.message)
    assert 'what = ["LKNE", "LANK"]' in said.hint


def test_a_copy_is_left_out_and_named_and_a_decision_brings_it_back(walks: Path) -> None:
    trial = bid.read_c3d(walks / "walk01.c3d")
    once = analysed(walks)
    shutil.copy(walks / "walk01.c3d", walks / "walk02.c3d")
    twice = analysed(walks)
    assert [each.name for each in twice.movements] == ["walk01"]
    (said,) = (finding for finding in twice.session_findings if finding.rule == "recorded-twice")
    assert said.values["pairs"] == (("walk02", "walk01"),)
    assert twice.tables().cycles.equals(once.tables().cycles)
    back = analysed(walks, '[[repair]]\nkind = "copy"\nwhat = ["walk02"]\n')
    assert [each.name for each in back.movements] == ["walk01", "walk02"]
    assert "recorded-twice" not in rules(back)
    assert [str(each.verdict) for each in back.movements] == ["accept", "warn"]
    assert trial.name == "walk01"


def test_a_plate_is_mirrored_along_its_own_axis(walks: Path) -> None:
    walk = bid.read_c3d(walks / "walk01.c3d")
    (turned,) = repaired([walk], [Repair("plate", (1, "x"))])
    plate, mirrored = walk.plates[0], turned.plates[0]
    along = plate.corners_m[0] - plate.corners_m[1]
    along = along / np.linalg.norm(along)
    np.testing.assert_allclose(mirrored.force_lab_N @ along, -plate.force_lab_N @ along, atol=1e-9)
    np.testing.assert_allclose(mirrored.force_lab_N[:, 2], plate.force_lab_N[:, 2], atol=1e-9)
    # The centre of pressure goes to the other side of the middle: one moment changes its sign.
    np.testing.assert_allclose(mirrored.moment_lab_Nm @ along, plate.moment_lab_Nm @ along, atol=1e-9)
    np.testing.assert_allclose(mirrored.moment_lab_Nm[:, 2], -plate.moment_lab_Nm[:, 2], atol=1e-9)
    (back,) = repaired([turned], [Repair("plate", (1, "x"))])
    np.testing.assert_allclose(back.plates[0].moment_lab_Nm, plate.moment_lab_Nm, atol=1e-9)


@pytest.mark.parametrize(
    ("repair", "says"),
    [
        (Repair("labels", ("LKNE", "LANKK")), "LANKK"),
        (Repair("plate", (7, "x")), "7"),
        (Repair("labels", LABELS, trials=("walk99",)), "walk99"),
        (Repair("channels", ("none", "nil")), "none"),
    ],
)
def test_a_repair_of_what_is_not_there_is_refused(walks: Path, repair: Repair, says: str) -> None:
    walk = bid.read_c3d(walks / "walk01.c3d")
    with pytest.raises(OptionError, match=says):
        repaired([walk], [repair])


def test_a_repair_is_about_trials_from_one_on_and_is_noted_in_each(walks: Path) -> None:
    walk = bid.read_c3d(walks / "walk01.c3d")
    trials = [replace(walk, name=f"w{n}") for n in (1, 2, 3)]
    names = [trial.name for trial in trials]
    done = repaired(trials, [Repair("labels", LABELS, since=names[1])])
    assert [any(getattr(line, "rule", "") == "repaired" for line in trial.history) for trial in done] == [False, True, True]


def test_leads_of_one_muscle_that_are_exchanged_are_offered_as_a_repair_that_puts_them_back() -> None:
    person = bid.virtual_subject(muscles=True, duration_s=5.0)
    trials = [person.static().trial, person.walk().trial]
    leads = tuple(name for name in trials[1].analog.names if name.endswith("TA"))
    given = {"report": False, "uncertainty": False, "budget": False}
    exchanged = [trials[0], *repaired(trials[1:], [Repair("channels", leads)])]
    (said,) = (finding for finding in bid.analyse(exchanged, **given).session_findings if finding.rule == "emg-exchanged")
    assert said.values["channels"] == leads
    assert f'[[repair]] kind = "channels", what = ["{leads[0]}", "{leads[1]}"]' in said.hint
    put_back = [trials[0], *repaired(exchanged[1:], [Repair("channels", said.values["channels"])])]
    assert "emg-exchanged" not in rules(bid.analyse(put_back, **given))


def test_leads_of_every_muscle_that_are_exchanged_may_be_events_and_no_repair_is_offered() -> None:
    person = bid.virtual_subject(muscles=True, duration_s=5.0)
    static, walk = person.static().trial, person.walk().trial
    names = walk.analog.names
    leads = [tuple(name for name in names if name.endswith(word)) for word in ("TA", "GAS")]
    turned = repaired([walk], [Repair("channels", pair) for pair in leads])
    session = bid.analyse([static, *turned], report=False, uncertainty=False, budget=False)
    said = [finding for finding in session.session_findings if finding.rule == "emg-exchanged"]
    assert [finding.values["channels"] for finding in said] == [(), ()]


@pytest.fixture(scope="module")
def over_plates() -> list[Trial]:
    person = bid.virtual_subject(plates="steps", duration_s=3.0)
    return [person.static().trial, person.walk().trial]


def mirrors_offered(trials: list[Trial], *what: int | str) -> list[Finding]:
    given = {"report": False, "uncertainty": False, "budget": False}
    wrong = [trials[0], *repaired(trials[1:], [Repair("plate", what)] if what else [])]
    return [finding for finding in bid.analyse(wrong, **given).session_findings if finding.rule == "plates-mirrored"]


def test_a_plate_that_is_mirrored_is_offered_as_a_repair_that_puts_it_back(over_plates: list[Trial]) -> None:
    (said,) = mirrors_offered(over_plates, 3, "x")
    assert list(said.values["plates"]) == [(3, "x", "")]
    assert said.hint.endswith('review.toml: [[repair]] kind = "plate", what = [3, "x"].')
    assert len(said.values["against"]) >= 2
    assert mirrors_offered(over_plates) == []


def test_one_kind_of_rule_alone_offers_no_repair_of_a_plate(over_plates: list[Trial]) -> None:
    wrong = [over_plates[0], *repaired(over_plates[1:], [Repair("plate", (3, "y", "force"))])]
    (walk,) = bid.analyse(wrong, report=False, uncertainty=False, budget=False).movements
    assert {finding.rule for finding in walk.findings} & set(CONTRADICTIONS) == {"impulse-sideways"}
    assert mirrors_offered(over_plates, 3, "y", "force") == []


def test_a_static_trial_of_another_visit_is_offered_in_exchange_for_one_that_fits(tmp_path: Path) -> None:
    person = bid.virtual_subject(duration_s=2.0)
    earlier = person.static("earlier")
    moved = earlier.trial.markers.position_m.copy()
    for label, up_m in (("LTHI", 0.03), ("RTIB", -0.03)):
        moved[:, earlier.trial.markers.names.index(label), 2] += up_m
    earlier = replace(earlier, trial=replace(earlier.trial, markers=earlier.trial.markers.with_positions(moved)))
    for sample in (person.static("static"), person.walk("walk"), earlier):
        write_c3d(sample, tmp_path / f"{sample.trial.name}.c3d")
    given = {"report": False, "uncertainty": False, "budget": False}
    (said,) = (
        each
        for each in bid.analyse(tmp_path, static="earlier.c3d", **given).session_findings
        if each.rule == "static-of-another-visit"
    )
    assert {name for pair in said.values["pairs"] for name in pair[:2]} >= {"LTHI", "RTIB"}
    assert 'kind = "static", what = ["static.c3d"]' in said.hint
    assert "static-of-another-visit" not in rules(bid.analyse(tmp_path, static="static.c3d", **given))
    (tmp_path / "review.toml").write_text('schema = 2\n[[repair]]\nkind = "static"\nwhat = ["static.c3d"]\n', encoding="utf-8")
    put_right = bid.analyse(tmp_path, static="earlier.c3d", **given)
    assert "static-of-another-visit" not in rules(put_right)
    assert put_right.trial("walk").static == "static"
