"""Draw what differs between the two kinetics modes, joint by joint, from one subject's recordings.

    python docs/figures/vicon_textbook.py SUBJECT_DIR [PICTURE]

Moments and power in every clean stance of the straight walks: as the vendor's software stored them, and in our two modes; below
each, the modes less the stored curve. The vicon mode's difference is a line at zero; the textbook mode's is the vendor's model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.assignment import assign_plates
from biomech_id.models.conventional.model import conventional_model
from biomech_id.readers import read_c3d
from biomech_id.session.tables.frame_table import FrameTable, frame_table
from biomech_id.statistics.parity import stored_output
from biomech_id.trial import Trial

COLUMNS = ((".X", "sagittal moment (N m/kg)"), (".Y", "frontal moment (N m/kg)"), ("", "power (W/kg)"))
COLOURS = {"vicon": "#0072B2", "textbook": "#D55E00"}
PERCENT = np.linspace(0.0, 100.0, 101)


def stances(folder: Path) -> Iterator[tuple[str, Trial, dict[str, FrameTable], slice]]:
    """Yield (side, trial, mode -> table, frames) of every clean stance of the straight walks."""
    trials = [read_c3d(path) for path in sorted(folder.glob("*.[cC]3[dD]"))]
    static = next(trial for trial in trials if classify(trial) is TrialKind.STATIC)
    model = conventional_model(static)
    for trial in trials:
        if classify(trial) is not TrialKind.STRAIGHT:
            continue
        tables = {}
        for mode in COLOURS:
            motion = model.track(trial, kinetics=mode)
            assignment = assign_plates(trial, motion, kinetics=mode, body_mass_kg=model.subject.mass_kg)
            loads = solve_body(motion, assignment)
            tables[mode] = frame_table(motion, loads, assignment.contacts, mass_kg=model.subject.mass_kg)
        for stance in assignment.stances:
            if stance.verdict.accepted:
                yield stance.side, trial, tables, slice(trial.index_of(stance.start_s), trial.index_of(stance.end_s) + 1)


def stored_curve(trial: Trial, side: str, joint: str, axis: str) -> np.ndarray:
    """The vendor's curve in our units."""
    name = f"{side}{joint.capitalize()}" + ("Moment" if axis else "Power")
    values = stored_output(trial.model_outputs, name)
    if values is None:
        raise SystemExit(f"{trial.name} stores no {name}")
    return values[:, "XYZ".index(axis[1])] * 1e-3 if axis else values[:, 2]


def draw(folder: Path) -> Figure:
    """One column per quantity, two rows per joint: curves, and differences from the stored one."""
    figure = Figure(figsize=(11.0, 11.5))
    panels = figure.subplots(2 * len(JOINTS), len(COLUMNS), sharex=True, height_ratios=[3, 1.4] * len(JOINTS))
    for side, trial, tables, frames in stances(folder):
        for row, joint in enumerate(JOINTS):
            for column, (axis, _) in enumerate(COLUMNS):
                stored = stored_curve(trial, side, joint, axis)[frames]
                percent = np.linspace(0.0, 100.0, len(stored))
                curves, differences = panels[2 * row, column], panels[2 * row + 1, column]
                curves.plot(PERCENT, np.interp(PERCENT, percent, stored), color="0.6", linewidth=3.0)
                for mode, colour in COLOURS.items():
                    suffix = "Moment" if axis else "Power"
                    ours = tables[mode][f"{side}{joint.capitalize()}{suffix}{axis}"][frames]
                    style = "-" if mode == "textbook" else (0, (2, 2))
                    curves.plot(percent, ours, color=colour, linewidth=0.9, linestyle=style)
                    differences.plot(percent, ours - stored, color=colour, linewidth=0.9, linestyle=style)
    for row, joint in enumerate(JOINTS):
        for column, (_, title) in enumerate(COLUMNS):
            finish(panels[2 * row, column], f"{joint}: {title}")
            finish(panels[2 * row + 1, column], "less the stored curve")
    for panel in panels[-1]:
        panel.set_xlabel("stance (%)")
    handles = [figure.axes[0].lines[0], *figure.axes[0].lines[1:3]]
    figure.legend(handles, ["stored by the vendor", "vicon mode", "textbook mode"], loc="upper center", ncols=3, frameon=False)
    figure.subplots_adjust(left=0.06, right=0.985, top=0.945, bottom=0.05, hspace=0.42, wspace=0.2)
    return figure


def finish(panel: Axes, title: str) -> None:
    """Title, zero line, and nothing that is not needed."""
    panel.set_title(title, fontsize=9, loc="left")
    panel.axhline(0.0, color="0.8", linewidth=0.6, zorder=0)
    panel.margins(x=0.0)
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    picture = sys.argv[2] if len(sys.argv) > 2 else "vicon_textbook.png"
    draw(Path(sys.argv[1])).savefig(picture, dpi=110, metadata={"Software": None})
