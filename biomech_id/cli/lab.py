"""``biomech-id lab``: a laboratory's memory as control charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, file_named, print_aside, print_error, print_line
from biomech_id.cli.progress import TerminalLanguage
from biomech_id.languages import WRITTEN


def lab(
    folder: Annotated[Path, typer.Argument(help="Past results: a folder of what `run` or `batch` wrote.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--out", callback=file_named(".pdf"), help="Charts to write (PDF).", show_default=False)
    ] = None,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every number of the charts as one JSON object, instead of sentences.")
    ] = False,
    language: TerminalLanguage = WRITTEN,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Follow a laboratory over its sessions: plates, measurements, marker noise, events and placement, as control charts.

    A chart learns from its first ten sessions and names a change afterwards; `run --lab` holds a new session against the same.

    Example: biomech-id lab results -o laboratory.pdf
    """
    from biomech_id.errors import Severity
    from biomech_id.files.atomic import check_writable
    from biomech_id.judgement.laboratory.memory import lab_document, lab_findings, read_lab

    if output is not None:
        check_writable(output)
    charts = read_lab(folder)
    findings = list(lab_findings(charts))
    if as_json:
        print_line(json.dumps(lab_document(charts), ensure_ascii=False))
    for finding in () if as_json else findings:
        tell = print_line if finding.severity is Severity.INFO else print_error
        tell(finding.text(language))
    if output is not None:
        from biomech_id.report.lab_chart import draw_lab_chart
        from biomech_id.report.layout.style import load_style

        written = draw_lab_chart(charts, output, load_style(language=language))
        (print_aside if as_json else print_line)(f"Wrote {written}.")
    return WARNINGS if any(finding.severity is not Severity.INFO for finding in findings) else DONE
