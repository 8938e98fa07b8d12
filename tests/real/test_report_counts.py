"""Every count on every page of real sessions' reports is that of the tables (issue L, case 4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from printed_counts import counts, folder_counts
from sessions import Sessions

from biomech_id.report import draw_report


@pytest.mark.parametrize("name", ["children/HC002D", "norm_subjects/NP1006", "opensim"])
def test_no_page_contradicts_the_tables(sessions: Sessions, name: str, tmp_path: Path) -> None:
    tables = sessions[name].tables
    appendix = draw_report(tables, tmp_path / "appendix.pdf", appendix=True)
    found = [*counts(sessions[name].report, tables), *counts(appendix, tables)]
    assert [count for count in found if not count.agrees] == []
    assert len(found) > 60
    assert {"cover", "quality", "Kinematics, mean ± SD"} <= {count.what.partition(":")[0] for count in found}


def test_one_number_of_cycles_by_layer_and_side_stands_in_every_folder(sessions: Sessions) -> None:
    """Verdicts, table of cycles and review page of every session that can be run."""
    wrong = [
        (session.name, count) for session in sessions.with_results() if session.tables.summary["trials"]
        for count in folder_counts(session.tables, session.out) if not count.agrees
    ]  # fmt: skip
    assert wrong == []


def test_a_session_is_accepted_only_with_what_it_was_recorded_for(sessions: Sessions) -> None:
    """Plates and no kinetics: never accepted; no plates: no warning of it (case 5), over every session that can be run."""
    seen = 0
    for session in sessions.with_results():
        summary = session.tables.summary
        if not summary["trials"]:
            continue
        plates = any(trial["plates"] for trial in summary["trials"])
        kinetics = any(trial["kinetics"] for trial in summary["trials"])
        warned = any(finding["rule"] == "session-without-kinetics" for finding in summary["findings"])
        assert warned is (plates and not kinetics), session.name
        assert not (warned and summary["verdict"] == "accept"), session.name
        assert ("kinematics only" in summary["sentence"]) is any(not trial["kinetics"] for trial in summary["trials"]), session.name
        quality = session.tables.quality
        unmeasured = quality[quality["value"].isna()]
        assert set(unmeasured["verdict"]) <= {"not measured"}, session.name
        assert not (quality["verdict"] == "accept")[quality["limit"].isna()].any(), session.name
        seen += 1
    assert seen > 15
