"""The clinical examination: what keys mean, what is not known of them, what is never read, and where values come from."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from biomech_id.conventions import SESSION_TABLES
from biomech_id.errors import OptionError
from biomech_id.privacy.pseudonym import Pseudonym
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.clinic import examination_sections
from biomech_id.request.intake import subject_of
from biomech_id.request.job import Job
from biomech_id.sample import virtual_subject
from biomech_id.session.tables.session_tables import Tables, tidy_table
from biomech_id.trial import Subject
from biomech_id.trial import examination as examination_module
from biomech_id.trial.examination import Examined, as_examined, examined


@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("C_ROM_HipFlex_L", "145", ("hip", "flexion", "", "L", 145.0, "deg", "", "flexion")),
        ("C_ROM_HIPABDHEKF_R", "40", ("hip", "abduction", "", "R", 40.0, "deg", "", "abduction")),
        ("C_ROM_KneePopUni_R", "40", ("knee", "popliteal angle unilateral", "hamstrings", "R", 40.0, "deg", "", "")),
        ("C_Force_Triceps_R", "2-", ("ankle", "strength", "triceps surae", "R", 2 - 1 / 3, "", "2-", "strength")),
        ("C_SpastAshworth_Soleus_L", "1+", ("ankle", "spasticity", "soleus", "L", 4 / 3, "", "1+", "spasticity")),
        ("C_ROM_Whatever_L", "12", ("", "ROM Whatever", "", "L", 12.0, "", "", "")),
    ],
)
def test_keys_of_files_are_values(key: str, text: str, wanted: tuple[object, ...]) -> None:
    one = examined(key, text, "SUBJECTS")
    assert one is not None
    joint, test, muscle, side, value, unit, grade, positive = wanted
    assert (one.joint, one.test, one.muscle, one.side) == (joint, test, muscle, side)
    assert (one.unit, one.grade, one.positive, one.raw) == (unit, grade, positive, text)
    assert one.value == pytest.approx(value)


@pytest.mark.parametrize("key", ["ID_FM_Patient", "C_Patient_Name_L", "C_ROM_Birth_R", "C_Visit_Date_L", "NAME", "A_Height_mm"])
def test_who_somebody_is_is_never_read(key: str) -> None:
    assert examined(key, "2761", "SUBJECTS") is None


def printed_of(values: list[Examined], language: str = "en") -> object:
    empty = {name: tidy_table(name) for name in SESSION_TABLES}
    tables = Tables({}, **empty, examination=tidy_table("examination", [vars(one) for one in values]))
    return examination_sections(tables, load_style(language=language))


def test_what_was_not_examined_has_no_value_and_is_not_printed() -> None:
    one = examined("C_ROM_OberTest_L", "_", "SUBJECTS")
    assert one is not None
    assert isnan(one.value)
    assert not one.seen
    assert printed_of([one]) == {}


def test_values_are_printed_as_they_were_written() -> None:
    rows = [examined("C_Force_HipFlexor_L", "5-", ""), as_examined({"joint": "knee", "test": "flexion", "value": 130.0,
            "unit": "deg", "under": "anaesthesia", "date": "2019-05-01", "side": "left"}, "")]  # fmt: skip
    printed = printed_of([row for row in rows if row])
    assert printed == {
        "strength": {"hip flexors, left": "5- (MRC 0 to 5)"},
        "knee": {"flexion, anaesthesia, 2019-05-01, left": "130 deg"},
    }


def test_a_german_page_prints_german_terms() -> None:
    rows = [examined("C_Force_HipFlexor_L", "5-", ""), examined("C_ROM_HipIntRot_R", "40", ""), as_examined(
        {"joint": "knee", "test": "extension", "position": "hip extended, knee flexed", "value": 5.0, "unit": "deg",
         "under": "anaesthesia", "side": "right"}, "")]  # fmt: skip
    assert printed_of([row for row in rows if row], "de") == {
        "Kraft": {"Hüftbeuger, links": "5- (MRC 0 bis 5)"},
        "Hüfte": {"Innenrotation, rechts": "40 Grad"},
        "Knie": {"Extension, Hüfte gestreckt, Knie gebeugt, in Narkose, rechts": "5 Grad"},
    }


def test_every_term_of_the_vocabulary_has_words_in_every_language() -> None:
    with Path(examination_module.__file__).with_name("examinations.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    terms = {row[name] for row in rows for name in ("joint", "test", "muscle", "position", "scale") if row[name]}
    for language in ("en", "de"):
        labels = load_style(language=language).labels
        assert {term for term in terms if f"examined.{term}" not in labels} == set()


def subject_in(folder: Path, *, examination: tuple[Examined, ...] = ()) -> Subject:
    person = virtual_subject()
    trial = replace(
        person.static("static").trial, subject=person.static("static").trial.subject.with_examination(examination, "SUBJECTS")
    )
    return subject_of(Job((folder,)), [trial], trial)


def test_the_subject_file_and_a_table_beside_it_come_last(tmp_path: Path) -> None:
    (tmp_path / "subject.toml").write_text(
        '[clinic]\nnote = "seen"\n[[clinic.examination]]\njoint = "hip"\ntest = "flexion"\nside = "left"\n'
        'value = 110\nunit = "deg"\ndate = 2024-03-01\n',
        encoding="utf-8",
    )
    text = "joint,test,side,value,unit,patient_name\nankle,dorsiflexion,R,5,deg,Anna\n"
    (tmp_path / "examination.csv").write_text(text, encoding="utf-8")
    old = examined("C_ROM_HipFlex_L", "145", "SUBJECTS")
    assert old is not None
    found = subject_in(tmp_path, examination=(old,)).examination
    assert [(one.joint, one.side, one.value, one.date) for one in found] == [
        ("hip", "L", 145.0, ""), ("hip", "L", 110.0, "2024-03-01"), ("ankle", "R", 5.0, ""),
    ]  # fmt: skip
    assert not any("Anna" in str(vars(one)) for one in found)


def test_an_unknown_column_of_the_subject_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "subject.toml").write_text('[[clinic.examination]]\ntest = "flexion"\npatient = "Anna"\n', encoding="utf-8")
    with pytest.raises(OptionError, match="an examination has no patient") as refused:
        subject_in(tmp_path)
    assert "Anna" not in str(refused.value)


def test_a_table_without_tests_is_refused(tmp_path: Path) -> None:
    (tmp_path / "examination.csv").write_text("joint,value\nhip,5\n", encoding="utf-8")
    with pytest.raises(OptionError, match="no column test"):
        subject_in(tmp_path)


def test_under_a_code_it_is_left_out_unless_the_clinic_is_kept() -> None:
    subject = Subject(code="Anna").with_examination([Examined(test="flexion", examiner="Dr. Who", raw="5")], "subject.toml")
    assert Pseudonym("P1").of_subject(subject).examination == ()
    kept = Pseudonym("P1", keeps=frozenset({"clinic"})).of_subject(subject).examination
    assert [(one.test, one.examiner) for one in kept] == [("flexion", "")]


def test_the_table_is_an_input_that_results_name(tmp_path: Path) -> None:
    (tmp_path / "examination.csv").write_text("test,value\nflexion,5\n", encoding="utf-8")
    assert tmp_path / "examination.csv" in Job((tmp_path,)).input_files([]).values()
