"""Heights of jumps by three methods against the virtual jumper, whose take-off velocity is known."""

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
from biomech_id.gait.measures.jumps import Jump, JumpRecord, find_jumps
from biomech_id.report.pages.jumps import jumps_of
from biomech_id.sample.c3d import write_c3d


@cache
def recorded(kind: str):
    """A jump, and what it is found in: plates at the analog rate, the body's true centre at the video rate."""
    person = bid.virtual_subject(upper_body=True, analog_ratio=5)
    given = {"crouched": {"landing_depth_m": 0.55}, "drop": {"drop": True}, "equal": {}}[kind]
    sample = person.jump(kind, **given)
    plates, truth, trial = sample.trial.plates, sample.truth, sample.trial
    force = np.sum([plate.force_lab_N[:, 2] for plate in plates], axis=0)
    time = trial.first_time_s + np.arange(len(force)) / plates[0].rate_hz
    feet = {side: truth.ground_force_lab_N[side][:, 2] for side in "LR"}
    record = JumpRecord(time, force, truth.time_s, truth.upper.com_lab_m[:, 2], trial.subject.mass_kg, feet)
    return sample, record


def only(kind: str) -> tuple[Jump, dict]:
    sample, record = recorded(kind)
    (jump,) = find_jumps(record)
    return jump, sample.truth.spatiotemporal


@pytest.mark.parametrize("kind", ["equal", "drop"])
def test_methods_agree_within_5_mm_where_the_landing_is_as_the_take_off(kind: str) -> None:
    jump, known = only(kind)
    heights = [jump.height_flight_m, jump.height_centre_m]
    if kind == "equal":
        heights.append(jump.height_impulse_m)
    else:  # who drops onto the plate has not stood there before
        assert np.isnan(jump.height_impulse_m)
        assert jump.contact_s == pytest.approx(known["take_off_s"] - known["first_landing_s"], abs=0.004)
        assert jump.stiffness_kN_m_kg > 0
    assert np.ptp(heights) < 0.005
    assert heights == pytest.approx([known["height_m"]] * len(heights), abs=0.005)
    assert jump.cause == ""
    assert jump.take_off_s - known["top_s"] == pytest.approx(known["take_off_s"], abs=0.006)
    assert jump.landing_s - known["top_s"] == pytest.approx(known["landing_s"], abs=0.006)
    assert abs(jump.landing_asymmetry_percent) < 0.1


def test_after_a_crouched_landing_the_flight_time_says_more_and_why() -> None:
    jump, known = only("crouched")
    assert known["landing_below_take_off_m"] > 0.02
    assert jump.height_impulse_m == pytest.approx(known["height_m"], abs=0.005)
    assert jump.height_centre_m == pytest.approx(known["height_m"], abs=0.005)
    assert jump.height_flight_m == pytest.approx(known["flight_height_m"], abs=0.005)
    assert jump.height_flight_m > known["height_m"] + 0.005
    assert jump.lower_m == pytest.approx(known["landing_below_take_off_m"], abs=0.005)
    assert jump.cause == "lower"


def test_a_jump_is_called_one_and_its_forces_are_those_of_a_falling_body() -> None:
    sample, _ = recorded("equal")
    assert classify(sample.trial) is TrialKind.JUMP
    truth, mass = sample.truth, sample.trial.subject.mass_kg
    step = 1.0 / sample.trial.rate_hz
    acceleration = np.diff(truth.upper.com_lab_m[:, 2], 2) / step**2
    force = (truth.ground_force_lab_N["L"] + truth.ground_force_lab_N["R"])[1:-1, 2]
    assert np.median(np.abs(mass * (acceleration + GRAVITY_M_S2) - force)) < 1.0
    flying = force == 0
    assert 20 < flying.sum() < 60
    assert np.abs(acceleration[flying][1:-1] + GRAVITY_M_S2).max() < 1e-6
    # Nobody pushes sideways against the air.
    assert np.ptp(truth.upper.com_lab_m[:, :2], axis=0).max() < 1e-4


def test_blips_and_steps_off_the_plate_are_no_jumps() -> None:
    _, record = recorded("equal")
    (jump,) = find_jumps(record)
    inside = (record.time_s > jump.take_off_s + 0.1) & (record.time_s < jump.take_off_s + 0.12)
    (same,) = find_jumps(replace(record, force_N=np.where(inside, 60.0, record.force_N)))
    assert same.landing_s == jump.landing_s
    stepping = replace(record, centre_m=np.full_like(record.centre_m, 0.95))
    assert find_jumps(stepping) == ()
    assert find_jumps(replace(record, force_N=np.full_like(record.force_N, 700.0))) == ()


