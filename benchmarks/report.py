"""The report of the virtual subject beside a plain script that draws the same pages with pyplot, and beside the first version's.

Four programs run in turn, each in a process of its own; all but the last from the same tables:

    ours    `draw_own_report`, as `run` draws, the pages that the plain script has
    whole   the same, every page, of the same subject with arms, trunk and head and with muscles: pages of muscle signals, of the
            whole body and of muscle lengths too (nobody ships a model with muscles: their curves are waves, drawn as any)
    plain   pyplot: ``subplots``, ``plot`` for each curve, ``fill_between`` for bands, ``tight_layout``, one ``savefig`` per page;
            pages of text are written by ``figtext``, string by string, at the places where ours stand
    first   `draw_report` of the first version, every page that it has, from its own tables; left out without a history

Measured is the CPU time from before matplotlib is imported to the closed file, and the wall time of the same; medians over rounds
of the ratios within each round.
Both take every curve from `Tables.curves`; that ours draws them as tabled is held by ``tests/unit/report``.
"""

from __future__ import annotations

import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.before import ROOT, NoHistoryError, checkout, environment

ROUNDS = 5
#: CPU of the pages that both have over the plain script's, and of the whole report over the first version's.
PLAIN_GATE, FIRST_GATE = 0.5, 2.0
WALL_GATE_S = 5.0
TEXT_PAGES = ("cover", "quality", "spatiotemporal", "scores", "values", "methods")
CURVE_PAGES = (
    "kinematics_cycles", "kinematics_mean", "kinetics_cycles", "kinetics_mean", "ground_reaction", "other_movements", "budget",
)  # fmt: skip
_FIRST = """
import pickle, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
folder = Path(sys.argv[2])
if not (folder / "first.pickle").exists():
    import biomech_id
    (folder / "first.pickle").write_bytes(pickle.dumps(biomech_id.analyse(folder / "subject").tables()))
    sys.exit()
tables = pickle.loads((folder / "first.pickle").read_bytes())
cpu, wall = time.process_time(), time.perf_counter()
from biomech_id.report import draw_report
(folder / "first").mkdir(exist_ok=True)
draw_report(tables, folder / "first" / "report.pdf")
print('{"cpu_s": %r, "wall_s": %r}' % (time.process_time() - cpu, time.perf_counter() - wall))
"""


def ours(tables: Any, folder: Path, _texts: Any) -> None:
    from biomech_id.pipeline.run import draw_own_report

    draw_own_report(folder, tables=tables, printed=[], pages=[*TEXT_PAGES, *CURVE_PAGES])


def whole(tables: Any, folder: Path, _texts: Any) -> None:
    from biomech_id.pipeline.run import draw_own_report

    draw_own_report(folder, tables=tables, printed=[])


def plain(tables: Any, folder: Path, texts: list[list[tuple[float, float, str, float]]]) -> None:
    import matplotlib

    matplotlib.use("pdf")
    from matplotlib import pyplot as plt
    from matplotlib.backends.backend_pdf import PdfPages

    plt.rcParams["pdf.fonttype"] = 42
    with PdfPages(folder / "report.pdf") as pdf:
        for strings in texts:
            figure = plt.figure(figsize=(11.69, 8.27))
            for x, y, text, size in strings:
                plt.figtext(x, y, text, fontsize=size, parse_math=False)
            pdf.savefig(figure)
            plt.close(figure)
        for grid, cycles, mean in curve_pages(tables):
            figure, axes = plt.subplots(len(grid), max(map(len, grid)), figsize=(11.69, 8.27))
            for row, names in zip(axes.reshape(len(grid), -1), grid, strict=True):
                for panel, name in zip(row, names, strict=False):
                    plain_panel(panel, tables, name, cycles, mean)
                for panel in row[len(names) :]:
                    panel.axis("off")
            plt.tight_layout()
            pdf.savefig(figure)
            plt.close(figure)
        figure, axes = plt.subplots(3, 4, figsize=(11.69, 8.27))
        for panel, (side, variable, component) in zip(axes.ravel(), budget_panels(), strict=True):
            plain_budget(panel, tables, side, variable, component)
        plt.tight_layout()
        pdf.savefig(figure)
        plt.close(figure)


