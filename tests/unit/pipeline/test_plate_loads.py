"""A recording's own plates as loads of a fit: the very forces that are handed over to OpenSim, and what is left out of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id
from biomech_id.errors import MissingInputError
from biomech_id.exports.opensim.folder import write_opensim
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.fit.outputs import fit_files
from biomech_id.osim.run import outer_forces
from biomech_id.pipeline.plate_loads import plate_forces

DATA = Path(__file__).parents[3] / "data"
FILES = [DATA / "static.c3d", DATA / "walk01.c3d"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("opensim")
    write_opensim(biomech_id.analyse(FILES, report=False), made)
    return made


def test_forces_are_those_that_the_analysis_hands_over(folder: Path) -> None:
    """Feet are followed by another model here, so contacts begin and end in the same frames and not at the same microsecond."""
    forces, (left_out,) = plate_forces(read_osim(folder / "subject.osim"), biomech_id.read(FILES[1]))
    theirs = {each.segment: each for each in outer_forces(folder / "walk01_external_loads.xml")}
    assert {each.segment for each in forces} == theirs.keys()
    for own in forces:
        other = theirs[own.segment]
        assert own.force_N is not None
        assert own.moment_Nm is not None
        assert other.force_N is not None
        assert other.moment_Nm is not None
        assert other.point_m is not None
        moment = other.moment_Nm + np.cross(other.point_m, other.force_N)
        for ours, handed in ((own.force_N, other.force_N), (own.moment_Nm, moment)):
            there = np.stack([np.interp(own.time_s, other.time_s, column) for column in handed.T], axis=1)
            assert np.abs(handed).max() > 10.0
            np.testing.assert_allclose(ours, there, atol=1e-3 * np.abs(handed).max())
    assert (left_out.rule, left_out.where, left_out.values["n"], left_out.values["of"]) == ("fit-contacts-left-out", "walk01", 6, 8)
    assert "R from 0.08 s" in left_out.message


def test_a_recording_without_plates_is_refused(folder: Path) -> None:
    trial = replace(biomech_id.read(FILES[1]), plates=())
    with pytest.raises(MissingInputError, match="has no force plates"):
        plate_forces(read_osim(folder / "subject.osim"), trial)


def test_a_fit_takes_the_plates_of_one_of_its_recordings(folder: Path, tmp_path: Path) -> None:
    seen = []

    def noted(*given):  # type: ignore[no-untyped-def]
        seen.append(given[1].name)
        return plate_forces(*given)

    own = FILES[1].parent / ".." / FILES[1].parent.name / FILES[1].name
    _, _, findings = fit_files(folder / "subject.osim", FILES, tmp_path / "fit", loads=own, of_plates=noted)
    assert seen == ["walk01"]
    # Of this walk two contacts are on plates: less than the 0.3 s that a fit to loads needs.
    rules = [each.rule for each in findings]
    assert rules[-2:] == ["fit-contacts-left-out", "fit-loads-carry-nobody"]


def test_a_recording_that_is_not_fitted_to_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match=r"walk02\.c3d is a recording, and none of those that are fitted to"):
        fit_files(tmp_path / "none.osim", FILES, tmp_path / "fit", loads=DATA / "walk02.c3d", of_plates=plate_forces)
