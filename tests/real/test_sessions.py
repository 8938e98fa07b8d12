"""The sessions that tests share: which can be run today, and that they are computed once however many ask."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sessions import Sessions, once

from biomech_id.pipeline.folder_verdict import folder_verdict
from biomech_id.readers import read

#: What cannot be run today, and words of the sentence that says why; what can be run may not come to stand here.
REFUSED = {
    "functional-two-statics": "Several trials could be the static one",
    "vcm": "LHEE, RHEE",
    "markerless": "theia_pose.c3d holds no markers, but the poses of 19 segments",
    "pose2sim": "no known marker set",
    **{f"vendors/{name}": "no known marker set" for name in ("BTS", "Optotrak", "Vicon")},
    "vendors/FP_Type3": "missing: left lateral epicondyle (LLE)",
    "nimble/JA1Gait35": "medial epicondyle",
    "nimble/cmu_02_05": "both posterior spines or the sacrum",
    "nimble/squat": "no known marker set",
    "sprint": "static trial",
    "empty": "is empty",
}


def test_every_session_has_results_or_a_refusal(sessions: Sessions) -> None:
    assert sum(name.startswith("children/") for name in sessions) >= 6
    assert sum(name.startswith("norm_subjects/") for name in sessions) >= 8
    refused = {name: computed.refusal for name, computed in sessions.items() if not computed.ran}
    assert refused.keys() <= REFUSED.keys()
    for name, sentence in refused.items():
        assert sentence.startswith("biomech-id: "), name
        assert REFUSED[name] in sentence, (name, sentence)
        assert sessions[name].exit_code == 1
    for computed in sessions.with_results():
        assert computed.exit_code in (0, 3), computed.name
        muscles_alone = not computed.tables.summary["trials"] and computed.tables.channels is not None
        assert computed.tables.summary["trials"] or muscles_alone or "only trial" in computed.said["stderr"], computed.name
        assert [trial.name for trial in computed.result.trials] == [trial["name"] for trial in computed.tables.summary["trials"]]


#: Sessions of laboratories whose recordings issue M added, each with the words that its refusal names, if it has one.
OF_LABORATORIES: dict[str, tuple[str, ...]] = {
    "knee_device/kad": (), "knee_device/kad_medial": (), "swaying_static": (), "helen_hayes": (), "leardini": (),
    "motionmonitor": (), "vcm": (), "treadmill_run": (), "drop_jump": (), "functional-two-statics": (), "functional": ("--static",),
    "markerless": (), "opencap": (), "pose2sim": (), "five_walks_emg": (), "emg": (),
}  # fmt: skip


def test_eight_in_ten_laboratories_run_as_they_are_or_with_the_option_that_is_named(sessions: Sessions) -> None:
    """A run without options or with one, which the refusal without it names; the others have one sentence with a command in it."""
    for name, words in OF_LABORATORIES.items():
        options = [word for word in sessions.sessions[name].options if word.startswith("--")]
        assert tuple(options) == words, name
    assert "--static" in sessions["functional-two-statics"].refusal
    runs = [name for name in OF_LABORATORIES if sessions[name].ran]
    subjects = sorted(path for path in (sessions.shared / "c3d" / "norm_subjects").iterdir() if path.is_dir())
    verdicts = [folder_verdict(folder, [read(path, trust=True) for path in sorted(folder.glob("*.c3d"))]) for folder in subjects]
    norm_runs = sum((verdict.verdict, verdict.model) == ("runs_with_warnings", "conventional") for verdict in verdicts)
    laboratories = len(OF_LABORATORIES) - 1 + len(subjects)  # the functional one stands there twice
    assert len(runs) + norm_runs >= 0.8 * laboratories
    for name in set(OF_LABORATORIES) - set(runs) - {"markerless", "functional-two-statics"}:
        assert "`biomech-id " in sessions[name].refusal, name


def test_no_plate_is_claimed_by_fewer_than_three_steps_or_in_one_direction(sessions: Sessions) -> None:
    """By too few of the steps that `summary.json` lists no plate is said to stand, or to stand elsewhere, and none is graded."""
    few = 0
    for computed in sessions.with_results():
        steps = (computed.tables.summary.get("plates") or {}).get("steps", [])
        along = [np.dot(step["direction"], steps[0]["direction"]) for step in steps]
        if len(steps) >= 3 and min(along) < 0.0:
            continue
        few += bool(steps)
        said = {finding["rule"] for finding in computed.tables.summary["findings"]}
        assert not said & {"plate-elsewhere", "plates-stand"}, computed.name
        graded = computed.tables.quality
        assert set(graded["verdict"][graded["rule"] == "plate-place"]) <= {"not judged", "not measured"}, computed.name
    assert few >= 20


def test_whoever_asks_first_computes_and_the_others_wait(tmp_path: Path) -> None:
    filled: list[Path] = []

    def fill(folder: Path) -> None:
        time.sleep(0.2)
        filled.append(folder)
        (folder / "value").write_text("7", encoding="utf-8")

    threads = [threading.Thread(target=once, args=(tmp_path / "a" / "b", fill)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(filled) == 1
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert (tmp_path / "a" / "b" / "value").read_text(encoding="utf-8") == "7"


def test_a_session_that_fails_leaves_nothing_behind_that_looks_like_one(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        raise RuntimeError("no")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="no"):
            once(tmp_path / "a", fail)
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "a.lock").exists()
