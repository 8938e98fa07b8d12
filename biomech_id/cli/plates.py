"""``biomech-id plates``: where a laboratory's force plates stand, by the steps of its sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, file_named, print_aside, print_error, print_line


def plates(
    study_out: Annotated[
        Path, typer.Argument(help="What `biomech-id batch` wrote, or a folder of what `run` wrote.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--out", callback=file_named(".pdf"), help="Control chart to write (PDF).", show_default=False),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            help="Write the steps as a population of your own (JSON), for the recipe's plate_population.", show_default=False
        ),
    ] = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Follow a laboratory's force plates over its sessions, by the steps of typical walkers, and propose corrections.

    Name a study of people without a gait disorder: feet that press otherwise look like plates that stand elsewhere.

    Example: biomech-id plates results -o plates.pdf
    """
    from biomech_id.errors import Severity
    from biomech_id.files.settings import toml_value
    from biomech_id.judgement.plate_log import log_findings, own_population, plate_logs, read_log

    sessions = read_log(study_out)
    logs = plate_logs(sessions)
    findings = log_findings(logs)
    for finding in findings:
        tell = print_line if finding.severity is Severity.INFO else print_error
        tell(finding.message)
    proposals = [log.proposal for log in logs if log.proposal]
    if proposals:
        print_line(f"[plates]\nplate_places = {toml_value(proposals)}")
    left = [session.name for session in sessions if not session.typical]
    if left:
        print_aside(f"Left out, because feet press untypically: {', '.join(left)}.")
    if output is not None:
        from biomech_id.report.plate_chart import draw_plate_chart

        print_line(f"Wrote {draw_plate_chart(logs, output)}.")
    if population is not None:
        print_line(f"Wrote {own_population(sessions, population)}.")
    return WARNINGS if any(finding.severity is not Severity.INFO for finding in findings) else DONE
