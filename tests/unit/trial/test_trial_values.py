"""What the values of a recording refuse, so that nothing behind them has to ask again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.trial import AnalogChannels, Event, EventKind, ForcePlate, Markers, Trial

CORNERS_M = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])
FRAMES, RATIO = 20, 10


def markers(**changes: Any) -> Markers:
    return Markers(**({"names": ("LANK", "RANK"), "position_m": np.ones((FRAMES, 2, 3)), "rate_hz": 100.0} | changes))


def plate(**changes: Any) -> ForcePlate:
    zeros = np.zeros((FRAMES * RATIO, 3))
    values = {
        "name": "plate 1", "kind": 2, "corners_m": CORNERS_M, "force_lab_N": zeros, "moment_lab_Nm": zeros, "rate_hz": 1000.0,
    }  # fmt: skip
    return ForcePlate(**(values | changes))


def far(coordinate: float) -> np.ndarray:
    position = np.ones((FRAMES, 2, 3))
    position[7, 1, 2] = coordinate
    return position


REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "the same marker twice": (lambda: markers(names=("LANK", "LANK")), InvalidValueError, "LANK"),
    "millimetres": (lambda: markers(position_m=far(930.0)), InvalidValueError, "RANK .* frame 7.*millimetres"),
    "infinity": (lambda: markers(position_m=far(np.inf)), InvalidValueError, "RANK"),
    "a rate of zero": (lambda: markers(rate_hz=0.0), InvalidValueError, "rate_hz, not 0.0"),
    "a rate that is no number": (lambda: markers(rate_hz=np.nan), InvalidValueError, "rate_hz, not nan"),
    "a marker without a name": (lambda: markers(names=("LANK",)), ShapeError, r"\(20, 2, 3\).*\(any, 1, 3\)"),
    "marks of filling for other frames": (lambda: markers(filled=np.zeros((3, 2), dtype=bool)), ShapeError, "filled"),
    "an unknown plate": (lambda: plate(kind=0), InvalidValueError, "kind, not 0"),
    "corners on a line": (lambda: plate(corners_m=np.outer(range(4), [0.1, 0.1, 0.0])), InvalidValueError, "span an area"),
    "corners that are no numbers": (lambda: plate(corners_m=np.full((4, 3), np.nan)), InvalidValueError, "span an area"),
    "corners far away": (lambda: plate(corners_m=CORNERS_M * 1e24), InvalidValueError, "millimetres, or garbage"),
    "a moment of another length": (lambda: plate(moment_lab_Nm=np.zeros((3, 3))), ShapeError, "moment_lab_Nm"),
    "a plate's rate of zero": (lambda: plate(rate_hz=0.0), InvalidValueError, "rate_hz, not 0.0"),
    "a plate of another duration": (
        lambda: Trial("t", markers(position_m=np.ones((19, 2, 3))), (plate(),)), InvalidValueError, "200 samples .* 19 video",
    ),
    "samples that are no whole number a frame": (
        lambda: Trial("t", markers(), (plate(rate_hz=1050.0),)), InvalidValueError, "at 1050 Hz",
    ),
    "an output of another length": (
        lambda: Trial("t", markers(), model_outputs={"LKneeAngles": np.zeros((3, 3))}), InvalidValueError, "LKneeAngles",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_is_refused_and_named(what: str) -> None:
    build, kind, words = REFUSED[what]
    with pytest.raises(kind, match=words):
        build()


def test_what_is_whole_is_taken() -> None:
    trial = Trial("walk", markers(position_m=far(np.nan)), (plate(),))
    assert (trial.n_frames, trial.plates[0].n_samples) == (FRAMES, FRAMES * RATIO)
    np.testing.assert_allclose(trial.plates[0].centre_m, [0.3, 0.2, 0.0])
    assert not trial.markers.filled.any()


def test_nobody_changes_a_value_behind_anothers_back() -> None:
    given = np.ones((FRAMES, 2, 3))
    kept = markers(position_m=given)
    given[0] = 5.0
    assert kept.position_m[0].max() == 1.0
    for array in (kept.position_m, kept.filled, plate().force_lab_N, plate().moment_lab_Nm, plate().corners_m):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_times_count_from_the_recordings_own_first_frame() -> None:
    events = tuple(Event(time_s, "L", EventKind.FOOT_STRIKE) for time_s in (2.41, 2.35))
    trial = Trial("walk", markers(), events=events, first_frame=233)
    assert trial.first_time_s == pytest.approx(2.32)
    assert [event.time_s for event in trial.events] == [2.35, 2.41]
    assert [trial.index_of(event.time_s) for event in trial.events] == [3, 9]


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"names": ("a", "a")}, InvalidValueError),
        ({"rate_hz": 0.0}, InvalidValueError),
        ({"units": ("V",)}, ShapeError),
        ({"scale": [1.0]}, ShapeError),
        ({"plates": (None,)}, ShapeError),
        ({"stored": np.zeros(4)}, ShapeError),
    ],
)
def test_analog_channels_are_validated(changed: dict[str, Any], kind: type[Exception]) -> None:
    good = {"names": ("a", "b"), "units": ("V", ""), "rate_hz": 1000.0, "stored": np.zeros((4, 2))}
    AnalogChannels(**good)
    with pytest.raises(kind):
        AnalogChannels(**good | changed)


def test_analog_samples_must_fit_the_video() -> None:
    video = markers()
    AT = {"names": ("a",), "units": ("V",), "rate_hz": 10 * video.rate_hz}
    Trial("walk", video, analog=AnalogChannels(**AT, stored=np.zeros((10 * video.n_frames, 1))))
    with pytest.raises(InvalidValueError, match="analog"):
        Trial("walk", video, analog=AnalogChannels(**AT, stored=np.zeros((10 * video.n_frames + 1, 1))))


def test_history_is_appended_to() -> None:
    trial = Trial("walk", markers(), history=("read",))
    later = trial.after("filtered", first_frame=5)
    assert (later.history, later.first_frame) == (("read", "filtered"), 5)
    assert trial.history == ("read",)
