"""A knee alignment device shows the knee axis; what it teaches corrects the wands of every other trial."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import BiomechError
from biomech_id.models.conventional.knee_alignment import device_origin
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.conventional.pelvis import hip_centre_pelvis_m
from biomech_id.models.joint_centres.hip_regressions import PelvisSize
from biomech_id.models.landmarks import with_roles
from biomech_id.trial import Markers, Subject, Trial

RADIUS_M, KNEE_M, ANKLE_M, LEG_M, ARM_M = 0.007, 0.10, 0.07, 0.9, 0.11
SIGN = {"L": 1.0, "R": -1.0}
SUBJECT = Subject(
    mass_kg=60.0, marker_diameter_m=2 * RADIUS_M, inter_asis_distance_m=0.24,
    leg_length_m=dict.fromkeys("LR", LEG_M), knee_width_m=dict.fromkeys("LR", KNEE_M), ankle_width_m=dict.fromkeys("LR", ANKLE_M),
    asis_trochanter_distance_m=dict.fromkeys("LR", 0.067), foot_flat=True,
)  # fmt: skip


def yaw(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def flexed(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


class Leg:
    """A leg: knee axis turned ``knee_in`` inward, ankle axis ``torsion`` inward from it, and wands that lie."""

    def __init__(self, side: str, knee_in: float = 0.1, torsion: float = 0.0, wands: tuple[float, float] = (0.2, -0.15)) -> None:
        self.side, self.s = side, SIGN[side]
        self.knee_in, self.torsion, self.wands = knee_in, torsion, wands
        hip = hip_centre_pelvis_m(side, PelvisSize(0.24, None, LEG_M, 0.067, RADIUS_M))
        self.hip = hip + [0.0, 0.0, 1.0]

    def centres(self, flexion: float) -> tuple[np.ndarray, ...]:
        """Hip, knee and ankle centre and the two knee-aligned bone frames, the knee flexed."""
        R_thigh = yaw(-self.s * self.knee_in)
        knee = self.hip + R_thigh @ [0, 0, -0.4]
        R_shank = R_thigh @ flexed(flexion)
        return self.hip, knee, knee + R_shank @ [0, 0, -0.38], R_thigh, R_shank

    def markers(self, flexion: float, *, device: bool) -> dict[str, np.ndarray]:
        _, knee, ankle, R_thigh, R_shank = self.centres(flexion)
        out = self.s * np.array([0.0, 1.0, 0.0])
        R_ankle = R_shank @ yaw(-self.s * self.torsion)
        knee_point = knee + R_thigh @ ((KNEE_M / 2 + RADIUS_M) * out)
        points = {
            "THI": knee + R_thigh @ (yaw(-self.s * self.wands[0]) @ (0.12 * out) + [0, 0, 0.2]),
            "TIB": ankle + R_ankle @ (yaw(-self.s * self.wands[1]) @ (0.10 * out) + [0, 0, 0.2]),
            "ANK": ankle + R_ankle @ ((ANKLE_M / 2 + RADIUS_M) * out),
            "HEE": ankle + R_ankle @ [-0.05, 0, -0.05],
            "TOE": ankle + R_ankle @ [0.14, 0, -0.05],
        }
        if device:
            tilt = flexed(0.3)  # the two other arms point wherever the clamp sits
            points |= {
                "KAX": knee_point + R_thigh @ (ARM_M * out),
                "KD1": knee_point + R_thigh @ tilt @ [0, 0, ARM_M],
                "KD2": knee_point + R_thigh @ tilt @ [ARM_M, 0, 0],
            }
        else:
            points["KNE"] = knee_point
        return {self.side + name: point for name, point in points.items()}


def trial(name: str, legs: list[Leg], flexions: np.ndarray, *, device: bool) -> Trial:
    pelvis = {"LASI": (0, 0.12, 1.0), "RASI": (0, -0.12, 1.0), "SACR": (-0.2, 0, 1.0)}
    frames = []
    for flexion in flexions:
        points = {n: np.array(p, dtype=float) for n, p in pelvis.items()}
        for leg in legs:
            points |= leg.markers(flexion, device=device)
        frames.append(points)
    names = tuple(frames[0])
    return Trial(name, Markers(names, np.array([[f[n] for n in names] for f in frames]), 100.0))


@pytest.mark.parametrize("side", ["L", "R"])
def test_the_devices_origin_is_the_corner_of_its_cube(side: str) -> None:
    leg = Leg(side)
    static = trial("static", [leg], np.zeros(3), device=True)
    _, knee, _, R_thigh, _ = leg.centres(0.0)
    expected = knee + R_thigh @ [0, leg.s * (KNEE_M / 2 + RADIUS_M), 0]
    assert np.abs(device_origin(with_roles(static.markers), side) - expected).max() < 1e-12


@pytest.mark.parametrize("torsion", [0.0, -0.25])
def test_device_and_torsion_recover_the_true_leg_in_other_trials(torsion: float) -> None:
    legs = [Leg("L", torsion=torsion), Leg("R", knee_in=-0.12, torsion=torsion, wands=(-0.1, 0.3))]
    subject = SUBJECT.with_values("test", tibial_torsion_rad=dict.fromkeys("LR", torsion))
    model = conventional_model(trial("static", legs, np.zeros(3), device=True), subject)
    assert model.calibration.knee_device
    flexions = np.linspace(0.0, 1.0, 20)
    motion = model.track(trial("squat", legs, flexions, device=False))
    for leg in legs:
        for i, flexion in enumerate(flexions):
            hip, knee, ankle, R_thigh, R_shank = leg.centres(flexion)
            for joint, centre in (("hip", hip), ("knee", knee), ("ankle", ankle)):
                assert motion.joint_centres_lab_m[leg.side, joint][i] == pytest.approx(centre, abs=1e-12)
            assert motion.motions[leg.side, "thigh"].frames.R_lab_seg[i] == pytest.approx(R_thigh, abs=1e-12)
            assert motion.motions[leg.side, "shank"].frames.R_lab_seg[i] == pytest.approx(R_shank, abs=1e-12)
        knee_angles = motion.joint_angles_rad[leg.side, "knee"]
        assert knee_angles == pytest.approx(np.stack([flexions, 0 * flexions, 0 * flexions], axis=1), abs=1e-12)
        # Ankle angles refer to the ankle's own axis, whatever the knee does. But the sole's offset was learnt about that axis and
        # is applied about the knee's, as clinical software does: U turns about its long axis by phi, and the sole leans with it.
        R_lab_foot = motion.motions[leg.side, "foot"].frames.R_lab_seg
        true_foot = np.array([leg.centres(flexion)[4] @ yaw(-leg.s * torsion) for flexion in flexions])
        sole = true_foot @ [-1.0, 0.0, 0.0]
        leans = np.arccos(np.clip(np.einsum("ij,ij->i", R_lab_foot[:, :, 2], sole), -1, 1))
        offset = model.calibration.offsets[leg.side].plantar_flexion_rad
        phi = np.arctan(np.tan(abs(torsion)) * np.sin(abs(offset)))
        assert leans == pytest.approx(2 * np.arcsin(np.sin(phi / 2) * np.sin(abs(offset))), abs=1e-7)
        assert torsion == 0.0 or leans[0] > 0.02


def test_without_the_device_lying_wands_turn_the_knee() -> None:
    legs = [Leg("L"), Leg("R")]
    model = conventional_model(trial("static", legs, np.zeros(3), device=False), SUBJECT)
    motion = model.track(trial("squat", legs, np.full(10, 0.8), device=False))
    assert not model.calibration.knee_device
    assert np.abs(motion.joint_angles_rad["L", "knee"][:, 1:]).max() > 0.02


def test_measured_rotation_offsets_do_the_same_as_the_device() -> None:
    """Internal positive: an axis that lies 0.1 rad inward of its wand has an offset of +0.1."""
    leg = Leg("L", knee_in=0.1, wands=(0.0, 0.0))
    model = conventional_model(trial("static", [leg], np.zeros(3), device=True), SUBJECT)
    assert model.calibration.geometry["L"].thigh_rotation_rad == pytest.approx(0.0, abs=1e-12)
    lying = Leg("L", knee_in=0.1, wands=(-0.2, -0.1))  # wands turned outward: the axes lie inward of them
    learnt = conventional_model(trial("static", [lying], np.zeros(3), device=True), SUBJECT).calibration.geometry["L"]
    assert learnt.thigh_rotation_rad == pytest.approx(0.2, abs=1e-12)
    assert learnt.shank_rotation_rad == pytest.approx(0.1, abs=1e-12)
    given = SUBJECT.with_values("test", thigh_rotation_rad={"L": 0.2}, shank_rotation_rad={"L": 0.1})
    model = conventional_model(trial("static", [lying], np.zeros(3), device=False), given)
    motion = model.track(trial("squat", [lying], np.linspace(0, 1, 12), device=False))
    assert np.abs(motion.joint_angles_rad["L", "knee"][:, 1:]).max() < 1e-12


@pytest.mark.parametrize(("torsion", "outward"), [(-0.3, True), (0.3, False)])
def test_external_torsion_is_negative(torsion: float, outward: bool) -> None:
    """Knee axes straight, feet turned: with external torsion the toes point outward, and the knee stays unrotated."""
    legs = [Leg("L", knee_in=0.0, torsion=torsion, wands=(0, 0)), Leg("R", knee_in=0.0, torsion=torsion, wands=(0, 0))]
    subject = SUBJECT.with_values("test", tibial_torsion_rad=dict.fromkeys("LR", torsion))
    model = conventional_model(trial("static", legs, np.zeros(3), device=False), subject)
    motion = model.track(trial("standing", legs, np.zeros(12), device=False))
    for side in "LR":
        toes_in = motion.joint_angles_rad[side, "foot_progress"][0, 2]
        assert toes_in == pytest.approx(torsion, abs=0.04)  # the lean of the sole, see above
        assert bool(toes_in < 0) is outward
        assert motion.joint_angles_rad[side, "knee"][0, 2] == pytest.approx(0.0, abs=1e-12)


def test_an_ankle_axis_that_is_not_square_moves_the_ankle_only_when_the_model_knows() -> None:
    """The ankle's axis slopes by 0.1 rad: the joint lies that much higher, seen from the marker, than a square ankle would."""
    leg = Leg("R", wands=(0.0, 0.0))
    still = trial("static", [leg], np.zeros(12), device=False)
    _, knee, square, _, R_shank = leg.centres(0.0)
    marker = still.markers["RANK"][0]
    turn = (
        R_shank @ np.array([[1, 0, 0], [0, np.cos(0.1), leg.s * np.sin(0.1)], [0, -leg.s * np.sin(0.1), np.cos(0.1)]]) @ R_shank.T
    )
    ankle = marker + turn @ (square - marker)
    assert np.linalg.norm(ankle - knee) < np.linalg.norm(square - knee) - 1e-3
    for offset, centre in ((0.1, ankle), (0.0, square)):
        model = conventional_model(still, SUBJECT.with_values("test", ankle_abduction_rad={"R": offset}))
        assert model.track(still).joint_centres_lab_m["R", "ankle"][0] == pytest.approx(centre, abs=1e-12)


