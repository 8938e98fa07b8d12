"""The likely causes of walks as a table and as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.errors import BiomechError, Finding
from biomech_id.judgement.diagnosis.diagnosis import Diagnosis, Found, diagnose
from biomech_id.judgement.diagnosis.gaits import AID, GAIT
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.movement.movement import CalibratedModel
from biomech_id.trial import Trial
from biomech_id.trial.worn import NOT_STATED, bears_weight

#: At most so many residuals are named in a finding.
MOST_NAMED = 5
#: Columns of ``diagnosis.csv``.
_COLUMNS = ("trial", "rank", "cause", "class", "size", "sd", "unit", "evidence", "alike", "moves", "look", "warns")


def diagnosis_table(walks: Iterable[Diagnosis]) -> pd.DataFrame:
    """Return one row for each likely cause of each walk, the likeliest first.

    Parameters
    ----------
    walks : Iterable[Diagnosis]
        Of one subject.
    """
    rows = [_row(walk, rank, likely) for walk in walks for rank, likely in enumerate(walk.likely, start=1)]
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _row(walk: Diagnosis, rank: int, likely: Found) -> dict[str, Any]:
    moves = "; ".join(f"{curve} {size:.3g}" for curve, size in likely.moves.items())
    return {
        "trial": walk.name, "rank": rank, "cause": likely.cause, "class": likely.group, "size": likely.size, "sd": likely.sd,
        "unit": likely.unit, "evidence": likely.evidence, "alike": "; ".join(likely.alike), "moves": moves, "look": likely.look,
        "warns": str(likely.warns).lower(),
    }  # fmt: skip


def diagnosis_findings(trial: Trial, model: CalibratedModel, aid: str) -> Iterator[Finding]:
    """Yield what the diagnosis of one walk says as findings of the main job.

    Parameters
    ----------
    trial : Trial
        The walk as read.
    model : CalibratedModel
        The body model of the session; walks of another than the conventional one have no diagnosis.
    aid : str
        What is stated of a walking aid.

    Yields
    ------
    Finding
        ``likely-cause`` where somebody has to act: no way of walking explains it as well, and a curve lies elsewhere without it or
        cannot show it. A way of walking that explains it best is none; of an aid that nobody states it is asked
        (``aid-not-stated``). ``residuals-unexplained`` names what no known cause explains.
    """
    walk = None
    if isinstance(model, ConventionalModel):
        # What moves no curve ends no run.
        with suppress(BiomechError, np.linalg.LinAlgError):
            walk = diagnose(trial, model, aided=whether_aided(aid), sizes=False)
    if walk is None:
        yield Finding("not-diagnosed", {}, trial.name)
    for likely in walk.likely if walk else ():
        if likely.group == GAIT:
            continue
        if likely.group == AID:
            yield Finding("aid-not-stated", {}, trial.name)
            continue
        acts = likely.warns and (likely.moves or not likely.judged_by_curves)
        yield Finding("likely-cause" if acts else "likely-cause-known", {
            "cause": likely.cause, "kind": likely.kind, "of": likely.of, "class": likely.group,
            "size": float(f"{likely.size:.3g}"), "sd": float(f"{likely.sd:.2g}"), "unit": likely.unit,
        }, trial.name)  # fmt: skip
    if walk and walk.unexplained:
        names = (f"'{' '.join(filter(None, key))}' ({sds:+.1f} SD)" for key, sds in [*walk.unexplained.items()][:MOST_NAMED])
        yield Finding("residuals-unexplained", {"residuals": "; ".join(names), "n": len(walk.unexplained)}, trial.name)


def whether_aided(aid: str) -> bool | None:
    """Return whether a walking aid bears weight.

    Parameters
    ----------
    aid : str
        What is stated: one of `Aid`, "not stated" or "".

    Returns
    -------
    bool | None
        None where nobody says.
    """
    return None if aid in (NOT_STATED, "") else bears_weight(aid)
