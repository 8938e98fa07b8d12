"""What comes out of a file, from files whose contents are known because the tests wrote them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from c3d_builder import C3D, DEC, FRAMES, MASS_KG, PC, RATIO, SGI, healthy

from biomech_id.errors import FileRefusedError, MissingInputError
from biomech_id.readers import read_c3d, read_recording
from biomech_id.readers.c3d.parameters import walk_parameters
from biomech_id.readers.c3d.records import BLOCK_BYTES
from biomech_id.trial import EventKind, PlateChannel, Trial


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    return lambda file, name="walk.c3d": file.write(tmp_path / name)


def rules(path: Path) -> set[str]:
    return {finding.rule for finding in read_c3d(path, trust=True).findings}


def as_integers(file: C3D) -> C3D:
    """The same recording in 16-bit integers; analog values of 0.5 units a count."""
    file.is_float, file.scale = False, 0.1
    file.groups["POINT"]["SCALE"] = 0.1
    # Forces in 0.5 N, moments in 10 N mm: a word holds 32767 of them.
    scales = np.array([0.5, 0.5, 0.5, 10.0, 10.0, 10.0])
    file.analog = np.round(file.analog / scales)
    file.groups["ANALOG"]["SCALE"] = scales.tolist()
    return file


def test_everything_arrives_in_SI_and_read_only(write: Callable[..., Path]) -> None:
    file = healthy()
    trial = read_c3d(write(file), trust=True)
    np.testing.assert_allclose(trial.markers["LTOE"], file.path("LTOE") * 1e-3, rtol=1e-7)
    assert (trial.rate_hz, trial.first_frame, trial.n_frames) == (100.0, 1, FRAMES)
    assert trial.subject.mass_kg == pytest.approx(MASS_KG)
    assert trial.subject.height_m == pytest.approx(1.75)
    assert [(e.side, e.kind) for e in trial.events] == [("L", EventKind.FOOT_STRIKE), ("L", EventKind.FOOT_OFF)]
    assert len(trial.sha256) == 64
    assert not trial.markers.position_m.flags.writeable
    assert not trial.plates[0].force_lab_N.flags.writeable
    with pytest.raises(FrozenInstanceError):
        trial.name = "other"  # type: ignore[misc]


def test_the_plates_wrench_carries_the_body(write: Callable[..., Path]) -> None:
    """Independent of plate axes: the reaction is up, and its centre of pressure travels with the sliding body."""
    trial = read_c3d(write(healthy()), trust=True)
    plate = trial.plates[0]
    loaded = plate.force_lab_N[:, 2] > 50.0
    assert plate.sign == "reaction"
    assert plate.force_lab_N[:, 2].max() == pytest.approx(700.0, abs=0.5)
    cop_x = -plate.moment_lab_Nm[loaded, 1] / plate.force_lab_N[loaded, 2] + plate.centre_m[0]
    body_x = np.interp(np.flatnonzero(loaded) / RATIO, np.arange(FRAMES), trial.markers["SACR"][:, 0] + 0.08)
    np.testing.assert_allclose(cop_x, body_x, atol=1e-4)  # m; float32 of the file


@pytest.mark.parametrize("processor", [PC, DEC, SGI])
@pytest.mark.parametrize("is_float", [True, False])
def test_all_number_formats_say_the_same(write: Callable[..., Path], processor: int, is_float: bool) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    file = healthy() if is_float else as_integers(healthy())
    file.processor = processor
    trial = read_c3d(write(file), trust=True)
    # Integers: half a scale unit of 0.1 mm and of 0.5 N.
    position, force = (2e-7, 1e-3) if is_float else (0.51e-4, 0.26)
    np.testing.assert_allclose(trial.markers.position_m, base.markers.position_m, atol=position)
    np.testing.assert_allclose(trial.plates[0].force_lab_N, base.plates[0].force_lab_N, atol=force)
    assert trial.events == base.events
    assert trial.subject == base.subject


def test_unsigned_analog_with_any_offset(write: Callable[..., Path]) -> None:
    base = read_c3d(write(as_integers(healthy()), "base.c3d"), trust=True)
    file = as_integers(healthy())
    file.analog += 40_000.0
    file.groups["ANALOG"] |= {"FORMAT": "UNSIGNED", "OFFSET": [40_000 - 65_536] * 6}
    trial = read_c3d(write(file), trust=True)
    assert np.array_equal(trial.plates[0].force_lab_N, base.plates[0].force_lab_N)


def test_float_offsets_and_general_scale(write: Callable[..., Path]) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    file = healthy()
    file.analog = file.analog / 0.5 + 12.5
    file.groups["ANALOG"] |= {"OFFSET": [12.5] * 6, "GEN_SCALE": 0.5}
    trial = read_c3d(write(file), trust=True)
    np.testing.assert_allclose(trial.plates[0].force_lab_N, base.plates[0].force_lab_N, atol=1e-3)


def test_more_than_255_labels_continue(write: Callable[..., Path]) -> None:
    file = healthy()
    extra = [f"X{i:03d}" for i in range(260)]
    file.points = np.concatenate([file.points, np.tile(file.points[:, :1], (1, 260, 1))], axis=1)
    names = [*file.labels(), *extra]
    file.groups["POINT"] |= {"LABELS": names[:255], "LABELS2": names[255:], "USED": len(names)}
    trial = read_c3d(write(file), trust=True)
    assert trial.markers.names == tuple(names)


def test_every_analog_channel_arrives_with_name_unit_and_the_plate_it_belongs_to(write: Callable[..., Path]) -> None:
    file = healthy()
    rng = np.random.default_rng(3)
    muscles = rng.normal(size=(len(file.analog), 3)).astype(np.float32)
    file.analog = np.concatenate([muscles[:, :1], file.analog, muscles[:, 1:]], axis=1)
    n = file.analog.shape[1]
    file.groups["ANALOG"] |= {
        "USED": n, "LABELS": ["EMG", "Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1", "EMG", "\u00fc".encode("latin-1")], "GEN_SCALE": 2.0,
        "SCALE": [0.5, 1, 1, 1, 1, 1, 1, 0.25, 4.0], "OFFSET": [3.0] + [0.0] * (n - 1),
        "UNITS": ["V"] + ["N"] * 3 + ["Nmm"] * 3 + ["mV"],
    }  # fmt: skip
    file.groups["FORCE_PLATFORM"]["CHANNEL"] = [[2, 3, 4, 5, 6, 7]]
    analog = read_c3d(write(file), trust=True).analog
    assert analog.names == ("EMG", "Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1", "EMG_2", "\u00fc")
    assert analog.units == ("V", "N", "N", "N", "Nmm", "Nmm", "Nmm", "mV", "")
    assert analog.plates == (None, *(PlateChannel("plate 1", number) for number in range(1, 7)), None, None)
    assert (analog.rate_hz, analog.n_samples) == (100.0 * RATIO, FRAMES * RATIO)
    np.testing.assert_array_equal(analog["EMG"], (muscles[:, 0].astype(float) - 3.0) * 1.0)
    np.testing.assert_array_equal(analog["EMG_2"], muscles[:, 1].astype(float) * 0.5)
    np.testing.assert_array_equal(analog.values[:, 8], muscles[:, 2].astype(float) * 8.0)
    assert read_c3d(write(file), trust=False).analog.values.tobytes() == analog.values.tobytes()
    assert not analog.values.flags.writeable
    with pytest.raises(MissingInputError, match="no analog channel soleus"):
        analog["soleus"]


def test_analog_channels_beyond_255_and_without_label_or_calibration(write: Callable[..., Path]) -> None:
    file = healthy()
    n = 300
    file.analog = np.concatenate([file.analog, np.arange(len(file.analog) * (n - 6)).reshape(-1, n - 6)], axis=1)
    file.analog[5, 299] = np.inf
    file.groups["ANALOG"] |= {
        "USED": n, "LABELS": [*"abcdef", *(f"c{k}" for k in range(7, 256))], "LABELS2": [f"c{k}" for k in range(256, 299)],
        "SCALE": [1.0] * 255, "SCALE2": [2.0] * 43, "OFFSET": [0.0] * 255, "OFFSET2": [0.0] * 45,
        "UNITS": ["N"] * 255, "UNITS2": ["V"] * 43,
    }  # fmt: skip
    analog = read_c3d(write(file), trust=True).analog
    assert (len(analog.names), analog.names[297], analog.names[298:]) == (n, "c298", ("channel 299", "channel 300"))
    assert (analog.units[254], analog.units[255], analog.units[299]) == ("N", "V", "")
    np.testing.assert_array_equal(analog["c256"], 2.0 * file.analog[:, 255])
    # Without calibration there is no physical value, but nothing that was recorded is lost.
    assert np.isnan(analog["channel 299"]).all()
    np.testing.assert_array_equal(analog.stored[:, 298], file.analog[:, 298])


def test_an_infinite_analog_value_is_missing(write: Callable[..., Path]) -> None:
    file = healthy()
    file.analog[5, 0] = np.inf
    analog = read_c3d(write(file), trust=True).analog
    assert np.isnan(analog["Fx1"]).nonzero()[0].tolist() == [5]


def test_without_analog_channels_there_are_none(write: Callable[..., Path]) -> None:
    file = healthy()
    file.analog = np.zeros((0, 0))
    file.groups["ANALOG"]["USED"] = 0
    file.groups["FORCE_PLATFORM"]["USED"] = 0
    analog = read_c3d(write(file), trust=True).analog
    assert (analog.names, analog.values.shape) == ((), (0, 0))


def test_model_outputs_are_no_markers(write: Callable[..., Path]) -> None:
    file = healthy()
    names = ["LKneeAngles", "Odd", "LFEO", "LFEA", "LFEL", "LFEP", "RHJC"]
    outputs = np.zeros((FRAMES, len(names), 4))
    outputs[:, 0, 0] = 33.0
    outputs[10, 0, 3] = -1.0
    file.points = np.concatenate([file.points, outputs], axis=1)
    file.groups["POINT"] |= {"LABELS": [*file.labels(), *names], "USED": 16 + len(names), "ANGLES": ["Odd"]}
    trial = read_c3d(write(file), trust=True)
    assert len(trial.markers.names) == 16
    assert set(trial.model_outputs) == set(names)
    assert trial.model_outputs["LKneeAngles"][0].tolist() == [33.0, 0.0, 0.0]
    assert np.isnan(trial.model_outputs["LKneeAngles"][10]).all()
    assert trial.model_outputs["Odd"][0].tolist() == [0.0, 0.0, 0.0], "a zero angle is an angle"
    assert np.isnan(trial.model_outputs["LFEO"]).all(), "a point at exactly zero was not seen"


def test_missing_is_nan_however_it_is_stored(write: Callable[..., Path]) -> None:
    file = healthy()
    file.points[3, 0, 3] = -1.0
    file.points[4, 0, :3] = 0.0
    file.points[5, 0, 1] = np.nan
    file.points[6, 0, 2] = np.inf
    file.points[7, 0, 0] = 2e5  # 200 m
    trial = read_c3d(write(file), trust=True)
    missing = np.isnan(trial.markers["SACR"]).all(axis=1)
    assert np.flatnonzero(missing).tolist() == [3, 4, 5, 6, 7]
    assert "positions-impossible" in {finding.rule for finding in trial.findings}


def test_events_are_absolute_sorted_and_start_at_the_first_frame(write: Callable[..., Path]) -> None:
    file = healthy()
    file.first_frame = 6101
    file.groups["EVENT"]["TIMES"] = [[1.0, 1.60], [1.0, 1.40]]  # minutes, seconds
    trial = read_c3d(write(file), trust=True)
    assert [event.time_s for event in trial.events] == pytest.approx([61.4, 61.6], abs=1e-5)
    assert [trial.index_of(event.time_s) for event in trial.events] == [40, 60]


def test_an_event_half_a_frame_outside_belongs_to_the_recording(write: Callable[..., Path]) -> None:
    """Software rounds strikes to its own clock; at 100 Hz half a frame is 5 ms, and the last frame is at 0.99 s."""
    file = healthy()
    kept, dropped = [-0.004, 0.994], [-0.006, 0.996]
    times_s = [*kept, *dropped]
    file.groups["EVENT"] = {
        "USED": 4, "CONTEXTS": ["Left"] * 4, "LABELS": ["Foot Strike"] * 4, "TIMES": [[0.0, t] for t in times_s],
    }  # fmt: skip
    trial = read_c3d(write(file), trust=True)
    assert [event.time_s for event in trial.events] == pytest.approx(kept, abs=1e-6)
    assert "events-outside" in {finding.rule for finding in trial.findings}


def test_flat_event_times_and_other_peoples_words(write: Callable[..., Path]) -> None:
    file = healthy()
    file.groups["EVENT"] |= {"TIMES": [0.0, 0.3, 0.0, 0.5], "LABELS": ["Heel strike", "RTO"], "CONTEXTS": ["right", ""]}
    events = read_c3d(write(file), trust=True).events
    assert [(e.side, e.kind) for e in events] == [("R", EventKind.FOOT_STRIKE), ("R", EventKind.FOOT_OFF)]


def test_vicons_calibration_values(write: Callable[..., Path]) -> None:
    file = healthy()
    file.groups["PROCESSING"] |= {
        "Marker Diameter": 14.0, "LLegLength": 900.0, "RLegLength": 905.0, "LKneeWidth": 100.0, "InterAsisDistance": 0.0,
        "LStaticPlantFlex": 0.05, "RStaticPlantFlex": 0.07, "LTibialTorsion": 0.0,
    }  # fmt: skip
    subject = read_c3d(write(file), trust=True).subject
    assert subject.marker_diameter_m == pytest.approx(0.014)
    assert dict(subject.leg_length_m) == pytest.approx({"L": 0.9, "R": 0.905})
    assert dict(subject.knee_width_m) == pytest.approx({"L": 0.1})
    assert subject.inter_asis_distance_m is None, "zero means: measure it on the static trial"
    assert dict(subject.static_plantar_flexion_rad) == pytest.approx({"L": 0.05, "R": 0.07})
    assert dict(subject.tibial_torsion_rad) == {"L": 0.0}
    assert subject.sources["leg_length_m"] == "PROCESSING:LLegLength, RLegLength"


@pytest.mark.parametrize(
    ("name", "field", "inside_mm", "outside_mm"),
    [
        ("MarkerDiameter", "marker_diameter_m", (3.0, 50.0), (0.5, 70.0)),
        ("InterAsisDistance", "inter_asis_distance_m", (120.0, 500.0), (40.0, 700.0)),
        ("LLegLength", "leg_length_m", (250.0, 1300.0), (90.0, 1500.0)),
        ("LKneeWidth", "knee_width_m", (45.0, 250.0), (15.0, 400.0)),
        ("LAnkleWidth", "ankle_width_m", (30.0, 180.0), (10.0, 250.0)),
    ],
)
def test_measurements_of_infants_and_giants_are_believed_and_no_others(
    write: Callable[..., Path], name: str, field: str, inside_mm: tuple[float, ...], outside_mm: tuple[float, ...]
) -> None:
    for value_mm in (*inside_mm, *outside_mm):
        file = healthy()
        file.groups["PROCESSING"][name] = value_mm
        trial = read_c3d(write(file), trust=True)
        found = getattr(trial.subject, field)
        found = dict(found).get("L") if name.startswith("L") else found
        believed = value_mm in inside_mm
        assert found == (pytest.approx(value_mm / 1000.0) if believed else None)
        assert ("measurement-implausible" in {finding.rule for finding in trial.findings}) is not believed


def test_offsets_too_large_for_radians_are_degrees(write: Callable[..., Path]) -> None:
    file = healthy()
    file.groups["PROCESSING"] |= {"LStaticPlantFlex": 3.0, "RStaticPlantFlex": 0.5}
    subject = read_c3d(write(file), trust=True).subject
    assert dict(subject.static_plantar_flexion_rad) == pytest.approx({"L": np.radians(3.0), "R": np.radians(0.5)})


@pytest.mark.parametrize(("stored", "metres"), [(1750.0, 1.75), (175.0, 1.75), (1.75, 1.75), (7.0, None), (0.0, None)])
def test_height_in_any_unit(write: Callable[..., Path], stored: float, metres: float | None) -> None:
    file = healthy()
    file.groups["PROCESSING"]["Height"] = stored
    height = read_c3d(write(file), trust=True).subject.height_m
    assert height == (None if metres is None else pytest.approx(metres))


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ([2019, 5, 24], "2019-05-24"),
        ("28/07/2008", "2008-07-28"),
        ("2008-07-28", "2008-07-28"),
        ("03/04/2008", None),
        ("soon", None),
    ],
)
def test_session_date_only_without_doubt(write: Callable[..., Path], date: object, iso: str | None) -> None:
    file = healthy()
    file.groups["TRIAL"] = {"DATE": date}
    assert read_c3d(write(file), trust=True).session_date == iso


def test_y_up_is_turned_to_z_up_with_everything_in_it(write: Callable[..., Path]) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    file = healthy()
    x, y, z = (file.points[..., i].copy() for i in range(3))
    file.points[..., :3] = np.stack([x, z, -y], axis=-1)
    plate = file.groups["FORCE_PLATFORM"]
    plate["CORNERS"] = [[[c[0], c[2], -c[1]] for c in plate["CORNERS"][0]]]
    trial = read_c3d(write(file), trust=True)
    np.testing.assert_allclose(trial.markers.position_m, base.markers.position_m, atol=1e-9)
    np.testing.assert_allclose(trial.plates[0].force_lab_N, base.plates[0].force_lab_N, atol=1e-9)
    np.testing.assert_allclose(trial.plates[0].moment_lab_Nm, base.plates[0].moment_lab_Nm, atol=1e-9)
    assert any("rotated from +Y up" in str(step) for step in trial.history)


#: File axes that point forward, left and up in the laboratory, as columns of laboratory -> file.
UPRIGHT = {
    "+X": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
    "-X": [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
    "+Y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    "-Y": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
    "-Z": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
}


@pytest.mark.parametrize("up", UPRIGHT)
def test_whatever_axis_points_up_the_body_stands_and_the_plate_carries_it(write: Callable[..., Path], up: str) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    R_file_lab = np.array(UPRIGHT[up], dtype=float)
    assert np.linalg.det(R_file_lab) == pytest.approx(1.0)
    file = healthy()
    file.points[..., :3] = file.points[..., :3] @ R_file_lab.T
    plate = file.groups["FORCE_PLATFORM"]
    plate["CORNERS"] = (np.array(plate["CORNERS"]) @ R_file_lab.T).tolist()
    recording = read_recording(write(file), trust=True)
    trial = recording.trial
    assert recording.facts.vertical == up
    np.testing.assert_allclose(trial.markers.position_m[..., 2], base.markers.position_m[..., 2], atol=1e-9)
    np.testing.assert_allclose(trial.plates[0].force_lab_N[:, 2], base.plates[0].force_lab_N[:, 2], atol=1e-9)
    # Forward may be any horizontal direction; what the moment is about the pelvis does not depend on it.
    frame = FRAMES // 2
    arms = [t.markers["SACR"][frame] - t.plates[0].centre_m for t in (base, trial)]
    about = [
        t.plates[0].moment_lab_Nm[frame * RATIO] - np.cross(arm, t.plates[0].force_lab_N[frame * RATIO])
        for t, arm in zip((base, trial), arms, strict=True)
    ]
    assert np.linalg.norm(about[1]) == pytest.approx(np.linalg.norm(about[0]), abs=1e-6)
    assert about[1] @ arms[1] == pytest.approx(about[0] @ arms[0], abs=1e-6)


@pytest.mark.parametrize("plates", [True, False])
@pytest.mark.parametrize(("unit", "per_mm"), [("mm", 1.0), ("cm", 0.1), ("m", 1e-3)])
def test_a_length_unit_nobody_states_is_guessed_from_plate_or_body(
    write: Callable[..., Path], unit: str, per_mm: float, plates: bool
) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    file = healthy()
    file.points[..., :3] *= per_mm
    file.analog[:, 3:] *= per_mm
    plate = file.groups["FORCE_PLATFORM"]
    plate["CORNERS"] = (np.array(plate["CORNERS"]) * per_mm).tolist()
    file.groups["ANALOG"]["UNITS"] = ["V"] * 6
    del file.groups["POINT"]["UNITS"]
    if not plates:
        del file.groups["FORCE_PLATFORM"]
    trial = read_c3d(write(file), trust=True)
    (guess,) = [finding for finding in trial.findings if finding.rule == "units-guessed"]
    assert f"; {unit} is assumed because of {'a plate' if plates else 'markers'}" in guess.message
    np.testing.assert_allclose(trial.markers.position_m, base.markers.position_m, atol=1e-6)


@pytest.mark.parametrize(("unit", "factor"), [("m", 1e-3), ("mete", 1e-3), ("cm", 0.1), ("in", 1 / 25.4)])
def test_length_units(write: Callable[..., Path], unit: str, factor: float) -> None:
    file = healthy()
    file.points[..., :3] *= factor
    file.analog[:, 3:] *= factor
    plate = file.groups["FORCE_PLATFORM"]
    plate["CORNERS"] = (np.array(plate["CORNERS"]) * factor).tolist()
    file.groups["POINT"]["UNITS"] = unit
    file.groups["ANALOG"]["UNITS"] = ["V"] * 6
    base, trial = read_c3d(write(healthy(), "base.c3d"), trust=True), read_c3d(write(file), trust=True)
    np.testing.assert_allclose(trial.markers.position_m, base.markers.position_m, atol=1e-6)
    np.testing.assert_allclose(trial.plates[0].moment_lab_Nm, base.plates[0].moment_lab_Nm, atol=1e-4)


def test_a_subject_is_chosen_by_prefix(write: Callable[..., Path]) -> None:
    file = healthy()
    names = file.labels()
    file.groups["POINT"]["LABELS"] = [f"Anna:{name}" for name in names[:12]] + [f"Stick:{name}" for name in names[12:]]
    path = write(file)
    assert read_c3d(path, trust=True).markers.names[:2] == ("SACR", "C7")
    assert "subjects-several" in rules(path)
    stick = read_c3d(path, trust=True, subject="Stick")
    assert stick.markers.present(names[12])
    with pytest.raises(MissingInputError, match="Bob"):
        read_c3d(path, trust=True, subject="Bob")


@pytest.mark.parametrize("prefixes", [{"Anna": "Anna", "Bob": "Bob"}, {"Anna": "A", "Bob": "B"}])
def test_events_of_another_subject_are_not_ours(write: Callable[..., Path], prefixes: dict[str, str]) -> None:
    """Two people in one file: each has its own strikes; an event that names nobody is everybody's."""
    file = healthy()
    names = file.labels()
    file.points = np.concatenate([file.points, file.points], axis=1)
    labels = [f"{prefix}:{name}" for prefix in prefixes.values() for name in names]
    file.groups["POINT"] |= {"LABELS": labels, "USED": len(labels)}
    file.groups["SUBJECTS"] = {"NAMES": list(prefixes), "LABEL_PREFIXES": [f"{p}:" for p in prefixes.values()]}
    file.groups["EVENT"] = {
        "USED": 3, "CONTEXTS": ["Left"] * 3, "LABELS": ["Foot Strike", "Foot Strike", "Foot Off"],
        "SUBJECTS": ["Anna", "Bob", ""], "TIMES": [[0.0, 0.2], [0.0, 0.3], [0.0, 0.7]],
    }  # fmt: skip
    path = write(file)
    for person, strike_s in (("Anna", 0.2), ("Bob", 0.3)):
        recording = read_recording(path, trust=True, subject=prefixes[person])
        assert [event.time_s for event in recording.trial.events] == pytest.approx([strike_s, 0.7], abs=1e-6)
        assert len(recording.facts.events) == 3


