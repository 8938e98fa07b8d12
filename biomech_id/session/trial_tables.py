"""Tables of one trial: what its table files hold of it, computed when first asked for and kept with the trial."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, wraps
from itertools import islice, tee
from typing import Any, TypeVar

from biomech_id.deprecation import deprecated
from biomech_id.errors import MissingInputError
from biomech_id.feet.movements import TrialKind
from biomech_id.movement.cycle import Cycle
from biomech_id.session.bands.band_values import joint_work_rows, parameter_sd, with_peak_sd
from biomech_id.session.bands.bands import CycleBand, cycle_bands
from biomech_id.session.bands.body_values import body_sds
from biomech_id.session.bands.foot_bands import with_foot, with_pitch
from biomech_id.session.bands.uncertainty import BandBlock, LaidBlock, LaidRows, band_block
from biomech_id.session.bands.upper_bands import upper_bands
from biomech_id.session.solved import Solved
from biomech_id.session.tables.cycle_table import Curves, budget_curves, cycle_curves, sagittal_curves, stack_curves
from biomech_id.session.tables.extrema import burst_rows, extrema_rows
from biomech_id.session.tables.frame_table import FrameTable, frame_table
from biomech_id.session.tables.muscles import muscle_columns
from biomech_id.session.tables.upper_body import upper_columns
from biomech_id.session.tables.variables import added_columns
from biomech_id.trial import Event, EventKind
from biomech_id.uncertainty.marker_errors import skin_functions
from biomech_id.uncertainty.recording import LegErrors

V = TypeVar("V")
R = TypeVar("R")


class _Kept(dict[Any, Any]):
    """Function -> what it returned; pickled without any."""

    def __reduce__(self) -> tuple[type[_Kept], tuple[()]]:
        return _Kept, ()


def kept(function: Callable[[V], R]) -> Callable[[V], R]:
    """Return a function of one value that computes its result once and keeps it with the value, in its ``__dict__``.

    The value must be immutable: what ``dataclasses.replace`` makes of it begins without results, as does what a pickle gives back.

    Parameters
    ----------
    function : Callable[[V], R]
        Of one value, an instance of a class without slots.

    Returns
    -------
    Callable[[V], R]
        The same function, computed at most once a value.
    """

    @wraps(function)
    def once(value: V) -> R:
        results = value.__dict__.setdefault("_kept", _Kept())
        if function not in results:
            results[function] = function(value)
        result: R = results[function]
        return result

    return once


@kept
def frames(trial: Solved) -> FrameTable:
    """Return every output of a trial at the video rate.

    Parameters
    ----------
    trial : Solved
        The trial as it was solved.

    Returns
    -------
    FrameTable
        (n_frames, n_columns), in the units of the sign table; rows of ``trials/<stem>.csv``.
    """
    return frame_table(
        trial.motion, trial.loads, trial.shown_contacts, mass_kg=trial.mass_kg, floor_m=trial.surfaces_m,
        further={
            **upper_columns(trial.motion, trial.upper_loads, trial.mass_kg), **muscle_columns(trial.motion), **trial.foot_columns,
            **added_columns(trial),
        },
    )  # fmt: skip


@kept
def curves(trial: Solved) -> Curves:
    """Return every variable over every cycle of a trial.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.

    Returns
    -------
    Curves
        (n_curves, 101), in the units of the sign table; rows of ``cycles.csv``.
    """
    return stack_curves(_each_curves(trial))


def _each_curves(trial: Solved) -> Iterator[Curves]:
    ground: dict[str, Any] = {"mass_kg": trial.mass_kg, "floor_m": trial.surfaces_m, "belts": trial.belts}
    turning = trial.kind is TrialKind.TURN
    return cycle_curves(frames(trial), trial.motion, trial.shown_contacts, trial.cycles, turning=turning, **ground)


@kept
def trial_budget(trial: Solved) -> Curves:
    """Return the parts of every joint moment over every cycle.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.

    Returns
    -------
    Curves
        (n_curves, 101), N m/kg, rows of ``budget.csv``; empty without loads or without a budget.
    """
    return stack_curves(_each_budget(trial))


def _each_budget(trial: Solved) -> Iterator[Curves]:
    if trial.loads is None or trial.mass_kg is None:
        return iter(())
    return budget_curves(trial.motion, trial.loads, trial.cycles, mass_kg=trial.mass_kg)


@kept
def bands(trial: Solved) -> tuple[CycleBand, ...]:
    """Return what every error does to every curve of every cycle.

    They are the dearest part of a trial and outlive what is judged of its cycles: they are kept with the errors of each leg too
    and computed again only where the motion, its loads, the mass or the place of a cycle is another.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.

    Returns
    -------
    tuple[CycleBand, ...]
        One a cycle, those of a leg together; empty where nobody asked for errors.
    """
    return tuple(band for side in trial.errors for band in _bands_of_leg(trial, side))


@kept
def _computed(errors: LegErrors) -> dict[str, Any]:
    """The bands last computed of a leg's errors, and what from; empty before."""
    return {}


