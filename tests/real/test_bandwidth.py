"""How smooth markers are and what the plates have to lose, on recordings: the measure recovers what is known, and the plates then
agree with the markers' acceleration, of which no joint model is needed to tell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions import Sessions

import biomech_id as bid
from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.readers import read
from biomech_id.session import trial_tables
from biomech_id.session.solved import Solved
from biomech_id.signal.bandwidth import MarkerBandwidth, marker_bandwidth
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.signal.filters import spline_lowpass
from biomech_id.trial import Markers, Trial

pytestmark = [pytest.mark.real, pytest.mark.slow]
#: Labels of Plug-in Gait on shank and foot.
LABELS = [side + name for side in SIDES for name in ("ANK", "HEE", "TOE", "TIB", "KNE")]
#: Recordings that nobody has smoothed: another laboratory's children, 100 to 300 frames a second.
RAW = ("norm_subjects/*/*.c3d", "knee_device/kad/PiGKad_Motion.c3d")


def leg_markers(trial: Trial) -> FloatArray:
    markers = trial.markers
    return markers.position_m[:, [markers.names.index(name) for name in LABELS if name in markers]]


def raw_recordings(c3d_dir: Path) -> list[Path]:
    return [path for pattern in RAW for path in sorted(c3d_dir.glob(pattern))]


def test_smoothing_of_raw_markers_is_recovered(c3d_dir: Path) -> None:
    ratios = {}
    for path in raw_recordings(c3d_dir):
        trial = read(path, trust=True)
        raw_m = leg_markers(trial)
        for half_hz in (5.0, 6.0, 7.0, 8.0):
            found = marker_bandwidth(spline_lowpass(raw_m, trial.rate_hz, half_hz), trial.rate_hz)
            if np.isfinite(found.misfit_ln):
                assert found.smoothed, (path.name, half_hz, found)
                ratios[path.name, half_hz] = found.half_amplitude_hz / half_hz
    assert len(ratios) >= 50
    assert {key: ratio for key, ratio in ratios.items() if abs(ratio - 1.0) > 0.12} == {}


def test_every_recording_is_as_measured_elsewhere(c3d_dir: Path, shared_dir: Path) -> None:
    reference = json.loads((shared_dir / "reference" / "bandwidth_reference.json").read_text(encoding="utf-8"))
    n, other = 0, []
    for name, known in reference.items():
        trial = read(c3d_dir / name, trust=True)
        found = marker_bandwidth(leg_markers(trial), trial.rate_hz)
        if np.isfinite(found.misfit_ln):
            n += 1
            other += [] if same(found, known) else [(name, found, known)]
    assert n >= 39
    assert other == []


def same(found: MarkerBandwidth, known: Mapping[str, Any]) -> bool:
    theirs = MarkerBandwidth(known["fc_hz"], known["misfit_ln"])
    if not (found.smoothed and theirs.smoothed):
        return found.smoothed == theirs.smoothed
    return abs(found.half_amplitude_hz / theirs.half_amplitude_hz - 1.0) < 0.12


#: Segment -> share of the body's mass (%), and its centre as a function of points; proportions of an adult.
SHARES = {
    "head": 6.94, "trunk": 43.46, "upper arm": 2.71, "forearm": 1.62, "hand": 0.61, "thigh": 14.16, "shank": 4.33, "foot": 1.37,
}  # fmt: skip


def body_centre_m(markers: Markers) -> FloatArray:
    """Centre of mass (n, 3) of fourteen segments drawn from the markers of the whole body, metres."""

    def at(*names: str) -> FloatArray:
        return np.asarray(np.mean([markers[name] for name in names], axis=0))

    middle, across = at("LASI", "RASI"), markers["LASI"] - markers["RASI"]
    width = np.linalg.norm(across, axis=1, keepdims=True)
    left = across / width
    forward = middle - (markers["SACR"] if markers.present("SACR") else at("LPSI", "RPSI"))
    forward -= (forward * left).sum(axis=1, keepdims=True) * left
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    up = np.cross(forward, left)
    hips = {s: middle - width * (0.25 * forward + 0.35 * up - sign * 0.36 * left) for s, sign in (("L", 1.0), ("R", -1.0))}
    hip_middle = (hips["L"] + hips["R"]) / 2
    head = [name for name in ("LFHD", "RFHD", "LBHD", "RBHD") if markers.present(name)]
    parts = [(SHARES["head"], at(*head)), (SHARES["trunk"], hip_middle + 0.56 * (at("C7", "CLAV") - hip_middle))]
    for side, inwards in (("L", -left), ("R", left)):
        shoulder, elbow = markers[side + "SHO"] - [0.0, 0.0, 0.04], markers[side + "ELB"]
        wrist, finger = at(side + "WRA", side + "WRB"), markers[side + "FIN"]
        knee, ankle = markers[side + "KNE"] + 0.05 * inwards, markers[side + "ANK"] + 0.035 * inwards
        heel, toe = markers[side + "HEE"], markers[side + "TOE"]
        parts += [
            (SHARES["upper arm"], shoulder + 0.577 * (elbow - shoulder)), (SHARES["forearm"], elbow + 0.457 * (wrist - elbow)),
            (SHARES["hand"], (wrist + finger) / 2), (SHARES["thigh"], hips[side] + 0.4095 * (knee - hips[side])),
            (SHARES["shank"], knee + 0.446 * (ankle - knee)), (SHARES["foot"], heel + 0.44 * (toe - heel)),
        ]  # fmt: skip
    total = sum(share for share, _ in parts)
    return np.asarray(sum(share * centre for share, centre in parts) / total)


def two_plate_residuals(result: Solved, contacts: Mapping[str, Any]) -> list[float]:
    """Root mean square of the vertical force that plates and centre of mass disagree by, N/kg, for each double support."""
    assert result.markers is not None
    assert result.assignment is not None
    acceleration = quintic_derivatives(body_centre_m(result.markers), result.markers.rate_hz)[1]
    time_s = (result.motion.first_frame - 1 + np.arange(result.motion.n_frames)) / result.motion.rate_hz
    known = [stance for stance in result.assignment.stances if stance.verdict.accepted]
    found = []
    for first in known:
        for second in known:
            if second.side == first.side or not first.start_s < second.start_s < first.end_s < second.end_s:
                continue
            both = (time_s >= second.start_s) & (time_s <= first.end_s) & np.isfinite(acceleration[:, 2])
            force = sum(contacts[side].force_lab_N[both, 2] for side in SIDES)
            if both.sum() >= 5:
                found.append(float(np.sqrt(np.mean((force / result.mass_kg - acceleration[both, 2] - GRAVITY_M_S2) ** 2))))
    return found


def test_two_plates_and_the_markers_acceleration_agree(sessions: Sessions) -> None:
    raw: list[float] = []
    matched: list[float] = []
    for name in sessions:
        if name.startswith("children/"):
            for result in sessions[name].result.trials:
                raw += two_plate_residuals(result, result.shown_contacts)
                matched += two_plate_residuals(result, result.contacts)
    assert len(matched) >= 6
    assert np.median(raw) > 1.0
    assert np.median(matched) <= 0.45


def test_early_peaks_that_the_markers_cannot_confirm_are_gone(sessions: Sessions) -> None:
    """The hip extensor maximum in stance falls by 0.17 to 1.01 N m/kg, median 0.53, in twelve children, six of them these."""
    changes = []
    for name in sessions:
        for result in sessions[name].result.trials if name.startswith("children/") else ():
            if result.kind != "straight":
                continue
            assert result.as_recorded is not None
            before = {row_key(row): row["value"] for row in trial_tables.peaks(replace(result, loads=result.as_recorded))}
            changes += [
                float(str(row["value"])) - float(str(before[row_key(row)])) for row in trial_tables.peaks(result)
                if (row["variable"], row["component"], row["name"]) == ("HipMoment", "X", "max_stance")
            ]  # fmt: skip
            said = {finding.rule: finding for finding in result.findings}
            assert said["plate-bandwidth"].values["done"] == "matched"
            assert said["plate-bandwidth-peaks"].values["peaks"]
    assert len(changes) >= 10
    assert abs(float(np.median(changes)) + 0.53) < 0.05
    assert min(changes) > -1.06
    assert max(changes) < 0.0


def row_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("side", "cycle", "variable", "component", "name"))


def test_a_recording_that_decides_nothing_keeps_its_plates_and_says_so(c3d_dir: Path) -> None:
    files = [c3d_dir / "plug_in_gait" / f"PiG_{name}-FlatFoot-One.c3d" for name in ("Calibration", "Motion")]
    (result,) = bid.analyse(files, marker_filter="never", budget=False).computed.trials
    (said,) = (finding for finding in result.findings if finding.rule == "plate-bandwidth")
    assert (said.values["done"], said.values["why"]) == ("recorded", "undecided")
    assert said.values["misfit_ln"] > 0.3
    assert "cannot be told" in said.message
    assert result.as_recorded is None
    assert any(contact.force_lab_N.any() for contact in result.contacts.values())
    for side, contact in result.contacts.items():
        np.testing.assert_array_equal(contact.force_lab_N, result.shown_contacts[side].force_lab_N)