@pytest.mark.parametrize("kind", ["equal", "crouched"])
def test_knees_of_who_crouches_bend_and_do_not_turn(kind: str) -> None:
    """The thigh's lateral axis stays within 15 deg of the shank's, however deep the knee is bent."""
    frames = recorded(kind)[0].truth.R_lab_seg
    for side in "LR":
        thigh, shank = frames[side, "thigh"], frames[side, "shank"]
        bent = np.rad2deg(np.arccos(np.einsum("ni,ni->n", thigh[:, :, 2], shank[:, :, 2])))
        assert bent.max() > 90.0
        assert np.rad2deg(np.arccos(np.einsum("ni,ni->n", thigh[:, :, 1], shank[:, :, 1]))).max() < 15.0


@cache
def session():
    import tempfile

    person = bid.virtual_subject(analog_ratio=5)
    folder = Path(tempfile.mkdtemp()) / "jumper"
    folder.mkdir()
    write_c3d(person.static(), folder / "static.c3d")
    write_c3d(person.jump(landing_depth_m=0.55), folder / "jump.c3d")
    return bid.analyse(folder, uncertainty=False, budget=False).tables()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_of_jumps_has_no_words_of_walking(language: str, tmp_path: Path) -> None:
    from pypdf import PdfReader

    from biomech_id.report.layout.style import load_style
    from biomech_id.report.pdf import draw_report

    path = draw_report(session(), tmp_path / "report.pdf", style=load_style(language=language))
    pages = [page.extract_text() for page in PdfReader(path).pages]
    words = r"\b(walk\w*|gait|strides?|cadence)\b" if language == "en" else r"\b(Gang\w*|Geh(en|tempo)|Gehens|Schritt\w*|Kadenz)\b"
    allowed = re.compile(r"conventional gait model|konventionellen? Gangmodell\w*|Gait Posture|J Gait", re.IGNORECASE)
    found = [line for text in pages for line in text.splitlines() if re.search(words, allowed.sub("", line), re.IGNORECASE)]
    assert not found
    # The movement's own page is the first: who, how far each layer can be trusted, room for a signature.
    first = {"en": ("Can it be trusted?", "Comment and signature"), "de": ("Ist darauf Verlass?", "Kommentar und Unterschrift")}
    assert [words in pages[0] for words in (*first[language], "1.75 m" if language == "en" else "1,75 m")] == [True] * 3
    title = "Jumps" if language == "en" else "Sprünge"
    assert [number for number, text in enumerate(pages) if text.startswith(title) or f"\n{title}\n" in text] == [0]
    assert sum(("Jumps by phase" if language == "en" else "Sprünge nach Phasen") in text for text in pages) == 1


def test_jumps_lie_over_one_another_by_phase() -> None:
    """Take-off is at 100, landing at 200; angles there are the frames', and what one plate under both feet hides is not drawn."""
    from biomech_id.report.pages.jump_phases import JUMPING, phase_curves

    tables = session()
    ((trial, number), measured), *more = jumps_of(tables).items()
    off_s, down_s = measured["jump_take_off_at"][0], measured["jump_landing_at"][0]
    assert (number, more) == (1, [])
    assert down_s - off_s == pytest.approx(measured["jump_flight_time"][0])
    times = np.array([off_s - 1.01, off_s - 1.0, off_s, (off_s + down_s) / 2, down_s, down_s + 0.5, down_s + 0.51])
    assert JUMPING.along(times, measured) == pytest.approx([np.nan, 0.0, 100.0, 150.0, 200.0, 300.0, np.nan], nan_ok=True)
    assert JUMPING.along(times, {**measured, "jump_contact_time": (0.4, "s")})[:2] == pytest.approx([np.nan, np.nan], nan_ok=True)
    frames = tables.frames[trial]
    for side in "LR":
        ((name, path),) = phase_curves(tables, ("KneeAngles", "X"), side, 1.0)
        assert name == f"{trial} 1"
        for place, at in ((100.0, off_s), (200.0, down_s)):
            expected = np.interp(at, frames["time"], frames[f"{side}KneeAngles.X"])
            after = int(np.searchsorted(path[:, 0], place))
            assert min(path[after - 1 : after + 1, 1]) <= expected <= max(path[after - 1 : after + 1, 1])
            assert np.ptp(path[after - 1 : after + 1, 1]) < 10.0
        assert phase_curves(tables, ("KneeMoment", "X"), side, 1.0) == []
