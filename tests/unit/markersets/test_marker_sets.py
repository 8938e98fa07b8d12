"""Marker sets: what they say, which one a file has, and markers that share a label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.errors import FileRefusedError, MissingInputError, OptionError
from biomech_id.markersets import MARKER_SETS, MarkerSet, describe_missing, detect, draft, load_markerset, parse_markerset, propose

SETS = [load_markerset(name) for name in MARKER_SETS]


def file_labels(markerset: MarkerSet) -> list[str]:
    """Labels as a file of this set would hold them: twins share one label, which a reader numbers."""
    shared = {twin.medial: f"{twin.label}_2" for twin in markerset.twins} | {twin.lateral: twin.label for twin in markerset.twins}
    return [shared.get(label, label) for label in markerset.required]


@pytest.mark.parametrize("markerset", SETS, ids=MARKER_SETS)
def test_a_set_is_complete_and_recognised_by_its_own_labels(markerset: MarkerSet) -> None:
    assert markerset.title
    assert markerset.source
    assert {side for side, _ in markerset.segments} == {"", "L", "R"}
    labels = file_labels(markerset)
    assert markerset.missing(labels) == {}
    found, why = detect(labels)
    assert found.name == markerset.name
    assert f"{len(markerset.required)} of its {len(markerset.required)} required markers" in why


@pytest.mark.parametrize("markerset", SETS, ids=MARKER_SETS)
def test_what_is_missing_is_said_for_its_segment(markerset: MarkerSet) -> None:
    heel = markerset.landmarks["L", "heel"]
    missing = markerset.missing([label for label in file_labels(markerset) if label != heel])
    assert missing == {("L", "foot"): (heel,)}
    assert describe_missing(missing) == f"{heel} (left foot)"


@pytest.mark.parametrize("markerset", SETS, ids=MARKER_SETS)
def test_spelling_does_not_matter(markerset: MarkerSet) -> None:
    varied = [label[0] + "_" + label[1:].lower() for label in markerset.required]
    assert set(markerset.matches(varied).values()) == set(markerset.required)


def test_an_alias_is_renamed_and_an_empty_label_does_not_block_it() -> None:
    markerset = load_markerset("plug-in-gait-sacrum")
    names = ("LASI", "SACR", "VSAC", "C7")
    position = np.zeros((2, 4, 3))
    position[:, 1] = np.nan  # there in name only
    assert markerset.renamed(names, position) == ("LASI", None, "SACR", "C7")


@pytest.mark.parametrize("turn_rad", [0.0, 0.7, np.pi])
@pytest.mark.parametrize("lateral_first", [True, False])
def test_twins_are_told_apart_by_their_distance_from_the_midline(turn_rad: float, lateral_first: bool) -> None:
    markerset = load_markerset("bmclab-walk")
    places = {"LASI": (0, 0.12, 1), "RASI": (0, -0.12, 1), "LKNE": (0, 0.15, 0.5), "LKNE_2": (0, 0.03, 0.5),
              "RKNE": (0, -0.15, 0.5), "RKNE_2": (0, -0.03, 0.5)}  # fmt: skip
    if not lateral_first:
        places |= {"LKNE": places["LKNE_2"], "LKNE_2": places["LKNE"]}
    c, s = np.cos(turn_rad), np.sin(turn_rad)
    position = (np.array(list(places.values())) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + [3.0, 2.0, 0.0])[None]
    renamed = dict(zip(places, markerset.renamed(tuple(places), position), strict=True))
    expected = {"LKNE": "LKNE", "LKNE_2": "LKNEM"} if lateral_first else {"LKNE": "LKNEM", "LKNE_2": "LKNE"}
    assert {name: renamed[name] for name in expected} == expected
    assert (renamed["RKNE"], renamed["RKNE_2"]) == ("RKNE", "RKNEM")


def test_a_richer_set_wins_over_the_one_it_contains() -> None:
    labels = load_markerset("functional-clusters").required
    assert detect(labels).markerset.name == "functional-clusters"
    ranked = propose(labels)
    assert ranked[0].share == ranked[1].share == 1.0
    assert ranked[0].found > ranked[1].found


def test_points_stored_by_other_software_count_for_a_set_and_against_none() -> None:
    markerset = load_markerset("fullbody-2009")
    centres = {markerset.landmarks[side, f"{joint}_centre"] for side in "LR" for joint in ("hip", "knee", "ankle")}
    markers = [label for label in markerset.required if label not in centres]
    assert propose(markers)[0].share < 1.0
    best = propose(markers, stored=[*centres, "LHipAngles"])[0]
    assert (best.markerset.name, best.share, best.unused) == ("fullbody-2009", 1.0, ())


def test_a_file_of_no_known_set_is_told_the_nearest_one() -> None:
    with pytest.raises(MissingInputError, match=r"the nearest is .* Missing: .*LHEE.*\(left foot\)"):
        detect(["LASI", "RASI", "LPSI", "RPSI", "LKNE", "RKNE", "XYZ"])
    with pytest.raises(MissingInputError):
        detect([])


def test_only_sets_of_the_wanted_model_are_considered() -> None:
    labels = file_labels(load_markerset("fullbody-2009"))
    assert detect(labels, model="six-dof").markerset.name == "fullbody-2009"
    with pytest.raises(MissingInputError):
        detect(labels, model="conventional")


@pytest.mark.parametrize("markerset", SETS, ids=MARKER_SETS)
def test_a_draft_can_be_read_again(markerset: MarkerSet) -> None:
    """It says what the shipped set says, in the file's spelling, about every marker the file has."""
    labels = [*file_labels(markerset), "EXTRA"]
    text = draft(labels, name="ours")
    again = parse_markerset(text, "ours")
    assert "Not used: EXTRA" in text
    assert again.models == markerset.models
    there = set(markerset.required)
    assert again.tracking == {key: tuple(x for x in cluster if x in there) for key, cluster in markerset.tracking.items()}
    assert again.landmarks == {key: label for key, label in markerset.landmarks.items() if label in there}
    assert set(again.twins) == set(markerset.twins)
    assert again.weights == {label: weight for label, weight in markerset.weights.items() if label in there}
    assert again.static_only == markerset.static_only & there
    assert detect(labels, sets=[again]).markerset.missing(labels) == {}


