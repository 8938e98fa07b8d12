"""Writing the demonstration subject: a static trial, three straight walks and a turn, as a laboratory's session folder holds them.

``python -m biomech_id.sample FOLDER`` writes them, with an index of what each file shows.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.subject import VirtualSubject, virtual_subject

#: Unlabelled trajectories that bring one file beyond 255 labels.
MANY = 250
#: File stem -> (options of the trial, options of the file, what it shows).
SESSION: Mapping[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "static": ({}, {}, "quiet standing on plate 1, feet flat"),
    "walk01": ({"muscles": True}, {}, "walk in +X, right foot on plate 1, left foot on plate 2, eight muscles"),
    "walk02": (
        {"direction": "-X", "first_frame": 287, "muscles": True}, {},
        "walk in -X, first frame 287, right foot on plate 2, left foot on plate 1, eight muscles",
    ),
    "walk03": (
        {"lead": "L", "first_frame": 41}, {"model_outputs": True, "unlabelled": MANY},
        "walk in +X, left foot first, stored joint angles and centres, more than 255 labels",
    ),
    "turn01": ({"direction": "turn", "first_frame": 12}, {}, "walk from +X round to +Y over both plates"),
}  # fmt: skip
INDEX = "index.csv"


def patient(pattern: str) -> VirtualSubject:
    """The virtual subject walking in a way of its own, with a plate under every footstep.

    Parameters
    ----------
    pattern : str
        A name of ``patterns.PATTERNS``: "healthy", "toe walker", "drop foot", "steppage", "crouch", "stiff knee", "shuffle",
        "hemiplegic", "crutches", "walker" among them.

    Returns
    -------
    VirtualSubject
        Of the adult body.

    Raises
    ------
    OptionError
        No such pattern.

    Examples
    --------
    >>> from biomech_id.sample.write import patient
    >>> patient("shuffle").speed
    0.4
    """
    person = virtual_subject(pattern=pattern, plates="steps")
    _ = person.gait_pattern  # refused here, not when a file is half written
    return person


def write_subject(
    folder: Path | str, subject: VirtualSubject | None = None, *, progress: Callable[[str], None] | None = None
) -> list[Path]:
    """Write the demonstration subject's session as C3D files.

    Parameters
    ----------
    folder : Path | str
        Created if need be.
    subject : VirtualSubject | None, optional
        Whose session; the adult if none is given.
    progress : Callable[[str], None] | None, optional
        Called with each file's name once it is written.

    Returns
    -------
    list[Path]
        The files, static trial first. The same subject gives the same bytes.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    person = subject or virtual_subject()
    written = []
    for stem, (trial_options, file_options, _) in SESSION.items():
        sample = person.static(stem, **trial_options) if stem == "static" else person.walk(stem, **trial_options)
        written.append(write_c3d(sample, folder / f"{stem}.c3d", **file_options))
        if progress:
            progress(written[-1].name)
    return written


def write_index(folder: Path | str, files: list[Path]) -> Path:
    """Write ``index.csv`` beside the files: name, SHA-256 and what each of them shows.

    Parameters
    ----------
    folder : Path | str
        Where the files are.
    files : list[Path]
        Those that are listed.

    Returns
    -------
    Path
        The path of ``index.csv``.
    """
    path = Path(folder) / INDEX
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["file", "sha256", "shows"])
        for file in files:
            table.writerow([file.name, hashlib.sha256(file.read_bytes()).hexdigest(), SESSION[file.stem][2]])
    return path
