"""A norm never stops a report: norms of both bandwidths, of another one and of children against every recorded session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from sessions import Computed, Sessions
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.norms.comparable import hangs_on, several_bandwidths
from biomech_id.norms.fit import norm_for_session
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.report.panels.norm import load_norm
from biomech_id.session.values.norm import check_norm, write_norm

pytestmark = pytest.mark.real
#: Sessions whose whole report is drawn with each norm, in commands of their own.
DRAWN = ("helen_hayes",)


@pytest.fixture(scope="module")
def norms(sessions: Sessions) -> dict[str, pd.DataFrame]:
    people = [each for name in sessions if name.startswith("children/") if (each := sessions[name]).ran]
    children = norm_from_sessions((each.tables for each in people), source="children", mix=("hip_centre", "bandwidth"))
    made = children.assign(bandwidth="like the markers")
    both = {words: made.assign(bandwidth=words) for words in ("as recorded", "like the markers")}
    return {
        "both bandwidths": several_bandwidths(both),
        "another bandwidth": made.assign(bandwidth="7 Hz"),
        "children": children,
    }


def test_every_session_has_its_norm_or_one_line_that_says_why_not(sessions: Sessions, norms: dict[str, pd.DataFrame]) -> None:
    seen = 0
    for kind, norm in norms.items():
        check_norm(norm, where=kind)
    for computed in sessions.with_results():
        for kind, norm in norms.items():
            _is_compared(computed, kind, norm)
            seen += 1
    assert seen


def _is_compared(computed: Computed, kind: str, norm: pd.DataFrame) -> None:
    where = (computed.name, kind)
    session = replace(computed.session, norm_table=norm)
    fitted, tables = norm_for_session(session), computed.tables
    assert fitted is not None, where
    reported = load_norm(norm, replace(tables, norm=norm))
    said = {str(finding.values["key"]) for finding in fitted.findings if finding.rule == "norm-part-left-out"}
    if fitted.table is None:
        assert reported is None, where
        return
    assert reported is not None, where
    assert {str(each.values["key"]) for each in reported.note["said"] if each.rule == "norm-part-left-out"} == said, where
    if "norm-own-session" not in {finding.rule for finding in fitted.findings}:
        left = set(norm["variable"]) - set(fitted.table["variable"])
        told = [name for name in left if not name.startswith("contributor.")]
        assert all(any(hangs_on(name, key) for key in said) for name in told), where
    if kind == "another bandwidth" and session.fingerprint["bandwidth"]:
        assert "bandwidth" in said, where
        assert not [name for name in fitted.table["variable"].unique() if hangs_on(name, "bandwidth")], where


@pytest.mark.parametrize("name", DRAWN)
def test_a_run_with_each_norm_ends_with_a_report(
    name: str, sessions: Sessions, norms: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    session = sessions.sessions[name]
    for number, norm in enumerate(norms.values()):
        write_norm(norm, tmp_path / f"{number}.csv")
        recipe = tmp_path / "recipe.toml"
        recipe.write_text("[output]\nuncertainty = false\nbudget = false\n", encoding="utf-8")
        words = session.words(sessions.shared, tmp_path / f"out{number}", recipe)
        done = CliRunner().invoke(app, [*words, "--norm", str(tmp_path / f"{number}.csv")])
        assert done.exit_code in (0, 3), done.stderr
        assert (tmp_path / f"out{number}" / "report.pdf").is_file(), (name, number)