def test_the_device_wins_over_a_knee_marker_beside_it() -> None:
    """Software writes the device's corner, or a marker that stayed on, under the knee marker's name."""
    legs = [Leg("L"), Leg("R")]
    alone = trial("static", legs, np.zeros(3), device=True)
    wrong = np.full((3, 2, 3), [0.1, 0.2, 0.5])
    both = Trial("static", Markers(
        (*alone.markers.names, "LKNE", "RKNE"), np.concatenate([alone.markers.position_m, wrong], axis=1), 100.0
    ))  # fmt: skip
    geometries = [conventional_model(static, SUBJECT).calibration.geometry for static in (alone, both)]
    for side in "LR":
        assert geometries[0][side].thigh_rotation_rad == geometries[1][side].thigh_rotation_rad


@pytest.mark.parametrize("lost", ["LKD2", "LKAX"])
def test_part_of_a_device_is_refused_and_names_what_is_missing(lost: str) -> None:
    static = trial("static", [Leg("L"), Leg("R")], np.zeros(3), device=True)
    kept = [name for name in static.markers.names if name != lost]
    part = Trial("static", Markers(tuple(kept), np.stack([static.markers[name] for name in kept], axis=1), 100.0))
    with pytest.raises(BiomechError, match=f"lacks {lost}"):
        conventional_model(part, SUBJECT)


