"""A folder of OpenSim's setups: each is run into a folder of its own, those first whose results others read."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import pandas as pd

from biomech_id.errors import BiomechError, FileRefusedError, MissingInputError
from biomech_id.files.atomic import check_writable, refuse_lost_link
from biomech_id.files.unfinished import clear_unfinished
from biomech_id.osim.document.setup_files import files_for_others, tool_of, with_files
from biomech_id.osim.document.setups import TOOLS, read_setup
from biomech_id.pipeline.study.crew import Crew
from biomech_id.pipeline.study.setup_task import SetupTask, SetupVerdict, failed_verdict, run_task
from biomech_id.request.study_folders import check_apart, subject_names, target_of, visible_folders
from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.values.step import Progress, Step


def run_setups(
    folder: Path,
    out: Path,
    *,
    compat: bool = False,
    undriven: Collection[str] = (),
    resume: bool = False,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> tuple[SetupVerdict, ...]:
    """Run every setup below a folder, and write ``verdicts.csv`` and ``seconds.csv``, of which the second alone is never the same.

    A setup that names a file which another setup of the folder writes reads that result, and runs after it.

    Parameters
    ----------
    folder : Path
        Folder with setups, however deep; nothing in it is changed.
    out : Path
        Folder of the results; those of ``anna/ik.xml`` are in ``anna/ik``.
    compat : bool, optional
        Whether OpenSim's slips are made too.
    undriven : Collection[str], optional
        Coordinates that nothing drives, of every InverseDynamicsTool.
    resume : bool, optional
        Whether results are kept whose setup, inputs, options and versions have not changed, by content.
    executor : Executor | None, optional
        Hands out the work; None works in processes of its own.
    workers : int, optional
        Processes that are started; without effect where an executor is given.
    progress : Progress | None, optional
        Told of every setup that has ended.

    Returns
    -------
    tuple[SetupVerdict, ...]
        One for every setup, in order of their names; a setup that fails ends no other.

    Raises
    ------
    MissingInputError
        No setup is below the folder.
    OptionError
        ``out`` is the folder itself.
    OutputError
        ``out`` cannot be written to; said before anything is computed.
    FileRefusedError
        Setups of which each reads what the next one writes.
    """
    folder, out = Path(os.path.abspath(folder)), Path(os.path.abspath(out))
    refuse_lost_link(out)
    check_apart(folder, out)
    tools = dict(_tools_below(folder, out))
    if not tools:
        raise MissingInputError.at(folder, f"There is no setup of OpenSim's tools below {folder}.", "XML files of setups")
    check_writable(out)
    if resume:
        clear_unfinished(out)
    names = subject_names([path.with_suffix("") if path.suffix == ".xml" else path for path in tools], folder)
    tasks = [
        SetupTask(
            path.relative_to(folder).as_posix(), tool, folder, out, target_of(out, name), compat,
            tuple(undriven) if tool == "InverseDynamicsTool" else (), resume,
        )
        for (path, tool), name in zip(tools.items(), names, strict=True)
    ]  # fmt: skip
    verdicts = dict[str, SetupVerdict]()
    try:
        with Crew(executor, workers) as crew:
            for verdict in _verdicts(tasks, crew):
                verdicts[verdict.setup] = verdict
                if progress:
                    outcome = f"{verdict.verdict}, kept" if verdict.kept else verdict.verdict
                    progress(Step("analyse", f"{verdict.setup}: {outcome}", len(verdicts), len(tasks)))
    except KeyboardInterrupt:
        if executor is None:
            clear_unfinished(out)
        raise
    ordered = tuple(verdicts[task.setup] for task in tasks)
    rows = [(v.setup, v.tool, v.verdict, v.sentence) for v in ordered]
    write_csv(pd.DataFrame(rows, columns=["setup", "tool", "verdict", "sentence"]), out / "verdicts.csv")
    times = [(v.setup, f"{v.seconds:.2f}") for v in ordered]
    write_csv(pd.DataFrame(times, columns=["setup", "seconds"]), out / "seconds.csv")
    return ordered


def _tools_below(folder: Path, out: Path) -> Iterator[tuple[Path, str]]:
    """Setups with their tools, in order of their paths; "" for what cannot be read, were it a whole folder."""
    paths = list[Path]()
    for below, suffixes in visible_folders(folder, os.path.realpath(out), of_results=True):
        if suffixes is None:
            paths.append(below)
        elif ".xml" in suffixes:
            paths += (path for path in below.iterdir() if path.suffix.lower() == ".xml" and path.name[0] != "." and path.is_file())
    for path in sorted(paths, key=lambda path: path.relative_to(folder).as_posix()):
        try:
            tool = tool_of(path)
        except BiomechError:
            yield path, ""
        else:
            if tool:
                yield path, tool


def _verdicts(tasks: Sequence[SetupTask], crew: Crew) -> Iterator[SetupVerdict]:
    """Run each task after those that write what it reads, and yield its verdict as it ends."""
    by_name = {task.setup: task for task in tasks}
    makers = _makers(tasks)
    order = TopologicalSorter({name: {each.setup for tasks in files.values() for each in tasks} for name, files in makers.items()})
    try:
        order.prepare()
    except CycleError as error:
        names = " and ".join(sorted(set(error.args[1])))
        raise FileRefusedError(
            f"{names} each read what another of them writes.", value=names, expected="an order of setups", where=names
        ) from error
    failed = set[str]()
    while order.is_active():
        ready = order.get_ready()
        verdicts, runnable = list[SetupVerdict](), list[SetupTask]()
        for task in (by_name[name] for name in ready):
            files = makers[task.setup]
            if task.tool and task.tool not in TOOLS:
                verdicts.append(task.ended("left out", f"It is the setup of a {task.tool}, which is not supported."))
            elif reasons := list(_not_made(files, failed)):
                verdicts.append(failed_verdict(task, " ".join(reasons)))
            else:
                runnable.append(replace(task, made={file: maker.target / file.name for file, (maker,) in files.items()}))
        for verdict in chain(verdicts, crew.work_through(runnable, run_task, _lost_setup)):
            if verdict.verdict == "failed":
                failed.add(verdict.setup)
            yield verdict
        order.done(*ready)


def _makers(tasks: Sequence[SetupTask]) -> dict[str, dict[Path, list[SetupTask]]]:
    """Of each setup the files that it reads and other setups write, and which these are."""
    makers = defaultdict[Path, list[SetupTask]](list)
    reads = {task.setup: list[Path]() for task in tasks}
    for task in tasks:
        path, files = task.folder / task.setup, reads[task.setup]

        def noted(file: Path, files: list[Path] = files) -> Path:
            files.append(Path(os.path.abspath(file)))
            return file

        try:
            setup = with_files(read_setup(path), noted)
        except BiomechError:
            continue  # Running it says why.
        for file in files_for_others(setup, path):
            makers[file].append(task)
    others = dict[str, dict[Path, list[SetupTask]]]()
    for name, files in reads.items():
        of_others = {file: [task for task in makers[file] if task.setup != name] for file in files}
        others[name] = {file: tasks for file, tasks in of_others.items() if tasks}
    return others


def _not_made(files: Mapping[Path, Sequence[SetupTask]], failed: Collection[str]) -> Iterator[str]:
    """Why files that other setups write are not there to be read."""
    for file, makers in files.items():
        names = [maker.setup for maker in makers]
        if len(names) > 1:
            yield f"{file.name}, which it reads, is written by {' and by '.join(names)}."
        elif names[0] in failed:
            yield f"{file.name}, which it reads, is written by {names[0]}, which failed."


def _lost_setup(task: SetupTask, why: str) -> SetupVerdict:
    return failed_verdict(task, f"The work on {task.setup} was lost ({why}); run again with --resume.")
