"""A further kind of hand-written file is one description: its checks, its sentences and its template follow."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.files.settings import (
    ListOf,
    Section,
    Setting,
    a_number,
    a_text,
    a_whole_number,
    laid_over,
    mistakes,
    must_fit,
    one_of,
    read_written,
    template,
    texts,
    toml_value,
    yes_or_no,
)

#: A toy kind of file: decisions of a reviewer, with free text of the clinic.
REVIEW = Section(
    {
        "schema": a_whole_number(1, 1),
        "reviewer": a_text("Who decided."),
        "strict": yes_or_no("Whether doubtful cycles are out."),
        "page": Section({"size_mm": a_number(50, 500, "mm", "Width of the page."), "colours": texts("Names of colours.")}),
        "cycle": ListOf(
            Section(
                {"trial": a_text(), "side": one_of(("L", "R")), "start_s": a_number(unit="s"), "use": yes_or_no()},
                required=("trial", "side", "start_s", "use"),
            )
        ),
        "clinic": Section({}, rest=a_text()),
    },
    required=("schema",),
)
GOOD = """schema = 1
reviewer = "AB"
[page]
size_mm = 210
colours = ["red"]
[[cycle]]
trial = "walk1"
side = "L"
start_s = 1.25
use = false
[clinic]
diagnosis = "none"
"anything else" = "free text"
"""


def test_a_good_file_of_a_new_kind_has_no_mistake() -> None:
    assert list(mistakes(REVIEW, tomllib.loads(GOOD), "review.toml")) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("schema = 1", "schema = 2", "review.toml: schema is 2; it must be a whole number from 1 to 1."),
        ("schema = 1", "", "review.toml: schema is missing."),
        ('reviewer = "AB"', "reviewr = 'AB'", "review.toml: there is no setting reviewr. Did you mean 'reviewer'?"),
        ("size_mm = 210", "size_mm = 21", "review.toml: page.size_mm is 21; it must be a number from 50 to 500 mm."),
        ("size_mm = 210", "size_mm = nan", "review.toml: page.size_mm is nan; it must be a number from 50 to 500 mm."),
        ("size_mm = 210", "size = 210", "review.toml: there is no setting page.size. Did you mean 'size_mm'?"),
        ('side = "L"', 'side = "left"', "review.toml: cycle[1].side is 'left'; it must be one of L, R."),
        ("start_s = 1.25", "", "review.toml: cycle[1].start_s is missing."),
        ("use = false", 'use = "no"', "review.toml: cycle[1].use is 'no'; it must be true or false."),
        ("use = false", "used = false", "review.toml: there is no setting cycle[1].used. Did you mean 'use'?"),
        (
            '[[cycle]]\ntrial = "walk1"\nside = "L"\n',
            "[cycle]\n",
            "review.toml: cycle is {'start_s': 1.25, 'use': False}; it must be a list.",
        ),
        ("[clinic]", "[clinics]", "review.toml: there is no setting clinics. Did you mean 'clinic'?"),
        ('"free text"', "2024-02-03", "review.toml: clinic.anything else is '2024-02-03'; it must be a text."),
    ],
)
def test_a_mistake_in_it_is_a_sentence(old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(OptionError) as caught:
        must_fit(REVIEW, tomllib.loads(GOOD.replace(old, new)), "review.toml")
    assert caught.value.message == says
    assert caught.value.expected
    assert caught.value.where == "review.toml"


def test_all_mistakes_can_be_had_at_once_and_rules_wait_for_them() -> None:
    ordered = Setting("low before high", lambda v: v["low"] < v["high"])
    span = Section({"low": a_number(), "high": a_number()}, rules=(ordered,))
    assert len(list(mistakes(span, {"low": "a", "high": None, "middle": 3}, "x"))) == 3
    [(said, *_)] = mistakes(span, {"low": 2, "high": 1}, "x")
    assert said == "x is {'low': 2, 'high': 1}; it must be low before high."


def test_its_template_is_explained_and_reads_back() -> None:
    known = {"reviewer": 'A "B" \\', "page": {"size_mm": 210.0, "colours": ["red", "blue"]}}
    written = template(REVIEW, known)
    assert "# Who decided.\nreviewer = " in written
    assert "# strict =\n" in written
    assert tomllib.loads(written) == known
    assert toml_value({"left": 1.5, "right": True}) == "{ left = 1.5, right = true }"


def test_a_file_laid_over_another_keeps_what_it_does_not_name() -> None:
    base = {"a": 1, "b": {"c": 2, "d": 3}}
    assert laid_over(base, {"b": {"d": 4}, "e": 5}) == {"a": 1, "b": {"c": 2, "d": 4}, "e": 5}
    assert base == {"a": 1, "b": {"c": 2, "d": 3}}


def test_what_cannot_be_read_names_line_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "review.toml"
    with pytest.raises(FileRefusedError, match=r"review\.toml cannot be read as TOML: No such file"):
        read_written(path, tomllib.loads, error=FileRefusedError)
    path.write_text("schema = 1\nwidth = 2,5\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"line 2, .* A decimal takes a point: 2\.5, not 2,5\."):
        read_written(path, tomllib.loads)
