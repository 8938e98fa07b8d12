"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from typer.main import get_command

from biomech_id._version import __version__
from biomech_id.cli.app import app
from biomech_id.pipeline.demo import NORM_PEOPLE
from biomech_id.readers.c3d.plate_types import known_types
from tests.test_floors import FLOORS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


#: Numbers as the README writes them.
NUMBERS = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "twenty-one",
]  # fmt: skip
#: What the product does -> the page that the README links it to.
DOES = {
    "foot model": "oxford-foot", "muscle forces": "muscle-forces", "EMG": "muscle-signals", "whole body": "whole-body",
    "bands": "bands", "plates that confess": "plates", "markerless": "markerless", "treadmill and running": "gait-methods",
    "norms": "report",
    "notebooks": "tutorials", "desk": "desk", "diagnose": "diagnosis", "fit": "fit-the-person", "release": "results-outside",
    "engine": "opensim-engine", "hand-over": "opensim", "mechanics": "mechanics", "review": "review", "privacy": "privacy",
}  # fmt: skip
#: Largest picture of the README (bytes), and the least width at which its letters can be read (pixels).
MOST_PICTURE_BYTES, LEAST_WIDTH = 250_000, 1100


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = tmp_path / "patients" / "anna"
    anna.mkdir(parents=True)
    for source, target in (("static", "static"), ("walk01", "walk")):
        shutil.copy(ROOT / "data" / f"{source}.c3d", tmp_path / f"{target}.c3d")
        shutil.copy(ROOT / "data" / f"{source}.c3d", anna / f"{target}.c3d")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    moment = names["loads"]["R", "knee"].expressed_in("shank").moment_Nm  # type: ignore[index]
    assert moment.shape == (names["trial"].n_frames, 3)  # type: ignore[attr-defined]
    assert "LKneeAngles.X" in names["result"].frames("walk").to_dataframe()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_the_python_tour_has_types(tmp_path: Path) -> None:
    """A researcher who checks types strictly sees those of the installed package, and no complaint about the README's own lines."""
    pytest.importorskip("mypy")
    script = tmp_path / "tour.py"
    script.write_text(blocks("python")[0] + 'reveal_type(loads["R", "knee"].wrench)\n', encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(script)]
    checked = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert '"biomech_id.algebra.wrench.Wrench"' in checked.stdout


def test_every_command_it_names_exists() -> None:
    known = {command.name for command in app.registered_commands}
    shown = [line for block in blocks("sh") for line in block.splitlines() if "biomech-id" in line]
    assert shown
    for line in shown:
        words = shlex.split(line, comments=True)
        assert words[1] in known, line
    for target in re.findall(r"^make (\w[\w-]*)", "\n".join(blocks("sh")), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE), target


def test_every_page_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_every_option_it_names_exists() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    for line in (line for block in blocks("sh") for line in block.splitlines() if "biomech-id" in line):
        words = shlex.split(line, comments=True)
        known = {option for parameter in commands[words[1]].params for option in parameter.opts}
        assert {word for word in words[2:] if word.startswith("-")} <= known, line


def test_the_two_commands_come_first() -> None:
    assert re.findall(r"^make (\w+)", blocks("sh")[0], flags=re.MULTILINE) == ["demo", "test"]
    assert README.index("make demo") < README.index("![")


def test_three_pictures_are_there_and_small() -> None:
    pictures = [ROOT / name for name in re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)]
    assert len(pictures) == 3
    for picture in pictures:
        assert picture.stat().st_size < MOST_PICTURE_BYTES, picture
        assert Image.open(picture).width >= LEAST_WIDTH, picture


def test_the_floor_table_is_the_one_that_imports_are_held_to() -> None:
    rows = re.findall(r"^\| ([\d.]+) \| ([\w, ]+) \|$", README, flags=re.MULTILINE)
    assert {room: float(floor) for floor, rooms in rows for room in rooms.split(", ")} == {k: float(v) for k, v in FLOORS.items()}


def test_everything_it_does_has_a_link() -> None:
    assert {what for what, page in DOES.items() if not re.search(rf"\]\(docs/{page}(\.md)?[)#]", README)} == set()


def counted(pattern: str, text: str = README) -> int:
    """The number that a sentence gives in a word."""
    (word,) = set(re.findall(pattern, text))
    return NUMBERS.index(word.lower())


def test_what_it_counts_is_so() -> None:
    recipes = re.findall(r"^## ", (ROOT / "docs" / "extending.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert counted(r"([\w-]+) things that a laboratory may") == len(recipes)
    assert counted(r"(\w+) virtual walkers") == NORM_PEOPLE
    assert counted(r"(\w+) tutorials") == len(list((ROOT / "docs" / "tutorials").glob("[0-9]*.py")))
    assert counted(r"(\w+) source documents") == len(list((ROOT / "docs" / "documents").glob("*.md"))) - 1


def test_plate_types_and_versions_are_so() -> None:
    assert re.findall(r"Plates of types ([\d, to]+)\.", README) == [known_types()]
    setup = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    assert re.findall(r"Python (3\.\d+) \(or newer\)", README) == re.findall(r"python_requires = >=(.+)", setup)
    for page in ("docs/release.md", "docs/desk.md", "docs/conda/meta.yaml"):
        named = re.findall(r"biomech_id-(\d[\d.]*)-py3|set version = \"([\d.]+)\"", (ROOT / page).read_text(encoding="utf-8"))
        assert {"".join(each) for each in named} == {__version__}, page