class _NoSources(Mapping[str, Any]):
    """Stands where the sources of error were of a trial that was computed in another run: its bands are known, and no others."""

    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        words = "The bands of a trial that was taken over are computed from its recording alone."
        raise MissingInputError(words, value="kept bands", expected="sources of error", where="bands")

    def __len__(self) -> int:
        return 1


#: Tables of a trial that `kept_tables` gives.
_TABLES = ("frames", "curves", "trial_budget", "peaks", "spatiotemporal_rows")
#: Frames of a trial's cycles up to which its curves and bands are kept for whoever asks again: bands take 50 kB a frame.
KEPT_FRAMES = 4000


def uncertainty_rows(trial: Solved) -> BandBlock:
    """Return the rows of ``uncertainty.csv``; they are kept with the trial only if they come from another run.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.
    """
    known: BandBlock | None = vars(trial).get("_kept", {}).get(uncertainty_rows)
    if known:
        return known
    return band_block((each for side in trial.errors for band in each_band(trial, side) for each in band.with_upper), curves(trial))


def kept_tables(trial: Solved) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what was computed of a trial's tables, for ``with_kept_tables`` in another run.

    Parameters
    ----------
    trial : Solved
        Whose tables have been asked for.

    Returns
    -------
    dict[str, Any]
        Table -> its values; ``errors``: side -> sizes of the errors of the leg.
    dict[str, Any]
        Side -> bands of the leg: most of what is kept, and seldom asked for again.
    """
    bands(trial)
    held = {function.__name__: value for function, value in vars(trial).get("_kept", {}).items()}
    tables = {name: held[name] for name in _TABLES if name in held} | {"uncertainty_rows": uncertainty_rows(trial)}
    of_legs = {side: _computed(errors).get("bands", ()) for side, errors in trial.errors.items()}
    return {"errors": {side: errors.sizes for side, errors in trial.errors.items()}, **tables}, of_legs


def with_kept_bands(trial: Solved, tables: Mapping[str, Any], read: Callable[[], Mapping[str, Any]]) -> Solved:
    """Return a trial with bands that were computed in another run.

    Parameters
    ----------
    trial : Solved
        The same trial, as that run kept it.
    tables : Mapping[str, Any]
        As of `kept_tables`.
    read : Callable[[], Mapping[str, Any]]
        Returns the bands of each leg, as of `kept_tables`; called once they are asked for.
    """
    errors, of_legs = {side: LegErrors(_NoSources(), sizes=sizes) for side, sizes in tables["errors"].items()}, cache(read)
    for side, of_leg in errors.items():
        _computed(of_leg).update(of=_made_of(trial), later=lambda side=side: of_legs()[side])
    return replace(trial, errors=errors)


def keep_tables(trial: Solved, tables: Mapping[str, Any]) -> None:
    """Let a trial have the tables that were computed in another run.

    Parameters
    ----------
    trial : Solved
        Equal to that run's in everything that the tables are made of.
    tables : Mapping[str, Any]
        As of `kept_tables`.
    """
    functions: tuple[Any, ...] = (frames, curves, trial_budget, peaks, spatiotemporal_rows, uncertainty_rows)
    own = vars(trial).setdefault("_kept", _Kept())
    own.update({getattr(each, "__wrapped__", each): tables[each.__name__] for each in functions if each.__name__ in tables})


def each_band(trial: Solved, side: str) -> Iterator[CycleBand]:
    """Yield what `bands` returns of a leg, one cycle after the other; those of a long trial are kept by nobody.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.
    side : str
        "L" or "R"; nothing is yielded of a leg without errors.

    Yields
    ------
    CycleBand
        One a cycle, in their order.
    """
    if side not in trial.errors:
        return
    if _are_kept(trial) or _computed(trial.errors[side]):
        yield from _bands_of_leg(trial, side)
    else:
        sd_s = _event_sds_s(trial)
        yield from (band.of_cycle(band.cycle, sd_s(band.cycle)) for band in _fresh_bands(trial, side))


def _are_kept(trial: Solved) -> bool:
    """Whether its curves and bands are few enough to be kept."""
    return sum(cycle.duration_s for cycle in trial.cycles) * trial.motion.rate_hz <= KEPT_FRAMES


def _bands_of_leg(trial: Solved, side: str) -> Iterator[CycleBand]:
    errors, of = trial.errors[side], _made_of(trial)
    cycles = {_place(cycle): cycle for cycle in trial.cycles if cycle.side == side}
    last = _computed(errors)
    if "later" in last:
        last["bands"] = last.pop("later")()
    same = last and all(one is other for one, other in zip(last["of"], of, strict=True))
    if not same or {_place(band.cycle) for band in last["bands"]} != set(cycles):
        last.update(of=of, bands=tuple(_fresh_bands(trial, side)))
    made, sd_s = {_place(band.cycle): band for band in last["bands"]}, _event_sds_s(trial)
    return (made[place].of_cycle(cycle, sd_s(cycle)) for place, cycle in cycles.items())


def _fresh_bands(trial: Solved, side: str) -> Iterator[CycleBand]:
    """Compute the bands of a leg."""
    errors = trial.errors[side]
    made = cycle_bands(trial.motion, trial.loads, {side: errors}, trial.cycles, mass_kg=trial.mass_kg)
    if errors.body is not None:
        legs, cycles = tee(made)
        uppers = upper_bands((band.cycle for band in cycles), trial.motion, errors)
        made = (replace(band, upper=upper) for band, upper in zip(legs, uppers, strict=True))
    if not trial.foot_columns:
        yield from made
        return
    skin = skin_functions(trial.motion, side)
    feet = trial.foot_columns, trial.foot_errors, errors.sizes, trial.motion, skin
    yield from (with_pitch(with_foot(band, *feet), trial.foot_columns) for band in made)


def _made_of(trial: Solved) -> tuple[object, ...]:
    """What a trial's bands are computed from, beside its errors and the places of its cycles."""
    return trial.motion, trial.loads, trial.mass_kg, trial.foot_columns, trial.foot_errors