def test_markers_that_only_some_recordings_show_count_for_no_set_and_are_drafted() -> None:
    labels = [*load_markerset("plug-in-gait").required, "Sacr", "L.KAX", "R.KAX", "RBAK"]
    best = propose(labels)[0]
    assert (best.markerset.name, best.unused) == ("plug-in-gait", ("Sacr", "L.KAX", "R.KAX", "RBAK"))
    text = draft(labels, name="ours")
    assert parse_markerset(text, "ours").extra_landmarks == {
        ("", "sacrum"): "Sacr", ("L", "knee_device_axis"): "L.KAX", ("R", "knee_device_axis"): "R.KAX"
    }  # fmt: skip
    assert "# Not used: RBAK" in text


def test_a_draft_keeps_the_spelling_and_the_sides_of_a_file() -> None:
    limbs = [f"{side}.{name}" for side in "lr" for name in ("thi", "kne", "tib", "ank", "hee")]
    labels = ["L ASIS", "R ASIS", "SACR", *limbs, "l.toe"]  # the right toe is not in this file
    text = draft(labels, name='a "quoted" name')
    again = parse_markerset(text, "ours")
    assert again.title == 'a "quoted" name'
    assert again.landmarks["L", "asis"] == "L ASIS"
    assert again.landmarks["R", "lateral_epicondyle"] == "R.kne"
    assert again.landmarks["R", "toe"] == "R.toe"
    assert again.tracking["", "pelvis"] == ("L ASIS", "R ASIS", "SACR")
    assert again.missing(labels) == {("R", "foot"): ("R.toe",)}


def test_stored_points_are_drafted_too() -> None:
    markerset = load_markerset("fullbody-2009")
    centres = {label for (_, landmark), label in markerset.landmarks.items() if landmark.endswith("_centre")}
    text = draft([label for label in markerset.required if label not in centres], stored=[*centres, "LHipAngles"])
    assert parse_markerset(text, "ours").landmarks == markerset.landmarks
    assert "LHipAngles" not in text


