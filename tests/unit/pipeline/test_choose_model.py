"""Which model, mass and static trial a session gets that names none of them (issue M)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.errors import MissingInputError, OptionError, on_command_line
from biomech_id.languages import Sentence
from biomech_id.markersets import load_markerset
from biomech_id.models.conventional.needs import missing_measurements
from biomech_id.models.still_window import stillest_window
from biomech_id.pipeline.choose_model import choose_model
from biomech_id.request.intake import find_static, only_frame, sways
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject
from biomech_id.trial import Markers, Subject, Trial

PERSON = virtual_subject(duration_s=4.5)
STATIC, WALK = PERSON.static("static", duration_s=1.0).trial, PERSON.walk("walk").trial
JOB = Job((Path("anna"),))


def without(trial: Trial, *names: str) -> Trial:
    kept = [name for name in trial.markers.names if name not in names]
    position = trial.markers.position_m[:, [trial.markers.names.index(name) for name in kept]]
    return replace(trial, markers=Markers(tuple(kept), position, trial.rate_hz))


def unweighed(trial: Trial) -> Trial:
    return replace(trial, subject=replace(trial.subject, mass_kg=None))


def unmeasured(trial: Trial) -> Trial:
    """The same recording of somebody whom nobody measured, with medial markers instead."""
    markers = trial.markers
    new: dict[str, np.ndarray] = {}
    for lateral, medial, width_m in (("KNE", "KNEM", 0.1), ("ANK", "MED", 0.07)):
        across = markers[f"R{lateral}"] - markers[f"L{lateral}"]
        inward = width_m * across / np.linalg.norm(across, axis=1, keepdims=True)
        new |= {f"L{medial}": markers[f"L{lateral}"] + inward, f"R{medial}": markers[f"R{lateral}"] - inward}
    position = np.concatenate([markers.position_m, np.stack(list(new.values()), axis=1)], axis=1)
    subject = Subject(code="anna", mass_kg=72.0)
    return replace(trial, markers=Markers((*markers.names, *new), position, trial.rate_hz), subject=subject)


def changed(trial: Trial, change: Callable[[np.ndarray], np.ndarray]) -> Trial:
    return replace(trial, markers=trial.markers.with_positions(change(trial.markers.position_m.copy())))


def test_the_conventional_model_comes_first() -> None:
    chosen = choose_model(JOB, (STATIC, WALK))
    assert chosen.job.recipe.model == "conventional"
    assert chosen.static is STATIC
    assert chosen.findings == ()
    assert Recipe().model == "auto"


def test_without_its_measurements_the_other_model_is_taken_and_it_is_said() -> None:
    chosen = choose_model(JOB, (unmeasured(STATIC), unmeasured(WALK)))
    assert chosen.job.recipe.model == "six-dof"
    (said,) = chosen.findings
    assert said.rule == "model-chosen"
    assert said.values["lacks"] == ("leg lengths", "knee widths", "ankle widths")
    assert said.message.startswith("The conventional gait model lacks leg lengths, knee widths, ankle widths")


@pytest.mark.parametrize("sides", [("L", "R"), ("L",), ("R",)])
def test_what_a_model_lacks_is_said_in_german_too(sides: tuple[str, ...]) -> None:
    measures = missing_measurements(Subject(code="anna"), sides)
    assert len(measures) == 4
    for each in (*measures, "a static trial"):
        said = Sentence("model-chosen", {"model": "six-dof", "lacks": [each]})
        assert each in said.text("en")
        assert each not in said.text("de")
    long = Sentence("model-chosen", {"model": "six-dof", "lacks": ["LASI", "RASI", "SACR", "LTHI", "LKNE"]})
    assert "lacks LASI, RASI, SACR, 2 more:" in long.text("en")
    assert "fehlt LASI, RASI, SACR, 2 weitere:" in long.text("de")


def test_who_names_a_model_gets_that_one_or_none() -> None:
    job = replace(JOB, recipe=Recipe(model="conventional"))
    with pytest.raises(MissingInputError, match="knee widths"):
        choose_model(job, (unmeasured(STATIC), unmeasured(WALK)))


def test_vendor_kinetics_are_the_conventional_models_alone() -> None:
    assert Recipe(kinetics="vicon").models == ("conventional",)
    assert Recipe().models == ("conventional", "six-dof")


@pytest.mark.parametrize(("plates", "how"), [("static", "standing"), ("walk", "steps")])
def test_a_mass_that_nobody_recorded_is_what_the_plates_carry(plates: str, how: str) -> None:
    static = unweighed(STATIC) if plates == "static" else replace(unweighed(STATIC), plates=())
    chosen = choose_model(JOB, (static, unweighed(WALK)))
    assert chosen.subject.mass_kg == pytest.approx(72.0, rel=0.03)
    (said,) = (finding for finding in chosen.findings if finding.rule == "mass-from-plates")
    assert said.values["how"] == how
    assert chosen.subject.sources["mass_kg"] == f"{'quiet standing' if how == 'standing' else 'periodic steps'} in {plates}"


def test_plates_without_a_mass_are_refused_with_the_command() -> None:
    # One plate of two: no step stands on plates alone, and nobody stands still with both feet on it.
    trials = (replace(unweighed(STATIC), plates=()), replace(unweighed(WALK), plates=WALK.plates[:1]))
    with pytest.raises(MissingInputError, match=r"`biomech-id run \. -o OUT --mass KG`"), on_command_line():
        choose_model(JOB, trials)


def test_without_plates_nobody_needs_a_mass() -> None:
    chosen = choose_model(JOB, (replace(unweighed(STATIC), plates=()), replace(unweighed(WALK), plates=())))
    assert chosen.subject.mass_kg is None
    assert [finding.rule for finding in chosen.findings] == ["mass-unknown"]
    calibration = chosen.model.calibration.to_dict()
    assert "mass_kg" not in calibration["sides"]["L"]["segments"]["thigh"]
    assert calibration["sides"]["L"]["segments"]["thigh"]["length_mm"] > 300.0


def test_what_no_model_knows_is_refused_with_the_nearest_set_and_the_command() -> None:
    strangers = [without(trial, *trial.markers.names[:-6]) for trial in (STATIC, WALK)]
    with pytest.raises(MissingInputError, match=r"`biomech-id markerset \S+ > markers.toml` .* --marker-set markers.toml"):
        choose_model(JOB, strangers)


def swaying(by_m: float) -> Trial:
    """The static trial with everything above the feet leaning to and fro."""
    t = np.arange(STATIC.n_frames) / STATIC.n_frames

    def lean(position_m: np.ndarray) -> np.ndarray:
        position_m[:, :, 1] += by_m * np.sin(2 * np.pi * t)[:, None] * (position_m[:, :, 2] - 0.1).clip(0.0)
        return position_m

    return changed(STATIC, lean)


def test_a_static_trial_that_sways_serves_where_nobody_stands_still() -> None:
    leaning = swaying(0.1)
    assert sways(leaning)
    assert 0.1 <= stillest_window(leaning.markers).length_s < 1.0  # a turning point of the sway
    assert find_static((leaning, WALK), None, lambda trial: True) is leaning
    assert find_static((leaning, STATIC, WALK), None, lambda trial: True) is STATIC
    assert not sways(swaying(0.4))
    assert not sways(WALK)


def test_a_single_frame_of_standing_serves_too() -> None:
    def one(position_m: np.ndarray) -> np.ndarray:
        position_m[:7] = position_m[8:] = np.nan
        return position_m

    single = changed(STATIC, one)
    assert only_frame(single) == 7
    assert find_static((single, WALK), None, lambda trial: True) is single
    assert find_static((single, STATIC), None, lambda trial: True) is STATIC
    # One frame of a walk shows feet apart, or one of them off the floor.
    middle = WALK.n_frames // 2
    for at in range(middle, middle + 40, 5):
        stepping = WALK.markers.position_m.copy()
        stepping[:at] = stepping[at + 1 :] = np.nan
        assert only_frame(replace(WALK, markers=WALK.markers.with_positions(stepping))) is None


def test_a_trial_is_named_as_messages_print_it(tmp_path: Path) -> None:
    for name in ("standing.c3d", "walk.c3d"):
        (tmp_path / name).write_bytes(b"")
    for named in ("standing.c3d", "standing"):
        assert Job((tmp_path,), static=Path(named)).static == tmp_path / "standing.c3d"
    assert Job((tmp_path,), functional=("walk",)).functional == (tmp_path / "walk.c3d",)
    assert Job((tmp_path / "walk.c3d",), static=Path("walk")).static == tmp_path / "walk.c3d"
    assert Job((tmp_path,), static=Path("nowhere")).static == Path("nowhere")


def test_several_statics_are_still_a_question() -> None:
    with pytest.raises(OptionError, match="Several trials could be the static one"):
        choose_model(JOB, (STATIC, replace(STATIC, name="again"), WALK))


@pytest.mark.parametrize("how", ["wrapping", "words", "places"])
def test_markers_under_other_names_give_the_same_model(how: str) -> None:
    words = dict(zip(("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE"),
                     ("EIAS", "EIPS", "cuisse", "genou ext", "jambe", "cheville", "talon", "orteil"), strict=True))  # fmt: skip
    new = {
        "wrapping": lambda i, label: f"Anna:{label}",
        "words": lambda i, label: f"{words[label[1:]]} {'gauche' if label[0] == 'L' else 'droite'}",
        "places": lambda i, label: f"M{i}",
    }[how]
    names = tuple(new(i, label) for i, label in enumerate(STATIC.markers.names))
    renamed = [
        replace(trial, markers=Markers(names, trial.markers.position_m, trial.rate_hz)) for trial in (STATIC, WALK)
    ]  # fmt: skip
    chosen, before = choose_model(JOB, renamed), choose_model(JOB, (STATIC, WALK))
    (said,) = (finding for finding in chosen.findings if finding.rule == "markers-recognised")
    assert said.values["how"] == how
    assert chosen.model.calibration.to_dict() == before.model.calibration.to_dict()
    ours, theirs = (c.model.track(c.trials[1]).joint_angles_rad["L", "knee"] for c in (chosen, before))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "spelt", [str.lower, lambda label: f"{label[0]} {label[1:]}", lambda label: f"{label[0]}_{label[1:].title()}"]
)
def test_known_labels_in_another_spelling_are_the_conventional_models(spelt: Callable[[str], str]) -> None:
    names = tuple(map(spelt, STATIC.markers.names))
    renamed = [replace(trial, markers=Markers(names, trial.markers.position_m, trial.rate_hz)) for trial in (STATIC, WALK)]
    chosen = choose_model(JOB, renamed)
    assert chosen.job.recipe.model == "conventional"
    assert chosen.findings == ()
    assert chosen.model.calibration.to_dict() == choose_model(JOB, (STATIC, WALK)).model.calibration.to_dict()


def test_markers_that_are_recognised_but_for_the_toes_are_refused_for_the_toes() -> None:
    """The sentence names what is lacking, and does not deny that the others were recognised."""
    words = {
        "asis": "SIAS", "psis": "SIPS", "thigh_wand": "Oberschenkel", "lateral_epicondyle": "Knie", "shank_wand": "Unterschenkel",
        "lateral_malleolus": "Knöchel", "heel": "Ferse",
    }  # fmt: skip
    roles = {label: key for key, label in load_markerset("plug-in-gait").roles.items()}

    def german(trial: Trial) -> Trial:
        said = {name: roles.get(name, ("", "")) for name in trial.markers.names}
        names = tuple(f"{words[role]} {side}" if role in words else f"P{i}" for i, (side, role) in enumerate(said.values()))
        return replace(trial, markers=Markers(names, trial.markers.position_m, trial.markers.rate_hz))

    toeless = [without(trial, "LTOE", "RTOE") for trial in (STATIC, WALK)]
    with pytest.raises(MissingInputError, match=r"missing: left toe, right toe\. No marker set .* `biomech-id markerset "):
        choose_model(JOB, tuple(german(trial) for trial in toeless))
