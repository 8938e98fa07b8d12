"""Which muscle and side a label means: a grammar over spellings, and no guess."""

from __future__ import annotations

import pytest

from biomech_id.emg.channels import find_inputs
from biomech_id.emg.muscles import MUSCLES, read_rows
from biomech_id.emg.names import name_channels
from biomech_id.emg.timing import normal_bands
from biomech_id.errors import OptionError
from biomech_id.trial import AnalogChannels, PlateChannel


def named(*labels: str, told: tuple[str, ...] = ()) -> list[str]:
    return [" ".join(filter(None, (one.side, one.muscle))) for one in name_channels(labels, told)]


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("RRecFem.EMG7", "R rectus_femoris"),
        ("Rt Bic Fem", "R biceps_femoris"),
        ("R RECTUS FEMORIS: EMG 1", "R rectus_femoris"),
        ("L TIB.ANT.: EMG 2", "L tibialis_anterior"),
        ("R_Gastrocnemeus", "R gastrocnemius"),
        ("GAS_MED_R", "R gastrocnemius_medialis"),
        ("RMedGas", "R gastrocnemius_medialis"),
        ("R-VAST MED", "R vastus_medialis"),
        ("tibant_r", "R tibialis_anterior"),
        ("Voltage.6_R_vats_lat", "R vastus_lateralis"),
        ("LGluteusMedius", "L gluteus_medius"),
        ("M. soleus li", "L soleus"),
        ("Tibialis anterior rechts", "R tibialis_anterior"),
        ("Zweiköpfiger Schenkelmuskel links", "L biceps_femoris"),
        ("Droit antérieur gauche", "L rectus_femoris"),
        ("Jambier anterieur droit", "R tibialis_anterior"),
        ("Vaste interne gauche", "L vastus_medialis"),
        ("gemello mediale sx", "L gastrocnemius_medialis"),
        ("Bicipite femorale dx", "R biceps_femoris"),
        ("glúteo medio izq", "L gluteus_medius"),
        ("Recto femoral derecho", "R rectus_femoris"),
        ("gastrocnêmio medial esq", "L gastrocnemius_medialis"),
        ("RTA", "R tibialis_anterior"),
        ("LVL", "L vastus_lateralis"),
        ("RMH", "R hamstrings_medial"),
        ("LBICEPSFEMORIS", "L biceps_femoris"),
    ],
)
def test_a_label_alone(label: str, meaning: str) -> None:
    assert named(label) == [meaning]


@pytest.mark.parametrize(
    "label", ["LGAST", "GM", "R GL", "RPL", "R VAS", "LAT", "LLAT", "RGRF", "Rect", "R Biceps", "EMG 7", "L Spare"]
)
def test_what_a_label_alone_does_not_say(label: str) -> None:
    assert named(label) == [""]


@pytest.mark.parametrize(
    ("labels", "meanings"),
    [
        (("LGAST", "RGAST"), ["L gastrocnemius", "R gastrocnemius"]),
        (("LGAST", "MGAST"), ["gastrocnemius_lateralis", "gastrocnemius_medialis"]),
        (("Gas L", "Gas R"), ["L gastrocnemius", "R gastrocnemius"]),
        (("Gas L", "Gas M"), ["gastrocnemius_lateralis", "gastrocnemius_medialis"]),
        (("GASL", "GASR"), ["L gastrocnemius", "R gastrocnemius"]),
        (("RFL", "RFR"), ["L rectus_femoris", "R rectus_femoris"]),
        (("GM", "GMAX"), ["gastrocnemius_medialis", "gluteus_maximus"]),
        (("R GM", "R TA"), ["R gastrocnemius_medialis", "R tibialis_anterior"]),
        (("R PL", "R TA"), ["R peroneus_longus", "R tibialis_anterior"]),
        (("Biceps", "Triceps"), ["biceps_brachii", "triceps_brachii"]),
        (("Biceps", "TA"), ["biceps_femoris", "tibialis_anterior"]),
        (("LGRF", "LJUM", "LISC", "LSOL"), ["L gluteus_maximus", "L gastrocnemius", "L hamstrings", "L soleus"]),
        (("LGAST", "MGAST", "LTA"), ["", "gastrocnemius_medialis", "L tibialis_anterior"]),
        (("Soleaire G", "Soleaire D"), ["L soleus", "R soleus"]),
        (("Soleaire G",), [""]),
        (("MG-1", "MG-2", "MG-3"), ["", "", ""]),
    ],
)
def test_neighbours_decide_or_nobody(labels: tuple[str, ...], meanings: list[str]) -> None:
    assert named(*labels) == meanings


