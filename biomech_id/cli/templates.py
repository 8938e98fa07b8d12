"""``biomech-id recipe`` and ``biomech-id subject``: files a laboratory edits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, Debug, Version, print_line
from biomech_id.errors import typed


def recipe(debug: Debug = False, version: Version = False) -> int:
    """Print the default recipe with every setting explained.

    Example: biomech-id recipe > lab.toml
    """
    from biomech_id.request.recipe import recipe_toml

    print_line(recipe_toml(), nl=False)
    return DONE


def subject(
    folder: Annotated[Path, typer.Argument(help="A subject's folder.", show_default=False)],
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write a subject.toml into a folder, filled with what its files say.

    Example: biomech-id subject patients/anna
    """
    from biomech_id.request.intake import write_subject_template

    written = write_subject_template(folder)
    print_line(f"Wrote {written}. Complete it, then run `biomech-id run {typed(folder)} -o OUT`.")
    return DONE
