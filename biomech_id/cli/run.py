"""``biomech-id run``: the main job on a subject's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, print_aside, print_error, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, TerminalLanguage, Timings, shown_progress
from biomech_id.conventions import KineticsName
from biomech_id.errors import BiomechError
from biomech_id.languages import WRITTEN
from biomech_id.models.registry import AUTO, is_model, model_file, model_names, no_model
from biomech_id.plugins import import_plugins, plugin_modules
from biomech_id.session.values.step import ANALYSES, load, stage

if TYPE_CHECKING:
    from biomech_id.pipeline.run import Outcome
    from biomech_id.request.recipe import Recipe


def known_model(name: str | None) -> str | None:
    """Refuse a body model that nobody registered, as a mistake of the command line."""
    if name is None:
        return None
    try:
        import_plugins(plugin_modules())
    except BiomechError as error:
        raise typer.BadParameter(error.message) from error
    if not is_model(name):
        raise typer.BadParameter(no_model(name))
    return name


Recordings = Annotated[list[Path], typer.Argument(help="A subject's folder, or C3D files.", show_default=False)]
ResultsOut = Annotated[
    Path, typer.Option("-o", "--out", help="Folder for tables and report; replaced as a whole.", show_default=False)
]
Static = Annotated[Path | None, typer.Option(help="The static trial; found by itself otherwise.")]
Functional = Annotated[
    list[Path] | None, typer.Option(help="A trial of hip and knee movements, for functional joint centres; may be repeated.")
]
Exclude = Annotated[list[str] | None, typer.Option(help="Leave out files whose name fits this pattern; may be repeated.")]
Model = Annotated[
    str | None,
    typer.Option(
        help=f"Body model; {AUTO} takes the conventional one where it can, else six-dof. Or an OpenSim model.",
        metavar=f"<{'|'.join((AUTO, *model_names(), 'FILE.osim'))}>",
        callback=known_model,
        show_default=False,
    ),
]
MarkerSetName = Annotated[
    str | None, typer.Option("--marker-set", help="Marker set by name or TOML file (`biomech-id markerset` writes one).")
]
Kinetics = Annotated[KineticsName | None, typer.Option(help="textbook (default), or vicon to compare with a vendor's archive.")]
RecipeFile = Annotated[Path | None, typer.Option("--recipe", help="Settings; see `biomech-id recipe`.")]
SubjectFile = Annotated[Path | None, typer.Option("--subject", help="The person's subject.toml, instead of the folder's own.")]
Mass = Annotated[float | None, typer.Option("--mass", help="Body mass in kg; beats every file.")]
NormFile = Annotated[Path | None, typer.Option(help="Normal band, made by `biomech-id norm`.")]
NormFor = Annotated[
    str | None,
    typer.Option("--norm-for", help="Whose norm: everybody's (default), of the person's age, or at the person's speed."),
]
Mix = Annotated[
    list[str] | None,
    typer.Option(help="In what results may differ all the same: model, kinetics, hip_centre or bandwidth; may be repeated."),
]
ReviewFile = Annotated[
    Path | None, typer.Option("--review", help="Decisions made by hand, review.toml, instead of the folder's own.")
]
WithMuscleForces = Annotated[
    bool,
    typer.Option(
        "--muscle-forces",
        help="Also muscle and joint contact forces of an OpenSim model with muscles: an estimate, not for treatment decisions.",
    ),
]
LabFolder = Annotated[
    Path | None,
    typer.Option(
        "--lab",
        metavar="DIR",
        help="Past results as the laboratory's memory: findings on plates, measurements and bones; no curve changes.",
        show_default=False,
    ),
]
WriteC3d = Annotated[bool, typer.Option("--write-c3d", help="Also write results into copies of the C3D files.")]
ReviewPage = Annotated[bool, typer.Option("--review-page", help="Also write review.html, which replays the session in a browser.")]
Code = Annotated[str | None, typer.Option(help="A code that replaces the subject's name everywhere.")]
NoReport = Annotated[
    bool,
    typer.Option("--no-report", help="Leave the report to `biomech-id report OUT`, which draws the same; every table is there."),
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        metavar="OUT",
        help="Take over trials kept beside this folder of results that are the same by recording, settings, calibration and "
        "decisions; keep this run's there.",
        show_default=False,
    ),
]
Until = Annotated[str, typer.Option("--until", help="End after this stage of the analysis (track, solve, ...) and write nothing.")]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="The laboratory's key, without which nobody can undo the hashes of what was typed; written if there is no such file.",
    ),
]


def run(
    paths: Recordings,
    out: ResultsOut,
    *,
    static: Static = None,
    functional: Functional = None,
    exclude: Exclude = None,
    model: Model = None,
    kinetics: Kinetics = None,
    marker_set: MarkerSetName = None,
    recipe: RecipeFile = None,
    subject: SubjectFile = None,
    mass: Mass = None,
    norm: NormFile = None,
    norm_for: NormFor = None,
    mix: Mix = None,
    muscle_forces: WithMuscleForces = False,
    lab: LabFolder = None,
    write_c3d: WriteC3d = False,
    review_page: ReviewPage = False,
    code: Code = None,
    key: KeyFile = None,
    review: ReviewFile = None,
    no_report: NoReport = False,
    reuse: Reuse = None,
    until: Until = "",
    language: TerminalLanguage = WRITTEN,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Analyse one subject: calibrate on the static trial, then every other trial; write tables and report.

    Example: biomech-id run patients/anna -o results/anna
    """
    with key_written(key), shown_progress(progress, timings=timings, language=language) as listener:
        with stage("start"):  # what takes long to import is told of before
            load(*ANALYSES, "biomech_id.norms.fit")
            from biomech_id.pipeline.run import run_job
            from biomech_id.pipeline.stages import stage_names
            from biomech_id.request.job import Job
        settings = recipe_of(
            recipe, model, kinetics, marker_set=marker_set, norm_for=norm_for, mix=tuple(mix) if mix else None,
            lab=lab and str(lab), write_c3d=write_c3d or None, review_page=review_page or None, muscle_forces=muscle_forces or None,
        )  # fmt: skip
        if muscle_forces and model_file(settings.model) is None:
            raise typer.BadParameter("it needs an OpenSim model with muscles: --model FILE.osim.", param_hint="--muscle-forces")
        if until and until not in stage_names():
            raise typer.BadParameter(f"there is no stage {until}; the stages are {', '.join(stage_names())}.", param_hint="--until")
        without = tuple(exclude or ())
        job = Job(tuple(paths), settings, static, tuple(functional or ()), without, subject, mass, norm, code, review, key=key)
        outcome = run_job(job, out, progress=listener, report=not no_report, until=until, reuse=reuse, language=language)
    return print_outcome(outcome)


@contextmanager
def key_written(key: Path | None) -> Iterator[None]:
    """Say of a key that was not there before the block where it lies now."""
    new = key is not None and not key.exists()
    yield
    if new:
        print_aside(f"Wrote the key {key}: keep it with the list of codes, and never with the results.")


def recipe_of(file: Path | None, model: str | None, kinetics: KineticsName | None, **options: object) -> Recipe:
    """Return the settings of a recipe file, or the default ones, with what options say otherwise; None says nothing."""
    from biomech_id.request.recipe import Recipe, read_recipe

    settings = read_recipe(file) if file else Recipe()
    return settings.replaced(model=model, kinetics=kinetics and kinetics.value, **options)


def print_outcome(outcome: Outcome) -> int:
    """Say what came of a run and return its exit code."""
    for sentence in outcome.complaints:
        print_error(sentence)
    if outcome.taken_over:
        print_aside(outcome.taken_over)
    print_line(outcome.headline)
    return WARNINGS if outcome.complaints else DONE
