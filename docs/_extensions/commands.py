"""Every command with its options, written below the page ``commands.md`` from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PAGE = "commands"
#: Options that mean the same in every command; the page explains them once.
COMMON = {"--help", "--version", "--debug", "--warnings-ok"}


def pages_of(group: Any) -> Iterator[str]:
    """Yield Markdown for each command of a group, in the order of ``--help``."""
    for name, command in group.commands.items():
        said, _, example = (command.help or "").partition("Example: ")
        own = [parameter for parameter in command.params if not COMMON & set(parameter.opts)]
        yield f"\n## `biomech-id {name}`\n\n{' '.join(said.split())}\n\n```sh\n{example.strip()}\n```\n"
        if own:
            yield "\n| argument or option | meaning |\n|---|---|\n"
        yield from (f"| {written(parameter)} | {meaning(parameter)} |\n" for parameter in own)


def written(parameter: Any) -> str:
    """Return how a parameter is typed, with its choices where they are few and fixed."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.name}{'...' if parameter.nargs == -1 else ''}`"
    kind = getattr(parameter, "type_descriptor", None) or parameter.type  # Typer's own since 0.2x, Click's before
    choices = [getattr(choice, "value", choice) for choice in getattr(kind, "choices", None) or ()]
    spellings = ", ".join(f"`{spelling}`" for spelling in [*parameter.opts, *parameter.secondary_opts])
    return f"{spellings} {' or '.join(f'`{choice}`' for choice in choices)}".strip()


def meaning(parameter: Any) -> str:
    """Return what a parameter does, and what holds without it unless the words say so."""
    text = (parameter.help or "").replace("|", r"\|")
    if parameter.required:
        return f"{text} Required."
    default = getattr(parameter.default, "value", parameter.default)
    return f"{text} Default: `{default}`." if default and default is not True and "default" not in text else text


def _append(app: Any, name: str, source: list[str]) -> None:
    if name != PAGE:
        return
    from typer.main import get_command

    from biomech_id.cli.app import app as command_line

    source[0] += "".join(pages_of(get_command(command_line)))


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("source-read", _append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
