"""Do activations of least effort rise where the muscles' signals do? Walks with electrodes, a static trial and plates.

``python -m benchmarks.studies.muscle_signals`` computes muscle forces of the walks beside the project (BIOMECH_ID_SHARED) with
gait2392 scaled to each person, and of every muscle with a channel the correlation of its activation over the cycle with the
envelope of its signal, as it is and 40 ms later, for a signal comes before its force; both as means of the cycles of which both are
known as a whole. A muscle that stays at its least control has no correlation. The table lies beside this module. Walks whose
markers no model can be scaled to are named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stages import analysed
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables

TABLE = Path(__file__).with_suffix(".md")
MODEL = "opensim_refs/gait2392/gait2392_thelen2003muscle.osim"
#: Who walks -> folder, and the files of it that are taken; all if empty.
WALKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "adult": ("c3d/leardini", ("static01.c3d", "trial02_out.c3d", "trial03_out.c3d")),
    **{f"child {name}": (f"c3d/children/{name}", ()) for name in ("HC002D", "HC030A", "HC031A", "HC032A", "HC033A", "HC036A")},
    "five walks": ("c3d/five_walks_emg", ()),
}
#: What a channel is called -> the model's muscle, without its side.
MUSCLES = {
    "gluteus_maximus": "glut_max2", "vastus_lateralis": "vas_lat", "vastus_medialis": "vas_med", "vastus_intermedius": "vas_int",
    "gastrocnemius": "med_gas", "gastrocnemius_medialis": "med_gas", "gastrocnemius_lateralis": "lat_gas", "soleus": "soleus",
    "rectus_femoris": "rect_fem", "hamstrings": "bifemlh", "semitendinosus": "semiten", "tibialis_anterior": "tib_ant",
    "tibialis_posterior": "tib_post",
}  # fmt: skip
#: Rows of a cycle of which everything is known; how much later a force comes than its signal, s; activations that never exceed this
#: stay at the least control, 0.01.
WHOLE, DELAY_S, AT_LEAST = 101, 0.04, 0.03
#: The large extensors, whose signals may be held against activations; of the others that is reported, and claims nothing.
EXTENSORS = ("gluteus_maximus", "vastus", "gastrocnemius", "soleus")


@dataclass(frozen=True)
class Agreement:
    """One muscle of one leg: cycles, correlation of activation and envelope as it is and later, largest mean activation."""

    who: str
    muscle: str
    side: str
    cycles: int
    r: float
    later: float
    activation: float


def agreements(who: str, forces: pd.DataFrame, signals: pd.DataFrame, cycles: pd.DataFrame) -> Iterator[Agreement]:
    """Of every muscle with a live channel, in cycles of which both are known as a whole."""
    for (muscle, side), of_channel in signals[signals["verdict"] == "live"].groupby(["muscle", "side"]):
        own = forces[forces["muscle"] == f"{MUSCLES.get(muscle, '')}_{side.lower()}"]
        both = own.merge(of_channel, on=["trial", "side", "cycle", "percent"]).dropna(subset=["activation", "value"])
        both = both.groupby(["trial", "cycle"]).filter(lambda rows: len(rows) == WHOLE)
        if not len(both):
            continue
        mean = both.groupby("percent")[["activation", "value"]].mean()
        used = both[["trial", "side", "cycle"]].drop_duplicates().merge(cycles, on=["trial", "side", "cycle"])
        delay = 100 * DELAY_S / float((used["end_s"] - used["start_s"]).mean())
        percent, activation, value = np.arange(WHOLE), mean["activation"].to_numpy(), mean["value"].to_numpy()
        moved = [value, np.interp(percent - delay, percent, value, period=100)]
        r = [float(np.corrcoef(activation, each)[0, 1]) if activation.max() > AT_LEAST else np.nan for each in moved]
        yield Agreement(who, str(muscle), str(side), len(used), *r, float(activation.max()))


def walked(shared: Path, who: str) -> Session:
    """The session with muscle forces."""
    folder, files = WALKS[who]
    paths = tuple(shared / folder / name for name in files) or (shared / folder,)
    recipe = Recipe(model=str(shared / MODEL), muscle_forces=True, budget=False, uncertainty=False)
    session = analysed(Job(paths, recipe), Analysis()).session
    assert session is not None
    return session


def channels(tables: Tables) -> set[str]:
    """Muscles of live channels that have a name."""
    assert tables.channels is not None
    live = tables.channels[(tables.channels["verdict"] == "live") & (tables.channels["muscle"] != "")]
    return {f"{side} {muscle.replace('_', ' ')}" for muscle, side in zip(live["muscle"], live["side"], strict=True)}


def line(row: Agreement) -> str:
    """One row of the table."""
    judged = "yes" if row.muscle.startswith(EXTENSORS) else ""
    muscle = row.muscle.replace("_", " ")
    r, later = (f"{value:+.2f}" if np.isfinite(value) else "none" for value in (row.r, row.later))
    return f"| {row.who} | {muscle} | {row.side} | {row.cycles} | {r} | {later} | {row.activation:.2f} | {judged} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table."""
    shared = Path(os.environ["BIOMECH_ID_SHARED"])
    rows, refused = list[Agreement](), list[str]()
    for who in WALKS:
        try:
            tables = walked(shared, who).tables()
        except BiomechError as error:
            refused.append(f"- {who}: {error}")
            continue
        if tables.muscle_forces is None or tables.emg is None:
            why = "no model can be scaled: no static trial, no markers on named points of the legs"
            refused.append(f"- {who}: {why}; live channels {', '.join(sorted(channels(tables)))}.")
            continue
        rows += agreements(who, tables.muscle_forces, tables.emg, tables.cycle_list)
        print(*map(line, rows), sep="\n", flush=True)
    medians = []
    for name, group in (("large extensors", True), ("others", False)):
        own = [row for row in rows if row.muscle.startswith(EXTENSORS) == group and np.isfinite(row.r)]
        now, later = (np.median([getattr(row, value) for row in own]) for value in ("r", "later"))
        medians.append(f"{name} {now:+.2f}, 40 ms later {later:+.2f} ({len(own)} muscles)")
    lines = [
        "# Activations of least effort and muscle signals", "",
        f"biomech_id {__version__}; gait2392 scaled to the static trial, squares of the activations, reserves of 1 N m. r: "
        "correlation over the cycle of the mean activation with the mean envelope, in cycles of which both are known; activation: "
        "the largest of the mean. The large extensors are those of which the page prints r.", "",
        "| walks of | muscle | side | cycles | r | r, signal 40 ms later | activation | large extensor |", "|---" * 8 + "|",
        *map(line, rows), "",
        f"Median r: {'; '.join(medians)}.", "",
        "Not computed:", "", *refused, "",
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
