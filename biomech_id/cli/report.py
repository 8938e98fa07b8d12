"""Commands that read finished results: ``report``, ``compare``, ``parity``, ``norm``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, file_named, print_aside, print_error, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, Timings, shown_progress
from biomech_id.cli.run import KeyFile, Mix, NormFile, NormFor, key_written
from biomech_id.session.values.step import DRAWS, READS, load, stage, steps

if TYPE_CHECKING:
    from biomech_id.report.pdf import Signed
    from biomech_id.statistics.parity import Compared

OutFolder = Annotated[Path, typer.Argument(help="A folder written by `biomech-id run`.", show_default=False)]
Patterns = Annotated[
    Path | None,
    typer.Option(help="The laboratory's own rules of gait patterns (CSV like the shipped gait_patterns.csv): they replace or add."),
]
StyleFile = Annotated[Path | None, typer.Option(help="The laboratory's style file: name, logo, language, colours, scales.")]


def report(
    out: OutFolder,
    *,
    norm: NormFile = None,
    pages: Annotated[list[str] | None, typer.Option(help="Draw only this page; may be repeated.")] = None,
    appendix: Annotated[bool, typer.Option("--appendix", help="Draw appendix.pdf: what the report leaves out.")] = False,
    style: StyleFile = None,
    norm_for: NormFor = None,
    mix: Mix = None,
    review: Annotated[
        Path | None, typer.Option("--review", help="A review.toml: its cycles and comments; the rest needs `run`.")
    ] = None,
    patterns: Patterns = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Write page 1 and every further page as PNG and SVG into this folder; the results stay as they are."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--out", callback=file_named(".pdf"), help="Write this PDF; the results stay as they are.")
    ] = None,
    signature: Annotated[
        Path | None,
        typer.Option(help="A desk's signatures.toml that signs OUT: who, when and check code stand on every page; needs -o."),
    ] = None,
    key: KeyFile = None,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Draw the report again from the tables; nothing is computed.

    Example: biomech-id report results/anna --norm norm.csv --style style.toml
    """
    if signature is not None and (output is None or appendix or figures is not None):
        raise typer.BadParameter("--signature needs -o FILE.pdf, and is of the report alone: no --appendix, no --figures")
    if signature and signature.is_file() and output and output.resolve().is_relative_to(signature.resolve().parent):
        raise typer.BadParameter(f"{output} lies among the signed versions; name a file elsewhere")
    if output is not None and figures is not None:
        raise typer.BadParameter("-o writes one PDF and --figures pictures: leave one of them out")
    with key_written(key), shown_progress(progress, timings=timings) as tell:
        with stage("start"):
            load(*DRAWS)
            from biomech_id.pipeline.redraw import redraw
        written = redraw(
            out, norm=norm, pages=pages, appendix=appendix, style=style, mix=mix or (), review=review, norm_for=norm_for,
            patterns=patterns, key=key, figures=figures, output=output, progress=tell,
            signed=None if signature is None else _signed(signature, out),
        )  # fmt: skip
    print_line(f"Wrote {written}.")
    return DONE


def _signed(chain: Path, out: Path) -> Signed:
    from biomech_id.desk.versions import signature_of
    from biomech_id.report.pdf import Signed

    entry, before = signature_of(chain, out)
    name, role, time, report_sha256 = (str(entry.values[line]) for line in ("name", "role", "time", "report_sha256"))
    replaces = None if before is None else (int(before.values["version"]), str(before.values["time"]))
    return Signed(name, role, time, entry.code, report_sha256, replaces)


