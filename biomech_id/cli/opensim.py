"""``biomech-id opensim``, ``check-opensim``, ``opensim-run``: handing over to OpenSim, checking that, running OpenSim's setups."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.batch import CORES, Workers, print_counts
from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_error, print_line
from biomech_id.cli.progress import shown_progress
from biomech_id.cli.run import (
    Code,
    Exclude,
    Functional,
    Kinetics,
    Mass,
    Model,
    RecipeFile,
    Recordings,
    Static,
    SubjectFile,
    print_outcome,
    recipe_of,
)


class Knee(StrEnum):
    """Which way the knee's angle and moment count."""

    FLEXION = "flexion"
    EXTENSION = "extension"


OpenSimOut = Annotated[
    Path, typer.Option("-o", "--out", help="Folder for OpenSim's files; replaced as a whole.", show_default=False)
]
KneeOption = Annotated[
    Knee, typer.Option("--knee", help="Positive direction of knee_angle: Rajagopal flexion, gait2392 extension.")
]
Analog = Annotated[bool, typer.Option("--analog", help="Also write the force plates at their own rate.")]
Folder = Annotated[Path, typer.Argument(help="A folder of OpenSim's files.", show_default=False)]


def opensim(
    paths: Recordings,
    out: OpenSimOut,
    *,
    static: Static = None,
    functional: Functional = None,
    exclude: Exclude = None,
    model: Model = None,
    kinetics: Kinetics = None,
    recipe: RecipeFile = None,
    subject: SubjectFile = None,
    mass: Mass = None,
    code: Code = None,
    knee: KneeOption = Knee.FLEXION,
    analog: Analog = False,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Analyse one subject and write everything OpenSim needs to take over: model, markers, forces, motions, setup files.

    Example: biomech-id opensim patients/anna -o results/anna_opensim
    """
    from biomech_id.pipeline.opensim import hand_over
    from biomech_id.request.job import Job

    settings, without = recipe_of(recipe, model, kinetics), tuple(exclude or ())
    job = Job(tuple(paths), settings, static, tuple(functional or ()), without, subject_file=subject, mass_kg=mass, code=code)

    with shown_progress() as progress:
        outcome = hand_over(job, out, knee=knee.value, analog=analog, progress=progress)
    return print_outcome(outcome)


def check_opensim(folder: Folder, warnings_ok: WarningsOk = False, debug: Debug = False, version: Version = False) -> int:
    """List what OpenSim would complain about, or silently get wrong, in a folder of its files.

    Example: biomech-id check-opensim results/anna_opensim
    """
    from biomech_id.errors import Severity
    from biomech_id.exports.opensim.check import check_folder

    findings = check_folder(folder)
    for finding in findings:
        print_line(f"{finding.severity.value}: {finding.where}: {finding.message}" + (f" {finding.hint}" if finding.hint else ""))
    if not findings:
        print_line(f"{folder}: nothing to complain about")
    if any(finding.severity is Severity.ERROR for finding in findings):
        return FAILED
    return WARNINGS if findings else DONE


Setup = Annotated[
    str, typer.Argument(help="A setup file of OpenSim's scale, IK, ID or Analyze tool, or a folder of them.", show_default=False)
]
RunOut = Annotated[
    Path | None,
    typer.Option("-o", "--out", help="Folder for what it writes; otherwise where a single setup says, below its own folder."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Of a folder: keep results that would come out the same.")]
Undriven = Annotated[
    list[str] | None, typer.Option(help="A coordinate that nothing drives, of a model with constraints; may be repeated.")
]
Compat = Annotated[bool, typer.Option("--compat", help="Make OpenSim's slips in velocity terms too, for its very numbers.")]


def opensim_run(
    setup: Setup,
    out: RunOut = None,
    *,
    undriven: Undriven = None,
    compat: Compat = False,
    workers: Workers = CORES,
    resume: Resume = False,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Run a setup file of OpenSim's scale, inverse kinematics, inverse dynamics or analysis tool, or a folder of them.

    OpenSim is not needed. Of a folder every setup runs, however deep, after those whose results it reads; a bad one stops no other.

    Example: biomech-id opensim-run results/anna_opensim/walk02_id_setup.xml -o results/anna_native
    """
    if not setup:
        raise typer.BadParameter("its name is empty; name a setup file or a folder of them", param_hint="SETUP")
    if Path(setup).is_dir():
        return _run_folder(Path(setup), out, workers=workers, resume=resume, compat=compat, undriven=undriven or ())
    from biomech_id.osim.run import run_setup

    outcome = run_setup(setup, out, compat=compat, undriven=undriven or ())
    for remark in outcome.remarks:
        print_line(f"warning: {remark}")
    for path in outcome.written:
        print_line(f"{path} written")
    return WARNINGS if outcome.remarks else DONE


def _run_folder(folder: Path, out: Path | None, *, workers: int, resume: bool, compat: bool, undriven: Sequence[str]) -> int:
    from biomech_id.errors import OptionError, option
    from biomech_id.pipeline.study.setups import run_setups

    if out is None:
        raise OptionError(
            f"{folder} is a folder: name one for the results with {option('out')}.",
            value=str(folder), expected=option("out"), where=option("out"),
        )  # fmt: skip
    with shown_progress() as progress:
        verdicts = run_setups(folder, out, compat=compat, undriven=undriven, resume=resume, workers=workers, progress=progress)
    for verdict in verdicts:
        if verdict.sentence:
            print_error(f"{verdict.setup}: {verdict.sentence}")
    counts = print_counts(out, "setups", verdicts)
    if counts["failed"]:
        return FAILED
    return WARNINGS if counts["warnings"] or counts["left out"] else DONE
