"""A code in place of a name, wherever the name stands; and codes that could not stand there."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.emg.channels import EmgInput
from biomech_id.emg.names import NamedMuscle
from biomech_id.errors import Finding, OptionError
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.review import Comment, Review
from biomech_id.privacy.name_words import NameWords, vetted_words, words_of_name
from biomech_id.privacy.pseudonym import Pseudonym, pseudonym
from biomech_id.request.intake import Intake
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.trial import AnalogChannels, Markers, Subject, Trial


def trial(code: str, *, labels: tuple[str, ...] = ("A",), name: str = "", roles: dict[tuple[str, str], str] | None = None) -> Trial:
    rng = np.random.default_rng(1)
    markers = Markers(labels, rng.normal(size=(20, len(labels), 3)), 100.0, roles=roles or {})
    path = name or f"{code}_walk"
    return Trial(
        path, markers, subject=Subject(code=code, birth_date="2012-05-17", age_years=9.7421), path=f"/lab/{code} x/{path}.c3d"
    )


def named(*trials: Trial, code: str | None = "P7", recipe: Recipe | None = None) -> tuple[Pseudonym, Job]:
    files = tuple(Path(each.path) for each in trials)
    job = Job(files, recipe or Recipe(), code=code)
    return pseudonym(job, files, Intake(trials, ())), job


def test_every_name_is_made_here() -> None:
    nameless, job = named(trial("Anneliese"), trial("Anneliese", name="anneliese run 2"), trial("Anneliese", name="anneliese left"))
    assert [nameless.trial(Path(path).stem) for path in job.paths] == ["P7_walk01", "P7_run01", "P7_trial01"]
    assert nameless.of("/lab/Anneliese x/anneliese run 2.c3d was cut") == "P7_run01.c3d was cut"
    assert nameless.of("ANNELIESE's walk, annelieseleft") == "P7's walk, P7"
    coded = nameless.of_trial(trial("Anneliese"))
    assert (coded.name, coded.subject.code) == ("P7_walk01", "P7")
    told = nameless.told(replace(job, exclude=("anneliese_bad*",)))
    assert told.command().startswith("biomech-id run P7_walk01.c3d P7_run01.c3d P7_trial01.c3d --code P7 --model")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", ["MÜLLERSCHÖN", "muellerschoen", "Müllerschön_hop", "xMüllerschön"])
def test_umlauts_are_found_however_they_are_written(form: str, text: str) -> None:
    nameless, _ = named(trial(unicodedata.normalize("NFD", "Müllerschön")))
    assert nameless.of(unicodedata.normalize(form, text)) in ("P7", "P7_hop")


def test_words_that_hold_a_short_name_by_chance_stay() -> None:
    words = NameWords.of([("Lee", "a stored name"), ("Ann", "a stored name")])
    assert words.replaced("fleet channel planned", "P7") == "fleet channel planned"
    assert words.replaced("Lee, ann, annlee, LeeHip", "P7") == "P7, P7, P7, P7"


def test_a_name_of_two_letters_stays_for_it_stands_in_other_words() -> None:
    assert named(trial("Al", name="walk"))[0].of("walk") == "walk"
    assert named(trial("Anneliese"), code=None)[0].of("Anneliese") == "Anneliese"


@pytest.mark.parametrize("code", ["a/b", "..\\x", "P:1", "P?", "P1 ", ".P1", "P\n1"])
def test_a_code_that_no_file_can_bear_is_refused(code: str) -> None:
    with pytest.raises(OptionError, match="cannot stand in file names") as caught:
        named(trial("Anneliese"), code=code)
    assert caught.value.where == "code"


@pytest.mark.parametrize("code", ["P 1", "Größe-7", "a.b", "CP_001 (post)"])
def test_other_codes_are_free(code: str) -> None:
    assert named(trial("Anneliese"), code=code)[0].of("/lab/Anneliese x/Anneliese_walk.c3d") == f"{code}_walk01.c3d"


def test_labels_stay_only_where_it_is_known_what_they_lie_on() -> None:
    one = trial("Anneliese", labels=("LTOE", "Anneliese_LHEE", "Q5", "Bump"), roles={("L", "heel"): "Anneliese_LHEE"})
    one = replace(one, analog=AnalogChannels(("EMG1", "L_RF", "Anneliese"), ("V",) * 3, 1000.0, np.zeros((200, 3))))
    nameless, _ = named(one)
    muscles = [EmgInput("L_RF", "V", NamedMuscle("rectus_femoris", "L", "label")), EmgInput("EMG1", "V", NamedMuscle())]
    nameless = nameless.with_labels([one], [one.markers.roles], muscles)
    shown = nameless.throughout(one)
    assert shown.markers.names == ("LTOE", "L_heel", "marker_3", "marker_4")
    assert shown.markers.roles == {("L", "heel"): "L_heel"}
    assert shown.analog.names == ("channel_1", "L_RF", "channel_3")
    found = nameless.throughout((Finding("gap-long", {"marker": "Q5", "of": [["Anneliese_LHEE", 3]]}, "Q5"),))
    assert (found[0].values["marker"], found[0].values["of"], found[0].where) == ("marker_3", (("L_heel", 3),), "marker_3")


def test_a_birth_date_becomes_an_age() -> None:
    subject = named(trial("Anneliese"))[0].of_subject(trial("Anneliese").subject)
    assert (subject.birth_date, subject.age_years, subject.code) == (None, 9.7, "P7")


@pytest.mark.parametrize("keep", [False, True])
def test_words_about_a_person_are_left_out_unless_the_recipe_keeps_them(keep: bool) -> None:
    recipe = Recipe(keep_clinic=keep, keep_comments=keep)
    nameless, _ = named(trial("Anneliese"), recipe=recipe)
    review = Review(
        (StanceVerdict("Anneliese_walk", "L", 1.0, 2, reason="tired", author="AB"),),
        comments=(Comment("Anneliese_walk", 1.0, "Anneliese cried", author="AB"),),
    )
    coded = nameless.of_review(review)
    assert [(v.trial, v.reason, v.author) for v in coded.verdicts] == [("P7_walk01", "tired" * keep, "AB" * keep)]
    assert [comment.text for comment in coded.comments] == ["P7 cried"] * keep
    assert nameless.of_clinic({"": {"seen": "Anneliese"}}) == ({"": {"seen": "P7"}} if keep else {})


def test_no_common_name_is_vetted_but_those_of_authors_and_colours() -> None:
    names = (
        "anna maria lena paul emma mia leon jonas sophie laura julia peter hans klaus muller schmidt schneider fischer weber meyer"
    )
    assert not vetted_words() & set(names.split())
    assert {"walk", "hip", "moment", "knie"} <= vetted_words()


def test_letters_that_no_mark_makes_do_not_end_a_word() -> None:
    """Of Weiß no "wei" is left that stands in "weiter", of Søren no "ren"."""
    assert words_of_name("Weiß") == {"weiss"}
    assert words_of_name("Søren") == {"søren", "soeren"}
    words = NameWords.of([("Weiß", "a stored name")])
    assert [words.kind_in(run) for run in ("weiter", "Weiß", "WEISSwalk")] == ["", "a stored name", "a stored name"]


@pytest.mark.parametrize("name", ["अनिता देवी", "李娜", "สมหญิง", "محمد علي", "Ирина"])
def test_a_name_in_any_script_goes_part_by_part(name: str) -> None:
    """Vowels of Indian scripts are marks that stand alone; where there are no capitals two letters are a name."""
    words = NameWords.of([(name, "a stored name")])
    for part in name.split():
        assert words.first_in(f"walk {part} 01") == "a stored name"
        assert words.replaced(f"{part}, 3. Besuch", "P017") == "P017, 3. Besuch"
    assert words.first_in("walk 01, ∑ µ °") == ""
