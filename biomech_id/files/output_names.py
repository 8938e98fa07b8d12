"""Names of outputs that were read somewhere: in a setup, a summary, a table of codes. Here it is decided where they may lead.

A file from elsewhere may call an output ``../../.bashrc``, or ``results/x`` where ``results`` is a link. What is asked of a name
is the same on every system: that it means one file in the folder that the user named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

from biomech_id.errors import InvalidValueError, OutputError

#: Characters that some system does not allow in the name of a file, or takes for a folder.
IN_NO_FILE_NAME = frozenset('/\\:*?"<>|')
#: Names that Windows keeps for devices, whatever their ending.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{word}{number}" for word in ("com", "lpt") for number in range(1, 10))}


def is_plain(name: str) -> bool:
    """Whether a name is that of one file, neither hidden nor a device, on every system.

    Parameters
    ----------
    name : str
        As somebody wrote it.

    Examples
    --------
    >>> from biomech_id.files.output_names import is_plain
    >>> [name for name in ("walk 1.sto", "..", "a/b", "C:x", ".bashrc", "nul.sto", "") if is_plain(name)]
    ['walk 1.sto']
    """
    device = name.partition(".")[0].rstrip().casefold() in _DEVICES
    return bool(name) and name.isprintable() and not set(name) & IN_NO_FILE_NAME and name == name.strip(" .") and not device


def leads_elsewhere(name: str) -> bool:
    """Whether a name is a path on some system: what recordings are called in files may hold anything else.

    Parameters
    ----------
    name : str
        Of a recording, trial or file.
    """
    return name in ("", ".", "..") or bool(set(name) & set("/\\\0")) or name[1:2] == ":"


def refuse_leading(names: Iterable[str], where: object) -> None:
    """Refuse names of trials that would put their files elsewhere.

    Parameters
    ----------
    names : Iterable[str]
        Names of all trials of the session.
    where : object
        File or folder that has them.

    Raises
    ------
    InvalidValueError
        One is a path, or no text.
    """
    for name in names:
        if not isinstance(name, str) or leads_elsewhere(name):
            raise InvalidValueError(
                f"A trial of {where} is called {name!r}, which is no name of a file but leads to another folder; rename it.",
                value=name, expected="a name without / and \\, and without a drive", where=str(where),
            )  # fmt: skip


def last_part(name: str) -> str:
    """Return the last part of a path of any system; "" where it has none.

    Parameters
    ----------
    name : str
        A path, with either slash.
    """
    return PureWindowsPath(name).name


def folder_below(root: Path, asked: str) -> Path | None:
    """Return a folder at or below another; None where what is asked for is not.

    Parameters
    ----------
    root : Path
        The folder that may be written to.
    asked : str
        A path, absolute or relative to it.
    """
    above = Path(os.path.abspath(root))
    full = Path(os.path.normpath(above / asked.replace("\\", "/")))
    parts = full.relative_to(above).parts if full.is_relative_to(above) else ("..",)
    return root.joinpath(*parts) if all(map(is_plain, parts)) else None


def refuse_outside(root: Path, folder: Path) -> None:
    """Refuse a folder below another that a link takes out of it.

    Parameters
    ----------
    root : Path
        The folder that may be written to.
    folder : Path
        At or below it by its name; it need not exist.

    Raises
    ------
    OutputError
        It is elsewhere.
    """
    real = folder.resolve()
    if not real.is_relative_to(root.resolve()):
        words = f"{folder} leads to {real}, out of {root}, by a link: remove the link, or name that folder itself for the results."
        raise OutputError.at(folder, words, "a folder that is no link to elsewhere")
