"""Physics as a checksum: a sample of the study says what its table says, and recorded trials as they are raise no false alarm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sessions import Sessions

import biomech_id as bid
from benchmarks.studies.designed_faults import FAULTS, TABLE, Recording, Said, children, judge
from biomech_id.session import trial_tables
from biomech_id.session.solved import Solved

pytestmark = pytest.mark.real

#: Rules of physics that trials are held against.
RULES = frozenset((
    "marker-jumps", "marker-slides", "force-slope", "force-beside-body", "force-sideways", "force-unlike-weight",
    "free-moment-large",
    "foot-above-plate", "force-clipped", "load-without-foot", "kinetics-expected", "beyond-movement", "events-unlike-feet",
    "measure-unlike-markers", "marker-stands-still", "angle-drifts", "impulse-sideways", "force-unlike-acceleration",
    "free-moment-turned", "pressure-fast", "force-points-elsewhere",
    "plate-reads-unloaded", "plate-channel-lost", "force-beyond-friction", "force-leans", "angle-beyond-joint", "foot-slides",
    "frames-repeated", "marker-shakes", "markers-one-path", "path-filled", "plate-holds-value", "plate-silent-under-foot",
    "force-ends-in-stance",
))  # fmt: skip
#: Trials that are wrong as they are, and what is: not clean.
NOT_CLEAN = {
    "PiGKad_Motion": "plate 2 falls from 690 to 280 N while the left foot stands on it alone",
    "walkNorm_NP1002a07": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "walkNorm_NP1002a12": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "walkNorm_NP1010a15": "plate 3 has half the fore-aft force of its neighbours",
    "walkNorm_NP1010a17": "plate 3 has half the fore-aft force of its neighbours",
    "walkNorm_NP1013a16": "plate 3 has half the fore-aft force of its neighbours",
    "RBDS001runT35": "R.MT1 and R.MT5 are exchanged throughout: the right foot is upside down",
    "walking1": "R_thigh3 is 57 mm away for one frame, the 13th",
    "walking2": "LTH1 steps by 50 mm between two frames",
    "trial03": "L_FME steps by 16 mm between two frames, 160 and 161, and back at 199",
    "walkNorm_NP1022a06": "RHEE steps by 10 mm to and fro in the first five frames",
    "walking5": "RTH1 and LTH1 step by 53 and 36 mm between two frames",
}
#: Faults of the sample: one of each rule, and what marks each recording.
SAMPLE = (
    "knee marker 30 mm off, 20 frames", "sign of Fx", "sign of Fy", "gain of Fy doubled", "gain of one plate 1.4",
    "gain of Mz tenfold",
    "sign of Mz", "marker slides by 50 mm", "marker frozen for 20 frames",
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


#: Share of the faults that matter and may stay unsaid. Seven of 584 do: sideways gains of legs alone, a marker across its segment
#: throughout, a sign under a stance that is cut, a moment's sign with the foot on the plate's middle line, a child's feet smoothed.
MOST_SILENT = 0.02


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


def refused_as_it_is(trial: Solved) -> bool:
    """Whether the trial is known to be wrong, whatever it is analysed with."""
    return trial.name in NOT_CLEAN


@pytest.fixture(scope="module")
def vendor_mode(c3d_dir: Path) -> tuple[Solved, ...]:
    """Walks of six children and of eight children and adolescents with the conventional model as the vendor has it."""
    folders = sorted(path for name in ("children", "norm_subjects") for path in (c3d_dir / name).iterdir() if path.is_dir())
    analysed = [bid.analyse(folder, kinetics="vicon", uncertainty=False, budget=False) for folder in folders]
    return tuple(trial for session in analysed for trial in session.computed.trials)


@pytest.fixture(scope="module")
def trials(sessions: Sessions, vendor_mode: tuple[Solved, ...]) -> tuple[tuple[str, Solved], ...]:
    """Every trial of every session that runs, and those of two laboratories in the vendor's mode: other centres, other forces."""
    as_they_are = [(session.name, trial) for session in sessions.with_results() for trial in session.result.trials]
    return (*as_they_are, *(("vicon", trial) for trial in vendor_mode))


def test_clean_trials_raise_no_alarm(trials: tuple[tuple[str, Solved], ...]) -> None:
    """At least 60 trials: at most one in twenty of those that nobody knows to be wrong has a finding of physics."""
    clean, alarmed, wrong = 0, [], {}
    for session, trial in trials:
        said = {finding.rule for finding in trial.findings} & RULES
        if refused_as_it_is(trial):
            wrong[trial.name] = wrong.get(trial.name, frozenset()) | said
            continue
        clean += 1
        alarmed += [(session, trial.name, rule) for rule in said]
    # Two analyses of one recording: what one of them leaves alone, a step of 10 mm for one, the other has to name.
    assert all(wrong.values()), wrong
    assert clean >= 60
    assert len({(session, name) for session, name, _ in alarmed}) <= 0.05 * clean, alarmed


def solved_joints(trial: Solved, *, whole: bool = False) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every joint's moment in every (whole) stance that has kinetics, over the frames whose force is known (n, 3)."""
    for stance in trial.assignment.stances if trial.assignment and trial.loads else ():
        if stance.verdict.accepted if whole else stance.verdict.solved:
            time_s, contact = trial.motion.time_s, trial.shown_contacts[stance.side]
            rows = ~(time_s < stance.start_s) & ~(time_s >= stance.end_s) & contact.known
            for joint in ("Hip", "Knee", "Ankle"):
                name = f"{stance.side}{joint}Moment"
                yield name, np.stack([np.asarray(trial_tables.frames(trial)[f"{name}.{axis}"])[rows] for axis in "XYZ"], axis=1)


def test_no_moment_is_beyond_its_movement_without_a_word(trials: tuple[tuple[str, Solved], ...]) -> None:
    """The limits of the issue, written down once more: N m/kg, with plates as recorded in brackets."""
    limits = {"run": (6.0, 8.5), "jump": (7.0, 9.0)} | dict.fromkeys(("straight", "turn", "treadmill"), (3.5, 5.0))
    seen = 0
    for session, trial in trials:
        limit = limits.get(str(trial.kind), limits["jump"])[trial.bandwidth == "as recorded"]
        for name, moment in solved_joints(trial):
            seen += 1
            if moment.size and np.nanmax(np.abs(moment)) > limit:
                assert any(finding.rule == "beyond-movement" for finding in trial.findings), (session, trial.name, name)
    assert seen >= 300


def test_jumps_runs_children_and_the_vendors_mode_keep_their_curves(
    trials: tuple[tuple[str, Solved], ...], vendor_mode: tuple[Solved, ...]
) -> None:
    """Nothing is left out for being large: where a foot's force is known its leg has moments in every frame."""
    kept = {"drop_jump": 0, "treadmill_run": 0, "children": 0, "vicon": 0}
    for session, trial in trials:
        kind = session.partition("/")[0]
        if kind not in kept:
            continue
        for name, moment in solved_joints(trial, whole=True):
            assert np.isfinite(moment).mean() > 0.98, (session, trial.name, name)
            kept[kind] += 1
        if kind in ("drop_jump", "treadmill_run", "children"):
            assert not any(finding.rule == "beyond-movement" for finding in trial.findings), trial.name
    assert all(n >= 12 for n in kept.values()), kept
    assert len(vendor_mode) == 25
