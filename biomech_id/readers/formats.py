"""Which files hold recordings: a suffix, what reads it, and which other files belong to it.

A laboratory adds a format of its own by registering it, before its folders are read::

    register(Format(".lab", read=read_lab))

From then on `read`, ``analyse`` and the commands started in the same process take such files. In a folder the first format of the
registry that has files there serves; the others are, as a rule, exports of the same recordings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from biomech_id.arguments import a, a_path, a_switch, each, or_none, takes
from biomech_id.errors import BiomechError, OptionError
from biomech_id.markersets import load_markerset
from biomech_id.plugins import Registry
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.readers.c3d.read import read_c3d
from biomech_id.readers.opensim.force_columns import read_force_columns
from biomech_id.readers.opensim.trial import (
    companions,
    external_loads_of,
    loads_naming,
    read_opensim_forces,
    read_opensim_trial,
)  # fmt: skip
from biomech_id.readers.recording import with_marker_set
from biomech_id.trial import Trial
from biomech_id.values import dataclass, replace


class TrialReader(Protocol):
    """Reads one recording; errors are `BiomechError`, whose sentence the user sees."""

    def __call__(self, path: Path, /, *, trust: bool) -> Trial:
        """Return the trial a file holds; ``trust`` reads in this process what is otherwise read in a child that may die."""


@dataclass(frozen=True)
class Format:
    """One kind of recording.

    Attributes
    ----------
    suffix : str
        Of the file that names the recording, lower case, with its dot.
    read : TrialReader
        Returns the trial: SI units, laboratory axes with Z up.
    companions : Callable[[Path], Iterable[Path]], optional
        Path of a recording -> paths of the other files that its numbers come from; they are hashed among the inputs of a run.
    """

    suffix: str
    read: TrialReader
    companions: Callable[[Path], Iterable[Path]] = lambda path: ()


#: How the files of forces are called that belong to a recording: its own name, and one of these.
FORCE_ENDINGS, FORCE_SUFFIXES = ("_grf", "_forces", "_force", "_ground_forces"), (".mot", ".sto", ".c3d")

#: Suffix -> format, the preferred first.
FORMATS: Registry[str, Format] = Registry("format")


def register(new: Format) -> None:
    """Add a format behind those there are.

    Parameters
    ----------
    new : Format
        Suffix, reader and companions.

    Raises
    ------
    OptionError
        The suffix is no suffix in lower case, or taken.
    """
    if not new.suffix.startswith(".") or new.suffix != new.suffix.lower():
        raise OptionError(
            f"A format cannot be registered for {new.suffix!r}: that is no suffix in lower case, with its dot.",
            value=new.suffix, expected="a free suffix in lower case, with its dot", where="register",
        )  # fmt: skip
    FORMATS.add(new.suffix, new)


def format_of(path: Path) -> Format:
    """Return the format that reads a file.

    Parameters
    ----------
    path : Path
        The recording; only its suffix is looked at, in any case.

    Returns
    -------
    Format
        The suffix's format; C3D's for a suffix that nothing is registered for: it looks into the file and says if it is none.
    """
    return FORMATS.get(path.suffix.lower(), FORMATS[".c3d"])


@takes(
    path=a_path("give the name of a recording"), trust=a_switch(),
    marker_set=or_none(a_path("give the name of a marker set, or of its TOML file")), plates=each(a(DeclaredPlate)),
)  # fmt: skip
def read(
    path: str | os.PathLike[str],
    *,
    trust: bool = False,
    marker_set: str | os.PathLike[str] | None = None,
    plates: Sequence[DeclaredPlate] = (),
) -> Trial:
    """Return the trial a file holds, whatever registered format it has.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A C3D file, OpenSim's ``.trc`` (the forces that ExternalLoads beside it put on its feet are read along), a ``.mot`` of
        forces, or a file of a registered format.
    trust : bool
        Read C3D files in this process (see `read_c3d`); False, the default, reads them in a child process.
    marker_set : str | os.PathLike[str] | None, optional
        Name of a shipped marker set or path of a laboratory's TOML file (see `read_c3d`).
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its C3D files' plates of unknown types to be.

    Returns
    -------
    Trial
        SI units, laboratory axes with Z up, missing data NaN.

    Raises
    ------
    WrongTypeError
        Something else than a path.
    FileRefusedError, InvalidValueError, MissingInputError
        The file, or one that belongs to it, cannot be read.
    OptionError
        There is no such marker set.
    """
    if Path(path).suffix.lower() == ".mot" and ".mot" not in FORMATS:
        # Read when it is asked for; in a folder, forces belong to the markers beside them.
        return read_opensim_forces(Path(path)) if loads_naming(Path(path)) else read_force_columns(Path(path))
    reader = format_of(Path(path)).read
    if reader is read_c3d:  # which tells up from down by what the markers lie on
        return read_c3d(path, trust=trust, marker_set=marker_set, plates=plates)
    trial = reader(Path(path), trust=trust)
    return trial if marker_set is None else replace(trial, markers=with_marker_set(trial.markers, load_markerset(marker_set)))


def companions_of(path: Path) -> tuple[Path, ...]:
    """Return the files besides the one named that a recording is read from.

    Parameters
    ----------
    path : Path
        The recording; it need not exist.

    Returns
    -------
    tuple[Path, ...]
        Existing files, such as those that ExternalLoads name; empty where there are none or they cannot be used, which `read` says.
    """
    beside = forces_beside(path)
    try:
        return (*format_of(path).companions(path), *(() if beside is None else (beside,)))
    except BiomechError:
        return ()


def forces_beside(path: Path) -> Path | None:
    """Return the second file that holds the forces of a recording.

    Where an ``ExternalLoads`` belongs to the recording, that says which forces are meant, and there is no second file.

    Parameters
    ----------
    path : Path
        The recording with markers or poses.

    Returns
    -------
    Path | None
        ``walk_grf.mot`` or ``walk_forces.c3d`` beside ``walk.trc``; None without one, and for a path that is such a file itself.
    """
    if path.stem.lower().endswith(FORCE_ENDINGS):
        return None
    names = [path.with_name(path.stem + ending + suffix) for ending in FORCE_ENDINGS for suffix in FORCE_SUFFIXES]
    try:
        beside = next((name for name in names if name.is_file()), None)
        return None if beside is None or external_loads_of(path) is not None else beside
    except (OSError, BiomechError):
        return None


def recordings_among(files: Iterable[Path]) -> list[Path]:
    """Return, of the entries of a folder, those that are recordings of one format.

    Hidden files and folders are none, and neither is a file of forces that belongs to a recording beside it (`forces_beside`).

    Parameters
    ----------
    files : Iterable[Path]
        Entries of a folder; folders and hidden files among them are passed over.

    Returns
    -------
    list[Path]
        In the order given; all of the first registered format that has any; empty where no format has.
    """
    seen = [path for path in files if not path.name.startswith(".") and not path.is_dir()]
    of_others = {forces for path in seen if path.suffix.lower() in FORMATS and (forces := forces_beside(path)) is not None}
    seen = [path for path in seen if path not in of_others]
    return next(filter(None, ([path for path in seen if path.suffix.lower() == suffix] for suffix in FORMATS)), [])


def _read_trc(path: Path, /, *, trust: bool) -> Trial:
    return read_opensim_trial(path)


register(Format(".c3d", read_c3d))
register(Format(".trc", _read_trc, companions))
