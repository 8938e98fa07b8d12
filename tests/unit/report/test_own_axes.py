"""Pictures for notebooks: every function of `bid.plot` draws in axes or a figure of the user's own, with letters one can read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import biomech_id as bid
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.multibody.joints import PolynomialFunction
from biomech_id.multibody.musculoskeletal import (
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose
from biomech_id.report.curves import __all__ as OFFERED
from biomech_id.report.layout.style import load_style
from biomech_id.report.own_panels import draw_scores

#: 600 pixels of a page on a screen (96 a inch), and the least letters there (points).
WIDTH_INCH, LEAST_PT = 6.25, 8.0
_TURN = TransformAxis("swing", (0.0, 0.0, 1.0), PolynomialFunction((0.0, 1.0)))
ROD = MusculoskeletalModel(
    "rod", (ModelBody("rod", 1.0, np.array([0.0, -0.2, 0.0]), np.eye(3)),),
    (ModelJoint("top", "pin", OffsetFrame("ground"), OffsetFrame("rod"), ("swing",), (_TURN,)),),
    (ModelCoordinate("swing", "top", "rotational"),),
)  # fmt: skip
PANELS = {"kinematics": 12, "kinetics": 15, "ground_reaction": 4, "budget": 12}


@pytest.fixture(scope="module")
def trial() -> bid.Trial:
    return bid.virtual_subject().walk().trial


def tracked_rod(trial: bid.Trial) -> TrackedPose:
    return bid.inverse_kinematics(replace(ROD, markers=(ModelMarker("LHEE", "rod", np.array([0.0, -0.4, 0.0])),)), trial)


@pytest.fixture(scope="module")
def calls(session: Any, trial: bid.Trial) -> dict[str, Callable[..., Figure]]:
    drawn = {
        name: (lambda ax=None, name=name: getattr(bid.plot, name)(session, ax=ax))
        for name in ("budget", "ground_reaction", "kinematics", "kinetics", "scores", "spatiotemporal", "values", "emg")
    }
    return drawn | {
        "curve": lambda ax=None: bid.plot.curve(session, "KneeMoment.X", ax=ax),
        "compare": lambda ax=None: bid.plot.compare([session, session], "KneeMoment.X", names=["before", "after"], ax=ax),
        "marker": lambda ax=None: bid.plot.marker(trial, "LHEE", ax=ax),
        "force": lambda ax=None: bid.plot.force(trial, 1, ax=ax),
        "forces": lambda ax=None: bid.plot.forces(trial, ax=ax),
        "skeleton": lambda ax=None: bid.plot.skeleton(trial, 100, labels=True, ax=ax),
        "marker_errors": lambda ax=None: bid.plot.marker_errors(tracked_rod(trial), ax=ax),
        "model": lambda ax=None: bid.plot.model(ROD, labels=True, ax=ax),
    }


def smallest_pt(figure: Figure) -> float:
    """The smallest letters of a figure that is shown 600 pixels wide."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    assert texts
    return min(text.get_fontsize() for text in texts) * WIDTH_INCH / figure.get_figwidth()


def test_every_function_takes_axes() -> None:
    assert all("ax" in inspect.signature(getattr(bid.plot, name)).parameters for name in OFFERED)


@pytest.mark.parametrize("name", OFFERED)
def test_letters_can_be_read_600_pixels_wide(calls: dict[str, Callable[..., Figure]], name: str) -> None:
    figure = Figure(figsize=(WIDTH_INCH, 4.0))
    try:
        drawn = calls[name](ax=figure)
    except MissingInputError:
        assert name == "emg"  # this session has no muscle signals
        return
    assert drawn is figure
    assert figure.get_figwidth() == WIDTH_INCH
    assert smallest_pt(figure) >= LEAST_PT
    assert len(figure.axes) >= PANELS.get(name, 1)


