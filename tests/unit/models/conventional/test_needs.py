"""One sentence that names everything that is missing."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import MissingInputError
from biomech_id.models.conventional.needs import require, sides_with_markers
from biomech_id.trial import Markers, Subject

LEG_MARKERS = ("THI", "KNE", "TIB", "ANK", "HEE", "TOE")
PELVIS = ("LASI", "RASI", "LPSI", "RPSI")
ALL = (*PELVIS, *(f"{side}{name}" for side in "LR" for name in LEG_MARKERS))
MEASURED = Subject(
    mass_kg=60.0,
    leg_length_m={"L": 0.9, "R": 0.9},
    knee_width_m={"L": 0.1, "R": 0.1},
    ankle_width_m={"L": 0.07, "R": 0.07},
)


def markers(*names: str, unseen: tuple[str, ...] = ()) -> Markers:
    position = np.zeros((2, len(names), 3))
    position[:, [names.index(name) for name in unseen]] = np.nan
    return Markers(names, position, 100.0)


def without(*gone: str) -> Markers:
    return markers(*(name for name in ALL if name not in gone))


def sentence(found: Markers, subject: Subject | None, *, static: bool = True) -> str:
    with pytest.raises(MissingInputError) as caught:
        require(found, subject, sides_with_markers(found, static=static), static=static, where="static01")
    assert caught.value.where == "static01"
    return caught.value.message


def test_nothing_missing_is_silent() -> None:
    require(markers(*ALL), MEASURED, ("L", "R"), static=True, where="static01")


def test_markers_and_measurements_are_named_together() -> None:
    text = sentence(without("LTIB", "RTIB", "LPSI", "RPSI"), Subject(leg_length_m={"L": 0.9}, knee_width_m={"R": 0.1}))
    for word in ("SACR (or LPSI and RPSI)", "LTIB", "RTIB", "body mass", "right leg length", "left knee width", "ankle widths"):
        assert word in text
    assert "static01" in text
    assert "subject.toml" in text
    assert text.count(".") == 2 + text.count(".toml")  # one sentence, and where to put measurements


def test_a_marker_never_seen_is_missing() -> None:
    assert "RTOE" in sentence(markers(*ALL, unseen=("RTOE",)), None)


def test_one_posterior_spine_is_not_enough_but_a_sacral_marker_is() -> None:
    assert "RPSI (or SACR)" in sentence(without("RPSI"), None)
    sacral = markers(*(name for name in ALL if "PSI" not in name), "SACR")
    require(sacral, None, ("L", "R"), static=False, where="walk")


def test_one_leg_alone_is_served() -> None:
    left = without(*(f"R{name}" for name in LEG_MARKERS))
    assert sides_with_markers(left, static=True) == ("L",)
    assert sides_with_markers(without("RTOE"), static=True) == ("L", "R")
    assert sides_with_markers(markers(*PELVIS), static=True) == ("L", "R")


def test_a_knee_alignment_device_stands_for_the_knee_marker_in_static_trials_only() -> None:
    device = markers(*(name for name in ALL if name != "LKNE"), "LKAX", "LKD1", "LKD2")
    require(device, MEASURED, ("L", "R"), static=True, where="static")
    assert "LKNE" in sentence(device, None, static=False)
