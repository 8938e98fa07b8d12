"""The Oxford foot model without recordings: its geometry against closed forms, what one missing marker does, and its options."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.algebra.rotation import cardan_angles, cardan_matrix
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.foot_models import FOOT_MODELS, FootSession, calibrated_feet
from biomech_id.models.oxford_foot.calibration import apart_m, learnt_points, means_of, smoothed_foot, stored_points
from biomech_id.models.oxford_foot.errors import PLACEMENT, TISSUE, angle_sd_deg, turn_covariances
from biomech_id.models.oxford_foot.geometry import axes_of, onto_plane, rigid_copies, smoothed_group, smoothed_hindfoot
from biomech_id.models.oxford_foot.inputs import foot_markers, is_worn, lacking_labels, leg_sizes
from biomech_id.models.oxford_foot.model import OxfordFeet
from biomech_id.models.oxford_foot.options import FootOptions
from biomech_id.models.oxford_foot.shank import LegSizes, place_shank
from biomech_id.models.oxford_foot.track import ANGLES, place_foot
from biomech_id.trial import Subject, Trial
from biomech_id.uncertainty.sizes import error_sizes

FRAMES = 30
#: Markers of a left foot that stands on the floor with the toes along X, m; mirrored for the right one.
LEFT = {
    "HEE": (0.0, 0.0, 0.03), "PCA": (0.0, 0.0, 0.06), "CPG": (-0.01, 0.0, 0.045), "LCA": (0.03, 0.03, 0.03),
    "STL": (0.03, -0.03, 0.035), "P1M": (0.11, -0.03, 0.045), "D1M": (0.16, -0.04, 0.03), "D5M": (0.15, 0.05, 0.025),
    "P5M": (0.09, 0.04, 0.025), "TOE": (0.16, 0.0, 0.035), "HLX": (0.21, -0.035, 0.02), "ANK": (0.05, 0.04, 0.09),
    "MMA": (0.055, -0.035, 0.095), "SHN": (0.07, 0.0, 0.25), "HFB": (0.03, 0.05, 0.4), "TUB": (0.09, 0.0, 0.39),
    "TIB": (0.05, 0.09, 0.25), "KNE": (0.06, 0.055, 0.45), "THI": (0.06, 0.1, 0.65),
}  # fmt: skip
PELVIS = {"ASI": (0.13, 0.12, 0.95), "PSI": (-0.05, 0.05, 0.97)}
SIZES = LegSizes(0.85, 0.09, 0.065, 0.014, 0.24, {}, {}, {})


def standing(side: str, shake_m: float = 0.0) -> dict[str, np.ndarray]:
    """Both spines and one leg, apart from the middle, standing on the floor."""
    rng = np.random.default_rng(8)
    mirror = np.array([1.0, 1.0 if side == "L" else -1.0, 1.0])
    here = {side + name: mirror * (np.array(point) + [0.0, 0.1, 0.0]) for name, point in LEFT.items()}
    spines = {
        each + name: np.array(point) * [1.0, 1.0 if each == "L" else -1.0, 1.0] for name, point in PELVIS.items() for each in "LR"
    }
    return {name: point + shake_m * rng.normal(size=(FRAMES, 3)) for name, point in (here | spines).items()}


def pose_of(markers: dict[str, np.ndarray], side: str, **options: object):
    chosen = FootOptions(**options)
    points, smooth = learnt_points(markers, side, chosen, flat=True, floor=False)
    return place_foot(markers, smooth, points, side, SIZES, along_x=True)


def test_axes_are_right_handed_in_every_order() -> None:
    first, second = np.array([[0.3, 0.2, 0.9]]), np.array([[0.1, 0.8, 0.2]])
    for order in ("xyz", "yzx", "zxy", "zyx", "xzy", "yxz"):
        R = axes_of(first, second, order)[0]
        assert pytest.approx(np.eye(3), abs=1e-12) == R @ R.T
        assert np.linalg.det(R) == pytest.approx(1.0)
        assert R[:, "xyz".index(order[0])] == pytest.approx(first[0] / np.linalg.norm(first))
        assert R[:, "xyz".index(order[1])] @ second[0] == pytest.approx(0.0, abs=1e-12)


def test_a_rigid_group_is_its_own_copy_and_fills_a_marker() -> None:
    body = np.array([[0.0, 0.0, 0.0], [0.05, 0.0, 0.01], [0.02, 0.04, 0.0], [0.01, 0.02, 0.06]])
    turns = cardan_matrix(np.linspace(0.0, 0.5, FRAMES)[:, None] * [1.0, -0.5, 0.3], "yxz")
    paths = [turns @ point + [0.1, 0.2, 0.3] for point in body]
    for path, copy in zip(paths, rigid_copies(paths), strict=True):
        assert copy == pytest.approx(path, abs=1e-12)
    seen = paths[2].copy()
    seen[10:20] = np.nan
    assert smoothed_group([*paths[:2], seen, paths[3]])[2] == pytest.approx(paths[2], abs=1e-12)
    seen[:] = np.nan
    assert np.isnan(smoothed_group([*paths[:2], seen, paths[3]])[2]).all()


def test_two_lacking_labels_stay_missing_and_enter_no_mean() -> None:
    markers = standing("L", 1e-3)
    names = ["LHEE", "LLCA", "LSTL", "LCPG"]
    paths = [markers[name].copy() for name in names]
    without = [path[1:] for path in paths]
    paths[0][0], paths[1][0] = np.nan, np.nan
    smooth = smoothed_group(paths)
    assert np.isnan(np.stack(smooth)[:2, 0]).all()
    assert np.stack(smooth)[:, 1:] == pytest.approx(np.stack(smoothed_group(without)), abs=1e-15)


def test_passes_bring_the_heel_halfway_to_its_copy_each_time() -> None:
    markers = standing("L", 1e-3)
    group = [markers["L" + name] for name in ("HEE", "LCA", "STL", "CPG")]
    copy = rigid_copies(group)[0]
    for passes in (1, 2, 4):
        heel = smoothed_hindfoot(group, passes=passes)[0]
        assert heel - copy == pytest.approx((group[0] - copy) / 2**passes, abs=1e-12)
    thrice = smoothed_hindfoot(group, passes=3)
    again = smoothed_hindfoot(group, heel_stored_lab_m=thrice[0])
    assert np.stack(again) == pytest.approx(np.stack(thrice), abs=1e-12)


def test_projection_lies_on_the_plane() -> None:
    plane = [np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 1.0]]), np.array([[0.0, 1.0, 1.0]])]
    assert onto_plane(np.array([[0.3, 0.4, 5.0]]), plane) == pytest.approx(np.array([[0.3, 0.4, 1.0]]))


def test_left_and_right_are_mirror_images() -> None:
    left, right = (pose_of(standing(side), side) for side in "LR")
    assert left.angles_deg.keys() == right.angles_deg.keys()
    for name in left.angles_deg:
        assert right.angles_deg[name] == pytest.approx(left.angles_deg[name], abs=1e-9), name
    assert left.arch_index == pytest.approx(right.arch_index)


@pytest.mark.parametrize(
    ("moved", "axis", "angle", "component", "sign"),
    [
        ("HEE LCA STL CPG PCA P1M D1M D5M P5M TOE HLX", "-y", "HindfootTibiaAngles", 0, 1.0),  # toes up
        ("HEE LCA STL CPG PCA P1M D1M D5M P5M TOE HLX", "-z", "HindfootTibiaAngles", 1, 1.0),  # toes inwards
        ("HEE LCA STL CPG PCA P1M D1M D5M P5M TOE HLX", "-z", "HindfootLabAngles", 1, -1.0),
        ("P1M D1M D5M P5M TOE HLX", "-y", "ForefootHindfootAngles", 0, 1.0),
        ("P1M D1M D5M P5M TOE HLX", "-z", "ForefootHindfootAngles", 1, 1.0),
        ("P1M D1M D5M P5M TOE HLX", "-x", "ForefootHindfootAngles", 2, 1.0),  # sole inwards
        ("P1M D1M D5M P5M TOE HLX", "-x", "ForefootTibiaAngles", 2, 1.0),
        ("HLX", "-y", "HalluxForefootAngles", 0, 1.0),
    ],
)  # fmt: skip
def test_signs_are_those_of_the_words(moved: str, axis: str, angle: str, component: int, sign: float) -> None:
    """A left foot is turned about an axis through its ankle by eight degrees, in the trial; the static trial stays."""
    markers = standing("L")
    points = means_of(learnt_points(markers, "L", FootOptions(), flat=True, floor=False)[0])

    def shown() -> np.ndarray:
        smooth = smoothed_foot(markers, "L", FootOptions())
        return place_foot(markers, smooth, points, "L", SIZES, along_x=True).angles_deg[angle]

    still = shown()
    turn = cardan_matrix(np.radians([8.0 * (axis[-1] == each) for each in "xyz"]) * (-1.0 if axis[0] == "-" else 1.0), "xyz")
    pivot = markers["LANK"][0] if moved != "HLX" else markers["LD1M"][0]
    for name in moved.split():
        markers["L" + name] = (markers["L" + name] - pivot) @ turn.T + pivot
    after = shown()
    assert sign * (after - still)[0, component] == pytest.approx(8.0, abs=2.5)


def test_flat_and_floor_lower_what_they_say() -> None:
    markers = standing("L")
    markers["LP5M"] = markers["LP5M"] - [0.0, 0.0, 0.01]
    flat, steep = (means_of(learnt_points(markers, "L", FootOptions(), flat=flat, floor=False)[0]) for flat in (True, False))
    assert {name for name, off in apart_m(flat, steep).items() if off > 1e-9} == {"HFplantar"}
    low = means_of(learnt_points(markers, "L", FootOptions(), flat=True, floor=True)[0])
    assert {name for name, off in apart_m(flat, low).items() if off > 1e-9} == {"D1M0", "D5M0", "D1Mlat"}


def test_stored_points_read_as_they_were_written() -> None:
    points = means_of(learnt_points(standing("R"), "R", FootOptions(), flat=True, floor=False)[0])
    stored = {
        f"%R{name}{axis}": 1000.0 * value
        for name, local in points.local_m.items()
        for axis, value in zip("XYZ", local, strict=True)
    }
    again = stored_points({**stored, "RFootLength": 160.0}, "R", floor=False)
    assert again is not None
    assert max(apart_m(points, again).values()) < 1e-12
    assert again.foot_length_m == pytest.approx(0.16)
    assert stored_points({name: value for name, value in stored.items() if name != "%RPCAY"}, "R", floor=False) is None


def test_a_turned_wand_turns_the_shank() -> None:
    markers = standing("L")
    straight = place_shank(markers, "L", SIZES)
    sizes = LegSizes(0.85, 0.09, 0.065, 0.014, 0.24, {}, {}, {"L": np.radians(5.0)})
    turned = place_shank(markers, "L", sizes)
    assert turned.R_lab_femur == pytest.approx(straight.R_lab_femur)
    between = np.degrees(np.arccos((np.trace(straight.R_lab_tibia[0].T @ turned.R_lab_tibia[0]) - 1.0) / 2.0))
    # The wand turns about the line to its marker, the joint by as much about the shank's axis: about the size of the turn.
    assert 4.0 < between < 8.0


@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("name", ["FemurTibiaAngles", "HindfootTibiaAngles", "HalluxForefootAngles"])
def test_turns_of_two_segments_move_an_angle_as_differences_do(name: str, side: str) -> None:
    """The closed form against segments that are turned and read anew, at a bent posture."""
    angle, rng = ANGLES[name], np.random.default_rng(3)
    cardan = np.radians([50.0, -20.0, 15.0])
    R = cardan_matrix(cardan[None], "yxz")[0]
    signs = np.array([angle.first, angle.second * SIDE_SIGN[side], -SIDE_SIGN[side]])
    shown = np.degrees(cardan) * signs + [90.0 if angle.from_right_angle else 0.0, 0.0, 0.0]
    turns = 1e-5 * rng.normal(size=(4, 6))
    seen = np.zeros(3)
    for distal, proximal in zip(turns[:, :3], turns[:, 3:], strict=True):
        turned = cardan_matrix(proximal[None], "xyz")[0].T @ R @ cardan_matrix(distal[None], "xyz")[0]
        seen += np.degrees(cardan_angles(turned[None], "yxz")[0] - cardan) ** 2
    assert angle_sd_deg(name, shown[None], side, {TISSUE: turns.T @ turns})[TISSUE][0] == pytest.approx(np.sqrt(seen), rel=1e-3)


def test_errors_of_markers_reach_the_angles() -> None:
    """Markers 1 mm beside their places turn a hindfoot by one or two degrees; skin moves nothing that has no size."""
    none = dict.fromkeys(error_sizes(), 0.0)
    turns = turn_covariances(standing("L"), "L", SIZES, FootOptions(), none | {"foot_marker_mm": 1.0}, flat=True, floor=False)
    level = np.array([[90.0, 0.0, 0.0]])
    sds = angle_sd_deg("HindfootLabAngles", level, "L", turns["HindfootLabAngles"])
    placed, skin = sds[PLACEMENT], sds[TISSUE]
    assert skin == pytest.approx(np.zeros((1, 3)), abs=1e-9)
    # The sole points from the heel to the middle of LCA and STL, 30 mm on, of which the middle is off by 1 / sqrt(2) mm.
    assert placed[0, 1] == pytest.approx(np.degrees(np.sqrt(1.5) * 1e-3 / 0.03), rel=0.1)
    at = SIZES, FootOptions(), none | {"foot_marker_mm": 2.0}
    twice = turn_covariances(standing("L"), "L", *at, flat=True, floor=False)["HindfootLabAngles"][PLACEMENT]
    assert np.trace(twice) == pytest.approx(4.0 * np.trace(turns["HindfootLabAngles"][PLACEMENT]), rel=0.02)


def test_a_hallux_that_becomes_shorter_is_off_by_more() -> None:
    """Its marker, off by as much, turns half the length by twice the angle; the forefoot's part stays."""
    shown, alone = np.array([[20.0, 0.0, 0.0]] * 2), np.diag([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    sd = angle_sd_deg("HalluxForefootAngles", shown, "L", {PLACEMENT: 1e-4 * alone}, np.array([1.0, 2.0]))[PLACEMENT]
    assert sd[1, :2] == pytest.approx(2.0 * sd[0, :2])
    walk, sizes = recording("walk", without=STANDING_ALONE), error_sizes()
    feet = calibrated_feet(FootSession(recording("static"), [walk], PERSON, {}, sizes))["oxford"]
    near = walk.markers.position_m.copy()
    hallux = walk.markers.names.index("LHLX")
    near[:, hallux] -= 0.4 * (near[:, hallux] - standing("L")["LD1M"])
    columns = [feet.track(trial)[0] for trial in (walk, walk.after("near", markers=walk.markers.with_positions(near)))]
    as_stood, shorter = (feet.errors(each)["LHalluxForefootAngles.X"][PLACEMENT].mean() for each in columns)
    assert 1.4 < shorter / as_stood < 1.0 / 0.6


def test_without_the_shank_group_the_other_segments_stay() -> None:
    markers = standing("L")
    del markers["LSHN"]
    names = pose_of(markers, "L").angles_deg.keys()
    assert "TibiaLabAngles" not in names
    assert {"HindfootTibiaAngles", "ForefootHindfootAngles", "HalluxForefootAngles", "HindfootLabAngles"} <= names


def test_who_wears_the_model_and_what_is_missing() -> None:
    labels = standing("L")
    assert is_worn(labels, "L")
    assert not is_worn(labels, "R")
    assert lacking_labels(labels, "L") == ()
    del labels["LSTL"]
    assert is_worn(labels, "L")
    assert lacking_labels(labels, "L") == ("LSTL",)


def test_measurements_of_the_file_and_of_a_hand() -> None:
    stored = {"MarkerDiameter": 10.0, "LKneeWidth": 80.0, "RKneeWidth": 90.0, "LAnkleWidth": 60.0, "RAnkleWidth": 62.0,
              "LLegLength": 700.0, "RLegLength": 700.0}  # fmt: skip
    trial = Trial.from_arrays({"LHEE": np.zeros((2, 3))}, 100.0)
    trial = trial.after("given", stored_numbers=stored)
    typed = Subject(knee_width_m={"L": 0.1, "R": 0.1}, sources={"knee_width_m": "subject.toml"})
    mean, own = (leg_sizes(trial, typed, "L", FootOptions(widths=widths)) for widths in ("mean", "own"))
    assert (mean.knee_width_m, mean.ankle_width_m, own.ankle_width_m) == pytest.approx((0.1, 0.061, 0.06))
    assert mean.marker_diameter_m == pytest.approx(0.01)
    assert foot_markers(trial).keys() == {"LHEE"}


def recording(name: str, sides: str = "LR", without: tuple[str, ...] = (), stored: dict[str, float] | None = None) -> Trial:
    """A trial in which somebody stands, or a walk without the markers of standing alone."""
    paths = {label: path for side in sides for label, path in standing(side, 5e-4).items() if label not in without}
    return Trial.from_arrays(paths, 100.0, name=name).after("given", stored_numbers={"MarkerDiameter": 14.0, **(stored or {})})


PERSON = Subject(
    leg_length_m={"L": 0.85, "R": 0.85}, knee_width_m={"L": 0.09, "R": 0.09}, ankle_width_m={"L": 0.065, "R": 0.065},
)  # fmt: skip
STANDING_ALONE = ("LMMA", "LPCA", "LD1M", "RMMA", "RPCA", "RD1M")


def feet_of(static: Trial | None, walk: Trial, **options: object) -> OxfordFeet:
    return calibrated_feet(FootSession(static, [walk], PERSON, options))["oxford"]


def rules(feet: OxfordFeet) -> list[str]:
    return [finding.rule for finding in feet.findings]


def test_a_session_is_calibrated_by_its_static_trial() -> None:
    feet = feet_of(recording("static"), recording("walk", without=STANDING_ALONE))
    assert rules(feet) == ["oxford-foot", "oxford-foot-flat-assumed", "oxford-foot-flat-assumed"]
    assert feet.findings[0].message.startswith("Foot model: both feet; static: flat (assumed); heel smoothed once.")
    columns, noticed = feet.track(recording("walk", without=STANDING_ALONE))
    assert noticed == ()
    named = {row.column(side) for side in "LR" for row in FOOT_MODELS["oxford"].rows}
    assert set(columns) == named | {"LHalluxLength", "RHalluxLength"}
    assert all(np.isfinite(path).all() for path in columns.values())
    shown = feet.record["sides"]["L"]
    assert (shown["flat"], shown["flat_known"]) == (True, "assumed")
    assert np.mean(columns["LHindfootTibiaAngles.X"]) == pytest.approx(shown["static_deg"]["HindfootTibiaAngles"][0], abs=0.5)


def test_nobody_wears_it() -> None:
    labels = [side + name for side in "LR" for name in ("LCA", "STL", "CPG", "P1M", "P5M", "D5M")]
    leg = recording("walk", without=tuple(labels))
    assert calibrated_feet(FootSession(recording("static"), [leg], PERSON)) == {}


def test_one_foot_alone() -> None:
    feet = feet_of(recording("static", "R"), recording("walk", "R", STANDING_ALONE))
    columns, _ = feet.track(recording("walk", "R", STANDING_ALONE))
    assert {name[0] for name in columns} == {"R"}
    assert "the right foot" in feet.findings[0].message


@pytest.mark.parametrize("marker", ["LSTL", "LLCA", "LCPG"])
def test_without_a_hindfoot_marker_that_side_has_no_foot(marker: str) -> None:
    feet = feet_of(recording("static"), recording("walk"))
    columns, noticed = feet.track(recording("walk", without=(marker,)))
    assert {name[0] for name in columns} == {"R"}
    assert [finding.message for finding in noticed] == [
        f"walk has no foot model of the left foot: it lacks {marker}; the leg is computed without it."
    ]


@pytest.mark.parametrize("static", [None, "LPCA"])
def test_without_a_calibration_there_is_no_foot(static: str | None) -> None:
    stood = None if static is None else recording("static", without=(static,))
    feet = feet_of(stood, recording("walk"))
    assert "L" not in feet.feet
    why = "there is no static trial" if static is None else "static lacks LPCA"
    message = next(finding.message for finding in feet.findings if finding.rule == "oxford-foot-not-calibrated")
    assert message.startswith(f"There is no foot model of the left foot: {why}, and")


def stored_of(flat: bool) -> dict[str, float]:
    """What a plug-in would have stored of the standing left foot."""
    points = means_of(learnt_points(foot_markers(recording("static")), "L", FootOptions(), flat=flat, floor=False)[0])
    return {f"%L{name}{axis}": 1000.0 * v for name, local in points.local_m.items() for axis, v in zip("XYZ", local, strict=True)}


def test_stored_numbers_calibrate_and_show_whether_the_foot_was_flat() -> None:
    for flat in (True, False):
        walk = recording("walk", "L", STANDING_ALONE, stored_of(flat))
        feet = feet_of(recording("static"), walk)
        assert (feet.feet["L"].flat, feet.feet["L"].how) == (flat, "measured")
        alone = feet_of(None, walk)
        assert (alone.feet["L"].flat, alone.feet["L"].how) == (None, "stored")
        one, other = (each.track(walk)[0]["LHindfootTibiaAngles.X"] for each in (feet, alone))
        assert one == pytest.approx(other, abs=1e-9)


def test_a_static_trial_that_is_not_the_stored_one_is_said() -> None:
    stored = stored_of(True)
    stored["%LMMAY"] += 20.0
    feet = feet_of(recording("static"), recording("walk", "L", STANDING_ALONE, stored))
    (said,) = [finding for finding in feet.findings if finding.rule == "oxford-foot-static-differs"]
    assert (said.values["point"], said.values["apart_mm"]) == ("MMA", pytest.approx(20.0, abs=1e-6))


def test_a_high_heel_is_asked_about_and_not_called_flat() -> None:
    """A foot in equinus: the heel 40 mm up, nothing stored; an answer in the recipe calibrates it."""
    static = recording("static", "L")
    high = static.markers.position_m.copy()
    for name in ("LHEE", "LPCA", "LCPG", "LLCA", "LSTL"):
        high[:, static.markers.names.index(name), 2] += 0.04
    static = static.after("raised", markers=static.markers.with_positions(high))
    walk = recording("walk", "L", STANDING_ALONE)
    asked = feet_of(static, walk)
    assert asked.feet == {}
    (said,) = asked.findings
    assert said.rule == "oxford-foot-flat-asked"
    assert said.values["height_mm"] > 10.0
    assert said.values["apart_deg"] > 5.0
    columns = {flat: feet_of(static, walk, flat=flat).track(walk)[0]["LHindfootTibiaAngles.X"] for flat in ("yes", "no")}
    assert abs(np.mean(columns["yes"] - columns["no"])) == pytest.approx(said.values["apart_deg"], abs=0.5)


def test_a_moved_marker_is_named() -> None:
    walk = recording("walk")
    moved = walk.markers.position_m.copy()
    moved[: FRAMES // 2, walk.markers.names.index("RSTL")] += [0.02, 0.0, 0.0]
    _, noticed = feet_of(recording("static"), walk).track(walk.after("moved", markers=walk.markers.with_positions(moved)))
    assert {finding.values["marker"] for finding in noticed} == {"RSTL"}