def test_one_marker_on_the_knees_axis_is_no_device() -> None:
    static = trial("static", [Leg("L"), Leg("R")], np.zeros(3), device=False)
    axis = np.stack([static.markers[f"{side}KNE"] + [0, 0.1 * SIGN[side], 0] for side in "LR"], axis=1)
    more = Trial("static", Markers(
        (*static.markers.names, "LKAX", "RKAX"), np.concatenate([static.markers.position_m, axis], axis=1), 100.0
    ))  # fmt: skip
    assert not conventional_model(more, SUBJECT).calibration.knee_device


def with_medial_markers(static: Trial, legs: list[Leg], lost: str = "") -> Trial:
    """The static trial with markers on the medial epicondyles and malleoli, on the joints' axes."""
    points = {}
    for leg in legs:
        _, knee, ankle, R_thigh, R_shank = leg.centres(0.0)
        out = leg.s * np.array([0.0, 1.0, 0.0])
        R_ankle = R_shank @ yaw(-leg.s * leg.torsion)
        points[leg.side + "KNEM"] = knee - R_thigh @ ((KNEE_M / 2 + RADIUS_M) * out)
        points[leg.side + "MED"] = ankle - R_ankle @ ((ANKLE_M / 2 + RADIUS_M) * out)
    points.pop(lost, None)
    more = np.tile(np.array(list(points.values())), (static.n_frames, 1, 1))
    names = (*static.markers.names, *points)
    return Trial(static.name, Markers(names, np.concatenate([static.markers.position_m, more], axis=1), 100.0))


