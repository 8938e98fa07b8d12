"""The generated parts of the source documents' pages: ``python -m docs.documents.write``.

A page is written by hand down to its generated parts, which stand between two comments: the recipes, whole, from
``pipelines/mechanics``; its symbols, from ``symbols.csv``; numbers that the document prints, computed again; and every numbered
equation, figure, table and listing with the call that gives it and the test that holds it, from ``items.csv``, equations in LaTeX
from ``equations.toml``.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: Number of a document -> its page.
PAGES = {
    "1": "n-link-limb.md",
    "2": "closed-loops.md",
    "3": "matrix-formalism.md",
    "4": "symbolic-multibody.md",
    "5": "planar-arm.md",
}
#: All pages with generated parts.
WRITTEN = (*PAGES.values(), "index.md", "../mechanics.md")
PART = re.compile(r"(<!-- generated: (?P<what>[\w/. -]+?) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def items(document: str) -> list[dict[str, str]]:
    """Rows of a document, in its own order."""
    with (HERE / "items.csv").open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["document"] == document]


def second_methods() -> dict[tuple[str, str], str]:
    """How an item, (document, number), is derived a second time without the library."""
    with (ROOT / "tests" / "physics" / "recomputed" / "items.csv").open(encoding="utf-8", newline="") as stream:
        return {(row["document"], row["item"]): f"{row['second_method']} ({row['tool']})" for row in csv.DictReader(stream)}


def recomputed() -> str:
    """How many items of each document are derived a second time."""
    documents = [document for document, _ in second_methods()]
    counts = [f"{documents.count(document)} of {len(items(document))}" for document in PAGES]
    everything = sum(len(items(document)) for document in PAGES)
    return (
        f"{len(documents)} of the {everything} items are derived a second time in `tests/physics/recomputed`, from the documents' "
        f"text alone and without the library: {', '.join(counts[:-1])} and {counts[-1]}, in the order of the documents.\n"
    )


def heading(row: dict[str, str]) -> str:
    """What stands over an item: the number as the document prints it, or its kind and a label of ours."""
    item = row["item"]
    return f"({item})" if re.fullmatch(r"\d+a?|-", item) else item


def anchor(row: dict[str, str]) -> str:
    """The anchor of an item's heading, as GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading(row).lower()).strip().replace(" ", "-")


def latex(document: str) -> dict[str, str]:
    """Numbered equations of a document, in its own order, without blank lines at their ends."""
    tables = tomllib.loads((HERE / "equations.toml").read_text(encoding="utf-8"))
    return {number: equation.strip() for number, equation in tables[document].items()}


