"""Every equation that the source documents number stands on their pages once; the documents lie beside the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

EQUATIONS = Path(__file__).resolve().parents[2] / "docs" / "documents" / "equations.toml"
#: Document on its page -> the number in its file's name.
FILES = {"2": "001", "3": "002", "4": "003", "5": "004"}


def text_of(document: str, shared_dir: Path) -> str:
    (path,) = (shared_dir / "seeds").glob(f"{FILES[document]}_*.txt")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def typeset() -> dict[str, dict[str, str]]:
    return tomllib.loads(EQUATIONS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", ["2", "5"])
def test_every_tagged_equation_is_there_once(document: str, typeset: dict[str, dict[str, str]], shared_dir: Path) -> None:
    """These two end each equation with its number in brackets."""
    tags = re.findall(r"\\quad \((\d+a?|-)\)", text_of(document, shared_dir))
    assert tags == list(typeset[document])


def test_every_numbered_line_of_the_fourth_is_there(typeset: dict[str, dict[str, str]], shared_dir: Path) -> None:
    """Its text is broken into short lines; a number in brackets ends an equation's last one."""
    lines = re.findall(r"^(.*)\((\d{1,2})\)$", text_of("4", shared_dir), flags=re.MULTILINE)
    numbers = [number for line, number in lines if not re.search(r"(tion|and) $", line)]
    assert numbers == [number for number in typeset["4"] if number != "v_i"]


def test_every_display_of_the_third_is_there(typeset: dict[str, dict[str, str]], shared_dir: Path) -> None:
    """It numbers nothing: E counts its displays."""
    displays = re.findall(r"\\begin\{(equation|align)\}", text_of("3", shared_dir))
    assert [f"E{k}" for k in range(1, len(displays) + 1)] == list(typeset["3"])
