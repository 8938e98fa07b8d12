"""A sample of the study `benchmarks.studies.fuzzed_c3d`: broken structure is refused or read, one damaged byte seldom silent."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.studies.fuzzed_c3d import TABLE, built, fuzzed, one_byte, recordings
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.source import Source

CASES, BYTES = 1000, 60
LARGEST_SILENT_SHARE = 0.05

pytestmark = pytest.mark.slow


def test_broken_structure_ends_in_a_recording_or_in_one_sentence(tmp_path: Path) -> None:
    answers = Counter(answer for _, answer in fuzzed(CASES, tmp_path))
    assert set(answers) <= {"read", "read, with findings", "refused"}, answers
    assert sum(answers.values()) == CASES
    # Neither everything nor nothing is refused: the generator reaches behind the first check.
    assert 0.2 * CASES < answers["refused"] < 0.7 * CASES


def test_what_is_broken_was_sound() -> None:
    import numpy as np

    sizes = set()
    for seed in range(20):
        file = built(np.random.default_rng(seed))
        trial = interpret(Source(Path("built.c3d"), file.content(), "")).trial
        sizes.add((trial.n_frames, len(trial.analog.names)))
        assert not {"parameters-damaged", "counts-disagree", "data-cut"} & {finding.rule for finding in trial.findings}
    assert len(sizes) > 8


def test_the_table_holds_20_000_files_and_few_silent_bytes(c3d_dir: Path) -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert "20000 files" in text
    assert "FAULT" not in text
    assert "SLOW" not in text
    found = re.search(r"Silent .*: ([0-9.]+) % of ([0-9]+) reads", text)
    assert found is not None
    assert float(found[1]) < 100 * LARGEST_SILENT_SHARE
    assert int(found[2]) > 1900
    paths = [path for path in recordings() if path.stat().st_size < 200_000]
    kept: dict[Path, object] = {}
    warnings.simplefilter("ignore")
    outcomes = Counter(one_byte(seed, paths, kept)[0] for seed in range(BYTES))
    assert outcomes["silent"] < 2 * LARGEST_SILENT_SHARE * BYTES, outcomes
