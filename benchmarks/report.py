"""The report of the virtual subject beside a plain script that draws the same pages with pyplot and tight_layout.

Two programs run in turn, each in a process of its own, from the same tables:

    ours    `draw_report`, every page
    plain   pyplot: ``subplots``, ``plot`` for each curve, ``fill_between`` for bands, ``tight_layout``, one ``savefig`` per page;
            pages of text are written by ``figtext``, string by string, at the places where ours stand

Measured is the CPU time from before matplotlib is imported to the closed file, and the wall time of the same; medians over rounds.
Both take every curve from `SessionTables.curves`; that ours draws them as tabled is held by ``tests/unit/report``.
"""

from __future__ import annotations

import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROUNDS = 5
CPU_GATE = 0.6
WALL_GATE_S = 5.0
TEXT_PAGES = ("cover", "quality", "spatiotemporal", "scores", "values", "methods")


def ours(tables: Any, path: Path, _texts: Any) -> None:
    from biomech_id.report import draw_report

    draw_report(tables, path)


def plain(tables: Any, path: Path, texts: list[list[tuple[float, float, str, float]]]) -> None:
    import matplotlib

    matplotlib.use("pdf")
    from matplotlib import pyplot as plt
    from matplotlib.backends.backend_pdf import PdfPages

    plt.rcParams["pdf.fonttype"] = 42
    with PdfPages(path) as pdf:
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
    from biomech_id.report.layout.layer import ROWS
    from biomech_id.report.layout.style import Style, load_style

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
    tables = pickle.loads((folder / "tables.pickle").read_bytes())
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    cpu, wall = time.process_time(), time.perf_counter()
    {"ours": ours, "plain": plain}[program](tables, folder / f"{program}.pdf", texts)
    print(json.dumps({"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}))


def prepare(folder: Path) -> None:
    """Analyse the virtual subject, and note every string that stands on the pages of text."""
    import matplotlib as mpl
    from matplotlib.text import Text

    import biomech_id as bid
    from biomech_id.report.book import session_pages
    from biomech_id.report.layout.style import load_style
    from biomech_id.sample import write_subject

    write_subject(folder / "subject")
    tables = bid.analyse(folder / "subject").tables()
    style = load_style()
    texts = []
    with mpl.rc_context(style.rc):
        for page in session_pages(tables, style, None, TEXT_PAGES):
            found = [t for t in page.figure.texts if isinstance(t, Text)]
            texts.append([(*t.get_position(), t.get_text(), t.get_fontsize()) for t in found])
    (folder / "tables.pickle").write_bytes(pickle.dumps(tables))
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")


def main() -> int:
    """Print both times and their ratio; 1 if a gate is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        taken: dict[str, list[dict[str, float]]] = {"ours": [], "plain": []}
        for _ in range(ROUNDS):
            for program, runs in taken.items():
                code = f"from pathlib import Path; from benchmarks.report import child; child({program!r}, Path({name!r}))"
                told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
                runs.append(json.loads(told.stdout.splitlines()[-1]))
        medians = {p: {k: statistics.median(run[k] for run in runs) for k in runs[0]} for p, runs in taken.items()}
        sizes = {p: (folder / f"{p}.pdf").stat().st_size / 1e3 for p in taken}
    for program, median in medians.items():
        print(f"{program:6s} CPU {median['cpu_s']:.2f} s   wall {median['wall_s']:.2f} s   {sizes[program]:.0f} kB")
    ratio = medians["ours"]["cpu_s"] / medians["plain"]["cpu_s"]
    wall = medians["ours"]["wall_s"]
    print(f"CPU ratio {ratio:.2f} (gate {CPU_GATE})   wall {wall:.2f} s (gate {WALL_GATE_S} s)")
    return 0 if ratio <= CPU_GATE and wall <= WALL_GATE_S else 1


if __name__ == "__main__":
    sys.exit(main())