def test_medial_markers_recover_the_true_leg_in_other_trials() -> None:
    """What lying wands do is taken away, and no sole leans: its offset is applied about the axis it is learnt by."""
    legs = [Leg("L", torsion=-0.25), Leg("R", knee_in=-0.12, torsion=-0.1, wands=(-0.1, 0.3))]
    static = with_medial_markers(trial("static", legs, np.zeros(3), device=False), legs)
    flexions = np.linspace(0.0, 1.0, 20)
    squat = trial("squat", legs, flexions, device=False)
    model = conventional_model(static, SUBJECT.with_values("test", medial_markers=True))
    motion = model.track(squat)
    for leg in legs:
        geometry = model.calibration.geometry[leg.side]
        assert (geometry.thigh_rotation_rad, geometry.tibial_torsion_rad) == pytest.approx((-leg.wands[0], leg.torsion), abs=1e-12)
        assert geometry.shank_rotation_rad == pytest.approx(-leg.wands[1], abs=1e-12)
        for i, flexion in enumerate(flexions):
            for joint, centre in zip(("hip", "knee", "ankle"), leg.centres(flexion)[:3], strict=True):
                assert motion.joint_centres_lab_m[leg.side, joint][i] == pytest.approx(centre, abs=1e-12)
        knee_angles = motion.joint_angles_rad[leg.side, "knee"]
        assert knee_angles == pytest.approx(np.stack([flexions, 0 * flexions, 0 * flexions], axis=1), abs=1e-12)
        soles = motion.motions[leg.side, "foot"].frames.R_lab_seg[:, :, 2]
        true = np.array([leg.centres(flexion)[4] @ yaw(-leg.s * leg.torsion) @ [-1.0, 0.0, 0.0] for flexion in flexions])
        assert soles == pytest.approx(true, abs=1e-12)
    assert "torsion-turns-foot" not in [finding.rule for finding in model.findings]
    (said,) = (finding for finding in model.findings if finding.rule == "axes-by-medial-markers")
    assert said.values["joints"] == "both"
    assert "medial epicondyle and medial malleolus" in model.calibration.to_dict()["knee_and_ankle_centre_method"]


def test_medial_markers_are_left_alone_unless_somebody_says_so() -> None:
    legs = [Leg("L", torsion=-0.25), Leg("R", torsion=-0.1)]
    plain = trial("static", legs, np.zeros(3), device=False)
    without, beside = (conventional_model(each, SUBJECT).calibration for each in (plain, with_medial_markers(plain, legs)))
    assert beside.geometry["L"].thigh_rotation_rad == without.geometry["L"].thigh_rotation_rad == 0.0
    assert beside.medial == ()


def test_knees_alone_and_the_torsion_that_was_typed_in() -> None:
    legs = [Leg("L", torsion=-0.25, wands=(0.2, 0.0)), Leg("R", torsion=-0.1, wands=(-0.3, 0.0))]
    static = with_medial_markers(trial("static", legs, np.zeros(3), device=False), legs)
    kept = [name for name in static.markers.names if not name.endswith("MED")]
    knees = Trial("static", Markers(tuple(kept), np.stack([static.markers[name] for name in kept], axis=1), 100.0))
    said = SUBJECT.with_values("test", medial_markers=True, tibial_torsion_rad={"L": -0.25, "R": -0.1})
    calibration = conventional_model(knees, said).calibration
    assert calibration.medial == ("medial_epicondyle",)
    for leg in legs:
        assert calibration.geometry[leg.side].thigh_rotation_rad == pytest.approx(-leg.wands[0], abs=1e-12)
        assert calibration.geometry[leg.side].tibial_torsion_rad == leg.torsion


@pytest.mark.parametrize("lost", ["RMED", "LKNEM", "all"])
def test_medial_markers_that_are_not_there_are_named(lost: str) -> None:
    legs = [Leg("L"), Leg("R")]
    static = trial("static", legs, np.zeros(3), device=False)
    shown = static if lost == "all" else with_medial_markers(static, legs, lost)
    with pytest.raises(BiomechError, match="lacks " + ("LKNEM, LMED, RKNEM, RMED" if lost == "all" else lost + ":")):
        conventional_model(shown, SUBJECT.with_values("test", medial_markers=True))
