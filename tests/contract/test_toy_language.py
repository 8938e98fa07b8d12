"""A language in one folder reaches every page: no Latin word is left in what a reader of the toy language sees.

The toy language has Cyrillic letters in the place of Latin ones (`toy_language`): a word of any other language
shows itself.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pypdf
import pytest

from biomech_id.session.folder.read_write import read_tables
from tests.contract.toy_language import write_toy_language

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(r"[A-Za-zÄÖÜäöüß]{2,}")
PLUGIN = """from pathlib import Path

from biomech_id.languages import register_language

register_language("xx", Path(__file__).parent / "toy")
"""
#: What no language changes: units, programs, tables and kinds of file, commands, and who wrote what is cited.
ALLOWED = set(
    """
    kg cm mm ms Hz PC biomech id python ezc numpy pandas scipy matplotlib csv toml c3d OUT norm report review uncertainty
    deviations scores spatiotemporal peaks style toy plugin Kadaba Davis et al Orthop Res Hum Mov Sci
    """.split()  # noqa: SIM905
)


def biomech_id(laboratory: Path, *words: str) -> None:
    """Run a command where the plug-in is installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(laboratory), str(ROOT)])}
    code = "from biomech_id.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words], env=environment, cwd=laboratory, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 3), done.stderr


def install(folder: Path, *, without: Mapping[str, str] | None = None) -> Path:
    """Write the toy language and the plug-in that registers it."""
    write_toy_language(folder / "toy", without=without)
    (folder / "toy_plugin.py").write_text(PLUGIN, encoding="utf-8")
    announced = folder / "toy_plugin-1.0.dist-info"
    announced.mkdir()
    (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-plugin\nVersion: 1.0\n", encoding="utf-8")
    (announced / "entry_points.txt").write_text("[biomech_id]\ntoy = toy_plugin\n", encoding="utf-8")
    (folder / "toy.toml").write_text('language = "xx"\n', encoding="utf-8")
    return folder


def own_words(out: Path) -> set[str]:
    """Names of the recording (trials, files, channels, its parameters), what is cited, and the command that was typed."""
    tables = read_tables(out)
    assert tables.channels is not None
    names = [tables.summary["subject"]["code"], tables.manifest["command"], *tables.channels["label"]]
    names += [text for trial in tables.summary["trials"] for text in (trial["name"], trial["file"])]
    names += [*tables.manifest["inputs"], *tables.summary["subject"]["sources"].values()]
    segments = tables.calibration["sides"]["L"]["segments"].values()
    names += [str(segment["source"]) for segment in segments]
    return {word for name in names for word in WORD.findall(name)}


def leaks(texts: Iterable[str], known: set[str]) -> dict[str, str]:
    """Latin word -> the text it stands in, of those that nobody knows; hashes and what a blank is called left out."""
    found: dict[str, str] = {}
    for text in texts:
        for word in WORD.findall(re.sub(r"\{\w+\}|\b(?=\w*\d)[0-9a-f]{6,}\b", " ", text)):
            if word not in known:
                found.setdefault(word, text)
    return found


def in_toy(value: Any) -> Iterator[str]:
    """Every text of the review page's data that stands there in several languages, in the toy one."""
    if isinstance(value, Mapping):
        parts = value["xx"] if {"xx", "en"} <= value.keys() else None
        if parts is not None:
            yield from parts.values() if isinstance(parts, Mapping) else [parts]
        else:
            for each in value.values():
                yield from in_toy(each)
    elif isinstance(value, list):
        for each in value:
            yield from in_toy(each)


def review_data(page: Path) -> dict[str, Any]:
    held = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert held is not None
    return dict(json.loads(held[1]))


def pages_of(pdf: Path) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(pdf).pages]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = install(tmp_path_factory.mktemp("toy"))
    biomech_id(folder, "run", str(ROOT / "data"), "-o", "out")
    shutil.copytree(folder / "out", folder / "toys")
    biomech_id(folder, "report", "toys", "--style", "toy.toml")
    biomech_id(folder, "review", "out", "-o", "toy.html", "--language", "xx")
    return folder


def test_no_other_language_is_left_in_the_report(laboratory: Path) -> None:
    pages = pages_of(laboratory / "toys" / "report.pdf")
    assert leaks(pages, ALLOWED | own_words(laboratory / "out")) == {}
    text = " ".join(pages)
    assert "Рецтус феморис" in text
    assert "1·0" in text
    assert len(re.findall("[а-яА-Я]{3,}", text)) > 2000


def test_no_other_language_is_left_in_the_review_page(laboratory: Path) -> None:
    data = review_data(laboratory / "toy.html")
    assert data["language"] == "xx"
    texts = [text for text in in_toy(data) if isinstance(text, str) and "/" not in text]
    assert leaks(texts, ALLOWED | own_words(laboratory / "out")) == {}
    assert len(texts) > 400
    assert "Рецтус феморис" in texts


def test_tables_stay_as_they_are(laboratory: Path) -> None:
    """A report in another language changes nothing but itself and the manifest's line of how it was drawn."""
    files = sorted(path.relative_to(laboratory / "out") for path in (laboratory / "out").rglob("*") if path.is_file())
    same, differ, missing = filecmp.cmpfiles(laboratory / "out", laboratory / "toys", map(str, files), shallow=False)
    assert len(same) > 20
    assert (set(differ), missing) == ({"manifest.json", "report.pdf"}, [])


@pytest.mark.parametrize(
    ("table", "key", "seen"),
    [
        ("report", "page.kinematics_mean", "Kinematics"),
        ("muscles", "rectus_femoris", "Rectus"),
        ("report", "words.Knee flexion", "Knee"),
    ],
)
def test_one_label_in_english_would_be_seen(laboratory: Path, tmp_path: Path, table: str, key: str, seen: str) -> None:
    """The table falls back to English, which the language says itself, and lacks one key."""
    install(tmp_path, without={table: key})
    with (tmp_path / "toy" / "language.toml").open("a", encoding="utf-8") as file:
        file.write('falls_back_to = "en"\n')
    shutil.copytree(laboratory / "out", tmp_path / "out")
    biomech_id(tmp_path, "report", "out", "--style", "toy.toml", "--pages", "kinematics_mean", "--pages", "emg")
    found = leaks(pages_of(tmp_path / "out" / "report.pdf"), ALLOWED | own_words(laboratory / "out"))
    assert seen in found
