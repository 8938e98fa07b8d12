"""Words of the command line: taken as they stand they are the values that Typer makes of them, and the rest is left to Typer."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from biomech_id.cli.app import app, main
from biomech_id.cli.plain_words import PlainCommand, take_plain_words


class Colour(StrEnum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


def of_words(words: list[str], command: type[TyperCommand]) -> tuple[int, str]:
    """Exit code, and the values printed or what Typer says of the words."""
    program = typer.Typer(add_completion=False)

    @program.command(cls=command)
    def values(
        paths: Annotated[list[Path], typer.Argument()],
        text: Annotated[str | None, typer.Option()] = None,
        place: Annotated[Path, typer.Option()] = Path("here"),
        many: Annotated[list[str] | None, typer.Option()] = None,
        colour: Annotated[Colour, typer.Option()] = Colour.RED,
        mass: Annotated[float | None, typer.Option(min=1.0)] = None,
        count: Annotated[int, typer.Option(min=1)] = 2,
        fast: Annotated[bool, typer.Option("--fast")] = False,
    ) -> None:
        print([paths, text, place, many, colour, mass, count, fast])

    result = CliRunner().invoke(program, words)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    "words",
    [
        ["a", "b/../c", "", "--text", "7", "--place", ".", "--many", "x", "--many", "", "--fast"],
        ["a", "--colour", "blue", "--mass", "61.5", "--count", "3"],
        [],
        ["a", "--colour", "green"],
        ["a", "--mass", "0.5"],
        ["a", "--count", "two"],
        ["a", "--unknown"],
        ["--help"],
    ],
)
def test_values_are_those_of_typer(words: list[str]) -> None:
    assert of_words(words, PlainCommand) == of_words(words, TyperCommand)


def test_a_file_that_cannot_be_read_is_typers_to_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, text = of_words([str(tmp_path / "closed")], PlainCommand)
    assert code == 2
    assert "not readable" in " ".join(text.replace("│", " ").split())


@pytest.mark.skipif(not hasattr(typer.core, "_TyperParameter"), reason="an earlier Typer checks by itself")
def test_no_path_of_a_command_asks_for_more_than_reading() -> None:
    group: Any = typer.main.get_command(app)
    kinds = [each.type_descriptor for command in group.commands.values() for each in command.params]
    paths = [each.parameter_info for each in kinds if each.is_path or each.annotation == list[Path]]
    assert len(paths) > 50
    more = ("exists", "writable", "resolve_path", "allow_dash", "path_type")
    assert not [each for each in paths if any(getattr(each, name) for name in more) or not (each.file_okay and each.dir_okay)]


def test_a_parameter_of_another_typer_is_left_to_it() -> None:
    """One that says its type elsewhere, and one that is checked at no cost."""
    others = [SimpleNamespace(_runtime_param=None), SimpleNamespace(type_descriptor=SimpleNamespace(annotation=str))]
    take_plain_words(SimpleNamespace(get_params=lambda ctx: others), None)
    assert [getattr(each, "_runtime_param", None) for each in others] == [None, None]


@pytest.mark.parametrize(("word", "made"), [("opensim-run", 1), ("--version", len(app.registered_commands))])
def test_only_the_command_that_is_named_is_made(word: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    monkeypatch.setattr(sys, "argv", ["biomech-id", word])
    monkeypatch.setattr(typer.Typer, "__call__", lambda self: counts.append(len(self.registered_commands)))
    main()
    assert counts == [made]
    assert len(app.registered_commands) > 20
