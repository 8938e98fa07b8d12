"""Squats and rising from a seat: phases, peaks, asymmetry against the virtual subject's; a report without words of walking."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.measures.jumps import JumpRecord, find_jumps
from biomech_id.gait.measures.squats import find_rises, find_squats
from biomech_id.report.pages.jump_phases import phase_curves
from biomech_id.report.pages.squats import RISING, SQUATTING
from biomech_id.sample.c3d import write_c3d

LEFT = 0.55


@cache
def recorded(kind: str):
    """A movement, and what it is found in: plates at the analog rate, the body's true centre at the video rate."""
    person = bid.virtual_subject(upper_body=True, analog_ratio=5)
    sample = getattr(person, kind)(left_share=LEFT)
    trial, truth = sample.trial, sample.truth
    force = np.sum([plate.force_lab_N[:, 2] for plate in trial.plates], axis=0)
    time = trial.first_time_s + np.arange(len(force)) / trial.plates[0].rate_hz
    feet = {side: truth.ground_force_lab_N[side][:, 2] for side in "LR"}
    return sample, JumpRecord(time, force, truth.time_s, truth.upper.com_lab_m[:, 2], trial.subject.mass_kg, feet)


def test_both_are_called_what_they_are() -> None:
    assert classify(recorded("squat")[0].trial) is TrialKind.SQUAT
    assert classify(recorded("rise")[0].trial) is TrialKind.RISE
    assert find_jumps(recorded("squat")[1]) == find_jumps(recorded("rise")[1]) == ()
    # Who sits down again has risen before; who only sits down has not.
    sitting = recorded("rise")[0].trial
    back = replace(sitting.markers, position_m=sitting.markers.position_m[::-1], filled=None)
    assert classify(bid.Trial("down", back)) not in (TrialKind.RISE, TrialKind.STRAIGHT, TrialKind.JUMP, TrialKind.TURN)


def test_a_squat_is_known_by_its_phases_depth_peak_and_share() -> None:
    sample, record = recorded("squat")
    known, (squat,) = sample.truth.spatiotemporal, find_squats(record)
    assert squat.turn_s == pytest.approx(known["zero_s"] + known["lowest_s"], abs=0.011)
    # As long down as up, and within 5 % of the depth of standing at both ends.
    assert squat.turn_s - squat.start_s == pytest.approx(squat.end_s - squat.turn_s, abs=0.021)
    left_m = np.interp([squat.start_s, squat.end_s], record.frame_time_s, record.centre_m)
    assert record.centre_m[0] - left_m == pytest.approx([0.05 * squat.depth_m] * 2, abs=0.2 * 0.05 * squat.depth_m + 0.005)
    assert squat.depth_m == pytest.approx(np.ptp(record.centre_m), abs=0.002)
    assert squat.asymmetry_percent == pytest.approx(100.0 * (LEFT - 0.5) * 4, abs=0.1)
    step = 1.0 / sample.trial.rate_hz
    asked = GRAVITY_M_S2 + np.diff(record.centre_m, 2) / step**2
    up = record.frame_time_s[1:-1] > squat.turn_s
    assert squat.peak_N_kg == pytest.approx(asked[up].max(), abs=0.02)
    # Half a squat, and one that nobody comes up from, have no phases.
    low = int(np.argmin(record.centre_m))
    assert find_squats(replace(record, frame_time_s=record.frame_time_s[:low], centre_m=record.centre_m[:low])) == ()


@pytest.mark.parametrize("whole_body", [True, False])
def test_who_rises_leaves_the_seat_where_it_carries_nothing_more(whole_body: bool) -> None:
    sample, record = recorded("rise")
    known, (rise,) = sample.truth.spatiotemporal, find_rises(record, whole_body=whole_body)
    # The seat's last 5 % of body weight, of a fifth to all in half a second, are 30 ms; without the centre of mass some more.
    assert rise.turn_s - known["zero_s"] == pytest.approx(known["seat_off_s"], abs=0.04 if whole_body else 0.07)
    assert 0.0 < rise.start_s - known["zero_s"] < 0.2
    assert 0.0 < known["zero_s"] + known["end_s"] - rise.end_s < 0.4
    assert rise.asymmetry_percent == pytest.approx(100.0 * (LEFT - 0.5) * 4, abs=0.1)
    assert find_squats(record) == ()