def _place(cycle: Cycle) -> tuple[object, ...]:
    """Which cycle it is, and all of it that decides where its bands are cut; times as text, for no two NaN are equal."""
    return cycle.side, cycle.number, cycle.kinetics_valid, *(repr(t) for t in (cycle.start_s, cycle.end_s, cycle.foot_off_s))


def _event_sds_s(trial: Solved) -> Callable[[Cycle], Mapping[str, float]]:
    """Cycle -> its field -> standard deviation of the time of that event, s: as found with it, else as assumed."""
    events: dict[tuple[str, EventKind], list[Event]] = {}
    for event in sorted(trial.events, key=lambda event: event.time_s):
        events.setdefault((event.side, event.kind), []).append(event)

    def of_cycle(cycle: Cycle) -> Mapping[str, float]:
        other = "R" if cycle.side == "L" else "L"
        strike, off = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF
        ends = {
            "start_s": (cycle.side, strike), "end_s": (cycle.side, strike), "foot_off_s": (cycle.side, off),
            "opposite_off_s": (other, off), "opposite_strike_s": (other, strike),
        }  # fmt: skip
        sd_s = {}
        for name, of in ends.items():
            time_s, sizes = getattr(cycle, name), trial.errors[cycle.side].sizes
            assumed_ms = sizes["strike_ms" if of[1] is strike else "off_ms"]
            near = events.get(of, [])[bisect_left(events.get(of, []), time_s - 1e-6, key=lambda event: event.time_s) :][:2]
            event = next((event for event in near if abs(event.time_s - time_s) < 1e-6), None)
            sd_s[name] = 1e-3 * (assumed_ms if event is None or event.sd_ms is None else event.sd_ms)
        return sd_s

    return of_cycle


def peak_values(trial: Solved) -> tuple[dict[str, object], ...]:
    """Return extrema of every curve and the named bursts of joint power.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.

    Returns
    -------
    tuple[dict[str, object], ...]
        Rows of ``peaks.csv`` without how far they can be off.
    """
    return (*extrema_rows(curves(trial), trial.cycles), *burst_rows(curves(trial), _sagittal(trial), trial.cycles))


def _sagittal(trial: Solved) -> Curves:
    if trial.loads is None or trial.mass_kg is None:
        return stack_curves([])
    return sagittal_curves(trial.motion, trial.loads, trial.cycles, mass_kg=trial.mass_kg)


@kept
def peaks(trial: Solved) -> tuple[dict[str, object], ...]:
    """Return values picked from the curves of a trial and the work of its joints, with how far each can be off.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.

    Returns
    -------
    tuple[dict[str, object], ...]
        Rows of ``peaks.csv``.
    """
    return tuple(peak_rows(trial))


