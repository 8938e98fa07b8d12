"""Reading a C3D file: the one door through which recordings come in."""

from __future__ import annotations

import os
from collections.abc import Sequence

from biomech_id.arguments import a, a_path, a_str, a_switch, each, or_none, takes
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.readers.recording import Recording
from biomech_id.readers.sandbox import read_in_sandbox
from biomech_id.trial import Trial


@takes(
    path=a_path("give the name of a C3D file"), trust=a_switch(), subject=or_none(a_str()),
    marker_set=or_none(a_path("give the name of a marker set, or of its TOML file")), plates=each(a(DeclaredPlate)),
)  # fmt: skip
def read_c3d(
    path: str | os.PathLike[str],
    *,
    trust: bool = False,
    subject: str | None = None,
    marker_set: str | os.PathLike[str] | None = None,
    plates: Sequence[DeclaredPlate] = (),
) -> Trial:
    """Return the trial a C3D file holds.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A C3D file of any vendor.
    trust : bool, optional
        Read in this process; otherwise a child process with a memory limit and a timeout reads, so that no file, however damaged,
        can take this process down with it.
    subject : str | None, optional
        Prefix of the wanted subject when a file holds several; None takes the one with most markers.
    marker_set : str | os.PathLike[str] | None, optional
        Name of a shipped marker set or path of a laboratory's TOML file, which says what each marker lies on; the trial carries it
        on, and every other function asks there. None: whoever needs to know goes by common names.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.

    Returns
    -------
    Trial
        SI units, laboratory axes with Z up, missing data NaN, with a finding for every doubt.

    Raises
    ------
    WrongTypeError
        Something else than a path.
    FileRefusedError
        The file cannot be read, or reading it would give wrong numbers.
    MissingInputError
        The wanted subject is not in the file.
    OptionError
        There is no such marker set.
    """
    return read_recording(path, trust=trust, subject=subject, marker_set=marker_set, plates=plates).trial


def read_recording(
    path: str | os.PathLike[str],
    *,
    trust: bool = False,
    subject: str | None = None,
    marker_set: str | os.PathLike[str] | None = None,
    plates: Sequence[DeclaredPlate] = (),
) -> Recording:
    """Return the trial and what the file itself says (see `read_c3d`).

    Parameters
    ----------
    path : str | os.PathLike[str]
        A C3D file of any vendor.
    trust : bool, optional
        Whether the file is read in this process, without the sandbox.
    subject : str | None, optional
        Prefix of the subject wanted, where a file holds several; None for the only one.
    marker_set : str | os.PathLike[str] | None, optional
        Name or file of a marker set; None finds the one that fits.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.

    Returns
    -------
    Recording
        ``trial`` as of `read_c3d`; ``facts`` as the file states them.
    """
    name = None if marker_set is None else os.fspath(marker_set)
    if trust:
        from biomech_id.readers.c3d.interpret import interpret
        from biomech_id.readers.source import read_source

        return interpret(read_source(path), subject, name, plates)
    return read_in_sandbox(path, subject, name, plates)
