"""One of OpenSim's setups, run into a folder of its own that appears whole or not at all, with a manifest of what it is from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

from biomech_id.errors import BiomechError, on_command_line
from biomech_id.files.atomic import whole_folder
from biomech_id.files.inputs import reading_once, sha256_of
from biomech_id.files.json_text import json_text, jsonable, read_json
from biomech_id.files.output_names import refuse_outside
from biomech_id.files.surroundings import surroundings
from biomech_id.files.unfinished import clear_beside, old_of
from biomech_id.osim.document.setup_files import with_files
from biomech_id.osim.document.setups import read_setup
from biomech_id.osim.run import run_tool
from biomech_id.session.folder.read_write import MANIFEST, check_replaceable, damaged_outputs
from biomech_id.session.output.manifest import build_manifest
from biomech_id.values import dataclass, field

#: Begins the names of inputs that lie among the results; those of others are relative to the folder of the setups.
_AMONG_RESULTS = "results:"
#: What manifests of these results name.
_COMMAND = "biomech-id opensim-run"


@dataclass(frozen=True)
class SetupVerdict:
    """What became of a setup.

    Attributes
    ----------
    setup : str
        Its file, relative to the folder of the setups, with forward slashes.
    tool : str
        OpenSim's tool that it is for; "" if that cannot be read.
    verdict : str
        "done", "warnings", "failed", or "left out" for a tool that is not computed here.
    sentence : str, optional
        What is to be said of it, in one line.
    seconds : float, optional
        How long it took, s; 0 for a result that was kept.
    kept : bool, optional
        Whether an earlier result was still valid.
    """

    setup: str
    tool: str
    verdict: str
    sentence: str = ""
    seconds: float = 0.0
    kept: bool = False


@dataclass(frozen=True)
class SetupTask:
    """A setup that is to be run; every path is absolute.

    Attributes
    ----------
    setup, tool : str
        As of its verdict.
    folder, out : Path
        Folder of the setups, and of all results.
    target : Path
        Folder of this setup's results.
    compat : bool
        Whether OpenSim's slips are made too.
    undriven : tuple[str, ...]
        Coordinates that nothing drives.
    resume : bool
        Whether an earlier result that is still valid is kept.
    made : Mapping[Path, Path], optional
        Where a tool of OpenSim's would have written a file -> where another setup of the folder wrote it.
    """

    setup: str
    tool: str
    folder: Path
    out: Path
    target: Path
    compat: bool
    undriven: tuple[str, ...]
    resume: bool
    made: Mapping[Path, Path] = field(default_factory=dict)

    def ended(self, verdict: str, sentence: str = "", seconds: float = 0.0, *, kept: bool = False) -> SetupVerdict:
        """Return a verdict on this setup; its sentence names files as seen from the folder of the setups.

        Parameters
        ----------
        verdict, sentence : str
            As of `SetupVerdict`.
        seconds : float, optional
            How long it took, s.
        kept : bool, optional
            Whether an earlier result was still valid.
        """
        return SetupVerdict(self.setup, self.tool, verdict, sentence.replace(f"{self.folder}{os.sep}", ""), seconds, kept)

    def name_of(self, file: Path) -> str:
        """Return the name of a file in the manifest: relative to the folder of results or setups, absolute on another disk.

        The file's hash beside it does depend on where results lie from the setups: a result has a line of that.

        Parameters
        ----------
        file : Path
            One of the setups' files, or of the results.
        """
        if file.is_relative_to(self.out):
            return _AMONG_RESULTS + file.relative_to(self.out).as_posix()
        try:
            return Path(os.path.relpath(file, self.folder)).as_posix()
        except ValueError:  # another disk of Windows
            return file.as_posix()

    def file_of(self, name: str) -> Path:
        """Return the file that has a name in the manifest.

        Parameters
        ----------
        name : str
            As `name_of` gives it.
        """
        among = name.startswith(_AMONG_RESULTS)
        return (self.out if among else self.folder) / name.removeprefix(_AMONG_RESULTS)

    def manifest(self, inputs: Mapping[str, str]) -> dict[str, Any]:
        """Return the manifest of a result that is not written yet.

        Parameters
        ----------
        inputs : Mapping[str, str]
            SHA-256 of each file that was read, by its name.
        """
        made = {self.name_of(asked): self.name_of(file) for asked, file in self.made.items()}
        settings = {"opensim-run": {"compat": self.compat, "undriven": self.undriven, "made": made}}
        manifest = build_manifest(command=_COMMAND, recipe=settings, inputs={})
        # The names of inputs are relative, but a setup may lead out of its folder.
        return {**manifest, "inputs": dict(sorted(inputs.items()))}


def run_task(task: SetupTask) -> SetupVerdict:
    """Run a setup, or keep its earlier result; never raises for a fault of its files.

    Parameters
    ----------
    task : SetupTask
        What is to be run.

    Returns
    -------
    SetupVerdict
        What became of it; the results are on disk.
    """
    began = perf_counter()
    try:
        refuse_outside(task.out, task.target.parent)
        remarks = _kept(task) if task.resume else None
        kept = remarks is not None
        if remarks is None:
            with on_command_line():
                remarks = _written(task)
    except Exception as error:  # noqa: BLE001 - a fault in one setup must not stop the others; it is named in the table
        words = error.message if isinstance(error, BiomechError) else f"Unexpected {type(error).__name__}: {error}."
        return failed_verdict(task, surroundings(error) or words, perf_counter() - began)
    return task.ended("warnings" if remarks else "done", " ".join(remarks), 0.0 if kept else perf_counter() - began, kept=kept)


def failed_verdict(task: SetupTask, sentence: str, seconds: float = 0.0) -> SetupVerdict:
    """Remove what an earlier run of a setup left, so that nobody takes it for the result of this one, which failed.

    Nothing is removed of a folder that holds anything else.

    Parameters
    ----------
    task : SetupTask
        What was to be run.
    sentence : str
        Why it failed.
    seconds : float, optional
        How long it took, s.

    Returns
    -------
    SetupVerdict
        "failed", with the sentence.
    """
    old = old_of(task.target)
    with suppress(BiomechError, KeyError, OSError):
        refuse_outside(task.out, task.target)
        if read_json(task.target / MANIFEST)["command"] == _COMMAND:
            check_replaceable(task.target)
            os.replace(task.target, old)
            shutil.rmtree(old, ignore_errors=True)
    return task.ended("failed", sentence, seconds)


def _written(task: SetupTask) -> tuple[str, ...]:
    """Write the folder of a setup's results; what is to be said of it."""
    clear_beside(task.target)
    check_replaceable(task.target)
    path = task.folder / task.setup
    with reading_once() as seen:
        setup = with_files(read_setup(path), lambda file: task.made.get(Path(os.path.abspath(file)), file))
        with whole_folder(task.target) as part:
            outcome = run_tool(setup, path, part, compat=task.compat, undriven=task.undriven)
            manifest = task.manifest({task.name_of(file): sha256 for file, sha256 in seen.hashes.items()})
            outputs = {file.name: sha256_of(file) for file in sorted(outcome.written)}
            content = json_text({**manifest, "remarks": outcome.remarks, "outputs": outputs})
            (part / MANIFEST).write_text(content, encoding="utf-8", newline="\n")
    return outcome.remarks


def _kept(task: SetupTask) -> tuple[str, ...] | None:
    """What is to be said of the result that is there, if it is whole and would come out the same again; else None."""
    try:
        then = read_json(task.target / MANIFEST)
        now = jsonable(task.manifest({name: sha256_of(task.file_of(name)) for name in then["inputs"]}))
        same = {**then, "remarks": [], "outputs": {}} == {**now, "remarks": [], "outputs": {}}
        return tuple(then["remarks"]) if same and not damaged_outputs(task.target) else None
    except (BiomechError, KeyError, OSError):
        # Whatever is wrong with the old result, computing it again puts it right.
        return None
