"""Physics as a checksum: a sample of the study says what its table says, and recorded trials as they are raise no false alarm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sessions import Sessions

from benchmarks.studies.designed_faults import FAULTS, TABLE, Recording, Said, children, judge

pytestmark = pytest.mark.real

#: Rules of physics that trials are held against.
RULES = frozenset((
    "marker-jumps", "marker-slides", "force-slope", "force-beside-body", "force-sideways", "force-unlike-weight",
    "free-moment-large",
    "foot-above-plate", "force-clipped", "load-without-foot", "kinetics-expected", "beyond-movement", "events-unlike-feet",
    "measure-unlike-markers",
))  # fmt: skip
#: Trials that are wrong as they are, and what is: not clean.
NOT_CLEAN = {
    "PiGKad_Motion": "plate 2 falls from 690 to 280 N while the left foot stands on it alone",
    "walkNorm_NP1002a07": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "walkNorm_NP1002a12": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "walkNorm_NP1010a15": "plate 3 has half the fore-aft force of its neighbours",
    "walkNorm_NP1010a17": "plate 3 has half the fore-aft force of its neighbours",
    "walkNorm_NP1013a16": "plate 3 has half the fore-aft force of its neighbours",
    "walking2": "LTH1 steps by 50 mm between two frames",
    "walking5": "RTH1 and LTH1 step by 53 and 36 mm between two frames",
}
#: Faults of the sample: one of each rule, and what marks each recording.
SAMPLE = (
    "knee marker 30 mm off, 20 frames", "sign of Fx", "sign of Fy", "gain of Fy doubled", "gain of one plate 1.4",
    "gain of Mz tenfold",
    "force clipped at 85 %", "plates 100 mm too high", "sides of events exchanged", "leg length 1400 mm",
)  # fmt: skip


def table() -> dict[str, tuple[int, int, int]]:
    """Fault -> how many of how many matter, and how many of these are silent."""
    rows = re.findall(r"^\| (.+?) \| (\d+) of (\d+) \| (\d+) \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: (int(matters), int(of), int(silent)) for name, matters, of, silent in rows}


def test_the_table_holds_every_fault() -> None:
    rows = table()
    assert rows.keys() == FAULTS.keys()
    assert sum(of for _, of, _ in rows.values()) >= 150
    silent = sum(silent for *_, silent in rows.values())
    assert f"Silent: {silent} of {sum(of for _, of, _ in rows.values())} " in TABLE.read_text(encoding="utf-8")
    assert silent <= MOST_SILENT * sum(of for _, of, _ in rows.values())


#: Share of the faults that matter and stay unsaid, as measured. 0.02 is aimed at; sideways gains of legs alone, and markers that
#: slide across their segment's plane, are not seen yet.
MOST_SILENT = 0.045


@pytest.fixture(scope="module")
def child(c3d_dir: Path) -> Recording:
    return next(each for each in children(c3d_dir) if each.name == "HC030A")


def test_a_sample_is_as_the_table_says(child: Recording) -> None:
    clean = Said.of(child)
    assert clean.warnings == frozenset()
    text = TABLE.read_text(encoding="utf-8")
    for fault in SAMPLE:
        row = judge(fault, child, clean)
        assert row.silent == (f"- {fault}, {child.name}:" in text), row
        assert not row.silent, row


def test_clean_trials_raise_no_alarm(sessions: Sessions) -> None:
    """At least 50 recorded trials: at most one in twenty of those that nobody knows to be wrong has a finding of physics."""
    clean, alarmed = 0, []
    for session in sessions.with_results():
        for trial in session.result.trials:
            said = {finding.rule for finding in trial.findings} & RULES
            if trial.name in NOT_CLEAN:
                assert said, trial.name
                continue
            clean += 1
            alarmed += [(session.name, trial.name, rule) for rule in said]
    assert clean >= 48
    assert len({name for _, name, _ in alarmed}) <= 0.05 * clean, alarmed
