"""Commands, options, files and Python names in the pages people read are those of this version."""

from __future__ import annotations

import re
import shlex
from configparser import ConfigParser
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from typer.main import get_command

from biomech_id.cli.app import app
from docs.generate.documents import all_documents

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("pipelines/**/*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES if "_build" not in page.parts}
ROOMS = sorted(path.name for path in (ROOT / "biomech_id").iterdir() if (path / "__init__.py").is_file())
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


FENCE = re.compile(r"^```(?P<language>[^\n]*)\n(?P<lines>.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def code(text: str) -> list[str]:
    """What a page shows as code: spans in a line of their own words, and the lines of blocks for a shell."""
    blocks = [block["lines"] for block in FENCE.finditer(text) if block["language"].partition(" ")[0] in ("", "sh")]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", text))]
    return [*spans, *(line for block in blocks for line in block.replace("\\\n", " ").splitlines())]


def commands(text: str) -> list[list[str]]:
    """The words of each command line of ours that a page shows, after the program's name."""
    shown = [line.partition("biomech-id ")[2] for line in code(text) if re.match(r"(\S*/)?biomech-id ", line)]
    return [shlex.split(line, comments=True) for line in shown]


def wrong_commands(text: str) -> list[str]:
    """Command lines that name a command or an option which does not exist."""
    wrong = []
    for words in commands(text):
        name = next((word for word in words if not word.startswith("-")), "COMMAND")
        if name == "COMMAND":
            continue
        known = {spelling for parameter in COMMANDS[name].params for spelling in parameter.opts} if name in COMMANDS else set()
        given = {word.split("=")[0] for word in words if word.startswith("-")} - {"--help"}
        if not known or given - known:
            wrong.append(" ".join(words))
    return wrong


def missing_files(text: str) -> list[str]:
    """Files of this project that a page names and that are not there."""
    named = re.findall(r"\b((?:biomech_id|tests|pipelines|benchmarks|docs|reports)/[\w./-]*\w)", "\n".join(code(text)))
    return [name for name in named if not (ROOT / name).exists() and not name.startswith("docs/_build")]


KEYS = {key.path for document in all_documents() for key in document.keys}


def missing_names(text: str) -> list[str]:
    """Python names, from a room downwards, that a page gives and that cannot be had."""
    rooms = "|".join(ROOMS)
    named = [
        span
        for span in code(text)
        if re.fullmatch(rf"(?:biomech_id\.)?(?:{rooms})(?:\.\w+)+", span)
        and not re.search(r"\.(csv|json|pdf|toml|html)$", span)
        # A room and a key of a JSON file may begin with one word.
        and span not in KEYS
    ]
    return [name for name in named if not exists(name.removeprefix("biomech_id."))]


def exists(name: str) -> bool:
    """Whether a dotted name below the package is a module, something in one, or an attribute of that."""
    try:
        return resolve_name(f"biomech_id.{name}") is not None
    except (ImportError, AttributeError):
        return False


@pytest.mark.parametrize("page", TEXTS)
def test_commands_and_options_exist(page: str) -> None:
    assert wrong_commands(TEXTS[page]) == []


@pytest.mark.parametrize("page", TEXTS)
def test_files_of_the_project_are_there(page: str) -> None:
    assert missing_files(TEXTS[page]) == []


@pytest.mark.parametrize("page", TEXTS)
def test_python_names_can_be_had(page: str) -> None:
    assert missing_names(TEXTS[page]) == []


@pytest.mark.parametrize(
    ("section", "option", "page"),
    [
        ("options", "install_requires", "docs/decisions/runtime-dependencies.md"),
        ("options.extras_require", "docs", "docs/decisions/documentation.md"),
    ],
)
def test_every_dependency_has_its_reason(section: str, option: str, page: str) -> None:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    wanted = re.findall(r"^([\w-]+)", setup[section][option], flags=re.MULTILINE)
    given = re.findall(r"^\| ([\w-]+) \|", TEXTS[page], flags=re.MULTILINE)
    assert wanted
    assert sorted(wanted) == sorted(set(given) - {"package"})


def test_what_does_not_exist_is_found() -> None:
    assert wrong_commands("Type `biomech-id run A -o B --no-such-option`, `biomech-id walk`.") == [
        "run A -o B --no-such-option", "walk"
    ]  # fmt: skip
    assert missing_files("See `tests/no/such_test.py`.") == ["tests/no/such_test.py"]
    assert missing_names("Uses `gait.no_such_module` and `gait.events.find_events`.") == ["gait.no_such_module"]
    assert len([words for text in TEXTS.values() for words in commands(text)]) > 40
