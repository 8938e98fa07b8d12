"""``biomech-id commission`` on children with a vendor's outputs, and on recordings that store none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app

pytestmark = pytest.mark.real


def test_children_equal_their_vendor_and_silence_is_no_equality(tmp_path: Path, c3d_dir: Path) -> None:
    for folder in ("children/HC030A", "five_walks_emg"):
        shutil.copytree(c3d_dir / folder, tmp_path / "study" / folder)
    words = ["commission", str(tmp_path / "study"), "-o", str(tmp_path / "out.pdf"), "--kinetics", "vicon"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 3, told.output
    assert "five_walks_emg: stores no model outputs to compare with." in told.output
    equal, n = (int(told.output.split("compared curves")[0].split()[at]) for at in (-3, -1))
    assert n > 100
    assert equal / n > 0.9
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "there.toml").write_text("lowpass = 'spline'\n", encoding="utf-8")
    kept = CliRunner().invoke(app, [*words, "--sizes", str(tmp_path / "there.toml")])
    assert kept.exit_code == 1
    assert "spline" in (tmp_path / "there.toml").read_text(encoding="utf-8"), "nothing of the laboratory's is replaced"
    refused = CliRunner().invoke(app, [*words, "--sizes", str(tmp_path / "own.toml")])
    assert refused.exit_code == 1
    assert not (tmp_path / "own.toml").exists()


def test_one_session_s_folder_is_compared_like_a_study(tmp_path: Path, c3d_dir: Path) -> None:
    shutil.copytree(c3d_dir / "children/HC030A", tmp_path / "lab")
    told = CliRunner().invoke(app, ["commission", str(tmp_path / "lab"), "-o", str(tmp_path / "out.pdf"), "--kinetics", "vicon"])
    assert "stores no model outputs" not in told.output
    assert int(told.output.split("compared curves")[0].split()[-1]) > 100


def test_a_damaged_file_of_a_session_is_named(tmp_path: Path, c3d_dir: Path) -> None:
    shutil.copytree(c3d_dir / "children/HC030A", tmp_path / "lab/HC030A")
    damaged = tmp_path / "lab/HC030A/HC030A22.c3d"
    whole = damaged.read_bytes()
    damaged.unlink()
    damaged.write_bytes(whole[:30_000])
    told = CliRunner().invoke(app, ["commission", str(tmp_path / "lab"), "-o", str(tmp_path / "out.pdf")])
    assert told.exit_code == 3
    assert "HC030A/HC030A22.c3d: The parameters of HC030A22.c3d cannot be followed" in told.output
    # As `parity` accounts for what differs.
    assert "HeadOffset by 0.5" in told.output
    assert "Textbook kinetics are meant to differ" in told.output