def symbols(document: str) -> str:
    """What the letters in a document's equations mean, in which unit, and what they are called here."""
    with (HERE / "symbols.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["document"] == document]
    lines = [f"| ${row['symbol']}$ | {row['meaning']} | {row['unit']} | {row['here']} |" for row in rows]
    return "\n".join(["| there | meaning | unit | here |", "|---|---|---|---|", *lines]) + "\n"


def list_of_items(document: str) -> str:
    """Every item of a document: what it says, the equation if it is one, the call that gives it, the test that holds it."""
    equations, methods = latex(document), second_methods()
    return "\n".join(
        _item(row, equations.get(row["item"], ""), methods.get((document, row["item"]), "")) for row in items(document)
    )


def _item(row: dict[str, str], equation: str, method: str) -> str:
    title, note = row["what"], f" {row['note']}" if row["note"] else ""
    typeset = f"\n```math\n{equation}\n```\n" if equation else ""
    functions = ", ".join(f"`{name}`" for name in row["function"].split(";") if name)
    call = f"`{row['call']}`; in {functions}" if functions else "None"
    again = f"- Derived a second time: {method}\n" if method else ""
    text = f"### {heading(row)}\n\n{title[0].upper()}{title[1:]}.{note}\n{typeset}\n- Ours: {call}\n- Held by `{row['test']}`\n"
    return text + again


def recipe(name: str) -> str:
    """A recipe, whole."""
    return f"```python\n{(ROOT / 'pipelines' / 'mechanics' / name).read_text(encoding='utf-8')}```\n"


def contents() -> str:
    """Every item of every document as a link."""
    parts = []
    for document, page in PAGES.items():
        parts.append(f"**{title_of(page)}**:\n")
        rows = items(document)
        for kind in dict.fromkeys(row["kind"] for row in rows):
            links = " ".join(f"[{heading(row)}]({page}#{anchor(row)})" for row in rows if row["kind"] == kind)
            parts.append(f"- {kind}: {links}\n")
        parts.append("\n")
    return "".join(parts)


def title_of(page: str) -> str:
    """The first heading of a page, as a link to it."""
    return f"[{(HERE / page).read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}]({page})"


def in_sines(values: np.ndarray) -> str:
    """A series over one turn as the sum of sines and cosines it is: ``-1.62 sin 4t - 0.24 sin 6t``."""
    c = np.fft.rfft(values) / len(values)
    terms = [(c[0].real, "")] + [
        term for k in range(1, 12) for term in ((-2 * c[k].imag, f" sin {k}t"), (2 * c[k].real, f" cos {k}t"))
    ]
    text = "".join(f" {'-' if a < 0 else '+'} {abs(a):.6g}{name}" for a, name in terms if abs(a) > 1e-9).replace(" 1t", " t")
    return re.sub(r"^ ([+-]) ", lambda m: "-" if m[1] == "-" else "", text) or "0"


def printed_wrenches() -> str:
    """Wrenches that the first document prints, minus signs restored, beside ours: both as sums of sines."""
    from biomech_id.dynamics.body import Segment
    from biomech_id.dynamics.observer import observe
    from biomech_id.multibody.examples.limb import Angles, Limb, Link

    sizes = {"A": (0.8, 0.7), "B": (0.6, 0.5), "C": (0.4, 0.3)}
    limb = Limb([Link(Segment(k, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0, l, 0)) for k, (l, m) in sizes.items()])
    t = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    motions = limb.motions(Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], t))
    loads = limb.solve(motions, gravity_lab_m_s2=(0, 0, 0))
    axes = {name: motion.frames.R_lab_seg for name, motion in zip(sizes, motions, strict=True)}
    seen = observe(limb.chain(motions), limb.observer(motions, 1, at="distal"), gravity_lab_m_s2=(0, 0, 0))
    ours = {
        "O7": ("joint of C, laboratory axes (its dynamic wrench)", loads.wrench("C")),
        "O8": ("joint of C, axes of C", loads.wrench("C").expressed_in("C", axes["C"])),
        "O9 D'Alembert": ("C seen from B", seen["C"].dalembert),
        "O9 centrifugal": ("C seen from B", seen["C"].centrifugal),
        "O9 Coriolis": ("C seen from B", seen["C"].coriolis),
        "O10": ("joint of C, axes of B", loads.wrench("C").expressed_in("B", axes["B"])),
        "O12": ("joint of B, axes of B", loads.wrench("B").expressed_in("B", axes["B"])),
        "O13": ("B seen from B", seen["B"].dalembert),
        "O14": ("joint of A, axes of A", loads.wrench("A").expressed_in("A", axes["A"])),
    }
    lines = ["| item | what | | printed | ours |", "|---|---|---|---|---|"]
    for item, (what, wrench) in ours.items():
        found = (wrench.force_N[:, 0], wrench.force_N[:, 1], wrench.moment_Nm[:, 2])
        for name, printed, values in zip(("F1 (N)", "F2 (N)", "M3 (N m)"), PRINTED[item], found, strict=True):
            if printed != "0" or in_sines(values) != "0":
                lines.append(f"| {item} | {what} | {name} | {printed} | {in_sines(values)} |")
    return "\n".join(lines) + "\n"


#: Items of the first document: force along its axes 1 and 2, moment about 3, as printed; the lost minus signs are put back.
PRINTED = {
    "O7": ("6/25 sin t + 81/50 sin 3t + 147/50 sin 7t", "-6/25 cos t - 81/50 cos 3t - 147/50 cos 7t",
           "81/250 sin 4t + 6/125 sin 6t"),
    "O8": ("-81/50 sin 4t - 6/25 sin 6t", "-147/50 - 81/50 cos 4t - 6/25 cos 6t", "81/250 sin 4t + 6/125 sin 6t"),
    "O9 D'Alembert": ("6/25 sin 2t", "81/50 + 6/25 cos 2t", "-81/250 sin 4t - 6/125 sin 6t"),
    "O9 centrifugal": ("-27/50 sin 4t", "27/50 cos 4t", "0"),
    "O9 Coriolis": ("-36/25 sin 4t", "36/25 cos 4t", "0"),
    "O10": ("-6/25 sin 2t + 147/50 sin 4t", "-81/50 - 6/25 cos 2t - 147/50 cos 4t", "81/250 sin 4t + 6/125 sin 6t"),
    "O12": ("-16/25 sin 2t + 147/50 sin 4t", "-297/100 - 16/25 cos 2t - 147/50 cos 4t",
            "33/125 sin 2t - 36/25 sin 4t + 6/125 sin 6t"),
    "O13": ("2/5 sin 2t", "27/10 + 2/5 cos 2t", "-3/25 sin 2t"),
    "O14": ("297/100 sin 2t + 147/50 sin 6t", "-23/25 - 297/100 cos 2t - 147/50 cos 6t",
            "-264/125 sin 2t - 36/25 sin 4t - 288/125 sin 6t"),
}  # fmt: skip