def test_a_renamed_subject_keeps_the_events(write: Callable[..., Path]) -> None:
    file = healthy()
    file.groups["POINT"]["LABELS"] = [f"P007:{name}" for name in file.labels()]
    file.groups["SUBJECTS"] = {"NAMES": ["P007"]}
    file.groups["EVENT"]["SUBJECTS"] = ["Anna", "Anna"]
    assert len(read_c3d(write(file), trust=True).events) == 2


@pytest.mark.parametrize("name", ["Прогулка.c3d", "two words.c3d", "WALK.C3D"])
def test_any_file_name(write: Callable[..., Path], name: str) -> None:
    trial = read_c3d(write(healthy(), name))
    assert trial.name == Path(name).stem
    assert trial.findings == ()


def test_header_counts_win_when_only_they_fit(write: Callable[..., Path]) -> None:
    base = read_c3d(write(healthy(), "base.c3d"), trust=True)
    file = healthy()
    del file.groups["ANALOG"]["RATE"]
    file.groups["POINT"]["USED"] = 12
    trial = read_c3d(write(file), trust=True)
    assert np.array_equal(trial.markers.position_m, base.markers.position_m)
    assert {finding.rule for finding in trial.findings} >= {"analog-rate-missing", "counts-disagree"}


def test_more_frames_than_a_header_can_count(write: Callable[..., Path]) -> None:
    n = 70_000
    file = healthy()
    file.points = np.zeros((n, 2, 4))
    file.points[..., :3] = 500.0 + np.arange(n)[:, None, None] * 1e-3
    file.analog = np.zeros((0, 6))
    for name in ("ANALOG", "FORCE_PLATFORM", "EVENT"):
        del file.groups[name]
    file.groups["POINT"] |= {"USED": 2, "LABELS": file.labels()[:2], "FRAMES": 65535}
    file.header["last"] = 65535
    trial = read_c3d(write(file), trust=True)
    assert trial.n_frames == n, "every frame, and none of the padding"
    assert {finding.rule for finding in trial.findings} >= {"frames-clipped"}
    assert not {finding.rule for finding in trial.findings} & {"data-cut", "data-longer"}
    assert trial.markers["SACR"][-1, 0] == pytest.approx(0.57, abs=1e-4)