def peak_rows(trial: Solved, laid: Mapping[str, LaidRows] | None = None) -> Iterator[dict[str, object]]:
    """Yield what `peaks` returns, one row after the other.

    Parameters
    ----------
    trial : Solved
        The trial, cut into cycles.
    laid : Mapping[str, LaidRows] | None, optional
        "cycles", "budget" and "uncertainty" -> takes the rows of that table, for which curves and bands of a long trial would be
        computed again.

    Yields
    ------
    dict[str, object]
        Rows of ``peaks.csv``.
    """
    results = vars(trial).get("_kept", {})
    known, passes = results.get(peaks.__wrapped__), not _are_kept(trial) and curves.__wrapped__ not in results  # type: ignore[attr-defined]
    if laid is not None and (known is not None or not passes):
        laid["cycles"].add(curves(trial).block())
        laid["budget"].add(trial_budget(trial).block())
    if known is not None:
        if laid is not None:
            laid["uncertainty"].add(uncertainty_rows(trial))
        yield from known
        return
    sagittal, none = _sagittal(trial).by_cycle(), stack_curves([])
    passing = {side: each_band(trial, side) for side in trial.errors}
    of_cycle = {} if passes else curves(trial).by_cycle()
    all_curves = _each_curves(trial) if passes else (of_cycle.get((cycle.side, cycle.number), none) for cycle in trial.cycles)
    later: tuple[list[dict[str, object]], ...] = ([], [])
    noted: dict[str, list[LaidBlock]] = {side: [] for side in trial.errors}
    for cycle, own in zip(trial.cycles, all_curves, strict=True):
        band = list(islice(passing.get(cycle.side, iter(())), 1))
        extrema, bursts = extrema_rows(own, [cycle]), burst_rows(own, sagittal.get((cycle.side, cycle.number), none), [cycle])
        shown = [each for one in band for each in one.with_upper]
        rows = list(with_peak_sd([*extrema, *bursts], shown, own))
        yield from rows[: len(extrema)]
        later[0].extend(rows[len(extrema) :])
        later[1].extend(joint_work_rows(own, band, [cycle]))
        if laid is not None and passes:
            laid["cycles"].add(own.block())
        if band and laid is not None:
            noted[cycle.side].append(laid["uncertainty"].lay(band_block(shown, own)))
    for more in later:
        yield from more
    if laid is not None:
        laid["uncertainty"].blocks += [block for side in trial.errors for block in noted[side]]
        for own in _each_budget(trial) if passes else ():
            laid["budget"].add(own.block())


@kept
def spatiotemporal_rows(trial: Solved) -> tuple[dict[str, object], ...]:
    """Return every spatiotemporal parameter of a trial, with how far it can be off.

    Parameters
    ----------
    trial : Solved
        The trial, with cycles and parameters.

    Returns
    -------
    tuple[dict[str, object], ...]
        Rows of ``spatiotemporal.csv``.
    """
    cycles = {(cycle.side, cycle.number): cycle for cycle in trial.cycles}
    of_cycle = _event_sds_s(trial)
    sd_s = {key: of_cycle(cycle) for key, cycle in cycles.items() if cycle.side in trial.errors}
    parameters = {(each.side, each.cycle, each.parameter): each for each in trial.parameters}
    of_body = {(band.cycle.side, band.cycle.number): sds for side in trial.errors for band, sds in _body_sds(trial, side)}
    rows: list[dict[str, object]] = []
    for parameter in trial.parameters:
        key, sd = (parameter.side, parameter.cycle), float("nan")
        plain = parameters.get((*key, parameter.parameter.removesuffix("_dimensionless")), parameter)
        if key in sd_s:
            known = of_body.get(key, {}).get(parameter.parameter)
            sizes = trial.errors[parameter.side].sizes
            sd = parameter_sd(parameter, plain, cycles[key], sd_s[key], sizes) if known is None else known
        rows.append({**vars(parameter), "sd": sd})
    return tuple(rows)


def _body_sds(trial: Solved, side: str) -> Iterator[tuple[CycleBand, dict[str, float]]]:
    """Bands above the pelvis of the cycles of a leg, and how far the parameters made of them can be off."""
    if trial.errors[side].body is None:
        return
    sd_s, of_cycle, skin = _event_sds_s(trial), curves(trial).by_cycle(), skin_functions(trial.motion, side)
    own = [cycle for cycle in trial.cycles if cycle.side == side]
    uppers = upper_bands(own, trial.motion, trial.errors[side])
    if _are_kept(trial) or _computed(trial.errors[side]):
        uppers = (band.upper for band in _bands_of_leg(trial, side))
    for upper in uppers:
        if upper is None:
            continue
        band = upper.of_cycle(upper.cycle, sd_s(upper.cycle))
        names = of_cycle.get((side, band.cycle.number), stack_curves([]))
        curve_of = {(name.variable, name.component): values for name, values in zip(names.names, names.values, strict=True)}
        yield band, body_sds(trial, band.cycle, band, curve_of.get, skin)


# Until version 0.4 a trial has its tables as attributes too.
for _name, _table in {
    "frames": frames, "curves": curves, "budget": trial_budget, "bands": bands, "peak_values": peak_values, "peaks": peaks,
    "parameter_rows": spatiotemporal_rows,
}.items():  # fmt: skip
    setattr(Solved, _name, property(deprecated("0.2", f"{__name__}.{_table.__name__}(trial)")(_table)))