def curve_pages(tables: Any) -> list[tuple[Any, Any, bool]]:
    """Grid, cycles and whether means are drawn, of every page with curves over the gait cycle."""
    from biomech_id.report.pages.ground_reaction import CURVES
    from biomech_id.report.pages.kinematics import ANGLE_GRID as KINEMATICS
    from biomech_id.report.pages.kinetics import KINETIC_GRID as KINETICS

    every = tables.cycle_list
    straight, others = every[every["kind"] == "straight"], every[every["kind"] != "straight"]
    pages = [(grid, straight, mean) for grid in (KINEMATICS, KINETICS) for mean in (False, True)] + [((CURVES,), straight, False)]
    for _, group in others.groupby(["kind", "condition"]):
        pages += [(KINEMATICS, group, False), (KINETICS, group, False)]
    return pages


def plain_panel(panel: Any, tables: Any, name: tuple[str, str], cycles: Any, mean: bool) -> None:
    from biomech_id.report.layout.style import Style, load_style
    from biomech_id.report.panels.layer import ROWS

    row, style = ROWS[name], load_style()
    scale = style.scale(row)
    for side, colour, dash in (("L", "tab:red", "-"), ("R", "tab:blue", "--")):
        curves = tables.curves(side, *name, cycles=cycles) * Style.factor(row)
        if mean and len(curves):
            middle = curves.mean(axis=0)
            panel.plot(range(101), middle, color=colour, linestyle=dash)
            spread = curves.std(axis=0, ddof=1) if len(curves) > 1 else 0 * middle
            panel.fill_between(range(101), middle - spread, middle + spread, color=colour, alpha=0.2)
        elif not mean:
            for curve in curves:
                panel.plot(range(101), curve, color=colour, linestyle=dash, linewidth=0.6)
        panel.axvline(60, color=colour, linewidth=0.6)
    panel.axhline(0, color="grey", linewidth=0.6)
    panel.set_xlim(0, 100)
    panel.set_ylim(scale.low, scale.high)
    panel.set_yticks(scale.ticks)
    panel.grid(True)
    panel.set_title(f"{row.title} {style.unit(row)}")
    panel.set_ylabel(f"{row.negative} / {row.positive}")
    panel.set_xlabel("% of gait cycle")


def budget_panels() -> list[tuple[str, str, str]]:
    return [
        (side, variable, component)
        for variable in ("AnkleMoment", "KneeMoment", "HipMoment")
        for component in "XY"
        for side in "LR"
    ]


def plain_budget(panel: Any, tables: Any, side: str, variable: str, component: str) -> None:
    table = tables.budget
    mine = table[(table["side"] == side) & (table["variable"] == variable) & (table["component"] == component)]
    below = 0.0
    for part, rows in mine.groupby("part", sort=False):
        mean = rows.groupby("percent")["value"].mean()
        panel.fill_between(range(101), below, below + mean.to_numpy(), label=part)
        below = below + mean.to_numpy()
    panel.plot(range(101), tables.curves(side, variable, component).mean(axis=0), color="black")
    panel.set_title(f"{variable} {component} {side}")
    panel.set_xlabel("% of gait cycle")
    panel.set_ylabel("N m/kg")
    panel.grid(True)


