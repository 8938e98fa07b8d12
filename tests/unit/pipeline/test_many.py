"""Several subjects in one call: how far it is, while the others are still being analysed."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import biomech_id as bid
from biomech_id.pipeline.study import many

NAMES = ("anna", "bartholomew", "cy", "dee")


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Folders without recordings: each fails at once."""
    made = [tmp_path / name for name in NAMES]
    for folder in made:
        folder.mkdir()
    return made


def test_a_bar_grows_and_covers_the_line_before(folders: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert set(bid.analyse_many(folders, progress=True).failed) == set(NAMES)
    told = capsys.readouterr().err
    assert told.endswith("\n")
    lines = told.strip("\r\n").split("\r")
    assert [line.count("#") for line in lines] == [5, 10, 15, 20]
    assert [name in line for name, line in zip(NAMES, lines, strict=True)] == [True] * 4
    assert len({len(line) for line in lines}) == 1, "a shorter line would leave letters of the one before"


def test_without_progress_nothing_is_told(folders: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    bid.analyse_many(folders)
    assert capsys.readouterr().err == ""


def test_workers_are_told_of_as_they_finish(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    first = Event()

    class Told(StringIO):
        def write(self, text: str) -> int:
            if "1 of 4" in text:
                first.set()
            return super().write(text)

    def written(folder: Path, out: Path, settings: Any) -> str:
        return "first" if folder.name == NAMES[0] else f"waited {first.wait(5.0)}"

    monkeypatch.setattr(many, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(many, "_written", written)
    monkeypatch.setattr(sys, "stderr", Told())
    failed = bid.analyse_many(folders, workers=2, progress=True).failed
    assert failed == dict(zip(NAMES, ["first", *["waited True"] * 3], strict=True))
