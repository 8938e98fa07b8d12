"""Walks under random labels: a sample of the study is as its table says, and the table holds its gates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.studies.foreign_walks import NO_WALKS, TABLE, judge, walk_of
from biomech_id.markersets.walking import name_walk

pytestmark = pytest.mark.real
SAMPLE = ("labs_abroad/sacrum_and_medials/walk", "norm_subjects/NP1022/walkNorm_NP1022a05", "labs_abroad/examined_child/walk04")


def number(text: str, pattern: str) -> tuple[int, ...]:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return tuple(map(int, found.groups()))


def test_the_table_holds_its_gates() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert number(text, r"accepted: (\d+) of (\d+)") == (36, 41)
    refused = re.search(r"refused: (.*)", text)
    assert refused is not None
    assert set(refused.group(1).split(", ")) == set(NO_WALKS)
    right, every = number(text, r"ankles right: (\d+) of (\d+)")
    assert right >= 0.99 * every
    right, every = number(text, r"margin 4 right: (\d+) of (\d+)")
    assert right >= 0.97 * every
    rows = re.findall(r"^\| (\S+/\S+) \| \S+ \| (\d+) of (\d+) \| (\d+) of (\d+) \|", text, re.M)
    assert sum(int(row[3]) for row in rows) == right
    assert sum(int(row[4]) for row in rows) == every


def test_a_sample_is_as_the_table_says(shared_dir: Path) -> None:
    """By the template that ships, which knows their laboratories: no worse than without them."""
    text = TABLE.read_text(encoding="utf-8")
    for path in SAMPLE:
        walk = walk_of(shared_dir, "", path)
        assert walk.shape is not None
        named = judge(walk, name_walk(walk.shape))
        row = next(line for line in text.splitlines() if line.startswith(f"| {path} |"))
        right, of = number(row, r"(\d+) of (\d+)")
        assert named.right.total() >= right
        assert (named.wrong.total() <= of - right, named.offered_wrong) == (True, 0)
    run = walk_of(shared_dir, "", "nimble/JA1Gait35")
    assert run.shape is None or not name_walk(run.shape).labels