def child(program: str, folder: Path) -> None:
    """Draw once and print what it took."""
    tables = pickle.loads((folder / ("whole.pickle" if program == "whole" else "tables.pickle")).read_bytes())
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    (folder / program).mkdir(exist_ok=True)
    # A run has loaded this long before it draws.
    import_module("biomech_id.pipeline.run")
    cpu, wall = time.process_time(), time.perf_counter()
    {"ours": ours, "whole": whole, "plain": plain}[program](tables, folder / program, texts)
    print(json.dumps({"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}))


def with_muscles(tables: Any) -> Any:
    """The session with a length and a rate of every clinic's muscle over every cycle."""
    import numpy as np
    import pandas as pd

    from biomech_id.conventions import MUSCLE_VARIABLES

    rows = tables.cycles
    pattern = rows[(rows["variable"] == "KneeAngles") & (rows["component"] == "X")]
    added = []
    for number, name in enumerate(sorted(MUSCLE_VARIABLES)):
        phase = 2 * np.pi * pattern["percent"] / 100.0 + number + pattern["cycle"] / 10.0
        value = 1.0 + 0.1 * np.sin(phase) if name.endswith("Length") else 0.5 * np.cos(phase)
        added.append(pattern.assign(variable=name, component="", value=value))
    return replace(tables, cycles=pd.concat([rows, *added], ignore_index=True))


def prepare(folder: Path) -> None:
    """Analyse the virtual subject, and note every string that stands on the pages of text."""
    import matplotlib as mpl
    from matplotlib.text import Text

    import biomech_id as bid
    from biomech_id.report.book import page_names, session_pages
    from biomech_id.report.layout.style import load_style
    from biomech_id.sample import virtual_subject, write_subject

    write_subject(folder / "subject")
    tables = bid.analyse(folder / "subject").tables()
    style = load_style()
    texts = []
    with mpl.rc_context(style.rc):
        for page in session_pages(tables, style, None, TEXT_PAGES):
            found = [t for t in page.figure.texts if isinstance(t, Text)]
            texts.append([(*t.get_position(), t.get_text(), t.get_fontsize()) for t in found])
    (folder / "tables.pickle").write_bytes(pickle.dumps(tables))
    write_subject(folder / "upright", virtual_subject(upper_body=True))
    every = with_muscles(bid.analyse(folder / "upright").tables())
    drawn = {page.name for page in session_pages(every, style, None, page_names())}
    if missing := {"trunk_and_pelvis", "upper_limbs", "stability", "muscles", "emg_cycles"} - drawn:
        raise RuntimeError(f"the whole report is measured without {sorted(missing)}")
    (folder / "whole.pickle").write_bytes(pickle.dumps(every))
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")


def first_version(source: Path, folder: Path) -> str:
    """Draw once with the first version, which analyses the subject when it is asked for the first time; return what it printed."""
    words = [sys.executable, "-P", "-c", _FIRST, str(source), str(folder)]
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=source, env=environment(source)).stdout


def measured(folder: Path, first: Path | None) -> dict[str, list[dict[str, float]]]:
    """Program -> its times, round by round."""
    programs = ("ours", "whole", "plain")
    taken: dict[str, list[dict[str, float]]] = {program: [] for program in programs}
    for number in range(ROUNDS):
        for program in programs:
            code = f"from pathlib import Path; from benchmarks.report import child; child({program!r}, Path({str(folder)!r}))"
            told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment(ROOT))
            taken[program].append(json.loads(told.stdout.splitlines()[-1]))
        if first is not None:
            if not number:
                first_version(first, folder)
            taken.setdefault("first", []).append(json.loads(first_version(first, folder)))
    return taken


def main() -> int:
    """Print the times and their ratios; 1 if a gate is missed."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, first = Path(name), None
        prepare(folder)
        try:
            first = stack.enter_context(checkout())
        except NoHistoryError as error:
            print(f"first version not measured: {error}")
        taken = measured(folder, first)
        for program, runs in taken.items():
            median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            size = (folder / program / "report.pdf").stat().st_size / 1e3
            print(f"{program:6s} CPU {median['cpu_s']:.2f} s   wall {median['wall_s']:.2f} s   {size:.0f} kB")
    missed = [not within(taken, "ours", "plain", PLAIN_GATE)]
    missed += [not within(taken, "whole", "first", FIRST_GATE)] if "first" in taken else []
    wall = statistics.median(run["wall_s"] for run in taken["ours"])
    print(f"wall {wall:.2f} s (gate {WALL_GATE_S} s)")
    return int(any(missed) or wall > WALL_GATE_S)


def within(taken: dict[str, list[dict[str, float]]], program: str, other: str, gate: float) -> bool:
    """Whether the median over rounds of one program's CPU over another's is within a gate; printed."""
    ratios = [a["cpu_s"] / b["cpu_s"] for a, b in zip(taken[program], taken[other], strict=True)]
    median = statistics.median(ratios)
    print(f"CPU {program} over {other}: {median:.2f} ({min(ratios):.2f} to {max(ratios):.2f}; gate {gate})")
    return median <= gate


if __name__ == "__main__":
    sys.exit(main())