BROKEN_PLATES: dict[str, dict[str, object]] = {
    "type is 21": {"TYPE": [21]},
    "do not span an area": {"CORNERS": np.zeros((1, 4, 3))},
    "missing or not numbers": {"CORNERS": np.full((1, 4, 3), np.nan)},
    "corners are missing or not": {"CORNERS": np.full((1, 4, 3), 1e24)},
    "analog channel 77": {"CHANNEL": [[1, 2, 3, 4, 5, 77]]},
    "names 3 analog channels": {"CHANNEL": [[1, 2, 3]]},
    "calibration matrix is missing": {"TYPE": [4]},
    "origin is missing": {"ORIGIN": []},
    "same analog channel twice": {"CHANNEL": [[1, 2, 3, 4, 5, 5]]},
}


@pytest.mark.parametrize("problem", BROKEN_PLATES)
def test_a_broken_plate_costs_no_markers(write: Callable[..., Path], problem: str) -> None:
    file = healthy()
    file.groups["FORCE_PLATFORM"] |= BROKEN_PLATES[problem]
    recording = read_recording(write(file), trust=True)
    assert recording.trial.plates == ()
    assert recording.trial.markers.present("LTOE")
    assert any(finding.rule == "plate-broken" and problem in finding.message for finding in recording.trial.findings)
    assert problem in str(recording.facts.plates[0].problem)


