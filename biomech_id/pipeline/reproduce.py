"""The same numbers again: a finished result computed anew in a temporary folder and compared byte for byte."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biomech_id.errors import BiomechError, FileRefusedError, MissingInputError
from biomech_id.pipeline.job import Job, sha256_of_input
from biomech_id.pipeline.recipe import recipe_from_dict
from biomech_id.pipeline.resume import differences
from biomech_id.pipeline.study_folders import recordings_of

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Reproduction:
    """One session computed anew.

    Attributes
    ----------
    subject : its folder relative to the study; "." for a single session.
    causes : what is not as it was: inputs, settings, versions; in words.
    differences : outputs that came out otherwise; in words. Empty when every byte is the same.
    """

    subject: str
    causes: tuple[str, ...]
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether every output came out the same."""
        return not self.differences


def reproduce(manifest: Path, input_dir: Path, *, progress: Progress | None = None) -> Iterator[Reproduction]:
    """Compute a session, or every session of a study, again.

    Parameters
    ----------
    manifest : ``manifest.json`` of a session, its folder, or the folder of a study.
    input_dir : the folder with the recordings (of a study: with the subjects' folders).

    Raises
    ------
    FileRefusedError : there is no finished session.
    """
    from biomech_id.results import session_folders

    root = manifest.parent if manifest.suffix == ".json" else manifest
    folders = session_folders(root) if root.is_dir() else ()
    if not folders:
        raise FileRefusedError(
            f"{manifest} is neither a manifest.json nor a folder with finished sessions.",
            value=str(manifest), expected="manifest.json of run, or a folder of run or batch", where=str(manifest),
        )  # fmt: skip
    for number, folder in enumerate(folders, start=1):
        subject = folder.relative_to(root).as_posix()
        if progress:
            progress(f"computing {subject} again", number, len(folders))
        recordings = input_dir if subject == "." else recordings_of(subject, input_dir)
        try:
            yield _again(folder, subject, recordings)
        except BiomechError as error:
            # One subject without recordings must not keep the others from being compared.
            yield Reproduction(subject, (error.message,), ("nothing could be computed again",))


def _again(folder: Path, subject: str, recordings: Path) -> Reproduction:
    from biomech_id.pipeline.single import run_job
    from biomech_id.results import folder_differences, read_json

    manifest = read_json(folder / "manifest.json")
    job = job_of(manifest, recordings)
    causes = differences(job, manifest)
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary) / "again"
        run_job(job, out)
        found = folder_differences(folder, out)
    return Reproduction(subject, tuple(causes), tuple(f"{d.name}: {d.what}" for d in found))


def job_of(manifest: Mapping[str, Any], folder: Path) -> Job:
    """Return the job a manifest describes, on the recordings in ``folder``.

    Raises
    ------
    MissingInputError : the folder, or a file that the command names, is not there.
    """
    if not folder.is_dir():
        raise MissingInputError(
            f"There is no folder {folder} with the recordings; name it with --input.",
            value=str(folder), expected="the folder with the recordings", where="--input",
        )  # fmt: skip
    words = shlex.split(manifest["command"])[2:]
    named: dict[str, list[str]] = {}
    paths: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--write-c3d":
            continue
        if word.startswith("--"):
            named.setdefault(word, []).append(words.pop(0))
        else:
            paths.append(word)

    def located(option: str) -> Path | None:
        return _located(named[option][0], manifest, folder) if option in named else None

    return Job(
        paths=(folder,) if paths == ["."] else tuple(_located(path, manifest, folder) for path in paths),
        recipe=recipe_from_dict(manifest["recipe"], where="manifest.json"),
        static=located("--static"),
        functional=located("--functional"),
        exclude=tuple(named.get("--exclude", ())),
        subject_file=located("--subject"),
        mass_kg=float(named["--mass"][0]) if "--mass" in named else None,
        norm=located("--norm"),
        code=named.get("--code", [None])[0],
    )


def _located(name: str, manifest: Mapping[str, Any], folder: Path) -> Path:
    """Find an input by its name or, where a code has replaced a patient's name, by its content."""
    if (folder / name).is_file():
        return folder / name
    wanted = manifest["inputs"].get(name)
    for path in sorted(folder.iterdir()):
        if wanted and path.is_file() and sha256_of_input(path) == wanted:
            return path
    raise MissingInputError(
        f"{folder} does not hold {name}, which the results were made with.", value=name, expected=name, where=str(folder)
    )
