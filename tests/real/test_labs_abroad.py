"""Four sessions of laboratories that nobody had tuned anything on: each behaves as its facts say (`facts_labs_abroad.md`)."""

from __future__ import annotations

import pytest
from sessions import Computed, Sessions

from biomech_id.gait.review import Repair
from biomech_id.pipeline.analyse import analyse
from biomech_id.pipeline.repairs import repaired
from biomech_id.readers import read

pytestmark = pytest.mark.real


def rules(session: Computed) -> set[str]:
    """Everything that is said of a session and of its trials."""
    summary = session.tables.summary
    return {finding["rule"] for each in (summary, *summary["trials"]) for finding in each["findings"]}


def verdicts(session: Computed, layer: str) -> set[str]:
    return {trial["verdicts"][layer][side]["verdict"] for trial in session.tables.summary["trials"] for side in "LR"}


def test_walks_that_somebody_tuned_are_never_accepted(sessions: Sessions) -> None:
    session = sessions["labs_abroad/device_tuned_rotation"]
    (said,) = (each for each in session.tables.summary["findings"] if each["rule"] == "offsets-of-trials-differ")
    legs = {side: (static, trial) for side, static, trial in said["values"]["legs"]}
    assert legs["L"] == pytest.approx((-1.064, 1.989), abs=0.002)
    assert legs["R"] == pytest.approx((-1.007, 2.605), abs=0.002)
    assert verdicts(session, "kinematics") == verdicts(session, "kinetics") == {"warn"}
    rows = session.tables.quality.set_index("rule").loc["thigh-rotations"]
    assert rows["value"].tolist() == pytest.approx([3.61, 3.61], abs=0.01)


def test_medial_markers_under_names_of_their_own_carry_the_second_model(sessions: Sessions) -> None:
    session = sessions["labs_abroad/sacrum_and_medials"]
    assert session.session.model == "six-dof"
    (said,) = (each for each in session.tables.summary["findings"] if each["rule"] == "markers-left-over")
    assert {label: (side, role) for side, role, label in said["values"]["points"]} == {
        f"{side}{label}": (side, role)
        for side in "LR"
        for label, role in (
            ("Med_kn", "medial_epicondyle"), ("Med_ank", "medial_malleolus"), ("Med_toe", "metatarsal_1"),
            ("LA_TOE", "metatarsal_5"),
        )
    }  # fmt: skip
    assert session.session.person.mass_kg == pytest.approx(36.3, abs=1.0)
    assert "mass-from-plates" in rules(session)
    (trial,) = session.tables.summary["trials"]
    assert [trial["verdicts"]["kinetics"][side]["cycles"] for side in "LR"] == [1, 1]


SYMPTOMS = {"force-sideways", "impulse-sideways", "free-moment-turned", "free-moment-large", "force-slope"}


def test_a_sideways_force_of_the_wrong_sign_is_one_finding_and_its_repair_is_right(sessions: Sessions) -> None:
    session = sessions["labs_abroad/examined_child"]
    assert "plates-sideways-turned" in rules(session)
    assert not rules(session) & SYMPTOMS
    # Two steps, one on each plate, in one direction: nothing is claimed of where a plate stands.
    assert not rules(session) & {"plates-stand", "plate-elsewhere"}
    (trial,) = session.tables.summary["trials"]
    (said,) = (each for each in trial["findings"] if each["rule"] == "plates-sideways-turned")
    folder = sessions.shared / "c3d/labs_abroad/examined_child"
    static, walk = (read(folder / f"{name}.c3d", trust=True) for name in ("static", "walk04"))
    (back,) = repaired([walk], [Repair("plate", tuple(what)) for what in said["values"]["plates"]])
    again = analyse([static, back], static=static, uncertainty=False, budget=False)
    assert not {finding.rule for finding in again.movements[0].findings} & {*SYMPTOMS, "plates-sideways-turned"}
    assert again.movements[0].has_kinetics


def test_who_stands_up_from_a_seat_does_not_walk(sessions: Sessions) -> None:
    session = sessions["labs_abroad/small_child"]
    (trial,) = session.tables.summary["trials"]
    assert (trial["kind"], trial["cycles"]) == ("rise", [])
    assert "comes up" in next(each["message"] for each in trial["findings"] if each["rule"] == "no-gait")
    assert (session.session.person.mass_kg, session.session.person.height_m) == (14.5, 1.03)
    assert "stored-angles-differ" not in rules(session)
    assert "offsets-as-stored" in rules(session)