def refused(path: Path) -> str:
    with pytest.raises(FileRefusedError) as caught:
        read_c3d(path, trust=True)
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("rate", [0.0, float("nan"), 1e30])
def test_an_impossible_rate_is_refused(write: Callable[..., Path], rate: float) -> None:
    file = healthy()
    file.header["rate"] = rate
    file.groups["POINT"]["RATE"] = rate
    assert "no usable frame rate" in refused(write(file))


def test_contradicting_scales_of_integers_are_refused(write: Callable[..., Path]) -> None:
    file = as_integers(healthy())
    file.header["scale"] = 0.2
    assert "scale" in refused(write(file))


def test_counts_that_fit_nothing_are_refused(write: Callable[..., Path]) -> None:
    file = healthy()
    file.header["points"] = 19
    file.groups["POINT"]["USED"] = 23
    assert "does not fit its length" in refused(write(file))


@pytest.mark.parametrize("broken", [{"samples": 1, "analog": 6}, {"samples": 20, "analog": 120}])
def test_a_header_alone_that_does_not_fit_the_length_is_refused(write: Callable[..., Path], broken: dict[str, int]) -> None:
    """Without ANALOG:RATE a wrong sample count in the header would put every marker metres away."""
    file = healthy()
    del file.groups["ANALOG"]["RATE"]
    file.header |= broken
    assert "does not fit its length" in refused(write(file))


