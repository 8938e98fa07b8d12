"""``biomech-id lab``: a laboratory's memory as control charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, print_error, print_line
from biomech_id.cli.progress import TerminalLanguage
from biomech_id.languages import WRITTEN


def lab(
    folder: Annotated[Path, typer.Argument(help="Past results: a folder of what `run` or `batch` wrote.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--out", help="Charts to write (PDF).")] = Path("laboratory.pdf"),
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every number of the charts as one JSON object; draw nothing.")
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
    from biomech_id.judgement.laboratory.memory import charted_lab, lab_document, lab_findings, read_sessions

    charts = charted_lab(read_sessions(folder))
    findings = list(lab_findings(charts))
    if as_json:
        print_line(json.dumps(lab_document(charts), ensure_ascii=False))
    else:
        from biomech_id.report.lab_chart import draw_lab_chart

        for finding in findings:
            tell = print_line if finding.severity is Severity.INFO else print_error
            tell(finding.text(language))
        print_line(f"Wrote {draw_lab_chart(charts, output)}.")
    return WARNINGS if any(finding.severity is not Severity.INFO for finding in findings) else DONE
