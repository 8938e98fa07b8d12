"""A norm for one person: without their own sessions, of an age, at a speed, never beyond its people, and told as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.errors import OptionError
from biomech_id.norms.contributors import known_by, mark, samples_of
from biomech_id.norms.fit import fit_norm, scored_norm
from biomech_id.norms.samples import at_speed, norm_at_speed
from biomech_id.session.values.norm import (
    CONTRIBUTOR,
    NormPerson,
    NormSample,
    norm_band,
    norm_note,
    people_in,
    read_norm,
    without_contributors,
    write_norm,
)
from biomech_id.statistics.one_person import crawford_howell

KNEE, CADENCE = ("KneeAngles", "X"), ("cadence", "")
ABOUT = {"model": "conventional", "kinetics": "textbook", "source": "made up", "hip_centre": "h", "bandwidth": "b"}
RNG = np.random.default_rng(22)
PHASE = np.linspace(0.0, 2.0 * np.pi, 101)
#: What a value gains with speed: knee flexion 40 degrees for a whole unit, more in swing; cadence 80 steps a minute.
SLOPE = 40.0 + 20.0 * np.sin(PHASE)


def walker(number: int, *, age: float = 10.0, speed: float = 0.40, noise: float = 2.0) -> NormSample:
    """Somebody whose knee and cadence follow their speed, but for what people differ by."""
    own = noise * RNG.standard_normal()
    knee = 30.0 + 25.0 * np.sin(PHASE) + SLOPE * (speed - 0.40) + own
    values = {KNEE: knee, CADENCE: np.array([110.0 + 80.0 * (speed - 0.40) + own]), ("speed_dimensionless", ""): np.array([speed])}
    sides = {("L", *KNEE): knee + 1.0, ("R", *KNEE): knee - 1.0}
    return NormSample(values, age, speed, frozenset({mark(f"S{number}")}), "female", 30.0, 1.4, 0.7, sides)


def group(n: int = 24, **same: float) -> list[NormSample]:
    ages, speeds = np.linspace(6.0, 18.0, n), RNG.permutation(np.linspace(0.30, 0.50, n))
    each = (({"age": age, "speed": speed} | same) for age, speed in zip(ages, speeds, strict=True))
    return [walker(number, **about) for number, about in enumerate(each)]


def rules(person: NormPerson, norm: pd.DataFrame, choice: str) -> list[str]:
    return [finding.rule for finding in fit_norm(norm, person, choice).findings]


def why(person: NormPerson, norm: pd.DataFrame, choice: str) -> object:
    (finding,) = (x for x in fit_norm(norm, person, choice).findings if x.rule == "norm-not-chosen")
    assert str(finding.text("de")) != str(finding)
    return finding.values["why"]


def test_a_norms_file_tells_who_is_in_it_and_gives_back_what_each_did(tmp_path: Path) -> None:
    people = [*group(6), replace(walker(6), age_years=float("nan"), values={KNEE: walker(6).values[KNEE]})]
    write_norm(scored_norm(people, ABOUT), tmp_path / "norm.csv")
    back = samples_of(read_norm(tmp_path / "norm.csv"))
    assert len(back) == 7
    for found, given in zip(back, people, strict=True):
        for name in ("age_years", "speed", "mass_kg", "height_m", "leg_length_m"):
            np.testing.assert_allclose(getattr(found, name), getattr(given, name), rtol=1e-8)
        assert (found.marks, found.sex, list(found.values)) == (given.marks, given.sex, list(given.values))
        for name, curve in given.values.items():
            np.testing.assert_allclose(found.values[name], curve, rtol=1e-8)
        for side, curve in given.sides.items():
            np.testing.assert_allclose(found.sides[side], curve, rtol=1e-8)
    assert "S3" not in (tmp_path / "norm.csv").read_text(encoding="utf-8").split(",")


def test_an_older_norm_is_read_and_stays_everybodys(tmp_path: Path) -> None:
    new = scored_norm(group(), ABOUT)
    old = without_contributors(new).drop(columns=["contributors", "whole_curve_sd"])
    old.to_csv(tmp_path / "old.csv", index=False)
    norm = read_norm(tmp_path / "old.csv")
    person = NormPerson(10.0, {"barefoot": 0.40}, frozenset({mark("S3")}))
    assert samples_of(norm) == ()
    assert rules(person, norm, "everybody") == []
    assert why(person, norm, "age") == why(person, norm, "speed") == "nobody_told"
    fitted = fit_norm(norm, person, "speed").table
    assert fitted is not None
    pd.testing.assert_series_equal(fitted["mean"], norm["mean"])
    # A norm of today for somebody who is not in it has the same numbers.
    plain = fit_norm(new, NormPerson(10.0), "everybody").table
    assert plain is not None
    np.testing.assert_allclose(plain["mean"], norm["mean"], rtol=1e-12)
    assert not plain["variable"].str.startswith(CONTRIBUTOR).any()


@pytest.mark.parametrize("mark_of", ["S3", "recording"])
def test_a_contributors_own_session_is_left_out(mark_of: str) -> None:
    people = group()
    people[3] = replace(people[3], marks=known_by("S3", {"walk.c3d": "ab12", "subject.toml": "cd34"}, ["walk.c3d", "subject.toml"]))
    other_code = known_by("a pseudonym", {"sub/walk.c3d": "ab12"}, ["walk.c3d"])
    person = NormPerson(10.0, {}, frozenset({mark("S3")}) if mark_of == "S3" else other_code)
    fitted = fit_norm(scored_norm(people, ABOUT), person)
    assert fitted.table is not None
    assert [finding.rule for finding in fitted.findings] == ["norm-own-session"]
    pd.testing.assert_frame_equal(
        fitted.table, without_contributors(scored_norm([*people[:3], *people[4:]], ABOUT)), rtol=1e-6, check_dtype=False
    )
    assert norm_note(fitted.table)["n"] == 23  # type: ignore[index]
    # A file that says the same of two people (a subject.toml copied) makes them no one.
    assert not known_by("", {"subject.toml": "cd34"}, ["subject.toml"])


def test_a_norm_of_nobody_else_is_none() -> None:
    fitted = fit_norm(scored_norm([walker(1)], ABOUT), NormPerson(10.0, {}, frozenset({mark("S1")})))
    assert fitted.table is None
    assert [finding.rule for finding in fitted.findings] == ["norm-own-only"]


def test_pages_print_how_many_people_are_in_a_norm_though_a_variable_has_fewer() -> None:
    people = group()
    people[5] = replace(people[5], values={name: value for name, value in people[5].values.items() if name != CADENCE})
    fitted = fit_norm(scored_norm(people, ABOUT), NormPerson(10.0))
    note = norm_note(fitted.table, fitted.people)
    assert note is not None
    assert [note["n"], people_in(note)] == [23, 24]
    # Results of an earlier version do not say it, and means without people cannot.
    assert people_in({"n": 23}) == people_in(norm_note(fitted.table) or {}) == 23


def test_people_of_an_age_make_the_norm() -> None:
    people = group()
    fitted = fit_norm(scored_norm(people, ABOUT), NormPerson(12.0), "age")
    assert fitted.table is not None
    mine = [sample for sample in people if 9.0 <= sample.age_years <= 15.0]
    assert norm_note(fitted.table)["n"] == len(mine) == 12  # type: ignore[index]
    np.testing.assert_allclose(norm_band(fitted.table, *KNEE).mean, np.mean([x.values[KNEE] for x in mine], axis=0), rtol=1e-7)  # type: ignore[union-attr]
    (said,) = fitted.findings
    assert said.rule == "norm-of-an-age"
    assert "12 of its 24 subjects, aged 9.1 to 14.9 years, for a person of 12.0" in said.message
    assert norm_note(fitted.table)["clinical"] is False  # type: ignore[index]


def test_a_norm_of_an_age_never_goes_beyond_its_people() -> None:
    norm = scored_norm(group(), ABOUT)
    assert why(NormPerson(40.0), norm, "age") == "beyond_ages"
    assert why(NormPerson(5.9), norm, "age") == "beyond_ages"
    assert why(NormPerson(), norm, "age") == "unknown_age"
    few = scored_norm([*(walker(i, age=6.0) for i in range(8)), *(walker(8 + i, age=20.0 + i) for i in range(4))], ABOUT)
    assert why(NormPerson(20.0), few, "age") == "few_of_age"
    fitted = fit_norm(norm, NormPerson(40.0), "age")
    assert fitted.table is not None
    assert norm_note(fitted.table)["n"] == 24  # type: ignore[index]
    # And who is older than everybody in a norm of everybody is told.
    assert rules(NormPerson(40.0), norm, "everybody") == ["norm-of-other-ages"]
    assert rules(NormPerson(12.0), norm, "everybody") == []


def test_a_norm_at_a_speed_is_the_line_through_its_people() -> None:
    people = group()
    fitted = fit_norm(scored_norm(people, ABOUT), NormPerson(10.0, {"barefoot": 0.48}), "speed")
    assert fitted.table is not None
    band, steps = norm_band(fitted.table, *KNEE), norm_band(fitted.table, *CADENCE)
    assert band is not None
    assert steps is not None
    speeds = np.array([sample.speed for sample in people])
    curves = np.stack([sample.values[KNEE] for sample in people])
    line = np.polynomial.polynomial.polyfit(speeds, curves, 1)
    np.testing.assert_allclose(band.mean, line[0] + line[1] * 0.48, rtol=1e-7)
    off = curves - (line[0] + np.outer(speeds, line[1]))
    # Of limbs: whoever walks so has one knee a degree above their mean, and one below.
    np.testing.assert_allclose(band.sd, np.sqrt(((off + 1.0) ** 2 + (off - 1.0) ** 2).sum(axis=0) / 46.0), rtol=1e-6)
    assert (band.n, band.spread.freedom if band.spread else 0) == (24, 22)
    # The true line is within what people differ by, where the mean of everybody is not.
    truth = 30.0 + 25.0 * np.sin(PHASE) + SLOPE * 0.08
    assert np.abs(band.mean - truth).max() < 2.0
    assert np.abs(curves.mean(axis=0) - truth).max() > 3.0
    # The chance that somebody at this speed is so far is that of a line's prediction (Student's t with n - 2).
    away = (0.48 - speeds.mean()) ** 2 / ((speeds - speeds.mean()) ** 2).sum()
    found = crawford_howell(float(steps.mean[0]) + 6.0, float(steps.mean[0]), float(steps.sd[0]), steps.n, spread=steps.spread)
    assert found.t == pytest.approx(6.0 / (steps.sd[0] * np.sqrt(1.0 + 1.0 / 24.0 + away)), rel=1e-9)
    # Speed over speed is no line, and who is in the norm scores as they would at this speed.
    assert norm_band(fitted.table, "speed_dimensionless").sd[0] > 0.05  # type: ignore[union-attr]
    assert norm_band(fitted.table, "GVS.KneeAngles", "X").mean[0] < 3.0  # type: ignore[union-attr]


def test_a_norm_at_a_speed_never_goes_beyond_its_people() -> None:
    norm = scored_norm(group(), ABOUT)
    assert why(NormPerson(10.0, {"barefoot": 0.29}), norm, "speed") == "beyond_speeds"
    assert why(NormPerson(10.0, {"barefoot": 0.51}), norm, "speed") == "beyond_speeds"
    assert why(NormPerson(10.0), norm, "speed") == "unknown_speed"
    assert why(NormPerson(10.0, {"barefoot": 0.35, "shod": 0.45}), norm, "speed") == "several_speeds"
    assert rules(NormPerson(10.0, {"barefoot": 0.39, "shod": 0.41}), norm, "speed") == ["norm-at-a-speed"]
    assert why(NormPerson(10.0, {"barefoot": 0.40}), scored_norm(group(9), ABOUT), "speed") == "few_at_speed"
    slow = fit_norm(norm, NormPerson(10.0, {"barefoot": 0.29}), "speed").table
    assert slow is not None
    pd.testing.assert_series_equal(slow["mean"], without_contributors(norm)["mean"])


def test_one_new_person_in_twenty_leaves_the_whole_curve_of_a_norm_at_a_speed() -> None:
    """Away from the middle of the speeds too, where a line is known less well."""
    rng, outside, asked = np.random.default_rng(2), 0, 4000
    for _ in range(asked // 20):
        people = [replace(sample, sides={}, values={KNEE: sample.values[KNEE]}) for sample in group(14)]
        band = norm_band(norm_at_speed(at_speed(people, 0.49, 10), 0.49, 10, ABOUT), *KNEE)
        assert band is not None
        new = 30.0 + 25.0 * np.sin(PHASE) + SLOPE * 0.09 + 2.0 * rng.standard_normal((20, 1))
        outside += int((np.abs(new - band.mean) > band.reach_sd * band.sd).any(axis=1).sum())
    assert 0.03 < outside / asked < 0.07


def test_percentiles_are_those_of_forty_people_and_more() -> None:
    person = NormPerson(10.0, {"b": 0.40})
    for n, there in ((39, False), (40, True)):
        for choice in ("everybody", "speed"):
            table = fit_norm(scored_norm(group(n, age=10.0), ABOUT), person, choice).table
            assert table is not None
            knee = table[(table["variable"] == "KneeAngles") & (table["component"] == "X")]
            assert knee["percentile_95"].notna().all() == there


def test_a_file_that_tells_of_different_people_is_refused() -> None:
    norm = scored_norm(group(6), ABOUT)
    spoilt = norm.assign(contributors=norm["contributors"].mask(norm.index == 7, "1;2"))
    with pytest.raises(OptionError, match="6 contributors, and at KneeAngles X of 2"):
        samples_of(spoilt)
    word = norm.assign(contributors=norm["contributors"].mask(norm.index == 7, "1;2;three;4;5;6"))
    with pytest.raises(OptionError, match="three"):
        samples_of(word)
