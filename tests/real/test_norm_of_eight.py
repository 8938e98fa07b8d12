"""The norm of eight healthy people: its scores, of each against the others, are those that were measured with a prototype."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from biomech_id.interpretation.deviations import deviations_of
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.report.panels.norm import load_norm
from biomech_id.request.job import Job
from biomech_id.sample import write_c3d
from biomech_id.sample.write import patient
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import norm_band

pytestmark = [pytest.mark.real, pytest.mark.slow]
#: Mean and SD in degrees, m/s or 1, to the last digit that was printed; name, digit.
PROTOTYPE = {
    "GPS": (4.8, 1.4, 0.1),
    "GPS.overall": (5.1, 1.1, 0.1),
    "speed": (1.39, 0.22, 0.01),
    "speed_dimensionless": (0.49, 0.05, 0.01),
}


@pytest.fixture(scope="module")
def people(c3d_dir: Path) -> list[Tables]:
    folders = sorted(path for path in (c3d_dir / "norm_subjects").iterdir() if path.is_dir())
    assert len(folders) == 8
    sessions = [session_tables(analyse_job(Job((folder,)))) for folder in folders]
    assert {each.summary["model"] for each in sessions} == {"conventional"}
    return sessions


@pytest.fixture(scope="module")
def norm(people: list[Tables]) -> pd.DataFrame:
    return norm_from_sessions(people, source="eight healthy people")


@pytest.mark.parametrize("name", PROTOTYPE)
def test_its_scores_are_those_of_each_against_the_others(norm: pd.DataFrame, name: str) -> None:
    mean, sd, digit = PROTOTYPE[name]
    band = norm_band(norm, name)
    assert band is not None
    assert (band.n, float(band.mean[0]), float(band.sd[0])) == (8, pytest.approx(mean, abs=digit), pytest.approx(sd, abs=digit))


def test_a_person_counts_against_the_others_and_not_against_himself(norm: pd.DataFrame) -> None:
    """Against the mean that holds him every score would be smaller: at eight people 7/8 of it."""
    band = norm_band(norm, "GPS")
    assert band is not None
    assert band.mean[0] > 4.6  # 4.17 against the whole mean


@pytest.mark.parametrize(
    ("pattern", "named"),
    [("healthy", set()), ("walk", {("R", "KSWS1")}), ("drop foot", {("R", "ASWS1"), ("R", "ASWS2"), ("R", "NHS")})],
)
def test_virtual_walks_are_named_for_what_they_show(
    pattern: str, named: set[tuple[str, str]], norm: pd.DataFrame, tmp_path: Path
) -> None:
    """Nothing is put into words of the healthy walk; the plain one bends its knee late, a dropped foot is named on its side."""
    person = patient(pattern)
    write_c3d(person.static("static"), tmp_path / "static.c3d")
    write_c3d(person.walk("walk"), tmp_path / "walk.c3d")
    tables = session_tables(analyse_job(Job((tmp_path,))))
    fitted = load_norm(norm, tables)
    assert fitted is not None
    assert len(fitted.people) == 8
    marked = {(row.side, row.pattern) for row in deviations_of(tables, fitted.people) if row.marked}
    assert named <= marked if named else not marked
    assert {side for side, _ in marked} <= {"R"}


def test_of_each_against_the_others_little_is_said_and_no_class(people: list[Tables], norm: pd.DataFrame) -> None:
    """Even with the diagnosis that classes are for: by the boundaries of one SD alone most limbs of healthy people had one."""
    said: dict[int, set[str]] = {}
    for number, tables in enumerate(people):
        fitted = load_norm(norm, tables)
        assert fitted is not None
        assert len(fitted.people) == 7
        diagnosed = replace(tables, summary={**tables.summary, "clinic": {"": {"diagnosis": "bilateral spastic CP"}}})
        marked = {each.pattern for each in deviations_of(diagnosed, fitted.people) if each.marked}
        assert not any(pattern.startswith("RG") for pattern in marked)
        said |= {number: marked} if marked else {}
    assert len(said) <= 2, said
    assert sum(map(len, said.values())) <= 3, said