def test_a_wrong_unit_is_refused_not_believed(write: Callable[..., Path]) -> None:
    file = healthy()
    file.groups["POINT"]["UNITS"] = "m"
    assert "100 m away" in refused(write(file))


@pytest.mark.parametrize("end", [100, 600, 1024, 1500])
def test_cut_in_header_or_parameters(write: Callable[..., Path], end: int) -> None:
    path = write(healthy())
    path.write_bytes(path.read_bytes()[:end])
    assert refused(path)


def test_a_label_too_long_for_its_field_is_said(write: Callable[..., Path]) -> None:
    """A label of 300 characters: its length is stored modulo 256, and all labels behind it are shifted."""
    file = healthy()
    rows = [("N" * 300).encode(), *(name.encode().ljust(300) for name in file.labels()[1:])]
    file.groups["POINT"]["LABELS"] = (-1, [300 - 256, len(rows)], b"".join(rows))
    names = healthy().labels()
    file.labels = lambda: names  # type: ignore[method-assign]
    assert "parameters-damaged" in rules(write(file))


def record_starts(content: bytes) -> dict[str, int]:
    """Name -> first byte of each record of a file made here, whose section is whole."""
    walked = walk_parameters(content, BLOCK_BYTES, where="healthy")
    return {f"{record.group_id}:{record.name}": record.start for record in walked.records}


