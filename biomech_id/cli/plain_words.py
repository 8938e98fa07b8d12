"""Words of the command line that are values as they stand, taken without the library that Typer loads to check them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args

from typer.core import TyperCommand


class PlainWords:
    """In the place of what Typer checks a parameter's words with: takes texts, paths and defaults, and leaves the rest to Typer."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter's words, as Typer would.

        Parameters
        ----------
        value : Any
            A word, a default, several of one, or None.
        param : Any
            Typer's parameter.
        ctx : Any
            Typer's context.

        Returns
        -------
        Any
            Of the parameter's type; a list where it may be repeated.
        """
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        kind = param.type_descriptor.annotation
        kind, words = (get_args(kind)[0], value) if several else (kind, (value,))
        if not all(_is_plain(word, kind) for word in words):
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        values = [kind(word) for word in words]
        return values if several else values[0]


def _is_plain(word: object, kind: object) -> bool:
    if kind is Path and isinstance(word, str | Path):
        return not os.path.exists(word) or os.access(word, os.R_OK)
    return isinstance(kind, type) and isinstance(word, kind)


def take_plain_words(command: Any, ctx: Any) -> None:
    """Let the parameters of a command take words as they are where that will do.

    Parameters
    ----------
    command : Any
        Typer's command or group.
    ctx : Any
        Typer's context.
    """
    for parameter in command.get_params(ctx):
        # Earlier Typers check by themselves, at no cost; a later one that says a parameter's type elsewhere does it as it likes.
        if hasattr(parameter, "_runtime_param") and hasattr(getattr(parameter, "type_descriptor", None), "annotation"):
            parameter._runtime_param = PlainWords()


class PlainCommand(TyperCommand):
    """A command whose parameters take plain words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command."""
        take_plain_words(self, ctx)
        return super().parse_args(ctx, args)
