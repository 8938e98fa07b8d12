"""``biomech-id markerset``: a draft that loads as it stands, from a C3D file and from OpenSim's markers alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.cli.guard import DONE
from biomech_id.markersets.marker_set import parse_markerset
from biomech_id.readers import read_c3d
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.writers.opensim_text import write_trc

STATIC = Path(__file__).resolve().parents[2] / "data" / "static.c3d"


def test_a_draft_of_either_kind_of_file_is_the_same_marker_set(tmp_path: Path) -> None:
    markers = read_c3d(STATIC).markers
    time_s = np.arange(len(markers.position_m)) / markers.rate_hz
    upright = markers.position_m[:, :, [0, 2, 1]] * [1.0, 1.0, -1.0]  # OpenSim's Y is up
    trc = write_trc(tmp_path / "static.trc", MarkerTable(markers.names, upright, markers.rate_hz, 1, time_s, "m"))
    drafts = []
    for file in (STATIC, trc):
        told = CliRunner().invoke(app, ["markerset", str(file)])
        assert told.exit_code == DONE, told.stderr
        assert "16 of its 16 required markers are in the file" in told.stderr
        drafts.append(told.stdout)
    assert drafts[0] == drafts[1]
    found = parse_markerset(drafts[0], "draft")
    assert (found.landmarks["L", "heel"], found.landmarks["R", "toe"]) == ("LHEE", "RTOE")


def test_a_file_that_is_neither_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.trc").write_text("hello", encoding="utf-8")
    told = CliRunner().invoke(app, ["markerset", str(tmp_path / "x.trc")])
    assert told.exit_code == 1
    assert "x.trc" in told.stderr
    assert told.stdout == ""
