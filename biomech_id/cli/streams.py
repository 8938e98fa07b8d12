"""Standard streams that may be closed, and terminals that obey what they are shown."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from unicodedata import category

#: Kinds of characters that a terminal obeys or cannot show: controls, what turns writing, ends of lines, halves of pairs.
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def open_standard_streams() -> None:
    """Give a closed standard stream the null device: otherwise the next file that is opened would take its place."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        with suppress(OSError):
            try:
                os.fstat(descriptor)
            except OSError:
                os.open(os.devnull, os.O_RDWR)
            if getattr(sys, name) is None:
                setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))


def shown(text: str) -> str:
    r"""Return a text with escapes for what a terminal would obey or not show: line ends, colours, turned writing.

    Parameters
    ----------
    text : str
        Of a message; names of files may hold any character.

    Examples
    --------
    >>> from biomech_id.cli.streams import shown
    >>> shown("wa\x1b[31mlk\n.c3d")
    'wa\\x1b[31mlk\\n.c3d'
    """
    return "".join(repr(each)[1:-1] if category(each) in _OBEYED and each != "\t" else each for each in text)
