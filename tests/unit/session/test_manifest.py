from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from biomech_id import __version__
from biomech_id.errors import InvalidValueError
from biomech_id.files.inputs import sha256_of
from biomech_id.session.output.manifest import build_manifest


def test_manifest_holds_what_repeats_the_run() -> None:
    manifest = build_manifest(
        command="biomech-id run .", recipe={"model": {"kinetics": "vicon"}}, inputs={"b.c3d": "2", "a.c3d": "1"}
    )
    assert manifest["version"] == __version__
    assert manifest["dependencies"]["numpy"] == np.__version__
    assert list(manifest["inputs"]) == ["a.c3d", "b.c3d"]
    assert manifest["recipe"]["model"]["kinetics"] == "vicon"
    assert manifest["outputs"] == {}


@pytest.mark.parametrize("path", ["/data/walk.c3d", "C:/data/walk.c3d", "..\\walk.c3d", "../walk.c3d", "a/../../walk.c3d"])
def test_a_path_that_ties_it_to_one_machine_is_refused(path: str) -> None:
    with pytest.raises(InvalidValueError, match="walk"):
        build_manifest(command="", recipe={}, inputs={path: "1"})


def test_hash_is_sha256(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc" * 100_000)
    assert sha256_of(path) == hashlib.sha256(b"abc" * 100_000).hexdigest()
