"""The base subject obeys the conventional model; the violating variant does not. Checked from its markers alone.

The few lines of the model that are needed (Davis et al. 1991; chord function of Plug-in Gait) are written here once more, in
millimetre-free form, so that neither the generator nor the library's model is asked about itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.sample import SampleTrial, virtual_subject

FREE = {"rtol": 0.0, "atol": 1e-12}  # metres and direction cosines: double rounding of positions of a few metres


def _unit(v: Any) -> Any:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def _chord(p: Any, m: Any, w: Any, d: float) -> Any:
    """Joint at distance d from marker M, at a right angle to P, in the plane of P, M and the wand W, away from W."""
    length = np.linalg.norm(p - m, axis=-1, keepdims=True)
    u = (p - m) / length
    v = _unit((w - m) - ((w - m) * u).sum(-1, keepdims=True) * u)
    c = d / length
    return m + d * c * u - d * np.sqrt(1 - c**2) * v


def _pelvis_and_hips(sample: SampleTrial) -> tuple[Any, dict[str, Any]]:
    m, s = sample.trial.markers, sample.trial.subject
    middle = (m["LASI"] + m["RASI"]) / 2
    back = m["SACR"] if "SACR" in m else (m["LPSI"] + m["RPSI"]) / 2
    y = _unit(m["LASI"] - m["RASI"])
    z = _unit(np.cross(middle - back, y))
    R = np.stack([np.cross(y, z), y, z], axis=-1)
    c = 0.115 * (s.leg_length_m["L"] + s.leg_length_m["R"]) / 2 - 0.0153
    hips = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        t = 0.1288 * s.leg_length_m[side] - 0.04856 + s.marker_diameter_m / 2
        local = np.array([
            c * np.cos(0.5) * np.sin(0.314) - t * np.cos(0.314),
            sign * (s.inter_asis_distance_m / 2 - c * np.sin(0.5)),
            -c * np.cos(0.5) * np.cos(0.314) - t * np.sin(0.314),
        ])  # fmt: skip
        hips[side] = middle + R @ local
    return R, hips


def _recovered(sample: SampleTrial) -> dict[tuple[str, str], Any]:
    """Joint centres and segment axes as the conventional model finds them."""
    m, s = sample.trial.markers, sample.trial.subject
    r = s.marker_diameter_m / 2
    pelvis, hips = _pelvis_and_hips(sample)
    found: dict[tuple[str, str], Any] = {("", "pelvis"): pelvis}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hip = hips[side]
        knee = _chord(hip, m[side + "KNE"], m[side + "THI"], s.knee_width_m[side] / 2 + r)
        ankle = _chord(knee, m[side + "ANK"], m[side + "TIB"], s.ankle_width_m[side] / 2 + r)
        found[side, "hip"], found[side, "knee"], found[side, "ankle"] = hip, knee, ankle
        for name, top, bottom, marker in (("thigh", hip, knee, "KNE"), ("shank", knee, ankle, "ANK")):
            z = _unit(top - bottom)
            y = _unit(sign * (m[side + marker] - bottom))
            found[side, name] = np.stack([np.cross(y, z), y, z], axis=-1)
        z = _unit(ankle - m[side + "TOE"])
        x = _unit(np.cross(found[side, "shank"][..., 1], z))
        found[side, "uncorrected"] = np.stack([x, np.cross(z, x), z], axis=-1)
    return found


def _dynamic_foot(found: dict[tuple[str, str], Any], static: SampleTrial, sample: SampleTrial, side: str, flat: bool) -> Any:
    """Foot axes of a walk from the static offsets, both measured here."""
    sign = 1.0 if side == "L" else -1.0
    standing = _recovered(static)
    heel, toe = static.trial.markers[side + "HEE"].copy(), static.trial.markers[side + "TOE"]
    if flat:
        heel[:, 2] = toe[:, 2]
    v = _unit(np.einsum("nji,nj->ni", standing[side, "uncorrected"], heel - toe))
    p, q = np.arctan2(-v[:, 0], v[:, 2]).mean(), np.arcsin(sign * v[:, 1]).mean()
    c, s = np.cos(-p), np.sin(-p)
    Ry = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    c, s = np.cos(-sign * q), np.sin(-sign * q)
    Rx = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return found[side, "uncorrected"] @ Ry @ Rx


@pytest.mark.parametrize("options", [
    {},
    {"body": "child", "direction": "-X"},
    {"direction": "turn", "sacrum": True},
    {"foot_flat": False, "marker_diameter_m": 0.010},
], ids=str)  # fmt: skip
def test_the_model_finds_the_base_subject_exactly(options: dict[str, Any]) -> None:
    person = virtual_subject(**options)
    static, walk = person.static(), person.walk()
    found, truth = _recovered(walk), walk.truth
    for (side, joint), centre in truth.joint_centres_lab_m.items():
        np.testing.assert_allclose(found[side, joint], centre, **FREE)
    for key in (("", "pelvis"), ("L", "thigh"), ("R", "thigh"), ("L", "shank"), ("R", "shank")):
        np.testing.assert_allclose(found[key], truth.R_lab_seg[key], **FREE)
    for side in "LR":
        foot = _dynamic_foot(found, static, walk, side, flat=options.get("foot_flat", True))
        np.testing.assert_allclose(foot, truth.R_lab_seg[side, "foot"], **FREE)
        length = np.linalg.norm(static.trial.markers[side + "TOE"] - static.trial.markers[side + "HEE"], axis=1).mean()
        assert length - person.marker_diameter_m / 2 == pytest.approx(truth.foot_length_m[side], abs=1e-12)


def test_the_violating_variant_misleads_the_model_by_what_was_put_in() -> None:
    walk = virtual_subject(variant="violating").walk()
    found, truth = _recovered(walk), walk.truth
    for side in "LR":
        assert np.allclose(found[side, "hip"], truth.joint_centres_lab_m[side, "hip"], **FREE)
        knee_error = np.linalg.norm(found[side, "knee"] - truth.joint_centres_lab_m[side, "knee"], axis=1)
        # 10 mm of knee width move the centre by 5 mm along the knee's axis. The wand lies 82 mm beside the bone and 47 mm beside
        # the line from hip to knee marker: turned by 0.10 rad about the bone it turns the plane by 0.17 rad, and the centre,
        # 60 mm from the marker, by 10 mm forwards.
        assert np.abs(knee_error - np.hypot(0.005, 0.0105)).max() < 0.0015
        turned = found[side, "thigh"][..., 1] * truth.R_lab_seg[side, "thigh"][..., 1]
        assert np.degrees(np.arccos(turned.sum(-1))).min() > 5.0
        dorsal = found[side, "uncorrected"][..., 0] * truth.R_lab_seg[side, "shank"][..., 1]
        assert np.abs(dorsal.sum(-1)).max() < 0.2
    base = virtual_subject().walk()
    moved = walk.truth.joint_angles_rad["L", "knee"] - base.truth.joint_angles_rad["L", "knee"]
    assert np.abs(moved).max() > 1e-3  # the free ankle really changes the motion
