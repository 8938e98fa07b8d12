"""What a run was given that no file holds: recordings made in memory, functions of the user's own, further forces.

A manifest names all of it and says by a hash which it was; ``reproduce`` cannot repeat such a run, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, sha256_of_arrays
from biomech_id.dynamics.external import External
from biomech_id.errors import OptionError, ShapeError, WrongTypeError
from biomech_id.files.output_names import refuse_leading
from biomech_id.gait.events import detector_as
from biomech_id.models.joint_centres.hip_regressions import PelvisSize, own_hip_as
from biomech_id.signal.filters import LowPass, filter_as
from biomech_id.trial import Event, Trial
from biomech_id.values import dataclass, field, replace

#: Settings that may be a function in place of a name.
FUNCTION_SETTINGS = ("lowpass", "event_source", "hip_centre")


@dataclass(frozen=True)
class InMemory:
    """What a run was given that no file holds.

    Attributes
    ----------
    trials : tuple[Trial, ...], optional
        Recordings, in place of files.
    extra : Mapping[str, tuple[External, ...]], optional
        Name of a trial -> further wrenches on its segments.
    functions : Mapping[str, str], optional
        Setting -> name of the function that stands for it.
    """

    trials: tuple[Trial, ...] = ()
    extra: Mapping[str, tuple[External, ...]] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, dict[str, str]]:
        """What the manifest says of it: functions by name, trials and forces by name and hash; empty where all came from files."""
        by_kind = {
            "trials": {trial.name: sha256_of_arrays(trial.arrays()) for trial in self.trials},
            "functions": dict(self.functions),
            "extra": {name: sha256_of_arrays(a for load in loads for a in load.at_origin()) for name, loads in self.extra.items()},
        }
        return {kind: values for kind, values in by_kind.items() if values}


def trials_in_memory(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Return trials that are told apart by a path, where they have none by their names.

    Parameters
    ----------
    trials : Sequence[Trial]
        Recordings that were made or read in Python.

    Raises
    ------
    OptionError
        Two of one name, which would write to one table.
    InvalidValueError
        A name that is a path.
    """
    names = [trial.name for trial in trials]
    refuse_leading(names, "analyse")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        words = f"Several trials are called {', '.join(twice)}; give each a name of its own."
        raise OptionError(words, value=twice, expected="different names", where="analyse")
    return tuple(trial if trial.path else replace(trial, path=trial.name) for trial in trials)


#: Stands for the name of the one trial that is analysed, where which one that is shows later.
ONLY_TRIAL = ""


def forces_by_trial(extra: object, names: Sequence[str]) -> dict[str, tuple[External, ...]]:
    """Return further wrenches by the trial they belong to.

    Parameters
    ----------
    extra : object
        Name of a trial -> one External or several; without names where there is one trial only.
    names : Sequence[str]
        Of the trials, as far as they are known beforehand.

    Raises
    ------
    WrongTypeError
        Anything else.
    """
    given: Mapping[str, Any] = extra if isinstance(extra, Mapping) else {names[0] if len(names) == 1 else ONLY_TRIAL: extra}
    forces = {str(name): (one,) if isinstance(one, External) else tuple(one) for name, one in given.items()}
    if not all(isinstance(load, External) for loads in forces.values() for load in loads):
        raise WrongTypeError(
            "analyse takes a mapping of a trial's name to External, or to several, as its extra.",
            value=type(extra).__name__, expected='{"walk01": [External("R shank", wrench)]}', where="analyse",
        )  # fmt: skip
    return forces


@contextmanager
def own_functions(settings: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Let recipes name the functions among some settings until the end of the block.

    Parameters
    ----------
    settings : Mapping[str, Any]
        Fields of a recipe; `FUNCTION_SETTINGS` may be functions.

    Yields
    ------
    tuple[dict[str, Any], dict[str, str]]
        The settings with names in place of functions, and setting -> name of its function.
    """
    own = {name: settings[name] for name in FUNCTION_SETTINGS if callable(settings.get(name))}
    names = {setting: f"function {_called(function)}" for setting, function in own.items()}
    with ExitStack() as stack:
        for setting, function in own.items():
            stack.enter_context(_REGISTERED[setting](names[setting], function))
        yield {**settings, **names}, {setting: _called(function) for setting, function in own.items()}


def _called(function: Callable[..., Any]) -> str:
    module, name = getattr(function, "__module__", "") or "", getattr(function, "__qualname__", type(function).__name__)
    return name if module in ("", "__main__", "builtins") else f"{module}.{name}"


def _filter(name: str, function: Callable[..., Any]) -> Any:
    def checked(values: FloatArray, rate_hz: float, cutoff_hz: float) -> FloatArray:
        smooth = np.asarray(function(values, rate_hz, cutoff_hz), dtype=np.float64)
        if smooth.shape != np.shape(values):
            words = f"The filter {name} was given values of shape {np.shape(values)} and returned {smooth.shape}."
            raise ShapeError(words, value=smooth.shape, expected=str(np.shape(values)), where="lowpass")
        return smooth

    return filter_as(LowPass(name, name, checked))


def _detector(name: str, function: Callable[..., Any]) -> Any:
    def checked(trial: Trial, motion: Any) -> tuple[Event, ...]:
        events = tuple(function(trial, motion))
        if not all(isinstance(event, Event) for event in events):
            words = f"The event detector {name} returned something else than Events."
            raise WrongTypeError(words, value=name, expected="a sequence of Event", where="event_source")
        return events

    return detector_as(name, checked)


def _hip(name: str, function: Callable[..., Any]) -> Any:
    def checked(side: str, size: PelvisSize) -> FloatArray:
        centre = np.asarray(function(side, size), dtype=np.float64)
        if centre.shape != (3,) or not np.isfinite(centre).all() or np.abs(centre).max() > 0.5:
            words = f"The hip centre {name} of the {side} side is {centre.tolist()}: not three metres in pelvis axes."
            raise ShapeError(words, value=centre.tolist(), expected="(3,), metres, below 0.5", where="hip_centre")
        return centre

    return own_hip_as(name, checked)


_REGISTERED: dict[str, Callable[[str, Callable[..., Any]], Any]] = {
    "lowpass": _filter, "event_source": _detector, "hip_centre": _hip,
}  # fmt: skip


def named_trial(named: object, trials: Sequence[Trial], argument: str) -> Path | None:
    """Return the path of a trial that is given itself, or by its name; None for none.

    Parameters
    ----------
    named : object
        A trial, its name, or None.
    trials : Sequence[Trial]
        Recordings of which one is meant.
    argument : str
        Which names it: "static".

    Raises
    ------
    OptionError
        There is none of that name.
    """
    if named is None:
        return None
    name = named.name if isinstance(named, Trial) else str(named)
    for trial in trials:
        if name in (trial.name, trial.path):
            return Path(trial.path)
    there = ", ".join(trial.name for trial in trials)
    words = f"There is no trial {name}, which {argument} names; there are {there}."
    raise OptionError(words, value=name, expected=there, where=argument)
