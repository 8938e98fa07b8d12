"""Text files that people write: settings, subjects, marker sets, styles, tables from a spreadsheet.

Editors and shells save them as they please. Notepad and Excel put a byte order mark in front of UTF-8, and ``>`` in Windows
PowerShell writes UTF-16: what a person sees as one and the same file must read as one.
"""

from __future__ import annotations

import codecs
from pathlib import Path

from biomech_id.files.inputs import read_input


def read_text(path: str | Path) -> str:
    """Read a text file without its byte order mark: UTF-8, or UTF-16 if a mark says so.

    Parameters
    ----------
    path : str | Path
        The text file to read.

    Returns
    -------
    str
        Its content, lines ended by a line feed alone.

    Raises
    ------
    OSError
        It cannot be opened.
    UnicodeDecodeError
        It is neither.
    """
    data = read_input(Path(path))
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig").replace("\r\n", "\n")


def read_problem(error: OSError | ValueError) -> str:
    """What kept a text file from being read.

    Parameters
    ----------
    error : OSError | ValueError
        As reading raised it.

    Returns
    -------
    str
        A few words to follow a colon.
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text (save it as UTF-8)"
    return str(error)