@pytest.mark.parametrize("name", ["curve", "compare", "marker", "force", "forces", "skeleton", "model", "marker_errors"])
def test_without_axes_a_figure_is_600_pixels_wide(calls: dict[str, Callable[..., Figure]], name: str) -> None:
    figure = calls[name]()
    assert figure.get_figwidth() == WIDTH_INCH
    assert smallest_pt(figure) >= LEAST_PT


def test_a_panel_stays_in_its_axes_and_shares_their_scales(session: Any) -> None:
    figure = Figure(figsize=(8.0, 3.0), layout="constrained")
    _, own = figure.subplots(1, 2)
    assert bid.plot.curve(session, "KneeMoment.X", ax=own) is figure
    figure.draw_without_rendering()
    (panel,) = own.child_axes
    np.testing.assert_allclose(panel.get_window_extent().extents, own.get_window_extent().extents, atol=0.5)  # half a pixel
    assert panel.get_ylim() == own.get_ylim()
    assert panel.get_xlim() == own.get_xlim() == (0.0, 100.0)
    lines = [c.get_gid() for c in panel.collections]
    assert "|L|KneeMoment.X|mean" in lines
    assert "|R|KneeMoment.X|mean" in lines


def test_too_few_axes_are_refused_in_a_sentence(session: Any, trial: bid.Trial) -> None:
    own = Figure().subplots(2, 2)
    with pytest.raises(OptionError, match="12 panels to draw, and 4 axes"):
        bid.plot.kinematics(session, ax=own)
    with pytest.raises(OptionError, match="2 panels to draw, and 1 axes"):
        bid.plot.skeleton(trial, ax=own[0, 0])
    with pytest.raises(OptionError, match="plate from 1 to"):
        bid.plot.force(trial, 99)
    with pytest.raises(MissingInputError, match="LHEX"):
        bid.plot.marker(trial, "LHEX")


def test_a_sides_score_stands_beside_the_norm_of_sides(session: Any) -> None:
    rows = [("L", 10.8, 2.8, 1.0), ("R", 11.9, 2.8, 1.0), ("", 13.0, 4.9, 2.2)]
    scores = pd.DataFrame(rows, columns=["side", "value", "norm_mean", "norm_sd"])
    scores = scores.assign(condition="", score="GPS", variable="", component="")
    figure = Figure(figsize=(WIDTH_INCH, 2.0))
    draw_scores(figure, scores, "", load_style())
    assert [text.get_text() for text in figure.axes[0].texts][-3:] == ["10.8", "11.9", "2.8 ± 1.0"]


def test_names_stand_beside_markers_and_joints(trial: bid.Trial) -> None:
    texts = {text.get_text() for own in bid.plot.skeleton(trial, 100, labels=True).axes for text in own.texts}
    assert texts == set(trial.markers.names)
    static = bid.virtual_subject().static().trial
    motion = bid.conventional_model(static).track(trial)
    assert {text.get_text() for own in bid.plot.skeleton(motion, 100, labels=True).axes for text in own.texts} == {
        "hip", "knee", "ankle",
    }  # fmt: skip


def test_a_path_is_drawn_as_it_was_recorded(trial: bid.Trial) -> None:
    (own,) = bid.plot.marker(trial, "LHEE").axes
    np.testing.assert_array_equal(np.stack([line.get_ydata() for line in own.lines], axis=1), trial.markers["LHEE"])
    (own,) = bid.plot.force(trial, 2).axes
    np.testing.assert_array_equal(np.stack([line.get_ydata() for line in own.lines], axis=1), trial.plates[1].force_lab_N)


def test_keys_are_completed(session: Any, trial: bid.Trial) -> None:
    assert trial.markers._ipython_key_completions_() == list(trial.markers.names)
    assert trial.analog._ipython_key_completions_() == list(trial.analog.names)
    motion = bid.conventional_model(bid.virtual_subject().static().trial).track(trial)
    loads = bid.solve(bid.assign_plates(motion))
    keys = loads._ipython_key_completions_()
    assert ("R", "knee") in keys
    assert all(loads[key] is not None for key in keys)
