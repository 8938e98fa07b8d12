"""The diagnosis against the reference numbers of two recorded sessions: residuals, their misfit, SDs of causes, faults put in.

Session A is a child with a static trial, B an adult without one, with markers of 14 mm; each is judged by the spread of the other
people.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.judgement.diagnosis import put
from biomech_id.judgement.diagnosis.causes import possible
from biomech_id.judgement.diagnosis.diagnosis import Search
from biomech_id.judgement.diagnosis.ranking import Whitening, least_sizes, signatures
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.judgement.diagnosis.residuals import residuals
from biomech_id.judgement.diagnosis.spread import ResidualSpread, package_spread
from biomech_id.models.conventional.model import stored_conventional_model

pytestmark = pytest.mark.real

NAMES = {"A": "HC030A straight", "B": "NP1003a09"}
#: Residuals are the reference's within this share of sqrt(B + W): filters and windows of another program at the edges of a stance.
RESIDUAL_SD = 0.06
#: Windows of single support and the speed at a stance's ends fall between samples: the slope within the 0.02 that the reference
#: allows, the mean shear within 0.1 of sqrt W with one in the last digit, 0.2 %.
WIDER = {"line of force, slope": 0.02, "shear along walk, mean / vertical": 0.2}
#: SDs of causes within 5 %, those whose form the reference does not define within 20 %: how channels hang together before the
#: surface, from where a clock runs, times that are counted in samples, and directions of one foot or ankle.
SD_SHARE, OTHER_FORM = 0.05, 0.20


@pytest.fixture(scope="module")
def sessions(c3d_dir: Path) -> dict[str, Recorded]:
    static, straight = (bid.read_c3d(c3d_dir / f"children/HC030A/HC030A{n}.c3d") for n in ("01", "05"))
    walk = bid.read_c3d(c3d_dir / "norm_subjects/NP1003/walkNorm_NP1003a09.c3d")
    walk = replace(walk, subject=walk.subject.with_values("reference", marker_diameter_m=0.014))
    return {
        "A": recorded_walk(straight, bid.conventional_model(static)),
        "B": recorded_walk(walk, stored_conventional_model([walk])),
    }


@pytest.fixture(scope="module")
def numbers(shared_dir: Path) -> dict[str, Any]:
    return {name: json.loads((shared_dir / "reference" / f"{name}.json").read_text()) for name in ("diagnosis", "diagnosis_spread")}


def values_of(numbers: dict[str, Any], which: str) -> dict[tuple[str, str], float]:
    """The reference's residuals; its plates count from 0."""
    found = {}
    for key, value in numbers["diagnosis"][NAMES[which]]["residuals"].items():
        name, unit = key.split("|")
        found[name, str(int(unit) + 1) if unit.isdigit() else unit] = value
    return found


def spread_of(numbers: dict[str, Any], which: str) -> ResidualSpread:
    rows = numbers["diagnosis_spread"][NAMES[which]]
    n = len(rows["names"])
    matrices = []
    for key in ("RB", "RW"):
        upper = np.zeros((n, n))
        for i, row in enumerate(rows[key]):
            upper[i, i + 1 :] = row
        matrices.append(upper + upper.T + np.eye(n))
    mean, between, within = (np.array(rows[key]) for key in ("mu", "B", "W"))
    return ResidualSpread(tuple(rows["names"]), ("",) * n, mean, between, within, *matrices, np.zeros(n), np.zeros(n))


@pytest.mark.parametrize(("which", "reference"), [("A", 161.07), ("B", 88.21)])
def test_the_misfit_follows_from_the_two_files(numbers: dict[str, Any], which: str, reference: float) -> None:
    values = values_of(numbers, which)
    # The reference prints two digits.
    assert Whitening.of(values, spread_of(numbers, which)).misfit(values, values) == pytest.approx(reference, abs=0.01)


@pytest.mark.parametrize("which", ["A", "B"])
def test_residuals_are_the_references(sessions: dict[str, Recorded], numbers: dict[str, Any], which: str) -> None:
    ours, theirs = residuals(sessions[which]).values, values_of(numbers, which)
    assert ours.keys() == theirs.keys()
    spread = numbers["diagnosis"]["spread"]
    for (name, unit), value in theirs.items():
        tolerance = WIDER.get(name) or RESIDUAL_SD * np.sqrt(spread[name]["B"] + spread[name]["W"])
        assert ours[name, unit] == pytest.approx(value, abs=tolerance), (name, unit)
    scale = Whitening.of(theirs, spread_of(numbers, which))
    # The 0.1, which the shares of an SD above add up to.
    assert scale.misfit(ours, theirs) == pytest.approx(numbers["diagnosis"][NAMES[which]]["chi2"], abs=0.1)