def compare_command(
    outs: Annotated[
        list[Path], typer.Argument(help="Folders written by `biomech-id run`, two to six, or one.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--out", callback=file_named(".pdf"), help="PDF to write.", show_default=False)],
    *,
    norm: NormFile = None,
    pages: Annotated[list[str] | None, typer.Option(help="Draw only this page; may be repeated.")] = None,
    style: StyleFile = None,
    patterns: Patterns = None,
    condition: Annotated[
        list[str] | None, typer.Option(help="Condition of each folder, in their order, or the ones of one folder; may be repeated.")
    ] = None,
    mix: Mix = None,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Overlay two to six sessions, or the conditions of one: what changed beyond error, ten pages, and changes.csv beside them.

    Example: biomech-id compare results/before results/after -o change.pdf
    """
    with shown_progress(progress, timings=timings, logged=False) as shown:
        with stage("start"):
            load(*DRAWS)
            from biomech_id.report import compare_report

            # From its own module: the module's old place, once imported, hides the room's function of that name.
            from biomech_id.report.panels.session_differences import session_differences
            from biomech_id.session.folder.read_write import read_tables
        with stage("read"):
            sessions = [read_tables(out) for out in steps("read", outs)]
        with stage("draw"):
            compare_report(
                sessions, output, norm=norm, pages=pages or None, style=style, conditions=condition or None, mix=mix or (),
                patterns=patterns or "", progress=shown,
            )  # fmt: skip
    doubts = [
        doubt
        for letter, other in zip("BCDEF", sessions[1:], strict=False)
        for doubt in session_differences(sessions[0], other, letters=f"A{letter}")
    ]
    for sentence in doubts:
        print_error(sentence)
    print_line(f"Wrote {output}.")
    return WARNINGS if doubts else DONE


def parity(
    out: OutFolder,
    subject_dir: Annotated[Path, typer.Argument(help="The folder with the recordings.", show_default=False)],
    *,
    csv: Annotated[Path | None, typer.Option(help="Also write the table as CSV.")] = None,
    report: Annotated[bool, typer.Option("--report", help="Keep the table in OUT and add it to the end of its report.")] = False,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Compare results with the model outputs stored in the same C3D files; exit 3 where they differ beyond storage rounding.

    Example: biomech-id parity results/anna patients/anna --report
    """
    from biomech_id.pipeline.parity import keep_parity, kinetics_of, parity_of, write_parity
    from biomech_id.statistics.parity import said

    rows = parity_of(out, subject_dir)
    print_line(f"{'trial':16} {'side':4} {'variable':22} {'axis':4} {'RMSE':>10} {'largest':>10} {'r':>8} {'frames':>6}  unit")
    for row in rows:
        mark = {True: "", False: "  differs", None: "  not compared"}[row.equal]
        left_out = f"  ({said(row.left_out)})" if said(row.left_out) else ""
        print_line(
            f"{row.trial:16} {row.side:4} {row.variable:22} {row.axis:4} {row.rmse:10.3g} {row.largest:10.3g} "
            f"{row.correlation:8.5f} {row.n_frames:6d}  {row.unit}{mark}{left_out}"
        )
    if csv is not None:
        write_parity(rows, csv)
    if report:
        with shown_progress() as progress:
            written = keep_parity(rows, out, progress=progress)
        print_line(f"Wrote {written}.")
    different = [row for row in rows if row.equal is False]
    return equality_shown(different, sum(row.equal is not None for row in rows), kinetics_of(out))


def equality_shown(different: Sequence[Compared], compared: int, kinetics: str) -> int:
    """Print how many curves equal the stored ones and what accounts for the others; the exit code.

    Parameters
    ----------
    different : Sequence[Compared]
        Curves that are not equal.
    compared : int
        How many were compared.
    kinetics : str
        Mode of the analysis.
    """
    from biomech_id.statistics.parity import why_different

    print_line(f"{compared - len(different)} of {compared} compared curves are equal to within storage rounding.")
    if different:
        why = why_different(different, kinetics)
        print_error(f"{len(different)} curves differ from the stored ones by more than rounding. {why}")
    return WARNINGS if different else DONE


def export(
    out: OutFolder,
    output: Annotated[
        Path, typer.Option("-o", "--out", callback=file_named(".xlsx"), help="Workbook (.xlsx) to write.", show_default=False)
    ],
    *,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write a session as a workbook: one row of everything, wide curves, and parameters; needs `pip install openpyxl`.

    Example: biomech-id export results/anna -o anna.xlsx
    """
    from biomech_id.exports.excel.workbook import write_workbook
    from biomech_id.session.folder.read_write import read_tables

    print_line(f"Wrote {write_workbook(read_tables(out), output)}.")
    return DONE


def review(
    outs: Annotated[list[Path], typer.Argument(help="A folder written by `biomech-id run`, or two.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--out", callback=file_named(".html", ".htm", ".json"), help="Page (.html) to write.", show_default=False
        ),
    ],
    *,
    norm: NormFile = None,
    style: StyleFile = None,
    language: Annotated[str | None, typer.Option(help="en or de: what the page speaks first.", show_default=False)] = None,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write one page that replays a session in a browser, without a network, and hands decisions back as review.toml.

    Example: biomech-id review results/anna -o anna.html
    """
    with shown_progress(progress, timings=timings, logged=False):
        with stage("start"):
            load(*READS, "biomech_id.norms.fit")
            from biomech_id.pipeline.review_page import write_review
        with stage("write"):
            written = write_review(outs, output, norm=norm, style=style, language=language)
    print_line(f"Wrote {written}.")
    return DONE


def norm(
    outs: Annotated[
        list[Path], typer.Argument(help="Folders of run or batch, any number; with --import one table.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--out", callback=file_named(".csv"), help="CSV to write.", show_default=False)],
    *,
    others: Annotated[
        bool, typer.Option("--import", help="Take somebody else's means and SDs, from a CSV, XLSX or GCD file in place of folders.")
    ] = False,
    source: Annotated[str, typer.Option(help="Who these people are; written into the norm.")] = "",
    name: Annotated[str, typer.Option(help="What the norm is called, on page 1 of every report drawn with it.")] = "",
    norm_version: Annotated[str, typer.Option("--norm-version", help="Its version.")] = "",
    date: Annotated[str | None, typer.Option(help="Day it was made, YYYY-MM-DD; today where nobody says.")] = None,
    condition: Annotated[str | None, typer.Option(help="Take trials of this condition only.")] = None,
    youngest: Annotated[float, typer.Option(help="Leave out who was younger on the day, years.")] = 0.0,
    oldest: Annotated[float | None, typer.Option(help="Leave out who was older on the day, years.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Code of a subject to leave out: the patient; may be repeated.")] = None,
    movement: Annotated[str, typer.Option(help="walk: straight walks; run: runs.")] = "walk",
    mix: Mix = None,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Make a normal band from analysed subjects, with their model and kinetics mode; what is left out is named, and why.

    No person with a diagnosis is in a norm. Exit code 3: a whole subject, or a whole curve of the legs, is not in it.

    Example: biomech-id norm results/healthy -o norm.csv
    """
    if others and len(outs) != 1:
        raise typer.BadParameter("--import takes one table, and no folders beside it")
    of_people = {"--condition": condition, "--youngest": youngest, "--oldest": oldest, "--without": without, "--mix": mix}
    chosen = [option for option, value in of_people.items() if value]
    if others and chosen:
        raise typer.BadParameter(f"{chosen[0]} chooses among people, and a table of means has none: leave it out beside --import")
    ages = None if not youngest and oldest is None else (youngest, float("inf") if oldest is None else oldest)
    with shown_progress(progress, timings=timings, logged=False):
        with stage("start"):
            load(*READS, "biomech_id.norms.fit")
            from biomech_id.pipeline.norms import import_norm, make_norm
        with stage("write"):
            called = {"source": source, "name": name, "version": norm_version}
            made = (
                import_norm(outs[0], output, **called, date=date)
                if others
                else make_norm(
                    outs, output, **called, date=date, condition=condition, mix=mix or (), ages=ages, without=without or (),
                    movement=movement,
                )
            )  # fmt: skip
    for sentence in made.without_fingerprint:
        print_error(sentence)
    clinical = "" if made.clinical else f", not a clinical norm below {made.clinical_subjects}"
    for each in made.left_out:
        print_aside(str(each))
    for count, names in made.fewer.items():
        print_aside(f"n = {count}: {', '.join(names)}.")
    if made.not_taken:
        print_aside(f"{outs[0].name} also has what is not taken from it: {', '.join(made.not_taken)}.")
    print_line(f"Wrote {output}: {made.n} subject{'s' * (made.n != 1)}{clinical}.")
    return WARNINGS if made.lacks_subjects else DONE
