"""Under a muscle's panel stands why a side has no curve; cycles that the cover counts are not denied."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from biomech_id.conventions import Aspect
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages import emg
from biomech_id.report.pages.emg import draw_envelopes
from biomech_id.report.panels.emg_rows import MuscleRow


class Written:
    """A panel that keeps what is written outside it."""

    def __init__(self) -> None:
        self.style, self.size_mm, self.words = load_style(), (60.0, 40.0), list[str]()

    def outside(self, x_mm: float, y_mm: float, text: str, **_: Any) -> None:
        self.words.append(text)

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


@pytest.mark.parametrize(
    ("cycles", "words"),
    [(6, "Left: no cycle in the mean of angles has this muscle's signal."), (0, "Left: no cycle in the mean.")],
)
def test_a_side_without_a_curve_says_which_of_the_two_is_missing(cycles: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {Aspect.KINEMATICS: cycles, Aspect.EMG: 0}
    layer: Any = SimpleNamespace(count=lambda side, aspect: counts[aspect], foot_off_percent=lambda side: float("nan"))
    layer.tables, layer.trials, layer.cycles = SimpleNamespace(emg=None), (), pd.DataFrame()
    view: Any = SimpleNamespace(refusal=lambda label, style: "")
    monkeypatch.setattr(emg, "row_heading", lambda *_: None)
    monkeypatch.setattr(emg, "_foot_off", lambda *_: None)
    monkeypatch.setattr(emg, "normal_bands", lambda *_: ())
    panel: Any = Written()
    draw_envelopes(panel, layer, view, MuscleRow("tibialis anterior", {"L": "EMG1"}), None)
    assert words in panel.words