def what_it_holds(trial: Trial) -> tuple[object, ...]:
    numbers = [trial.markers.position_m, *(array for plate in trial.plates for array in (plate.force_lab_N, plate.corners_m))]
    return trial.n_frames, trial.markers.names, trial.subject, trial.events, [array.tobytes() for array in numbers]


@pytest.mark.parametrize("processor", [PC, SGI])
def test_a_pointer_in_the_wrong_byte_order_costs_nothing(write: Callable[..., Path], processor: int) -> None:
    """Seen in a converter of integers to the other byte order: the last pointer is left as it was and leads into the data."""
    file = healthy()
    file.processor = processor
    path = write(file)
    whole, content = read_c3d(path, trust=True), bytearray(path.read_bytes())
    start = record_starts(bytes(content))["1:LABELS"]
    pointer = start + 2 + len("LABELS")
    content[pointer : pointer + 2] = content[pointer : pointer + 2][::-1]
    path.write_bytes(content)
    trial = read_c3d(path, trust=True)
    assert what_it_holds(trial) == what_it_holds(whole)
    assert {f.rule for f in trial.findings} - {f.rule for f in whole.findings} == {"parameters-damaged"}


@pytest.mark.parametrize("value", [0, 1, 7, 0x41, 0x80, 0xFF])
def test_no_damage_to_a_record_costs_frames_or_goes_unsaid(write: Callable[..., Path], value: int) -> None:
    """Length of the name, group, pointer, type, number of dimensions of every record: each byte of them replaced."""
    path = write(healthy())
    whole, content = read_c3d(path, trust=True), path.read_bytes()
    said_of_whole = {finding.rule for finding in whole.findings}
    silent = []
    for name, start in record_starts(content).items():
        behind = start + 2 + len(name.partition(":")[2])
        for byte in (start, start + 1, behind, behind + 1, behind + 2, behind + 3):
            damaged = bytearray(content)
            damaged[byte] = value
            path.write_bytes(damaged)
            try:
                trial = read_c3d(path, trust=True)
            except FileRefusedError:
                continue
            assert trial.n_frames == whole.n_frames, (name, byte)
            # A parameter of another group that exists, or letters that are bytes, cannot be known to be wrong.
            possible = value == 1 and byte in (start + 1, behind + 2)
            same = what_it_holds(trial) == what_it_holds(whole) or {f.rule for f in trial.findings} != said_of_whole
            if not same and not possible:
                silent.append((name, byte - start))
    assert not silent, silent


def test_what_older_software_left_behind_the_list_is_not_read(write: Callable[..., Path]) -> None:
    path = write(healthy())
    content = path.read_bytes()
    walked = walk_parameters(content, BLOCK_BYTES, where="healthy")
    old = healthy().parameter("RATE", 1, 31.0)
    behind = bytearray(content)
    # The list ends with a name of no length; what follows begins with the byte of an old text.
    behind[walked.end : walked.end + 2] = b"\0y"
    behind[walked.end + 20 : walked.end + 20 + len(old)] = old
    assert walked.end + 20 + len(old) < walked.blocks * BLOCK_BYTES + BLOCK_BYTES
    path.write_bytes(behind)
    trial = read_c3d(path, trust=True)
    assert trial.rate_hz == healthy().rate_hz
    assert "parameters-damaged" not in {finding.rule for finding in trial.findings}
