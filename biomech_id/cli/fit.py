"""``biomech-id fit``: an OpenSim model fitted to a person's recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, print_line
from biomech_id.cli.run import Mass


def fit_command(
    model: Annotated[Path, typer.Argument(help="The generic model, .osim, with its markers.", show_default=False)],
    trials: Annotated[list[Path], typer.Argument(help="Recordings: .trc or .c3d, static and moving.", show_default=False)],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the results; replaced as a whole.", show_default=False)],
    *,
    markers: Annotated[
        Path | None, typer.Option("--markers", help="An OpenSim MarkerSet, where the model's markers have other names.")
    ] = None,
    mass: Mass = None,
    loads: Annotated[
        Path | None, typer.Option("--loads", help="OpenSim's ExternalLoads of one trial, or a trial whose plates are taken.")
    ] = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Fit sizes, marker places and motion to all trials at once: scaled.osim, motions with their SDs, fit.json.

    Example: biomech-id fit gait2392.osim static.trc walk1.trc walk2.trc -o results/anna_fit
    """
    from biomech_id.errors import Severity
    from biomech_id.osim.fit.force_outputs import force_lines
    from biomech_id.osim.fit.outputs import fit_files
    from biomech_id.osim.fit.person import LEAST_DATA_SHARE
    from biomech_id.pipeline.plate_loads import plate_forces

    fitted, forces, findings = fit_files(model, trials, out, marker_set=markers, mass_kg=mass, loads=loads, of_plates=plate_forces)
    for name, (length, sd) in fitted.lengths_m.items():
        print_line(f"{name}: {1e3 * length:.0f} mm, SD {1e3 * sd:.0f} mm")
    for motion in fitted.motions:
        print_line(f"{motion.name}: {len(motion.q)} frames, markers {1e3 * motion.rms_m:.1f} mm from the model (RMS)")
    shares = fitted.data_share
    print_line(
        f"{int((shares >= LEAST_DATA_SHARE).sum())} of {shares.size} factors are from the recordings; the others are people's mean "
        "for this size. A small distance of the markers is no proof of good joint centres."
    )
    for line in force_lines(forces) if forces is not None else ():
        print_line(line)
    for finding in findings:
        print_line(f"{finding.severity.value}: {finding.where}: {finding.message}" + (f" {finding.hint}" if finding.hint else ""))
    print_line(f"{out} written")
    return WARNINGS if any(finding.severity is not Severity.INFO for finding in findings) else DONE
