"""What the conventional model's hip centre changes: the shared children, each analysed with every regression, beside Davis'.

``BIOMECH_ID_SHARED=... python -m benchmarks.studies hip_centre_methods`` writes the table beside this module. Nothing is drawn by
chance. The truth of these children's hips is not known: the table says how much the choice matters, not which one is right.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import biomech_id as bid
from biomech_id import __version__

TABLE = Path(__file__).with_suffix(".md")
METHODS = ("bell", "harrington", "hara")
#: Variable and component -> its unit.
CURVES: Mapping[tuple[str, str], str] = {
    ("HipAngles", "X"): "deg", ("HipAngles", "Y"): "deg", ("HipAngles", "Z"): "deg", ("KneeAngles", "X"): "deg",
    ("KneeAngles", "Y"): "deg", ("HipMoment", "X"): "N m/kg", ("HipMoment", "Y"): "N m/kg", ("HipMoment", "Z"): "N m/kg",
    ("KneeMoment", "X"): "N m/kg", ("KneeMoment", "Y"): "N m/kg", ("AnkleMoment", "X"): "N m/kg", ("HipPower", ""): "W/kg",
    ("KneePower", ""): "W/kg",
}  # fmt: skip
HEADER = "| curve | unit | " + " | ".join(f"{method}: rms (range)" for method in METHODS) + " |"


def mean_curves(folder: Path, method: str) -> pd.DataFrame:
    """Mean over the cycles of each side (rows: variable, component, side; columns: percent); kinetics where they are valid."""
    session = bid.analyse(folder, model="conventional", hip_centre=method, uncertainty=False, budget=False, report=False)
    rows = session.computed.tables().cycles
    keys = [variable for variable, _ in CURVES]
    rows = rows[rows["variable"].isin(keys)].fillna({"component": ""})
    return rows.pivot_table(
        index=["variable", "component", "side"], columns="percent", values="value", aggfunc="mean", observed=True
    )


def changes(folder: Path) -> dict[str, dict[tuple[str, str], float]]:
    """Method -> curve -> root mean square of its difference from Davis' over the cycle, both legs."""
    davis = mean_curves(folder, "davis")
    found: dict[str, dict[tuple[str, str], float]] = {}
    for method in METHODS:
        gap = mean_curves(folder, method) - davis
        found[method] = {
            curve: float(np.sqrt(np.nanmean(np.square(gap.loc[curve].to_numpy())))) for curve in CURVES if curve in gap.index
        }
    return found


def row(curve: tuple[str, str], children: Sequence[Mapping[str, Mapping[tuple[str, str], float]]]) -> str:
    """One line of the table: mean over the children, and the least and largest of them."""
    digits = 1 if CURVES[curve] == "deg" else 3
    cells = []
    for method in METHODS:
        values = [child[method][curve] for child in children if curve in child[method]]
        cells.append(f"{np.mean(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})")
    return f"| {'.'.join(filter(None, curve))} | {CURVES[curve]} | {' | '.join(cells)} |"


def folders(shared: Path) -> list[Path]:
    return sorted(path for path in (shared / "c3d" / "children").iterdir() if path.is_dir())


def main() -> int:
    shared = Path(os.environ.get("BIOMECH_ID_SHARED", TABLE.parents[3] / "shared"))
    if not (shared / "c3d").is_dir():
        print(f"no recordings beside the project (looked in {shared}); set BIOMECH_ID_SHARED")
        return 1
    children = [changes(folder) for folder in folders(shared)]
    lines = [
        f"Change of mean curves from Davis' hip centre, root mean square over the cycle: mean of {len(children)} children "
        f"(least to largest). Conventional model, textbook kinetics, version {__version__}.",
        "", HEADER, "|---" * (2 + len(METHODS)) + "|", *(row(curve, children) for curve in CURVES),
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
