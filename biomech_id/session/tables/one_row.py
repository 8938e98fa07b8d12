"""A whole session in one row, for a database of sessions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.session.tables.means import averaged_cycles
from biomech_id.session.tables.session_tables import Tables

#: What is known of the person and the analysis: column -> key of the summary.
_SUBJECT = ("code", "session_date", "birth_date", "age_years", "sex", "condition", "mass_kg", "height_m")


def session_row(tables: Tables) -> Mapping[str, str | float | int | None]:
    """Return column -> cell: who, when, with what, the verdict, and the means of every parameter, named peak and score.

    Columns of measurements are ``<name>_<side>``; of several conditions, means are over the cycles of all of them that enter means.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with summary and manifest.
    """
    summary = tables.summary
    row: dict[str, str | float | int | None] = {key: summary.get("subject", {}).get(key) for key in _SUBJECT}
    legs = summary.get("subject", {}).get("leg_length_m") or {}
    row |= {f"leg_length_m_{side}": legs.get(side) for side in SIDES}
    row |= {key: str(summary.get(key, "")) for key in ("model", "kinetics", "verdict", "version")}
    row |= {"conditions": ", ".join(summary.get("conditions", ())), "trials": len(summary.get("trials", ()))}
    used = averaged_cycles(tables)
    row |= {f"cycles_{side}": int((used["side"] == side).sum()) for side in SIDES}
    chosen = used[["trial", "side", "cycle"]]
    parameters = tables.spatiotemporal.merge(chosen, on=["trial", "side", "cycle"])
    for (parameter, side), values in parameters.groupby(["parameter", "side"], sort=False)["value"]:
        row[f"{parameter}_{side}"] = float(values.mean())
    named = tables.peaks[tables.peaks["name"].str.fullmatch("[AKH][1-4]")].merge(chosen, on=["trial", "side", "cycle"])
    for (name, side), values in named.groupby(["name", "side"])["value"]:
        row[f"{name}_{side}"] = float(values.mean())
    for score in tables.scores.to_dict("records") if len(tables.scores) else ():
        if score.get("cycles") != "all" and len(summary.get("conditions", ())) <= 1:
            column = "_".join(filter(None, (score["score"], score["variable"], score["component"], score["side"])))
            row[column] = float(score["value"])
    return {name: None if isinstance(value, float) and not np.isfinite(value) else value for name, value in row.items()}
