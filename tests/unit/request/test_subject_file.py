from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from biomech_id.errors import OptionError
from biomech_id.request.subject_file import apply_subject_file, condition_of, subject_toml
from biomech_id.trial import Subject


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "subject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_values_beat_the_file_and_say_so(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'code = "P7"\nmass_kg = 41.5\nleg_length_mm = 800\nknee_width_mm = { left = 95 }\ntibial_torsion_deg = 10\n'
    )
    subject = apply_subject_file(Subject(code="Anna", mass_kg=40.0), file)
    assert (subject.code, subject.mass_kg) == ("P7", 41.5)
    assert dict(subject.leg_length_m) == {"L": pytest.approx(0.8), "R": pytest.approx(0.8)}
    assert dict(subject.knee_width_m) == {"L": pytest.approx(0.095)}
    assert subject.tibial_torsion_rad["R"] == pytest.approx(math.radians(10))
    assert subject.sources["mass_kg"] == "subject.toml"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("mass_kg = 41500", ["mass_kg", "41500", "400"]),
        ("leg_length_mm = 0.8", ["leg_length_mm", "0.8"]),
        ('mass_kg = "41"', ["mass_kg", "'41'"]),
        ("weight = 41", ["weight", "mass_kg"]),
        ("mass = 41", ["Did you mean 'mass_kg'?"]),
        ('birth_date = "1990-13-01"', ["birth_date", "1990-13-01", "2019-05-31"]),
        ('session_date = "3/4/2008"', ["session_date", "3/4/2008"]),
        ("knee_width_mm = { L = 95 }", ["knee_width_mm", "left"]),
        ('foot_flat = "yes"', ["foot_flat", "true or false"]),
        ('amputation = "transtibial"', ["amputation", "left or right"]),
        ('amputation = { left = "below the knee" }', ["amputation", "below the knee", "transtibial"]),
        ('amputation = { both = "transtibial" }', ["both", "left", "right"]),
    ],
)
def test_an_impossible_value_is_named_with_what_is_possible(tmp_path: Path, line: str, names: list[str]) -> None:
    with pytest.raises(OptionError) as caught:
        apply_subject_file(Subject(), written(tmp_path, line))
    for name in names:
        assert name in caught.value.message + caught.value.expected


def test_an_amputation_has_a_side_and_a_level(tmp_path: Path) -> None:
    subject = apply_subject_file(Subject(), written(tmp_path, '[amputation]\nleft = "transtibial"\n'))
    assert dict(subject.amputation) == {"L": "transtibial"}
    assert subject.sources["amputation"] == "subject.toml"
    assert not apply_subject_file(Subject(), written(tmp_path, "mass_kg = 40\n")).amputation
    again = apply_subject_file(Subject(), written(tmp_path, subject_toml(replace(subject, foot_flat=True))))
    assert (again.amputation, again.foot_flat) == ({"L": "transtibial"}, True)


def test_a_decimal_comma_is_pointed_at(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"line 2.*A decimal takes a point: 72\.5, not 72,5\."):
        apply_subject_file(Subject(), written(tmp_path, 'code = "P1"\nmass_kg = 72,5\n'))


def test_a_day_may_be_a_text_or_a_date_of_toml(tmp_path: Path) -> None:
    for line in ("birth_date = 1990-03-01", 'birth_date = "1990-03-01"'):
        assert apply_subject_file(Subject(), written(tmp_path, line)).birth_date == "1990-03-01"


def test_the_template_reads_back_as_the_same_subject(tmp_path: Path) -> None:
    known = Subject(
        code='O"Neil', mass_kg=32.1, height_m=1.45, leg_length_m={"L": 0.74, "R": 0.745}, ankle_width_m={"L": 0.062}, foot_flat=True
    )
    again = apply_subject_file(Subject(), written(tmp_path, subject_toml(known)))
    for name in ("code", "mass_kg", "foot_flat", "sex"):
        assert getattr(again, name) == getattr(known, name)
    assert again.height_m == pytest.approx(known.height_m)
    assert dict(again.leg_length_m) == pytest.approx(dict(known.leg_length_m))
    assert dict(again.ankle_width_m) == pytest.approx(dict(known.ankle_width_m))


def test_conditions_hold_for_the_folder_or_for_one_file(tmp_path: Path) -> None:
    condition = condition_of(written(tmp_path, 'condition = "barefoot"\n[conditions]\nwalk3 = "shod"\n'))
    assert (condition("walk1"), condition("walk3")) == ("barefoot", "shod")
    assert condition_of(None)("walk1") == ""
    with pytest.raises(OptionError, match=r"single files are written in a section \[conditions\]"):
        condition_of(written(tmp_path, '[condition]\nwalk3 = "shod"\n'))
