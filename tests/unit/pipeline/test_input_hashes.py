"""Hashes of what can be guessed need a key under a code; the key is written once, for its owner alone."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from biomech_id.errors import FileRefusedError, OptionError, OutputError
from biomech_id.request.input_hashes import InputHashes, key_beside, make_key, may_be_guessed, read_key

PLAIN = hashlib.sha256(b'code = "Anna"\n').hexdigest()
KEY = bytes(range(32))


@pytest.mark.parametrize(
    "name", ["subject.toml", "Review.TOML", "norm.csv", "anna.osim", "walk_loads.xml", "walk.notes", "walk.trc", "typed"]
)
def test_whatever_is_text_may_be_guessed(name: str) -> None:
    assert may_be_guessed(name)
    assert InputHashes().entry(name, PLAIN) == PLAIN
    assert InputHashes("P017").entry(name, PLAIN) == "unverified"
    assert PLAIN not in InputHashes("P017", KEY).entry(name, PLAIN)


@pytest.mark.parametrize("name", ["walk.c3d", "WALK.C3D"])
def test_recordings_keep_their_hash(name: str) -> None:
    assert not may_be_guessed(name)
    assert InputHashes("P017", KEY).entry(name, PLAIN) == InputHashes("P017").entry(name, PLAIN) == PLAIN


def test_key_and_code_and_content_make_the_hash() -> None:
    other = hashlib.sha256(b"").hexdigest()
    told = {
        InputHashes(code, key).entry("subject.toml", content)
        for code in ("P017", "P018")
        for key in (KEY, bytes(32))
        for content in (PLAIN, other)
    }
    assert len(told) == 8
    assert InputHashes("P017", KEY).entry("a.toml", PLAIN) == InputHashes("P017", KEY).entry("b.toml", PLAIN)


def test_nothing_fits_what_cannot_be_compared() -> None:
    with_key, without = InputHashes("P017", KEY), InputHashes("P017")
    told = with_key.entry("subject.toml", PLAIN)
    assert [each.fits("subject.toml", PLAIN, told) for each in (with_key, without, InputHashes("P018", KEY))] == [
        True,
        False,
        False,
    ]
    assert [each.compares(told) for each in (with_key, without)] == [True, False]
    assert not without.fits("subject.toml", PLAIN, "unverified")
    # As results tell it that were written before there were keys.
    assert without.fits("subject.toml", PLAIN, PLAIN)
    assert repr(KEY) not in repr(with_key)


def test_a_key_is_written_once_for_its_owner_alone(tmp_path: Path) -> None:
    codes = tmp_path / "list of codes.csv"
    key = key_beside(codes)
    assert key == tmp_path / "list of codes.key"
    make_key(None, coded=False)
    make_key(key, coded=True, out=tmp_path / "results")
    first = read_key(key)
    make_key(key, coded=True)
    assert (len(first), read_key(key)) == (32, first)
    assert os.name == "nt" or stat.S_IMODE(key.stat().st_mode) == 0o600
    make_key(tmp_path / "second.key", coded=True)
    assert read_key(tmp_path / "second.key") != first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list of codes.key", "second.key"]


@pytest.mark.parametrize("text", ["", "5e" * 31, "5E" * 32, "no key at all", "5e" * 32 + "\n" + "5e" * 32])
def test_a_file_without_a_key_is_refused_and_left_as_it_is(text: str, tmp_path: Path) -> None:
    (tmp_path / "lab.key").write_text(text, encoding="utf-8", newline="\n")
    with pytest.raises(FileRefusedError, match=r"lab\.key holds no key: .* 64 digits"):
        make_key(tmp_path / "lab.key", coded=True)
    assert (tmp_path / "lab.key").read_text(encoding="utf-8") == text


def test_what_an_editor_does_to_a_key_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "lab.key").write_bytes(b"\xef\xbb\xbf" + KEY.hex().encode() + b"\r\n")
    assert read_key(tmp_path / "lab.key") == KEY


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"The key .*no folder.*cannot be written: .* name another place with key\."):
        make_key(tmp_path / "no folder" / "lab.key", coded=True)


def test_a_key_in_the_results_or_of_no_code(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="would lie in the results"):
        make_key(tmp_path / "results" / ".." / "results" / "P017" / "lab.key", coded=True, out=tmp_path / "results")
    with pytest.raises(OptionError, match="without a code there is nothing"):
        make_key(tmp_path / "lab.key", coded=False)
    assert list(tmp_path.iterdir()) == []
