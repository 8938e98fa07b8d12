"""The sessions that tests share: which can be run today, and that they are computed once however many ask."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from sessions import Sessions, once

#: What cannot be run today, and words of the sentence that says why; what can be run may not come to stand here.
REFUSED = {
    "functional-two-statics": "Several trials could be the static one",
    "vcm": "LHEE, RHEE",
    "five_walks_emg": "no known marker set",
    "markerless": "theia_pose.c3d holds no markers, but the poses of 19 segments",
    "pose2sim": "no known marker set",
    **{f"vendors/{name}": "static trial" for name in ("BTS", "FP_Type3", "Optotrak", "Qualisys", "Vicon")},
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
