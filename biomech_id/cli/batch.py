"""``biomech-id batch`` and ``reproduce``: a whole study, and the same numbers again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_aside, print_error, print_line
from biomech_id.cli.progress import shown_progress
from biomech_id.cli.run import Exclude, Kinetics, Mix, Model, NormFile, NormFor, RecipeFile, key_written, recipe_of

if TYPE_CHECKING:
    from biomech_id.pipeline.study.batch import StudyOutcome, SubjectVerdict
    from biomech_id.pipeline.study.setup_task import SetupVerdict

CORES = os.cpu_count() or 1
Workers = Annotated[int, typer.Option(min=1, help="Number of processes; default one per core.")]


def batch(
    study: Annotated[Path, typer.Argument(help="A folder with subjects' folders, however deep.", show_default=False)],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the results.", show_default=False)],
    *,
    workers: Workers = CORES,
    scheduler: Annotated[str | None, typer.Option(help="Address of a dask.distributed scheduler, tcp://host:port.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep results that would come out the same.")] = False,
    exclude: Exclude = None,
    model: Model = None,
    kinetics: Kinetics = None,
    recipe: RecipeFile = None,
    norm: NormFile = None,
    codes: Annotated[
        Path | None, typer.Option("--codes", help="CSV (folder,code): codes that stand in place of every subject's names.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="The laboratory's key; beside CODES.csv, CODES.key, if not named. Written if there is none."),
    ] = None,
    norm_for: NormFor = None,
    mix: Mix = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Run the main job for every folder that holds C3D files; one bad subject never stops the rest.

    Example: biomech-id batch study -o results --workers 2 --resume
    """
    from biomech_id.pipeline.study.batch import run_study
    from biomech_id.pipeline.study.cluster import cluster_executor
    from biomech_id.privacy.codes import read_codes
    from biomech_id.request.input_hashes import key_beside
    from biomech_id.request.job import Job

    key = key or (None if codes is None else key_beside(codes))
    settings = recipe_of(recipe, model, kinetics).replaced(norm_for=norm_for, mix=tuple(mix) if mix else None)
    job = Job((study,), settings, exclude=tuple(exclude or ()), norm=norm, key=key)
    known = None if codes is None else read_codes(codes)
    with key_written(key), shown_progress() as progress, cluster_executor(scheduler) as executor:
        outcome = run_study(study, out, job, codes=known, resume=resume, executor=executor, workers=workers, progress=progress)
    return _tell(outcome, out)


def _tell(outcome: StudyOutcome, out: Path) -> int:
    for verdict in outcome.verdicts:
        if verdict.sentence:
            print_error(f"{verdict.subject}: {verdict.sentence}")
    for each in outcome.left_out:
        print_aside(str(each))
    for note in outcome.told:
        print_aside(str(note))
    if outcome.complaint:
        print_error(outcome.complaint)
    counts = print_counts(out, "subjects", outcome.verdicts)
    if outcome.complaint or len(outcome.failed) == len(outcome.verdicts):
        return FAILED
    return WARNINGS if counts["failed"] or counts["warnings"] else DONE


def print_counts(out: Path, what: str, verdicts: Sequence[SubjectVerdict | SetupVerdict]) -> Counter[str]:
    """Print how many verdicts of each kind there are, and return them; kinds in the order of their seriousness."""
    counts = Counter(verdict.verdict for verdict in verdicts)
    counts["kept from before"] = sum(verdict.kept for verdict in verdicts)
    words = ("done", "warnings", "left out", "failed", "kept from before")
    counted = ", ".join(f"{counts[word]} {word}" for word in words if counts[word])
    print_line(f"{out}: {len(verdicts)} {what}: {counted}.")
    return counts


def reproduce(
    manifest: Annotated[Path, typer.Argument(help="manifest.json, or the folder of a run or batch.", show_default=False)],
    input_dir: Annotated[Path, typer.Option("--input", help="The folder with the recordings.")] = Path(),
    also: Annotated[
        list[Path] | None,
        typer.Option(help="A norm, style or other file that does not lie there, or the folder it lies in; may be repeated."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="The laboratory's key, to compare what was typed of results under a code.")
    ] = None,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Compute finished results again in a temporary folder and compare every output byte for byte.

    A report that was drawn again since is drawn again in the same way; of a study, the tables of all subjects are compared as well.

    Example: biomech-id reproduce results/anna/manifest.json --input patients/anna
    """
    from biomech_id.pipeline.reproduce import reproduce_results

    same = True
    with shown_progress() as progress:
        for session in reproduce_results(manifest, input_dir, also=also or (), key=key, progress=progress):
            print_line(f"{session.subject}: {'equal, byte for byte' if session.equal else 'differs'}")
            for line in (*session.causes, *session.differences):
                print_line(f"  {line}")
            for line in _not_compared(session.unverified):
                print_line(f"  {line}")
            same &= session.equal
    return DONE if same else FAILED


def _not_compared(uncompared: Mapping[str, str]) -> Iterator[str]:
    """What is to be said of inputs whose hashes were not compared: name -> what the results tell of it."""
    from biomech_id.request.input_hashes import needs_key

    keyed = [name for name, entry in uncompared.items() if needs_key(entry)]
    without = [name for name in uncompared if name not in keyed]
    for names, why in ((keyed, "name their key with --key"), (without, "the results were made without a key")):
        if names:
            yield f"unverified: {', '.join(names)} ({why})"