def costs() -> str:
    """Table 1 of the second document beside the cost of the same topology with our geometry."""
    from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
    from biomech_id.multibody.traced import equations

    published = {"g1": {"TE": 2343, "DE": 2061, "IC": 1804}, "M1": {"TE": 3754, "DE": 3899, "IC": 4001}}
    arm = arm_exoskeleton((0.0, -9.81, 0.0))
    lines = [
        "| | | + - | * | / | root | sin, cos | atan | := | weighted | published |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for quantity, method in ((quantity, method) for quantity, row in published.items() for method in row):
        count, theirs = equations(arm, (quantity,), method).operations, published[quantity][method]  # type: ignore[arg-type]
        lines.append(f"| {quantity} | {method} | {' | '.join(map(str, astuple(count)))} | {count.weighted} | {theirs} |")
    return "\n".join(lines) + "\n"


def loop_costs() -> str:
    """Weighted operations of the ready-made loops; like `costs`, without what is published."""
    from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, four_bar, planar_segment, sliding_segment
    from biomech_id.multibody.traced import equations

    bars = {"crank": (0.3, (0.04, 0.01), 3e-4), "coupler": (0.45, (0.12, 0.02), 2.1e-3), "rocker": (0.4, (0.085, -0.008), 1.3e-3)}
    limb = {"thigh": (8.0, (0.18, 0.01), 0.14), "shank": (3.5, (0.17, -0.01), 0.05), "foot": (1.1, (0.05, -0.06), 6e-3)}
    worn = {"crank": (0.35, (0.035, 0.004), 3e-4), "coupler": (0.3, (0.075, -0.006), 7e-4), "cylinder": (0.25, (0.03, 0.0), 1e-4)}
    flat = [{name: planar_segment(name, *numbers) for name, numbers in parts.items()} for parts in (bars, limb | worn)]
    leg = ExoskeletonLeg(
        0.42, 0.4, 0.08, 0.15, (0.3, 0.05), (0.04, 0.07), (0.28, -0.06), (-0.06, 0.01),
        flat[1] | {"rod": sliding_segment("rod", 0.12, -0.04, 5e-5)}, 8000.0, 120.0, 0.11,
    )  # fmt: skip
    down = (0.0, -9.81, 0.0)
    loops = {
        "leg with exoskeleton": leg.mechanism(down),
        "four-bar": four_bar((0.08, 0.22, 0.18), 0.25, list(flat[0].values()), gravity_m_s2=down),
    }
    lines = ["| | g1 | M1 |", "|---|---|---|"]
    for name, system in loops.items():
        for method in ("TE", "DE", "IC"):
            counts = [equations(system, (quantity,), method).operations.weighted for quantity in ("g1", "M1")]  # type: ignore[arg-type]
            lines.append(f"| {name}, {method} | {counts[0]} | {counts[1]} |")
    return "\n".join(lines) + "\n"


def table() -> str:
    """The table of modified Denavit-Hartenberg parameters of the second document's Fig 2, with our geometry."""
    from docs.documents.figures import denavit_hartenberg_table

    head = ("", "body", "on", "coordinate", "gamma", "b", "alpha", "d", "theta", "r")
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *denavit_hartenberg_table())) + "\n"


PARTS: dict[str, Callable[[], str]] = {"contents": contents, "printed wrenches": printed_wrenches, "costs": costs, "table": table}
PARTS |= {"loop costs": loop_costs, "recomputed": recomputed}
PARTS |= {f"items of {document}": lambda document=document: list_of_items(document) for document in PAGES}  # type: ignore[misc]
PARTS |= {f"symbols of {document}": lambda document=document: symbols(document) for document in PAGES}  # type: ignore[misc]


def rendered(text: str) -> str:
    """A page with its generated parts as they are today."""

    def part(match: re.Match[str]) -> str:
        what = match["what"]
        made = recipe(what.removeprefix("recipe ")) if what.startswith("recipe ") else PARTS[what]()
        return f"{match[1]}\n{made}\n{match[3]}"

    return PART.sub(part, text)


def main() -> None:
    """Write all pages."""
    for page in WRITTEN:
        path = HERE / page
        path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
