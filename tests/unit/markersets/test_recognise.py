"""Markers under names that no set has: right, or not recognised; never another marker (issue M)."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.markersets import load_markerset, parse_markerset
from biomech_id.markersets.draft import markerset_toml
from biomech_id.markersets.recognise import Recognition, _readings, recognise, without_wrapping
from biomech_id.markersets.standing import StandingMarkers, mean_places_m, roles_by_place
from biomech_id.sample import virtual_subject

STATIC = virtual_subject().static().trial
ROLES = {key: label for key, label in load_markerset("plug-in-gait").roles.items() if label in STATIC.markers.names}
PLACES = mean_places_m(STATIC.markers.names, STATIC.markers.position_m)
GERMAN = {
    "asis": "SIAS", "psis": "SIPS", "thigh_wand": "Oberschenkel", "lateral_epicondyle": "Knie außen", "shank_wand": "Unterschenkel",
    "lateral_malleolus": "Knöchel_lateral", "heel": "Ferse", "toe": "Zehe",
}  # fmt: skip


def renamed(names: dict[str, str]) -> Recognition | None:
    return recognise(list(names.values()), {names[label]: place for label, place in PLACES.items() if label in names})


def found(recognition: Recognition | None, names: dict[str, str]) -> dict[tuple[str, str], str]:
    """(side, role) -> the label it had before."""
    assert recognition is not None
    back = {new: old for old, new in names.items()}
    return {key: back[label] for key, label in recognition.markerset.roles.items() if label in back}


@pytest.mark.parametrize(
    "form", ["Anna:{}", "S3-{}", "{}*", "07_{}", "{}_study", "{} #7", "marker {}", "{0[1]}{0[2]}{0[3]}_{0[0]}"]
)
def test_what_is_wrapped_around_known_labels_is_taken_off(form: str) -> None:
    names = {label: form.format(label) for label in STATIC.markers.names}
    recognition = without_wrapping(list(names.values()))
    assert recognition is not None
    assert recognition.how == "wrapping"
    assert recognition.certainty == 1.0
    assert found(recognition, names) == ROLES


def test_words_of_a_language_say_what_a_marker_lies_on() -> None:
    names = {label: f"{GERMAN[role]} {'links' if side == 'L' else 'rechts'}" for (side, role), label in ROLES.items()}
    recognition = renamed(names)
    assert recognition is not None
    assert recognition.how == "words"
    assert found(recognition, names) == ROLES


def test_words_that_places_contradict_are_not_believed() -> None:
    names = {label: f"{GERMAN[role]} {'rechts' if side == 'L' else 'links'}" for (side, role), label in ROLES.items()}
    recognition = renamed(names)
    assert recognition is None or recognition.how == "places"
    assert recognition is None or found(recognition, names) == ROLES
    mirrored = {key: ROLES[{"L": "R", "R": "L"}[key[0]], key[1]] for key in ROLES}
    assert StandingMarkers(PLACES).contradiction(ROLES) == ""
    assert StandingMarkers(PLACES).contradiction(mirrored) != ""
    for one, other in (("heel", "toe"), ("asis", "psis"), ("lateral_epicondyle", "lateral_malleolus"), ("thigh_wand", "heel")):
        swapped = ROLES | {("L", one): ROLES["L", other], ("L", other): ROLES["L", one]}
        assert StandingMarkers(PLACES).contradiction(swapped) != "", (one, other)


def test_places_alone_tell_a_known_protocol() -> None:
    names = {label: f"M{i}" for i, label in enumerate(STATIC.markers.names)}
    recognition = renamed(names)
    assert recognition is not None
    assert recognition.how == "places"
    assert 0.5 < recognition.certainty < 1.0
    assert found(recognition, names) == ROLES


@pytest.mark.parametrize("lost", sorted(ROLES.values()))
def test_one_marker_less_is_right_or_nothing(lost: str) -> None:
    names = {label: f"M{i}" for i, label in enumerate(STATIC.markers.names) if label != lost}
    recognition = renamed(names)
    assert recognition is None or found(recognition, names) == {key: label for key, label in ROLES.items() if label != lost}


def test_a_marker_that_no_point_explains_ends_it() -> None:
    knee = PLACES["LKNE"]
    assert roles_by_place(StandingMarkers(PLACES)) is not None
    assert roles_by_place(StandingMarkers(PLACES | {"stranger": knee + [0.0, 0.0, -0.04]})) is None
    assert roles_by_place(StandingMarkers({label: place for label, place in PLACES.items() if label[0] == "L"})) is None


def test_what_is_written_is_read_back_as_the_same_set() -> None:
    names = {label: f"M{i}" for i, label in enumerate(STATIC.markers.names)}
    recognition = renamed(names)
    assert recognition is not None
    again = parse_markerset(markerset_toml(recognition.markerset, "ours"), "ours")
    assert dict(again.roles) == dict(recognition.markerset.roles)
    assert dict(again.tracking) == dict(recognition.markerset.tracking)
    assert again.models == recognition.markerset.models


def test_places_of_a_walk_are_seen_from_its_own_middle() -> None:
    walk = virtual_subject(duration_s=3.0).walk("walk").trial
    places = mean_places_m(walk.markers.names, walk.markers.position_m)
    assert StandingMarkers(places).contradiction(ROLES) == ""
    assert np.abs(np.mean(list(places.values()), axis=0)[:2]).max() < 1e-6


def test_pose2sims_augmented_markers_are_opencaps() -> None:
    required = load_markerset("opencap").required
    recognition = without_wrapping([f"{label.replace('R.', 'r.')}_study" for label in required])
    assert recognition is not None
    assert recognition.markerset.name == "opencap"
    assert recognition.markerset.roles["R", "asis"] == "r.ASIS_study"
    # Key points alone are joint centres: which way a thigh is turned they do not show.
    assert (
        without_wrapping([f"{side}{name}" for side in "LR" for name in ("Hip", "Knee", "Ankle", "Heel", "BigToe", "SmallToe")])
        is None
    )


@pytest.mark.parametrize(
    "unknown", [("toe",), ("heel", "toe"), ("lateral_epicondyle", "lateral_malleolus"), ("lateral_epicondyle", "heel", "toe")]
)
def test_words_that_nobody_knows_are_told_by_the_places_of_their_pairs(unknown: tuple[str, ...]) -> None:
    words = {**GERMAN, **{role: f"{'xqzw'[number]}brk" for number, role in enumerate(unknown)}}
    names = {label: f"{words[role]} {'links' if side == 'L' else 'rechts'}" for (side, role), label in ROLES.items()}
    recognition = renamed(names)
    assert recognition is not None
    assert recognition.how == "words"
    assert found(recognition, names) == ROLES


def test_a_pair_that_is_as_near_as_another_lies_on_nothing() -> None:
    """Toes are not seen; beside them the first and the fifth metatarsal heads have names that nobody knows."""
    static = virtual_subject(clusters=True).static().trial
    words = {**{label: f"{GERMAN[role]} {'links' if side == 'L' else 'rechts'}" for (side, role), label in ROLES.items()}}
    for side, said in (("L", "links"), ("R", "rechts")):
        del words[f"{side}TOE"]
        words |= {
            f"{side}MT1": f"qrx {said}",
            f"{side}MT5": f"qzw {said}",
            f"{side}TB3": f"wkk {said}",
            f"{side}TH4": f"wpp {said}",
        }
    places = mean_places_m(static.markers.names, static.markers.position_m)
    recognition = recognise(list(words.values()), {new: places[old] for old, new in words.items()})
    assert recognition is not None
    assert found(recognition, words) == {key: label for key, label in ROLES.items() if key[1] != "toe"}


@pytest.mark.parametrize(
    ("left", "role"),
    [
        ("Hip Front L", "asis"), ("left Rear Pelvis", "psis"), ("L_Darmbein_vorn", "asis"), ("vänster Häl", "heel"),
        ("Cóndilo lateral izquierda", "lateral_epicondyle"), ("Innenknöchel links", "medial_malleolus"),
        ("lewy Goleń", "shank_wand"), ("Diz dışı sol", "lateral_epicondyle"), ("HeelBackL", "heel"), ("Femur li", "thigh_wand"),
        ("Condyle interne gauche", "medial_epicondyle"), ("calcagno sx", "heel"),
    ],
)  # fmt: skip
def test_further_words(left: str, role: str) -> None:
    (key,) = {key for letters in (("l", "r"), ("v", "h")) for key in _readings(left, letters)}
    assert key == ("L", role)


@pytest.mark.parametrize("label", ["Hip L", "L_Front", "Pelvis links vorne hinten", "Toe Heel L"])
def test_what_says_too_little_or_too_much_says_nothing(label: str) -> None:
    assert not _readings(label, ("l", "r"))