def test_a_seat_on_the_plates_hides_when_it_is_left() -> None:
    _, record = recorded("rise")
    time = record.frame_time_s
    whole = record.mass_kg * (GRAVITY_M_S2 + np.gradient(np.gradient(record.centre_m, time), time))
    (rise,) = find_rises(replace(record, force_N=np.interp(record.time_s, time, whole)), whole_body=True)
    assert np.isnan(rise.turn_s)
    none = replace(record, time_s=np.zeros(0), force_N=np.zeros(0), feet_N={})
    (rise,) = find_rises(none, whole_body=True)
    assert np.isnan([rise.turn_s, rise.peak_N_kg, rise.asymmetry_percent]).all()
    assert rise.depth_m > 0.2


@cache
def session(kind: str):
    import tempfile

    person = bid.virtual_subject(analog_ratio=5)
    folder = Path(tempfile.mkdtemp()) / kind
    folder.mkdir()
    write_c3d(person.static(), folder / "static.c3d")
    write_c3d(getattr(person, kind)(left_share=LEFT), folder / f"{kind}.c3d")
    return bid.analyse(folder, uncertainty=False, budget=False).tables()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "language", "words_of_pages"),
    [
        ("squat", "en", ("leaves its standing height by 5 %", "Every squat of the table over its phases")),
        ("rise", "de", ("Der Sitz ist verlassen, wo er", "Jedes Aufstehen der Tabelle über seinen Phasen")),
    ],
)
def test_a_report_of_either_has_its_page_and_no_words_of_walking(
    kind: str, language: str, words_of_pages: tuple[str, ...], tmp_path: Path
) -> None:
    from pypdf import PdfReader

    from biomech_id.report.layout.style import load_style
    from biomech_id.report.pdf import draw_report

    path = draw_report(session(kind), tmp_path / "report.pdf", style=load_style(language=language))
    pages = [page.extract_text() for page in PdfReader(path).pages]
    words = r"\b(walk\w*|gait|strides?|cadence)\b" if language == "en" else r"\b(Gang\w*|Geh(en|tempo)|Gehens|Schritt\w*|Kadenz)\b"
    allowed = re.compile(r"conventional gait model|konventionellen? Gangmodell\w*|Gait Posture|J Gait", re.IGNORECASE)
    found = [line for text in pages for line in text.splitlines() if re.search(words, allowed.sub("", line), re.IGNORECASE)]
    assert not found
    # The movement's own page is the first: who, how far each layer can be trusted, room for a signature.
    first = {"en": ("Can it be trusted?", "Comment and signature"), "de": ("Ist darauf Verlass?", "Kommentar und Unterschrift")}
    assert [words in pages[0] for words in (*first[language], "1.75 m" if language == "en" else "1,75 m")] == [True] * 3
    assert [sum(said in text for text in pages) for said in words_of_pages] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "of"), [("squat", SQUATTING), ("rise", RISING)])
def test_trials_lie_over_one_another_by_phase(kind: str, of) -> None:
    tables = session(kind)
    frames = tables.frames[kind]
    table = tables.spatiotemporal
    at = dict(zip(table["parameter"], table["value"].astype(float), strict=True))
    for side in "LR":
        for variable in (("KneeAngles", "X"), ("KneeMoment", "X"), ("GroundReactionForce", "Z")):
            ((name, path),) = phase_curves(tables, variable, side, 1.0, of)
            assert name == f"{kind} 1"
            turn = int(np.argmin(np.abs(path[:, 0] - 100.0)))
            expected = np.interp(at[of.needs[1]], frames["time"], frames[f"{side}{variable[0]}.{variable[1]}"])
            assert path[turn, 1] == pytest.approx(expected, abs=0.02 * np.ptp(path[:, 1]) + 1e-9)
            assert path[-1, 0] == pytest.approx(200.0, abs=5.0)
