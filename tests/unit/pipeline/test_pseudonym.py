"""A code in place of a name, wherever the name stands; and codes that could not stand there."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import OptionError
from biomech_id.pipeline.pseudonym import pseudonym
from biomech_id.trial import Markers, Subject, Trial


def trial(code: str) -> Trial:
    return Trial(f"{code} walk", Markers(("A",), np.zeros((2, 1, 3)), 100.0), subject=Subject(code=code), path=f"/lab/{code}.c3d")


def test_names_are_replaced_in_any_spelling_the_longer_first() -> None:
    nameless = pseudonym([trial("Anna"), trial("Anna Berg")], "P7")
    assert nameless.of("ANNA BERG walk, anna run") == "P7 walk, P7 run"
    assert nameless.of_trial(trial("Anna")).name == "P7 walk"
    assert nameless.of_trial(trial("Anna")).subject.code == "P7"


def test_a_name_of_two_letters_stays_for_it_stands_in_other_words() -> None:
    assert pseudonym([trial("Al")], "P7").of("walk") == "walk"
    assert pseudonym([trial("Anna")], None).of("Anna") == "Anna"


@pytest.mark.parametrize("code", ["a/b", "..\\x", "P:1", "P?", "P1 ", ".P1", "P\n1"])
def test_a_code_that_no_file_can_bear_is_refused(code: str) -> None:
    with pytest.raises(OptionError, match="cannot stand in file names") as caught:
        pseudonym([trial("Anna")], code)
    assert caught.value.where == "code"


@pytest.mark.parametrize("code", ["P 1", "Größe-7", "a.b", "CP_001 (post)"])
def test_other_codes_are_free(code: str) -> None:
    assert pseudonym([trial("Anna")], code).of("anna.c3d") == f"{code}.c3d"


def test_labels_of_markers_lose_the_name_and_keep_their_place_on_the_body() -> None:
    markers = Markers(("Anna_LHEE", "LTOE"), np.zeros((2, 2, 3)), 100.0, roles={("L", "heel"): "Anna_LHEE"})
    recording = Trial("walk", markers, subject=Subject(code="Anna"), path="walk.c3d")
    coded = pseudonym([recording], "P7").of_trial(recording).markers
    assert coded.names == ("P7_LHEE", "LTOE")
    assert coded.roles == {("L", "heel"): "P7_LHEE"}
