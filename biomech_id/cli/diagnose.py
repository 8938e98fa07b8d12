"""``biomech-id diagnose``: what contradicts itself in a subject's walks, and the causes that explain it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, print_error, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, Timings, shown_progress
from biomech_id.cli.run import Exclude, RecipeFile, Recordings, ReviewFile, Static, SubjectFile, recipe_of
from biomech_id.cli.streams import shown
from biomech_id.conventions import Side
from biomech_id.session.values.step import ANALYSES, load, stage


def diagnose_command(
    paths: Recordings,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for diagnosis.csv and diagnosis.json.", show_default=False)],
    *,
    unimpaired: Annotated[
        bool, typer.Option("--unimpaired", help="The person is built and walks as most do: smaller faults are told.")
    ] = False,
    prosthesis: Annotated[
        list[Side] | None,
        typer.Option("--prosthesis", help="L or R: that shank or foot is artificial, whatever subject.toml says of amputation."),
    ] = None,
    static: Static = None,
    exclude: Exclude = None,
    recipe: RecipeFile = None,
    subject: SubjectFile = None,
    review: ReviewFile = None,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Name the likeliest causes of what contradicts itself in each walk: markers, measurements, plates, clocks, labels.

    Looks at the conventional model. `diagnose = true` in a recipe puts the causes among the findings of ``run``.

    Example: biomech-id diagnose patients/anna -o results/anna-diagnosis
    """
    with shown_progress(progress, timings=timings) as tell:
        with stage("start"):
            load(*ANALYSES)
            from biomech_id.models.registry import DEFAULT_MODEL
            from biomech_id.pipeline.diagnosis import LISTING, diagnose_job, write_diagnosis
            from biomech_id.request.job import Job
            from biomech_id.session.folder.read_write import check_replaceable

        check_replaceable(out, listing=LISTING)
        settings = recipe_of(recipe, DEFAULT_MODEL, None)
        job = Job(tuple(paths), settings, static, (), tuple(exclude or ()), subject, review=review)
        diagnosed = diagnose_job(job, unimpaired=unimpaired, prostheses=prosthesis or (), progress=tell)
        written = write_diagnosis(diagnosed, out)
    for walk in diagnosed.walks:
        if not walk.likely:
            print_line(shown(f"{walk.name}: nothing that contradicts itself has a cause large enough to be named."))
        for likely in walk.likely:
            size = f" {likely.size:.3g} +- {likely.sd:.2g} {likely.unit}" if likely.unit else ""
            kind = "" if likely.warns else " (information)"
            print_line(shown(f"{walk.name}: {likely.cause}{size}{kind}. Look at: {likely.look}."))
        for key, sds in walk.unexplained.items():
            print_line(shown(f"{walk.name}: no known cause explains {' '.join(filter(None, key))} ({sds:+.1f} SD)."))
    for _, why in diagnosed.refused:
        print_error(shown(why))
    print_line(shown(f"Wrote {written}."))
    return WARNINGS if diagnosed.refused or not diagnosed.walks else DONE
