"""Head, thorax, arms, centre of mass and their joint loads against a vendor's stored ones, by the way a laboratory takes.

Each session is analysed as ``biomech-id run --kinetics vicon`` does it, static trial or stored offsets included, and its columns
are compared by the rules of ``biomech-id parity``. Excluded, with the cause as far as it is known: HC036A10, whose stored thorax
follows other markers than the file holds (0.75 mm); head and thorax angles of turns, stored about another laboratory axis; wrists
of HC033A22, stored on another branch (180 degrees); loads of NP1002 and NP1003, whose stored ground reaction does not follow from
the stored analog signals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import MM_PER_M, UPPER_BODY_TABLE
from biomech_id.models.triads import unit
from biomech_id.readers import read_c3d
from biomech_id.session import trial_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.statistics.parity import ParityRow, parity_rows
from biomech_id.trial import Trial

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("shared_dir")]

C3D = Path(__file__).resolve().parents[3] / "shared" / "c3d"
SESSIONS = [*sorted(C3D.glob("children/*/")), *(C3D / "norm_subjects" / name for name in ("NP1006", "NP1010", "NP1013", "NP1022"))]
each_session = pytest.mark.parametrize("folder", SESSIONS, ids=lambda path: path.name)
#: Largest difference allowed, by quantity (deg, N m/kg, N/kg, W/kg): rounding of 32-bit floats, with a margin of three or more.
ARMS = {"angle": 0.01, "moment": 1e-5, "force": 1e-4, "power": 1e-4}
MIDDLE = {"angle": 0.01, "moment": 5e-5, "force": 1e-4, "power": 5e-4}
ANGLE_RMSE_DEG, CENTRE_MM, AXES_DEG = 1e-3, 1e-3, 1e-3
#: The old centre of mass has one constant of the head that was never solved, 0.02 mm; the new one is exact.
COM_MM = {True: 0.05, False: 1e-3}
OTHER_MARKERS, OTHER_BRANCH = "HC036A10", ("HC033A22", "WristAngles")
STORED = {"thorax": "TRX", "head": "HED", "humerus": "HU", "radius": "RA", "hand": "HN"}


@cache
def analysed(folder: Path, kinetics: str = "vicon") -> Session:
    return bid.analyse(folder, kinetics=kinetics, uncertainty=False).computed


@cache
def recorded(folder: Path, file: str) -> Trial:
    return read_c3d(folder / file, trust=True)


def trials(folder: Path, kinetics: str = "vicon") -> Iterator[tuple[Solved, Trial]]:
    found = [trial for trial in analysed(folder, kinetics).trials if trial.name != OTHER_MARKERS]
    yield from ((trial, recorded(folder, trial.file)) for trial in found)


@cache
def rows(folder: Path) -> tuple[ParityRow, ...]:
    mine = {row.variable for row in UPPER_BODY_TABLE} | {"SJC", "EJC", "WJC", "CentreOfMass"}
    compared = (parity_rows(trial_tables.frames(trial), file, straight=trial.kind == "straight") for trial, file in trials(folder))
    return tuple(
        row for of_trial in compared for row in of_trial if row.variable in mine and (row.trial, row.variable) != OTHER_BRANCH
    )


def is_old(trial: str) -> bool:
    return trial.startswith("HC")


def gate(row: ParityRow) -> float:
    if row.variable == "CentreOfMass":
        return COM_MM[is_old(row.trial)]
    if row.quantity == "point":
        return CENTRE_MM
    return (MIDDLE if row.variable.startswith(("Waist", "Neck")) else ARMS)[row.quantity]


@each_session
def test_columns_above_the_pelvis_equal_the_stored_outputs(folder: Path) -> None:
    compared = [row for row in rows(folder) if row.n_frames]
    if folder.name == "HC036A":
        assert {row.trial for row in compared} == {"HC036A23"}
    found = {row.variable for row in compared}
    assert {"ShoulderAngles", "SpineAngles", "WristMoment", "ElbowForce", "ShoulderPower", "CentreOfMass", "EJC"} <= found
    # Head and thorax in the laboratory are compared on straight walks only.
    assert ("ThoraxAngles" in found) == any(trial.kind == "straight" for trial, _ in trials(folder))
    wrong = [f"{row.trial} {row.side}{row.variable} {row.axis} {row.largest:.2g}" for row in compared if row.largest > gate(row)]
    assert wrong == []
    assert all(row.rmse <= ANGLE_RMSE_DEG for row in compared if row.quantity == "angle")


@each_session
def test_waist_and_neck_are_compared_where_both_feet_are_known(folder: Path) -> None:
    found = {row.variable for row in rows(folder) if row.n_frames and row.variable.startswith(("Waist", "Neck"))}
    loads = {f"{joint}{kind}" for joint in ("Waist", "Neck") for kind in ("Moment", "Force", "Power")}
    stored = any(all(f"{side}GroundReactionForce" in file.model_outputs for side in "LR") for _, file in trials(folder))
    assert (loads <= found) == stored


@each_session
def test_axes_of_every_segment_equal_the_stored_ones(folder: Path) -> None:
    wrong, compared = [], 0
    for trial, file in trials(folder):
        for (side, name), motion in trial.motion.motions.items():
            label, points = side + STORED.get(name, "?"), file.model_outputs
            if f"{label}O" not in points:
                continue
            compared += 1
            # Of the thorax the lateral and the proximal point are stored on the other side of its origin.
            turned = (1.0, -1.0, -1.0) if name == "thorax" else (1.0, 1.0, 1.0)
            for k, end in enumerate("ALP"):
                axis = turned[k] * unit(points[label + end] - points[f"{label}O"])
                apart = np.nanmax(np.rad2deg(np.linalg.norm(axis - motion.frames.R_lab_seg[:, :, k], axis=1)))
                wrong += [f"{trial.name} {label}{end} {apart:.2g} deg"] if apart > AXES_DEG else []
    assert wrong == []
    assert compared >= 8


@each_session
def test_the_textbook_centre_of_mass_is_another_one(folder: Path) -> None:
    """Where the masses lie, not where the vendor's software had them: 16 mm from the new one at most, centimetres from the old."""
    for trial, file in trials(folder, "textbook"):
        whole = trial.motion.whole
        assert whole is not None
        assert not whole.vendor
        assert whole.mass_kg == pytest.approx(trial.mass_kg, rel=1e-12)
        apart = np.linalg.norm(whole.com_lab_m * MM_PER_M - file.model_outputs["CentreOfMass"], axis=1)
        assert 0.5 < float(np.nanmedian(apart)) < (80.0 if is_old(trial.name) else 16.0)
