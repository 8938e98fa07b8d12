"""What somebody walked with: words of names, fields and folders."""

from __future__ import annotations

import pytest

from biomech_id.trial.worn import NOT_STATED, Aid, Footwear, bears_weight, stated_in, stated_in_fields, unlike


@pytest.mark.parametrize(
    ("text", "aid", "footwear"),
    [
        ("walk03_barefoot", None, Footwear.BAREFOOT),
        ("Gang 2 barfuß", None, Footwear.BAREFOOT),
        ("03 pieds nus sans aide", Aid.NONE, Footwear.BAREFOOT),
        ("WalkShoes01", None, Footwear.SHOD),
        ("ohne Schuhe", None, Footwear.BAREFOOT),
        ("AFO left in shoes", None, Footwear.ORTHOSIS_LEFT),
        ("ohne Orthese", None, None),
        ("walker01", Aid.WALKER, None),
        ("no walker", Aid.NONE, None),
        ("Rollator mit Schuhen", Aid.WALKER, Footwear.SHOD),
        ("hand held", Aid.HAND_HELD, None),
        ("barefoot vs shoes", None, None),
        ("NP1002a07", None, None),
        ("shoulder horseshoe trail", None, None),
    ],
)
def test_names_say_what_was_worn(text: str, aid: str | None, footwear: str | None) -> None:
    assert stated_in(text) == {kind: value for kind, value in (("aid", aid), ("footwear", footwear)) if value}


def test_a_folder_may_be_called_like_a_person() -> None:
    assert stated_in("Walker", folder=True) == {}
    assert stated_in("Rollator", folder=True) == {"aid": "walker"}


@pytest.mark.parametrize(
    ("fields", "aid", "footwear"),
    [
        ({"Shoes": "B-Barefoot", "External aid": "N-No help", "Personal aid": "N-No help", "Prothesis_Orthosis": "N-No help"},
         "none", "barefoot"),
        ({"External aid": "W-Walker", "Personal aid": "N-No help"}, "walker", ""),
        ({"Shoes": "S-Shoes", "Prothesis_Orthosis": "AFO right"}, "", "orthosis right"),
        ({"Name": "Walker", "Comment": "barefoot"}, "", ""),
    ],
)  # fmt: skip
def test_fields_say_it_too(fields: dict[str, str], aid: str, footwear: str) -> None:
    assert stated_in_fields(fields) == {kind: value for kind, value in (("aid", aid), ("footwear", footwear)) if value}


def test_what_nobody_says_decides_nothing() -> None:
    assert not bears_weight(NOT_STATED)
    assert not bears_weight(Aid.NONE)
    assert bears_weight(Aid.RAIL)
    assert not unlike(NOT_STATED, Footwear.SHOD)
    assert not unlike(Footwear.SHOD, Footwear.ORTHOSIS)
    assert unlike(Footwear.BAREFOOT, Footwear.ORTHOSIS_LEFT)
