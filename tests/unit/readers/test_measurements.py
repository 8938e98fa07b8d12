"""What names of parameters mean, which unit a value is in, and what is no measurement of a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from c3d_builder import MASS_KG, healthy

from benchmarks.studies.measurement_names import LEAST_RIGHT, TABLE, study
from biomech_id.readers.c3d.measurements import in_si, meaning, vocabulary
from biomech_id.readers.c3d.read import read_c3d
from biomech_id.trial import Trial

Written = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Written:
    return lambda file: file.write(tmp_path / "trial.c3d")


def read_with(write: Written, group: str, values: Mapping[str, object]) -> Trial:
    file = healthy()
    file.groups[group] = file.groups.get(group, {}) | dict(values)
    return read_c3d(write(file), trust=True)


def said(trial: Trial) -> list[str]:
    return [finding.rule for finding in trial.findings if finding.rule.startswith("measure")]


@pytest.mark.parametrize(
    ("name", "quantity", "side", "unit"),
    [
        ("A_Left_LegLength_mm", "leg_length_m", "L", "mm"),
        ("LLEGLENGTH", "leg_length_m", "L", ""),
        ("leg_length_r_cm", "leg_length_m", "R", "cm"),
        ("Beinlänge rechts", "leg_length_m", "R", ""),
        ("Right Knee", "knee_width_m", "R", ""),
        ("Largeur du genou gauche", "knee_width_m", "L", ""),
        ("Anchura del tobillo derecho", "ankle_width_m", "R", ""),
        ("Körpergröße (cm)", "height_m", "", "cm"),
        ("Poids", "mass_kg", "", ""),
        ("Pelvis Width", "inter_asis_distance_m", "", ""),
        ("TARGET_RADIUS", "marker_radius_m", "", ""),
    ],
)
def test_names_are_read_by_their_words(name: str, quantity: str, side: str, unit: str) -> None:
    found = meaning(name)
    assert found is not None
    assert (found.quantity, found.side, found.unit) == (quantity, side, unit)


@pytest.mark.parametrize(
    "name",
    [
        "LRadiusLength", "RFemurLength", "UpperLegLength", "Left Pelvis Depth", "PV_DEPTH", "A_Left_FootLength_mm", "LegLength",
        "Left Height", "Name", "Date of birth", "Address", "Knee angle left", "KneeWidth", "RKNE_R_FEMUR_X", "LASI", "Lage", "",
        "Height_kg",
    ],
)  # fmt: skip
def test_other_names_are_no_measurement(name: str) -> None:
    assert meaning(name) is None


@pytest.mark.parametrize(
    ("quantity", "number", "unit", "si", "taken"),
    [
        ("leg_length_m", 820.0, "", 0.82, "mm"),
        ("leg_length_m", 82.0, "mm", 0.82, "cm"),
        ("leg_length_m", 0.82, "", 0.82, "m"),
        ("leg_length_m", 32.0, "inch", 0.8128, "inch"),
        ("mass_kg", 154.3, "lb", 69.99, "lb"),
        ("mass_kg", 700.0, "N", 71.38, "N"),
        ("mass_kg", 700.0, "", None, ""),
        ("mass_kg", 3.0, "", 3.0, "kg"),
        ("mass_kg", 300.0, "", 300.0, "kg"),
        ("knee_width_m", 300.0, "mm", None, ""),
        ("tibial_torsion_rad", 20.0, "", 0.349, "deg"),
        ("tibial_torsion_rad", 0.3, "", None, ""),
        ("age_years", 18.0, "months", 1.5, "months"),
    ],
)
def test_the_range_decides_on_the_unit(quantity: str, number: float, unit: str, si: float | None, taken: str) -> None:
    value, used = in_si(quantity, number, unit)
    assert (value, used) == (None if si is None else pytest.approx(si, rel=1e-3), taken)


def test_ranges_leave_one_unit_only() -> None:
    for quantity, row in vocabulary()["quantities"].items():
        if row["of"] == "length":
            assert row["range"][1] < 10.0 * row["range"][0], quantity


def test_measurements_of_any_group_fill_in_what_the_vendors_leave_out(write: Written) -> None:
    values = {"LegLength links (cm)": "82,5", "Kniebreite_r": "98 mm", "Marker size": 14.0, "Gewicht": "81 kg", "Sexe": "Homme"}
    trial = read_with(write, "Messwerte", values)
    subject = trial.subject
    assert dict(subject.leg_length_m) == pytest.approx({"L": 0.825})
    assert dict(subject.knee_width_m) == pytest.approx({"R": 0.098})
    assert (subject.marker_diameter_m, subject.sex) == (pytest.approx(0.014), "male")
    assert subject.mass_kg == pytest.approx(MASS_KG), "the recording software's own field comes first"
    assert said(trial) == ["measurements-disagree"]
    assert subject.sources["knee_width_m"] == "MESSWERTE:Kniebreite_r"


def test_two_names_of_one_group_that_disagree_give_no_value(write: Written) -> None:
    trial = read_with(write, "PATIENT", {"Left knee": "98", "Knee width left": "118"})
    assert dict(trial.subject.knee_width_m) == {}
    assert set(said(trial)) == {"measurements-disagree"}


@pytest.mark.parametrize(
    ("group", "values"),
    [
        ("SEG", {"MARKER_DIAMETER": 25.0}),
        ("CAMERAS", {"Height": 2.1, "Weight": 3.5}),
        ("SUBJECT", {"DATE_OF_BIRTH": "17", "NAME": "82", "Address": "12 cm"}),
        ("SUBJECT", {"Left knee": 0.0, "Right knee": "_", "Marker diameter": 1.0}),
    ],
)
def test_settings_and_placeholders_are_no_measurements(write: Written, group: str, values: Mapping[str, object]) -> None:
    before, after = read_c3d(write(healthy()), trust=True), read_with(write, group, values)
    assert after.subject == before.subject
    assert said(after) == []


def test_lists_of_unequal_length_are_taken_by_the_one_shift_that_fits(write: Written) -> None:
    listed = {
        "LABELS": ["gender", "age", "weight", "Left leg length"], "UNITS": ["0: woman, 1: man", "years", "kg", "m"],
        "VALUES": [0.0, 1.0, 41.0, 59.0, 0.72],
    }  # fmt: skip
    file = healthy()
    file.groups |= {"SUBJECT": listed, "PROCESSING": {}}
    subject = read_c3d(write(file), trust=True).subject
    assert (subject.sex, subject.age_years, subject.mass_kg) == ("male", 41.0, 59.0)
    assert dict(subject.leg_length_m) == pytest.approx({"L": 0.72})


def test_lists_that_several_shifts_fit_are_asked_for(write: Written) -> None:
    file = healthy()
    file.groups |= {"SUBJECT": {"NAMES": ["age", "weight"], "VALUES": [30.0, 41.0, 59.0]}, "PROCESSING": {}}
    trial = read_c3d(write(file), trust=True)
    assert (trial.subject.age_years, trial.subject.mass_kg) == (None, None)
    assert said(trial) == ["measurement-unread"] * 2


def test_moved_measurements_are_found_and_none_is_wrong() -> None:
    """A sample of the study, of the virtual subject; the table holds what recordings gave."""
    meant, slipped, persons = study(8, Path(__file__).resolve().parents[3] / "data")
    assert persons > 0
    assert meant["right"] >= 0.95 * (meant["right"] + meant["missed"])
    assert not any(count[key] for count in (meant, slipped) for key in ("wrong", "invented"))
    row = next(line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| as meant"))
    right, missed, wrong, invented = map(int, row.split("|")[2:6])
    assert right >= LEAST_RIGHT * (right + missed + wrong)
    assert (wrong, invented) == (0, 0)
