"""``biomech-id commission``: a laboratory's own sessions against its own software, before it switches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, file_named, print_error, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, TerminalLanguage, shown_progress
from biomech_id.cli.report import equality_shown
from biomech_id.cli.run import Kinetics, Model, RecipeFile, recipe_of
from biomech_id.languages import WRITTEN


def commission(
    folder: Annotated[Path, typer.Argument(help="Folders with recordings, however deep; only read.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--out", callback=file_named(".pdf"), help="PDF to write.", show_default=False)],
    *,
    sizes: Annotated[
        Path | None,
        typer.Option(help="Recipe (TOML) to write with the laboratory's own error sizes, for `run --recipe`.", show_default=False),
    ] = None,
    recipe: RecipeFile = None,
    model: Model = None,
    kinetics: Kinetics = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    language: TerminalLanguage = WRITTEN,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Hold a laboratory's own sessions against what its software stored in them, and say who has to answer what.

    People whom two examiners measured (`code` and `[clinic] examiner` in subject.toml) give the laboratory's own error sizes.

    Example: biomech-id commission study -o commissioning.pdf
    """
    from biomech_id.errors import MissingInputError, OutputError
    from biomech_id.files.atomic import check_writable, whole_file
    from biomech_id.files.settings import toml_value
    from biomech_id.languages import worded
    from biomech_id.pipeline.commission import commissioned
    from biomech_id.report.commission import draw_commission
    from biomech_id.report.layout.style import load_style
    from biomech_id.statistics.session_error import LEAST_PEOPLE

    for path in filter(None, (output, sizes)):
        check_writable(path)
    if sizes is not None and sizes.exists():
        raise OutputError.at(sizes, f"{sizes} is there already.", "a file that is not there yet")
    with shown_progress(progress, language=language) as told:
        lab = commissioned(folder, recipe_of(recipe, model, kinetics), workers=workers, progress=told)
    for name, sentence in (*lab.failed.items(), *lab.unread.items()):
        print_error(f"{name}: {sentence}")
    for name in lab.silent:
        print_error(f"{name}: stores no model outputs to compare with.")
    for each in lab.questions:
        counted = f"{len(each.sessions)} of {len(lab.analysed)} sessions, {each.sessions[0]}"
        print_line(f"{each.answers}, {counted}: {worded(each.rule, each.example['values'], language)}")
    code = DONE
    if lab.compared is not None and lab.compared.parity is not None:
        compared: list[Any] = [row for row in lab.compared.parity.itertuples() if row.equal]
        different = [row for row in compared if row.equal != "true"]
        code = equality_shown(different, len(compared), lab.compared.summary["kinetics"])
    print_line(f"Wrote {draw_commission(lab, output, load_style(language=language))}.")
    if sizes is not None:
        if lab.errors is None:
            words = f"Below {folder} fewer than {LEAST_PEOPLE} people were measured by two examiners: no error sizes."
            raise MissingInputError.at(folder, words, "code and [clinic] examiner in each subject.toml")
        with whole_file(sizes) as part:
            part.write_text(f"[output]\nerror_sizes = {toml_value(list(lab.errors.error_sizes))}\n", encoding="utf-8")
        print_line(f"Wrote {sizes}.")
    return WARNINGS if lab.failed or lab.unread or lab.silent or lab.questions else code
