"""Checking files: one, or every C3D file below some folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from biomech_id.errors import BiomechError, Finding
from biomech_id.judgement.check.markers import inspect_markers
from biomech_id.judgement.check.muscles import inspect_muscles
from biomech_id.judgement.check.outputs import inspect_outputs
from biomech_id.judgement.check.plates import inspect_events, inspect_mass, inspect_plates
from biomech_id.judgement.check.report import CheckReport
from biomech_id.markersets import load_markerset
from biomech_id.readers import Recording, read, read_recording
from biomech_id.readers.formats import FORMATS, format_of, recordings_among
from biomech_id.readers.recording import FileFacts
from biomech_id.session.values.step import Progress, Step
from biomech_id.trial import Trial

C3D_SUFFIX = ".c3d"


def check_file(
    path: str | os.PathLike[str], *, trust: bool = False, marker_set: str | os.PathLike[str] | None = None
) -> CheckReport:
    """Return what is in a file and every problem found.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A recording of a registered format; anything else is reported as unreadable, never raised.
    trust : bool, optional
        Read in this process instead of a child (see `read_c3d`).
    marker_set : str | os.PathLike[str] | None, optional
        Name or TOML file of the recording's marker set; without one its labels are looked at as Plug-in Gait's.
    """
    if marker_set is not None:
        load_markerset(marker_set)  # a wrong one is the caller's fault and not the file's
    try:
        recording = _recording(path, trust=trust, marker_set=marker_set)
    except BiomechError as refusal:
        return _refused("unreadable", {"refusal": refusal.message}, str(path))
    return CheckReport(str(path), None, recording, (*recording.trial.findings, *inspect(recording.trial)))


def inspect(trial: Trial) -> tuple[Finding, ...]:
    """Return what the doctor finds in a trial beyond what its reader noticed.

    Parameters
    ----------
    trial : Trial
        The recording as read, before anything is filled or filtered.
    """
    looks = (inspect_markers, inspect_plates, inspect_mass, inspect_events, inspect_outputs, inspect_muscles)
    return tuple(finding for look in looks for finding in look(trial))


def iter_check(
    paths: Iterable[str | os.PathLike[str]],
    *,
    marker_set: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[CheckReport]:
    """Yield the report of every file; folders are walked for visible C3D files by name, or for the recordings that ``run`` reads.

    Parameters
    ----------
    paths : Iterable[str | os.PathLike[str]]
        Files to check, and folders to walk.
    marker_set : str | os.PathLike[str] | None, optional
        Name or file of a marker set; None finds the one that fits.
    progress : Progress | None, optional
        Told of every file before it is read; None for nobody.
    """
    for path in paths:
        if not os.path.isdir(path):
            there = os.path.lexists(path)
            yield check_file(path, marker_set=marker_set) if there else _refused("no-such-path", {"path": str(path)}, str(path))
            continue
        locked: list[OSError] = []
        files = list(_walk(path, locked.append))
        for refusal in locked:
            message = f"{refusal.filename} cannot be looked into: {refusal.strerror}."
            yield _refused("unreadable", {"refusal": message}, str(refusal.filename))
        if not files and not locked:
            yield _refused("no-files", {"folder": str(path), "formats": list(FORMATS)}, str(path))
        for number, file in enumerate(files, start=1):
            if progress:
                progress(Step("read", file.name, number, len(files)))
            yield check_file(file, marker_set=marker_set)


def _refused(rule: str, values: dict[str, object], path: str) -> CheckReport:
    finding = Finding(rule, values, path)
    return CheckReport(path, finding.message, None, (finding,))


def _walk(folder: str | os.PathLike[str], refused: Callable[[OSError], None]) -> Iterator[Path]:
    """The C3D files of each folder; of one that has none the recordings of other formats, as ``run`` reads them."""
    for base, folders, files in os.walk(folder, onerror=refused):
        # What is hidden belongs to other systems; ``run`` and `batch` leave it out as well.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = [Path(base) / name for name in sorted(files) if not name.startswith(".")]
        c3d_files = [path for path in visible if path.suffix.lower() == C3D_SUFFIX]
        yield from c3d_files if c3d_files else recordings_among(visible)


def _recording(path: str | os.PathLike[str], *, trust: bool, marker_set: str | os.PathLike[str] | None) -> Recording:
    """A file read, with what it says of itself."""
    if format_of(Path(path)).suffix == C3D_SUFFIX:
        return read_recording(path, trust=trust, marker_set=marker_set)
    trial = read(path, trust=trust, marker_set=marker_set)
    return Recording(trial, FileFacts.of_trial(trial))
