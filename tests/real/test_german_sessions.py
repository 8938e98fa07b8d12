"""German is German: in PDF, review page, terminal and findings of six sessions each word is of German tables or the recording's."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdf
import pytest
from printed_counts import Unpacked
from sessions import Sessions
from test_language import LATIN, NAMES, german_words, leaves, own_words, words_of
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.languages import LANGUAGES, worded
from biomech_id.pipeline.analyse import analyse
from biomech_id.pipeline.run import run_job
from biomech_id.readers import read_recording
from biomech_id.report.layout.style import load_style
from biomech_id.report.pdf import draw_report
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.review.session_data import session_data
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.subject import virtual_subject
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import SHARES
from biomech_id.session.values.summary import complaints_of, verdict_sentence

pytestmark = [pytest.mark.real, pytest.mark.slow]

RECORDED = ("children/HC036A", "labs_abroad/sacrum_and_medials", "drop_jump", "labs_abroad/small_child")
VIRTUAL = ("crouch", "hemiplegic")
#: Names of marker sets and models, of those who wrote what is cited and their journals, and of what a file or a table calls so.
PROPER = frozenset(
    """
    six dof bell harrington hara dempster winter leva orthop res biomech eng la trobe lower university plug sacrum spines
    plugin kadaba davis clin eur froude
    """.split()  # noqa: SIM905
)
#: What is typed, and names of the tables' columns and of parameters, are in no language: keys with their values, names with an
#: underscore or a dot, LKneeWidth, options of a command.
TYPED = re.compile(
    r"--[a-z-]+|\[\[?[\w.]+\]\]?|\w+ = (?:\"[^\"]*\"|\[[^\]]*\])|\w*[_.]\w+[\w.]*|`[^`]*`|\b[LR](?:[A-Z][a-z]+){2,}|[A-Z]+:[A-Z]\w+"
)
#: Keys of subject.toml.
KEYS = frozenset({"aid", "footwear", "mass", "kg"})
TOGETHER = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
WORD = re.compile(r"[A-Za-zÄÖÜäöüß]{2,}")


def words(texts: Iterable[str]) -> dict[str, str]:
    """Word -> where it stands; labels of markers are in capitals, and a PDF holds no blank between the ends of an axis."""
    found: dict[str, str] = {}
    for text in texts:
        # What a narrow place cuts off, and what no line holds.
        whole = re.sub(r"\w+…|\b(?=\w*\d)[0-9a-f]{6,}\b", " ", TYPED.sub(" ", text))
        for match in WORD.finditer(TOGETHER.sub(" ", whole)):
            if not match[0].isupper():
                found.setdefault(match[0].lower(), whole[max(0, match.start() - 40) : match.end() + 40])
    return found


@cache
def german() -> frozenset[str]:
    """Words of every German table."""
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(LANGUAGES["de"].glob("*.toml"))]
    return frozenset(german_words() | words_of(leaf for table in tables for leaf in leaves(table)))


def in_german(value: Any) -> Iterator[str]:
    """Every text of the review page's data that stands there in several languages."""
    if isinstance(value, dict):
        if {"de", "en"} <= value.keys():
            yield from (str(leaf) for leaf in leaves(value["de"]))
        else:
            for each in value.values():
                yield from in_german(each)
    elif isinstance(value, list):
        for each in value:
            yield from in_german(each)


def left_in_english(tables: Tables, out: Path, folder: Path, language: str = "de") -> dict[str, dict[str, str]]:
    """Where -> word -> place, of words that are neither German nor the session's own."""
    pdf = draw_report(tables, folder / "report.pdf", style=load_style(language=language))
    summary = tables.summary
    found = [finding for part in (summary, *summary["trials"]) for finding in part["findings"]]
    texts: dict[str, Iterable[str]] = {
        "report": [page.extract_text() for page in pypdf.PdfReader(pdf).pages],
        "review page": in_german(session_data(out, tables, Unpacked(), called="out")),
        "findings": [worded(each["rule"], each["values"], language, part) for each in found for part in ("text", "hint")],
    }
    known = german() | own_words(tables) | NAMES | LATIN | PROPER
    return {where: {word: place for word, place in words(said).items() if word not in known} for where, said in texts.items()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("german")


def virtual(name: str, folder: Path) -> Path:
    if (folder / f"{name}-out").is_dir():
        return folder / f"{name}-out"
    person = virtual_subject(pattern=name, duration_s=3.0, rate_hz=60.0, muscles=name == "crouch")
    (folder / name).mkdir()
    write_c3d(person.static("static", duration_s=0.5), folder / name / "static.c3d")
    write_c3d(person.walk("walk"), folder / name / "walk.c3d")
    run_job(Job((folder / name,), Recipe(report=False, uncertainty=False)), folder / f"{name}-out")
    return folder / f"{name}-out"


NOTHING: dict[str, dict[str, str]] = {"report": {}, "review page": {}, "findings": {}}


@pytest.mark.parametrize("name", RECORDED)
def test_no_english_word_is_left_in_what_a_german_reads(name: str, sessions: Sessions, home: Path) -> None:
    assert left_in_english(sessions[name].tables, sessions[name].out, home) == NOTHING


@pytest.mark.parametrize("name", VIRTUAL)
def test_nor_of_virtual_patients(name: str, home: Path) -> None:
    out = virtual(name, home)
    assert left_in_english(read_tables(out), out, home) == NOTHING


def on_terminal(session: Session, folder: Path) -> list[str]:
    """What `run` says at its end, and `check` of all files."""
    done = CliRunner().invoke(app, ["check", "--all", str(folder), "--language", "de"])
    steps = [worded("step", {"stage": name, "trial": ""}, "de") for name in SHARES]
    return [verdict_sentence(session, "de"), *complaints_of(session, "de"), *steps, *done.stdout.splitlines()]


def names_in(folder: Path) -> Iterator[str]:
    """Names of a folder's files, and what these call points and events."""
    for path in folder.glob("*.c3d"):
        facts = read_recording(path, trust=True).facts
        yield from (path.stem, *facts.labels, *(event.label for event in facts.events))


def typed_away(line: str) -> str:
    """A line without paths, options, names of rules and what a narrow screen cuts off."""
    return re.sub(r"\S*/\S*|--[\w-]+|\[[\w-]+\]$|\w* \.\.\.$", " ", line)


@pytest.mark.parametrize("name", [*RECORDED, *VIRTUAL])
def test_no_english_word_is_left_on_the_terminal(name: str, sessions: Sessions, c3d_dir: Path, home: Path) -> None:
    folder = home / name if name in VIRTUAL else c3d_dir / name
    tables = read_tables(virtual(name, home)) if name in VIRTUAL else sessions[name].tables
    session = analyse(folder, report=False, uncertainty=False) if name in VIRTUAL else sessions[name].session
    known = german() | own_words(tables) | NAMES | LATIN | PROPER | KEYS | words(names_in(folder)).keys()
    said = words([typed_away(line) for line in on_terminal(session, folder) if "eingeben:" not in line])
    assert {word: place for word, place in said.items() if word not in known} == {}


def test_an_english_report_would_be_seen(sessions: Sessions, home: Path) -> None:
    session = sessions["labs_abroad/small_child"]
    found = left_in_english(session.tables, session.out, home, language="en")
    assert (len(found["report"]) > 100, len(found["findings"]) > 30) == (True, True)
