"""Every mistake in a file that people write has its sentence: those of the first version, captured as data before one description
served all six kinds of file.

A row of ``bad_files.json`` is [kind, what the file holds, the first version's sentence], and a fourth item, today's sentence, where
it was made fuller, for one of `REASONS`. What the file holds is its whole text, or [old, new] (and "all") put into a good one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from biomech_id.anthropometry.table import load_table
from biomech_id.errors import BiomechError
from biomech_id.markersets import load_markerset
from biomech_id.report.layout.style import load_style
from biomech_id.request.recipe import read_recipe
from biomech_id.request.subject_file import apply_subject_file, condition_of
from biomech_id.session.values.norm import read_norm
from biomech_id.trial import Subject

CASES = json.loads((Path(__file__).parent / "bad_files.json").read_text(encoding="utf-8"))
#: Beginning of the first version's sentence -> why it is another one today.
REASONS = {
    "CRASH": "it was a traceback",
    "ACCEPTED": "it was taken as if it meant something",
    "lab.toml: Recipe setting": "a list is shown as it was written, not as Python's tuple",
    "subject.toml: ": "the sentence ended without what would have been right",
    "The style file DIR": "the hint about a decimal comma, as for all other TOML files",
    "DIR/style.toml: ": "what is no text is no colour and no font either",
}
ABOUT = "20,30,0.3,0.5,conventional,textbook,us"
NORM = (
    "variable,component,percent,mean,sd,n,age_min_y,age_max_y,speed_min,speed_max,model,kinetics,source\n"
    + "".join(f"HipAngles,X,{percent},1,2,12,{ABOUT}\n" for percent in range(101))
    + f"speed,,,0.4,0.1,12,{ABOUT}\n"
)


def read_subject(path: Path) -> None:
    apply_subject_file(Subject(), path)
    condition_of(path)


def shipped(room: str, name: str) -> str:
    return resources.files(f"biomech_id.{room}").joinpath(name).read_text(encoding="utf-8")


#: Kind -> name of the file, how it is read, a good one.
KINDS: dict[str, tuple[str, Callable[[Path], object], Callable[[], str]]] = {
    "recipe": ("lab.toml", read_recipe, str),
    "subject": ("subject.toml", read_subject, str),
    "style": ("style.toml", load_style, str),
    "marker set": ("ours.toml", load_markerset, lambda: shipped("markersets", "cast.toml")),
    "inertial table": ("mine.csv", load_table, lambda: shipped("anthropometry", "tables/dempster-winter.csv")),
    "norm": ("norm.csv", read_norm, lambda: NORM),
}


def text_of(kind: str, change: str | list[str]) -> str:
    if isinstance(change, str):
        return change
    good = KINDS[kind][2]()
    if change[0] == "HEADER ONLY":
        return good.splitlines()[0] + "\n"
    assert change[0] in good
    return good.replace(change[0], change[1], -1 if change[2:] else 1)


def known_keys(sentence: str) -> set[str]:
    """The keys that a sentence about an unknown one lists."""
    listed = re.search(r"subject value .*Known are (.*)\.$", sentence)
    return set(listed[1].split(", ")) if listed else set()


def without_known(sentence: str) -> str:
    return re.sub(r"(subject value .*Known are ).*$", r"\1...", sentence)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}: {case[1]}"[:60])
def test_a_mistake_has_the_sentence_it_had(case: list[str], tmp_path: Path) -> None:
    kind, change, *sentences = case
    name, read, _ = KINDS[kind]
    text = text_of(kind, change)
    path = tmp_path / name
    if text == "FOLDER":
        path.mkdir()
    elif text != "ABSENT":
        path.write_bytes(text.encode("latin-1" if "ü" in text else "utf-8"))
    given = Path(text.removeprefix("NAME ")) if text.startswith("NAME ") else path
    if sentences[-1] == "ACCEPTED":
        read(given)
        return
    with pytest.raises(BiomechError) as caught:
        read(given)
    assert without_known(caught.value.message.replace(str(tmp_path), "DIR")) == without_known(sentences[-1])
    # Keys are added, none goes.
    assert known_keys(sentences[-1]) <= known_keys(caught.value.message)
    assert caught.value.expected
    assert caught.value.where


def test_what_is_said_otherwise_is_listed_and_fuller() -> None:
    """Where a sentence changed it says all that it said, or there was none."""
    changed = [case for case in CASES if len(case) == 4]
    reasons = Counter(next(reason for start, reason in REASONS.items() if case[2].startswith(start)) for case in changed)
    assert set(reasons) <= set(REASONS.values())
    assert len(CASES) - len(changed) > 190
    for _, _, was, now in changed:
        whole = was.startswith(("CRASH", "ACCEPTED")) or "(" in was or "it must be a text" in was or "stance_verdicts" in was
        assert now.startswith(was.rstrip(".")) or whole
    counted = Counter(case[0] for case in CASES)
    assert all(counted[kind] >= 15 for kind in KINDS)