def test_a_draft_from_strange_labels_is_a_skeleton_that_says_what_to_fill_in() -> None:
    text = draft(["H", "R", "B"])
    assert "No known set has these labels" in text
    assert '# not found: heel = "{s}HEE"' in text
    assert "# Not used: H, R, B" in text
    # It is a marker set all the same, and whatever takes it says what is to be filled in.
    assert 'thigh = ["{s}THI", "{s}KNE"]  # not found' in text
    assert not parse_markerset(text.replace("[landmarks]", '[landmarks]\ntoe = "B"'), "ours").present(["H"])


def test_a_laboratory_adds_a_set_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(
        'title = "ours"\n[landmarks]\nasis = "{s}.ASIS"\nsacrum = "S1"\nheel = "{s}.heel"\n'
        '[tracking]\npelvis = ["L.ASIS", "R.ASIS", "S1"]\nthigh = ["{s}.t1"]\nshank = ["{s}.s1"]\nfoot = ["{s}.heel"]\n'
        '[weights]\n"{s}.heel" = 0.5\n[markers]\noptional = ["{s}.t1"]\n',
        encoding="utf-8",
    )
    ours = load_markerset(path)
    assert ours.name == "ours"
    assert ours.landmarks["L", "heel"] == "L.heel"
    assert ours.landmarks["", "sacrum"] == "S1"
    assert ours.weights == {"L.heel": 0.5, "R.heel": 0.5}
    assert "L.t1" not in ours.required


def test_the_sides_may_have_labels_of_their_own() -> None:
    text = 'title = "t"\n[landmarks]\nheel = {L = "HX", R = "QV"}\ntoe = "{s}T"\n'
    tracking = '[tracking]\npelvis = ["P"]\nthigh = ["{s}1"]\nshank = ["{s}2"]\n'
    ours = parse_markerset(text + tracking + 'foot = {L = ["HX", "LT"], R = ["QV", "RT"]}\n', "ours")
    assert ours.roles == {("L", "heel"): "HX", ("R", "heel"): "QV", ("L", "toe"): "LT", ("R", "toe"): "RT"}
    assert ours.tracking["R", "foot"] == ("QV", "RT")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[landmarks]", "[landmark]", "unknown entry 'landmark'"),
        ("heel =", "heal =", "unknown landmark 'heal'"),
        ("foot = [", "feet = [", "unknown segment 'feet'"),
        ('heel = "{s}HEE"', 'heel = {left = "HX"}', "landmarks.heel is .*; it must be one value, or { L = ..., R = ... }"),
        ('sacrum = "SACR"', 'sacrum = {L = "SACR"}', "sacrum is .*; it must be a label"),
        ("knee_device_1 =", "knee_device_9 =", "unknown landmark 'knee_device_9'"),
        ('"six-dof"', '"seven-dof"', "unknown model 'seven-dof'"),
        ("title =", "title", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(old: str, new: str, says: str) -> None:
    import biomech_id.markersets as room

    text = (Path(room.__file__).parent / "plug-in-gait.toml").read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(FileRefusedError, match=says):
        parse_markerset(text.replace(old, new, 1), "mine")


def test_unknown_sets_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no marker set named helen"):
        load_markerset("helen")
    with pytest.raises(FileRefusedError, match="cannot be read"):
        load_markerset(tmp_path / "absent.toml")


def test_the_page_names_every_set_and_its_example_can_be_read() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "marker-sets.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in MARKER_SETS)
    example = parse_markerset(page.split("```toml\n")[1].split("```")[0], "example")
    assert example.tracking["L", "thigh"] == ("LTH1", "LTH2", "LTH3", "LTH4")
    assert example.weights["LTH1"] == 0.5
    assert {twin.lateral for twin in example.twins} == {"LMT5", "RMT5"}


@pytest.mark.parametrize("labels", [("RHEE", "R.Hee"), ("R.Hee", "RHEE"), ("R.Hee", "R_HEE")])
def test_of_two_spellings_of_one_label_the_sets_own_is_meant_then_the_first(labels: tuple[str, str]) -> None:
    meant = "RHEE" if "RHEE" in labels else labels[0]
    assert load_markerset("plug-in-gait").matches(labels) == {meant: "RHEE"}
