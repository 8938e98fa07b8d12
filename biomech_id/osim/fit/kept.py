"""What a run reads of the fit that its model comes of, and what its session keeps of that: all that the report's page shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, Finding
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import read_json
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.skeleton.tree import Tree

#: What a fit writes beside its model.
RECORD = "fit.json"


def fit_beside(osim: MusculoskeletalModel) -> tuple[dict[str, Any], FloatArray] | None:
    """Read the record of the fit that a model comes of.

    Parameters
    ----------
    osim : MusculoskeletalModel
        As it was read from its file, with K bodies and M markers.

    Returns
    -------
    tuple[dict[str, Any], FloatArray] | None
        What ``fit.json`` holds, with the file's own hash, and (3K + 3M, P): columns are independent errors of one standard
        deviation, of the logarithms of the factors and of the markers' offsets, m. None where no ``fit.json`` beside the file is of
        this very file, ``scaled.osim`` or ``dynamic.osim``.
    """
    file = Path(osim.source)
    try:
        record = read_json(file.parent / RECORD)
        own = sha256_of(file)
        if own in (record["model_sha256"], record.get("dynamics", {}).get("model_sha256")):
            return record | {"model_sha256": own}, np.asarray(np.linalg.cholesky(record["covariance"]))
    except (FileRefusedError, OSError, AttributeError, KeyError, TypeError, ValueError, np.linalg.LinAlgError):
        pass
    return None


def kept_fit(
    osim: MusculoskeletalModel, record: Mapping[str, Any], recordings: Collection[str]
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """Take what a session keeps of the fit of its model.

    Parameters
    ----------
    osim : MusculoskeletalModel
        The fitted model.
    record : Mapping[str, Any]
        As ``fit.json`` holds it.
    recordings : Collection[str]
        Names of the session's own. Another one, whose name may be a person's, is called by its number in the fit, from "#1".

    Returns
    -------
    tuple[dict[str, Any], tuple[Finding, ...]]
        ``fit`` of ``calibration.json``, with the standing model's markers before and after the fit and its bodies' origins, m, X
        forward, Y up, Z to the right; and what is wrong with the fit.
    """
    called = {name: name if name in recordings else f"#{k}" for k, name in enumerate(record["trials"], 1)}
    tree = Tree(osim)
    place = {name: tree.default_place[tree.skeleton.body_index(name)] for name in tree.skeleton.body_names}
    above = {joint.child.body: joint.parent.body for joint in osim.joints}
    bodies = {
        name: body | {"standing_m": place[name][:3, 3], "above": "" if above[name] == SURROUNDINGS else above[name]}
        for name, body in record["bodies"].items()
    }
    markers = {}
    for name, marker in record["markers"].items():
        own, after = place[marker["body"]], np.asarray(marker["place_m"])
        ends = [own[:3, :3] @ at + own[:3, 3] for at in (after - marker["moved_m"], after)]
        markers[name] = {key: marker[key] for key in ("body", "role", "moved_m", "sd_m", "rms_m", "verdict")} | {"standing_m": ends}
    fit = {key: record[key] for key in ("model_sha256", "converged", "lengths", "hip_in_pelvis")}
    fit |= {"bodies": bodies, "markers": markers, "trials": {called[name]: trial for name, trial in record["trials"].items()}}
    if "dynamics" in record:
        fit["forces"] = {key: record["dynamics"][key] for key in ("before", "after", "dynamically_consistent")}

    def of(value: Any) -> Any:
        return called.get(value, value) if isinstance(value, str) else value

    wrong = ((each["rule"], each["values"], each["where"]) for each in record["findings"])
    return fit, tuple(Finding(rule, {k: of(v) for k, v in values.items()}, of(where)) for rule, values, where in wrong)
