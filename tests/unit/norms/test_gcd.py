"""A normal band in a .gcd file: its curves under our names, what it does not say is asked for, damage is named with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.conventions import CYCLE_ROWS
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.norms.gcd import GCD_CURVES
from biomech_id.norms.imported import norm_of_others
from biomech_id.session.values.norm import norm_band, norm_note, read_norm

STATED = {
    "n": "30", "age_min_y": "5", "age_max_y": "16", "model": "conventional", "moments": "internal", "moment_unit": "N mm/kg",
}  # fmt: skip
PERCENT = np.arange(0, 101, 2)


def curve(name: str) -> list[str]:
    """A straight line of its own for each name, and an SD."""
    start = float(list(GCD_CURVES).index(name))
    return [f"!{name} 3", *(f"{start + 0.1 * percent:.3f} {1.5:.3f} " for percent in PERCENT)]


def written(
    folder: Path, lines: list[str] | None = None, stated: dict[str, str] = STATED, first: str = "#!DST-0.GCD  Oxford"
) -> Path:
    body = [line for name in GCD_CURVES for line in curve(name)] if lines is None else lines
    head = [first, *(f"# {key}: {value}" for key, value in stated.items()), "$PREFIXES", "Left", "Right", "!FootOff 3", "61.2 1.4"]
    path = folder / "normal.gcd"
    path.write_bytes("\r\n".join([*head, "$COMMENTS 1", "Größe nach Alter", *body]).encode("latin-1"))
    return path


def test_every_curve_has_its_name_and_its_sign(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["norm", "--import", str(written(tmp_path)), "-o", str(tmp_path / "norm.csv"), "--date", "2026-11-28"]
    )
    assert done.exit_code == 0, done.output
    assert "not taken from it: FootOff." in done.output
    norm = read_norm(tmp_path / "norm.csv")
    assert {name for name in CYCLE_ROWS if norm_band(norm, *name) is not None} == set(GCD_CURVES.values())
    for at, (name, place) in enumerate(GCD_CURVES.items()):
        band, scale = norm_band(norm, *place), 1e-3 if name.endswith("Moment") else 1.0
        assert band is not None
        np.testing.assert_allclose(band.mean, scale * (at + 0.1 * np.arange(101)), atol=1e-9)
        np.testing.assert_allclose(band.sd, scale * 1.5)
    note = norm_note(norm)
    assert note is not None
    assert (note["n"], note["age_max_y"], note["source"]) == (30, 16.0, "normal.gcd")


@pytest.mark.parametrize(("name", "place", "words"), [
    ("PelvicTilt", ("PelvisAngles", "X"), "Anterior"), ("PelvicObliquity", ("PelvisAngles", "Y"), "Up"),
    ("HipAbAdduct", ("HipAngles", "Y"), "Adduction"), ("KneeValgVar", ("KneeAngles", "Y"), "Varus"),
    ("FootProgression", ("FootProgressAngles", "Z"), "Internal"), ("DorsiPlanFlex", ("AnkleAngles", "X"), "Dorsiflexion"),
    ("DorsiPlanFlexMoment", ("AnkleMoment", "X"), "Plantarflexor"), ("HipAbAdductMoment", ("HipMoment", "Y"), "Abductor"),
    ("KneeFlexExtMoment", ("KneeMoment", "X"), "Extensor"), ("AnklePower", ("AnklePower", ""), "Generation"),
])  # fmt: skip
def test_names_point_to_the_quantity_they_name(name: str, place: tuple[str, str], words: str) -> None:
    """What is positive in such a file: the vendor's convention, which is the sign table's."""
    assert GCD_CURVES[name] == place
    assert CYCLE_ROWS[place].positive == words


def test_external_moments_change_their_sign_and_their_sd_stays(tmp_path: Path) -> None:
    norm, _ = norm_of_others(
        written(tmp_path, curve("KneeFlexExtMoment"), {**STATED, "moments": "external", "moment_unit": "N m/kg"})
    )
    band = norm_band(norm, "KneeMoment", "X")
    assert band is not None
    np.testing.assert_allclose(band.mean[[0, 100]], [-15.0, -25.0])
    assert band.sd[0] == 1.5


@pytest.mark.parametrize("key", ["n", "age_min_y", "model", "moments", "moment_unit"])
def test_what_the_file_cannot_say_is_asked_for(tmp_path: Path, key: str) -> None:
    with pytest.raises((FileRefusedError, OptionError), match=f"# {key}: "):
        norm_of_others(written(tmp_path, stated={name: word for name, word in STATED.items() if name != key}))


def test_angles_ask_for_no_convention_of_moments(tmp_path: Path) -> None:
    without = {name: word for name, word in STATED.items() if not name.startswith("moment")}
    norm, _ = norm_of_others(written(tmp_path, curve("KneeFlexExt"), without))
    assert norm_band(norm, "KneeAngles", "X") is not None


KNEE = curve("KneeFlexExt")


@pytest.mark.parametrize(("lines", "first", "words"), [
    (KNEE, "DST-0", "does not begin with #!DST-0"), (KNEE[:-1], "#!DST-0.GCD", "has 50 rows below !KneeFlexExt where 51 belong"),
    ([*KNEE, "1 2"], "#!DST-0.GCD", "has 52 rows"), ([*KNEE, *KNEE], "#!DST-0.GCD", "has !KneeFlexExt twice, .* line 67"),
    ([*KNEE[:3], "1,5 0,2", *KNEE[4:]], "#!DST-0.GCD", r"has '1,5 0,2' in line 18, below !KneeFlexExt, where a mean and an SD"),
    ([*KNEE[:3], "1.5", *KNEE[4:]], "#!DST-0.GCD", "has '1.5' in line 18"),
    ([*KNEE[:3], "1.5 0.2 3", *KNEE[4:]], "#!DST-0.GCD", "has '1.5 0.2 3' in line 18"),
    ([*KNEE[:3], "nan 0.2", *KNEE[4:]], "#!DST-0.GCD", "has 'nan 0.2' in line 18"),
    ([line.split()[0] for line in KNEE], "#!DST-0.GCD", "has '6.000' in line 16"),
    ([line.replace("!", "!Left") for line in KNEE], "#!DST-0.GCD", "has no curve of a mean person"),
    ([], "#!DST-0.GCD", "has no curve"), ([KNEE[0]], "#!DST-0.GCD", "has 0 rows below"),
])  # fmt: skip
def test_damage_is_named(tmp_path: Path, lines: list[str], first: str, words: str) -> None:
    with pytest.raises(FileRefusedError, match=rf"^normal\.gcd {words}"):
        norm_of_others(written(tmp_path, lines, first=first))


def test_a_negative_sd_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="sd -1"):
        norm_of_others(written(tmp_path, [line.replace(" 1.500", " -1.5") for line in KNEE]))
    (tmp_path / "nothing.gcd").write_bytes(b"")
    with pytest.raises(FileRefusedError, match=r"nothing\.gcd does not begin"):
        norm_of_others(tmp_path / "nothing.gcd")
