"""What passes between the reading process and its parent is data: it comes out as it went in, and nothing else comes out."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import BiomechError, FileRefusedError, Finding, UnknownNameError
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.message import receive, send
from biomech_id.readers.source import read_source
from biomech_id.sample.c3d import write_c3d


def passed(message: object) -> object:
    stream = io.BytesIO()
    send(stream, message)
    stream.seek(0)
    return receive(stream)


def forged(told: object, *parts: bytes) -> io.BytesIO:
    everything = [json.dumps(told).encode(), *parts]
    return io.BytesIO(struct.pack(f"<{len(everything) + 1}Q", len(everything), *map(len, everything)) + b"".join(everything))


def assert_same(one: object, other: object) -> None:
    assert type(one) is type(other) or isinstance(one, np.generic)
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray)
        assert (one.dtype, one.shape, one.flags.f_contiguous) == (other.dtype, other.shape, other.flags.f_contiguous)
        assert one.tobytes() == other.tobytes()
    elif is_dataclass(one):
        for each in fields(one):
            assert_same(getattr(one, each.name), getattr(other, each.name))
    elif isinstance(one, list | tuple):
        assert isinstance(other, list | tuple)
        for mine, theirs in zip(one, other, strict=True):
            assert_same(mine, theirs)
    elif isinstance(one, dict):
        assert isinstance(other, dict)
        assert list(one) == list(other)
        for key, mine in one.items():
            assert_same(mine, other[key])
    else:
        assert one == other or (one != one and other != other)


def test_a_recording_comes_out_as_it_went_in(tmp_path: Path) -> None:
    person = bid.virtual_subject()
    for sample in (person.static(), person.walk()):
        recording = interpret(read_source(write_c3d(sample, tmp_path / "trial.c3d")), None)
        assert_same(recording, passed(recording))


def test_an_error_keeps_its_class_its_parts_and_its_notes() -> None:
    error = UnknownNameError("There is no such marker.", value=["LKNE", float("nan"), Path("a")], expected="a marker", where="walk")
    error.add_note("biomech-id check walk.c3d")
    other = passed(error)
    assert isinstance(other, UnknownNameError)
    assert (str(other), other.expected, other.where, other.__notes__) == (str(error), "a marker", "walk", error.__notes__)
    assert_same(error.value, other.value)


def test_one_array_that_stands_twice_travels_once() -> None:
    big = np.ones((1000, 3))
    stream = io.BytesIO()
    send(stream, (big, big))
    assert len(stream.getvalue()) < 1.5 * big.nbytes


@pytest.mark.parametrize(
    "told",
    [
        {"value": ["os:system", {"command": "true"}]},
        {"value": ["biomech_id.readers.message:import_module", {"name": "os"}]},
        {"value": ["biomech_id.readers.message:Path", {}]},
        {"enum": ["biomech_id.errors:Finding", "gap-long"]},
        {"error": ["biomech_id.errors:Finding", "a", "b", "c", "d", []]},
        {"array": [0, "|O", [1], "C"]},
        {"array": [3, "<f8", [1], "C"]},
        {"array": [0, "<f8", [2], "C"]},
        {"reduce": ["builtins:eval", "1"]},
        {"value": ["biomech_id.errors:Finding", {"rule": "gap-long", "command": "x"}]},
        {"one": 1, "two": 2},
    ],
)
def test_what_no_reader_says_is_refused(told: object) -> None:
    with pytest.raises(FileRefusedError, match="no recording"):
        receive(forged(told, bytes(8)))


@pytest.mark.parametrize(
    "answer",
    [
        struct.pack("<Q", 2**64 - 1),
        struct.pack("<QQ", 1, 2**63),
        struct.pack("<QQ", 1, 100_000) + b"[" * 100_000,
        forged({"array": [0, "<f8", [2**62, 2**62], "C"]}, bytes(8)).getvalue(),
        forged({"array": [0, "<f8", [10**400], "C"]}, bytes(8)).getvalue(),
    ],
    ids=["2**64 parts", "2**63 bytes", "deep", "huge shape", "huge number"],
)
def test_huge_numbers_and_deep_nesting_are_refused_in_a_sentence(answer: bytes) -> None:
    with pytest.raises(FileRefusedError, match="no recording"):
        receive(io.BytesIO(answer))


def test_a_value_of_nobody_here_is_not_sent() -> None:
    with pytest.raises(TypeError, match="no value that passes"):
        send(io.BytesIO(), [Finding("gap-long"), object()])
    with pytest.raises(TypeError, match="no value that passes"):
        send(io.BytesIO(), np.array([object()]))


def test_the_reading_process_may_not_write_a_file(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    code = (
        "from pathlib import Path\nfrom biomech_id.readers.sandbox_child import limit_rights\nassert limit_rights(2**32)\n"
        f"Path({str(tmp_path / 'stolen')!r}).write_bytes(b'x' * 10)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "OSError" in ended.stderr
    assert not (tmp_path / "stolen").exists() or (tmp_path / "stolen").stat().st_size == 0


def test_an_answer_that_is_no_recording_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from biomech_id.readers import sandbox

    monkeypatch.setattr(sandbox.Sandbox, "_ask", lambda *_: ["a list"])
    with pytest.raises(BiomechError, match="no recording"):
        sandbox.Sandbox().read(tmp_path / "walk.c3d")
