"""What the page knows of a session: every moment that a finding means, and no name where a code stands for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biomech_id.errors import OptionError
from biomech_id.pipeline.review_page import write_review
from biomech_id.review.session_data import moment_of

TRIAL: dict[str, Any] = {
    "rate_hz": 100.0,
    "cycles": [{"side": "L", "cycle": 1, "start_s": 0.4}, {"side": "R", "cycle": 1, "start_s": 0.9}],
}


@pytest.mark.parametrize(
    ("values", "time_s"),
    [
        ({"time_s": 1.25}, 1.25),
        ({"start_s": 2, "end_s": 3}, 2.0),
        ({"marker": "LHEE", "frame": 51}, 0.5),
        ({"first_frame": 11, "last_frame": 20}, 0.1),
        ({"frames": [[26, 30], [40, 41]]}, 0.25),
        ({"gaps": [["LHEE", 101, 130]]}, 1.0),
        ({"reasons": [{"rule": "gap", "values": {"frames": [[11, 12]]}}]}, 0.1),
        ({"cycle": 1, "side": "R"}, 0.9),
        ({"cycle": 7}, None),
        ({"frames": 300, "limit_s": 0.2}, None),
        ({}, None),
    ],
)
def test_the_moment_that_a_finding_means(values: dict[str, Any], time_s: float | None) -> None:
    assert moment_of(values, TRIAL) == (pytest.approx(time_s) if time_s is not None else None)


def test_frames_mean_nothing_without_a_trial() -> None:
    assert moment_of({"frame": 10}, {}) is None
    assert moment_of({"time_s": 1.0}, {}) == 1.0


def test_one_session_or_two(tmp_path: Path) -> None:
    for outs in ([], [tmp_path] * 3):
        with pytest.raises(OptionError, match="one session or two"):
            write_review(outs, tmp_path / "x.html")
