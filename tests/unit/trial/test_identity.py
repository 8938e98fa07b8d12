"""Which recording a trial is stays known through everything that is done to it."""

from __future__ import annotations

import copy
import hashlib
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.trial import AnalogChannels, Rotations, Trial

DATA = Path(__file__).resolve().parents[3] / "data"


@cache
def from_file() -> Trial:
    return bid.read_c3d(DATA / "walk01.c3d")


@cache
def in_memory() -> Trial:
    return bid.virtual_subject().walk().trial


def from_other_process() -> Trial:
    return bid.read_c3d(DATA / "walk01.c3d", trust=False)


def filtered(trial: Trial) -> Trial:
    return bid.prepare(trial, bid.conventional_model(bid.read_c3d(DATA / "static.c3d"))).trial


KEEP: dict[str, Callable[[Trial], Trial]] = {
    "renaming": lambda trial: trial.after("renamed", name="somebody's walk"),
    "smoothing": lambda trial: replace(trial, markers=replace(trial.markers, position_m=0.999 * trial.markers.position_m)),
    "other forces": lambda trial: replace(trial, plates=()),
    "events": lambda trial: replace(trial, events=()),
    "filtering": filtered,
    "copying": copy.copy,
    "deep copying": copy.deepcopy,
    "pickling": lambda trial: pickle.loads(pickle.dumps(trial)),
    "two changes": lambda trial: replace(replace(trial, analog=AnalogChannels()), plates=()),
}


@pytest.mark.parametrize("change", KEEP)
@pytest.mark.parametrize("trial", [from_file, in_memory])
def test_what_is_done_to_a_trial_keeps_its_identity(trial: Callable[[], Trial], change: str) -> None:
    # A copy that nobody has asked for its identity yet.
    fresh = pickle.loads(pickle.dumps(trial()))
    vars(fresh).pop("identity", None)
    changed = KEEP[change](fresh)
    assert changed.identity == trial().identity


def test_a_file_is_the_hash_of_its_bytes_in_whatever_process_it_is_read(tmp_path: Path) -> None:
    bytes_read = hashlib.sha256((DATA / "walk01.c3d").read_bytes()).hexdigest()
    elsewhere = Path(shutil.copy(DATA / "walk01.c3d", tmp_path / "other.c3d"))
    assert {from_file().identity, from_other_process().identity, bid.read(elsewhere).identity} == {bytes_read}
    assert bid.read_c3d(DATA / "walk02.c3d").identity != bytes_read


def test_arrays_are_hashed_when_asked_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    hashed = Trial.arrays
    monkeypatch.setattr(Trial, "arrays", lambda trial: made.append(trial) or hashed(trial))
    first, again = (Trial.from_arrays({"LHEE": np.ones((9, 3))}, 100.0) for _ in range(2))
    other = Trial.from_arrays({"LHEE": np.full((9, 3), 1.1)}, 100.0)
    assert "identity" not in repr(first)
    assert not made
    assert first.identity == first.identity == again.identity != other.identity
    assert len(made) == 3


def test_poses_alone_tell_two_recordings_apart() -> None:
    upright = Rotations(("pelvis",), np.eye(3)[None, None], [[[0.0, 0.0, 0.9]]], 100.0)
    empty = Trial.from_arrays({"LHEE": np.full((1, 3), np.nan)}, 100.0)
    lower = replace(upright, origin_lab_m=upright.origin_lab_m - 0.1)
    one, two = (Trial("walk", empty.markers, rotations=poses) for poses in (upright, lower))
    assert one.identity != two.identity


def test_a_stretch_is_the_same_recording_at_other_frames() -> None:
    whole = in_memory()
    part = replace(
        whole, markers=replace(whole.markers, position_m=whole.markers.position_m[10:60], filled=None), plates=(),
        analog=AnalogChannels(), first_frame=whole.first_frame + 10,
    )  # fmt: skip
    assert (part.identity, part.first_frame, part.n_frames) == (whole.identity, whole.first_frame + 10, 50)