def test_a_description_says_more_and_never_something_else() -> None:
    assert named("LVAS", told=("L Vaste Ext",)) == ["L vastus_lateralis"]
    assert named("RLAT", told=("Right Lateral Hamstring",)) == ["R hamstrings_lateral"]
    assert named("R Gast", told=("Left Gastrocnemius medialis",)) == ["R gastrocnemius_medialis"]
    assert named("R TA", told=("R Soleus",)) == ["R tibialis_anterior"]


def test_every_full_name_in_every_language_is_read_on_both_sides() -> None:
    for row in read_rows("spellings"):
        if row["where"] in ("laboratories", "ambiguous"):
            continue
        for spelling in row["spellings"].split("|"):
            if len(spelling) > 3:
                assert named(f"L {spelling}") == [f"L {row['muscle']}"], spelling
                assert named(f"{spelling.title()}_R") == [f"R {row['muscle']}"], spelling


def channels(*labels: str, units: tuple[str, ...] = (), rate_hz: float = 1000.0, told: tuple[str, ...] = ()) -> AnalogChannels:
    stored = [[0.0] * len(labels)] * 4
    return AnalogChannels(labels, units or ("V",) * len(labels), rate_hz, stored, descriptions=told)


def test_what_is_no_muscle_is_said_with_its_reason() -> None:
    labels = (
        "R TA",
        "LFS",
        "Foot Switch1.FS",
        "Sync",
        "Raw.Pin 3",
        "TAPIS FZ1",
        "CH13",
        "Knee goniometer",
        "R SOL",
        "Sensor 1.ACCX1",
    )
    units = ("V", "V", "V", "V", "V", "V", "V", "V", "N", "V")
    found = find_inputs(channels(*labels, units=units))
    assert [one.label for one in found if one.refusal is None] == ["R TA"]
    assert {one.refusal.rule for one in found if one.refusal} == {"emg-other-signal", "emg-unit", "emg-unnamed"}
    assert [one.refusal.rule for one in find_inputs(channels("R TA", rate_hz=200.0)) if one.refusal] == ["emg-rate"]


def test_a_plates_channel_is_never_a_muscle() -> None:
    analog = AnalogChannels(("R TA", "R SOL"), ("V", "V"), 1000.0, [[0.0, 0.0]], plates=(PlateChannel("plate 1", 1), None))
    assert [one.label for one in find_inputs(analog)] == ["R SOL"]


def test_spare_inputs_of_the_same_device_are_found() -> None:
    found = find_inputs(channels("Voltage.L Rect", "Voltage.R TA", "Voltage.3", "Other.4"))
    assert [one.refusal is None for one in found] == [True, True, True, False]
    told = ("Analog EMG::Voltage [3,1]",)
    assert find_inputs(channels("Voltage.1", told=told))[0].refusal is None


def test_a_recipe_beats_the_label_and_refuses_what_nobody_knows() -> None:
    given = {"EMG1": "R rectus_femoris", "R TA": "L SOLEUS", "R SOL": "none"}
    found = find_inputs(channels("EMG1", "R TA", "R SOL"), given)
    assert [(one.named.side, one.named.muscle) for one in found] == [("R", "rectus_femoris"), ("L", "soleus"), ("", "")]
    assert found[2].refusal is not None
    with pytest.raises(OptionError, match="Did you mean 'rectus_femoris'"):
        find_inputs(channels("EMG1"), {"EMG1": "R rectus_femori"})


def test_bands_are_stretched_to_the_patients_own_foot_off() -> None:
    assert normal_bands("tibialis_anterior") == ((0.0, 13.0), (56.0, 100.0))
    slow = normal_bands("gastrocnemius", 70.0)
    assert slow[0] == pytest.approx((9 * 70 / 56.21, 54 * 70 / 56.21))
    swing = normal_bands("sartorius", 70.0)
    assert swing[0] == pytest.approx((70 + (69 - 56.21) * 30 / 43.79, 70 + (75 - 56.21) * 30 / 43.79))
    assert normal_bands("deltoid") == ()
    assert {row["muscle"] for row in read_rows("timing")} <= MUSCLES.keys()