@pytest.mark.parametrize(("which", "beyond"), [("A", 9), ("B", 10)])
def test_sds_and_least_sizes_of_causes(sessions: dict[str, Recorded], numbers: dict[str, Any], which: str, beyond: int) -> None:
    judged, theirs = residuals(sessions[which]), numbers["diagnosis"][NAMES[which]]
    scale = Whitening.of(judged.values, spread_of(numbers, which))
    causes = possible(judged.session, set(scale.keys))
    white = scale.white(signatures(judged, causes, scale.keys))
    sd = 1.0 / np.maximum(np.linalg.norm(white, axis=0), 1e-12)
    least = least_sizes(sd, np.array([one.row.tau for one in causes]), theirs["K"])
    shares, known = [], theirs["causes"]
    for one, ours, size in zip(causes, sd, least, strict=True):
        if one.name in known:
            assert one.row.tau == known[one.name]["tau"], one.name
            shares.append(max(abs(ours / known[one.name]["sd"] - 1), abs(size / known[one.name]["least"] - 1)))
            assert shares[-1] < OTHER_FORM, one.name
    assert len(shares) >= 139
    assert sum(share > SD_SHARE for share in shares) <= beyond


def test_the_child_has_a_distance_of_the_spines_that_its_markers_contradict(
    sessions: dict[str, Recorded], numbers: dict[str, Any]
) -> None:
    found, left = Search(residuals(sessions["A"]), spread_of(numbers, "A")).best() or pytest.fail("nothing was found")
    assert found.cause == "ASIS distance"
    assert found.size == pytest.approx(-25.0, abs=4.0)  # its SD
    assert found.evidence == pytest.approx(17.0, abs=0.5)
    assert found.misfit_after == pytest.approx(112.0, abs=1.0)
    assert found.moves["L hip abduction (deg)"] == pytest.approx(2.0, abs=0.3)
    assert left.best() is None


@pytest.fixture(scope="module")
def adult(sessions: dict[str, Recorded], numbers: dict[str, Any]) -> Search:
    return Search(residuals(sessions["B"]), spread_of(numbers, "B"))


#: Fault, how it is put in, what may stand first, size and its SD, evidence, misfit with it: from the reference.
FAULTS: tuple[tuple[Callable[[Recorded], Recorded | None], tuple[str, ...], float, float, float], ...] = (
    (lambda s: put.aside("THI", "thigh:forward", "whole", s, "L", 0.040), ("LTHI forward, whole",), 36.0, 5.0, 111.4),
    (lambda s: put.weighed(s, "", 0.12), ("all plates gain",), -10.8, 1.8, 123.6),
    (lambda s: put.plate_moved("0", s, "3", 0.040), ("plate 3 dx",), 35.0, 6.0, 121.0),
    (lambda s: put.late(s, "3", 0.030), ("plate 3 late",), 26.0, 4.0, 122.0),
)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault[1][0] for fault in FAULTS])
def test_faults_put_in_are_named_with_their_size(adult: Search, fault: Any) -> None:
    function, first, size, sd, misfit = fault
    session = function(adult.judged.session)
    # A wand far aside turns its own axes: signatures are those of the session with the fault in it.
    known = None if size == 36.0 else adult
    search = Search(residuals(session, adult.judged), adult.spread, known)
    # The reference's digits, and what 0.1 SD of single residuals does to a sum of 150.
    assert search.misfit == pytest.approx(misfit, abs=0.3)
    found, _ = search.best() or pytest.fail("nothing was found")
    assert found.cause in first
    assert found.size == pytest.approx(size, abs=sd)
    assert found.evidence > 4.0


def test_labels_exchanged_are_taken_back(adult: Search) -> None:
    markers = adult.judged.session.markers
    columns = [markers.names.index({"LHEE": "LTOE", "LTOE": "LHEE"}.get(name, name)) for name in markers.names]
    session = replace(adult.judged.session, markers=markers.with_positions(markers.position_m[:, columns]))
    search = Search(residuals(session, adult.judged), adult.spread, adult)
    assert search.misfit == pytest.approx(3154.0, rel=0.001)
    found, left = search.best() or pytest.fail("nothing was found")
    assert (found.cause, found.group) == ("labels LHEE and LTOE exchanged", "labels")
    assert found.evidence == pytest.approx(1528.0, abs=1.0)
    assert left.misfit == pytest.approx(88.2, abs=0.15)


@pytest.mark.parametrize("moved_m", [-0.045, 0.045])
def test_a_plate_moved_across_the_adults_walk_warns_beside_ways_of_walking_and_aids(adult: Search, moved_m: float) -> None:
    session = put.plate_moved("0", adult.judged.session, "3", moved_m)
    assert session is not None
    found, _ = Search(residuals(session, adult.judged), package_spread().of_any_body()).best() or pytest.fail("nothing was found")
    assert (found.cause, found.warns) == ("plate 3 dx", True)


def test_the_adult_has_nothing_to_tell(adult: Search) -> None:
    assert adult.best() is None
