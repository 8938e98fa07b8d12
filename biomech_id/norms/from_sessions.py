"""A norm from analysed sessions: what ``biomech-id norm`` computes.

No person with a diagnosis is in a norm.  Each subject counts once, however many sessions, trials and cycles they have: their used
cycles of all sessions are averaged, then left and right; what each side does is kept beside, for a patient is judged by one side.
Kinetics that exist on one side only count with that side.
Joint loads of plates of several bandwidths are never averaged: the norm then holds a set of them for each, and everything else
once.  The scores' own norm (how far the norm's subjects lie from the others' mean) is measured against the norm itself, without
the one who is scored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import EMG_VARIABLE, SIDES, cycle_rows
from biomech_id.errors import OptionError
from biomech_id.files.settings import must_fit, one_of
from biomech_id.gait.measures.scores import GAIT_VARIABLES
from biomech_id.gait.measures.spatiotemporal import symmetry_index
from biomech_id.languages import Sentence
from biomech_id.norms.comparable import hangs_on, several_bandwidths
from biomech_id.norms.contributors import marks_of
from biomech_id.norms.fit import SPEED, person_of, scored_norm
from biomech_id.session.tables.means import AVERAGED, WALKING, MeanCurves, averaged_cycles, mean_curves, mean_of_known
from biomech_id.session.tables.omissions import Omission, omissions_of
from biomech_id.session.tables.phase_values import PLACE, named_values
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.session.values.fingerprint import FINGERPRINT, check_mix, fingerprint_of
from biomech_id.session.values.norm import ASYMMETRY, NormSample
from biomech_id.session.values.step import begin
from biomech_id.values import dataclass, field, replace

#: Part of the cycle in which a subject's mean curve must have a value to count.
LEAST_KNOWN = 0.9
#: Of whoever is a patient.
HAS_A_DIAGNOSIS = "has-a-diagnosis"
#: Reasons of an omission that somebody asked for.
ASKED_FOR = frozenset({"not-in-this-norm", "outside-the-ages", "counted-as"})


@dataclass
class _Person:
    """One subject's sessions so far: curves per name, values per parameter and per named value of a curve, and who it is.

    Curves and named values stand below the bandwidth of the plates that they hang on, empty for those that hang on none.
    """

    curves: dict[tuple[str, tuple[str, str, str]], list[FloatArray]] = field(default_factory=dict)
    parameters: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    named: dict[tuple[str, tuple[str, str]], dict[str, list[float]]] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()
    about: list[Mapping[str, Any]] = field(default_factory=list)


def norm_from_sessions(
    sessions: Iterable[Tables],
    *,
    source: str,
    condition: str | None = None,
    mix: Collection[str] = (),
    ages: tuple[float, float] | None = None,
    without: Collection[str] = (),
    tell: Callable[[Omission], None] | None = None,
    movement: str = WALKING,
    name: str = "",
    version: str = "",
    date: str = "",
) -> pd.DataFrame:
    """Return a norm made from sessions, as a table.

    A mean curve counts where it has a value, if that is in `LEAST_KNOWN` of the cycle; so ``n`` may differ between its points.

    Parameters
    ----------
    sessions : Iterable[Tables]
        Any number; they are looked at one after the other and not kept.
    source : str
        Who made the norm, from what.
    condition : str | None, optional
        Of the trials to take; needed when the sessions hold several.
    mix : Collection[str], optional
        Keys of `fingerprint.FINGERPRINT` in which the sessions may differ; the norm then names all that there are. Without
        "bandwidth" joint loads of several bandwidths stand in the norm once for each.
    ages : tuple[float, float] | None, optional
        Youngest and oldest on the day of the session, years; who is not, or whose age nobody recorded, is left out.
    without : Collection[str], optional
        Codes of subjects who are left out: the patient whom the norm is for, above all.
    tell : Callable[[Omission], None] | None, optional
        Told of every subject, trial and cycle that is left out.
    movement : str, optional
        One of `session.tables.means.AVERAGED`: a norm of straight walks or one of runs, never of both.
    name, version, date : str, optional
        By which the norm is known again; the day as ISO writes it.

    Returns
    -------
    pd.DataFrame
        Rows of ``norm.csv``, with its contributors.

    Raises
    ------
    OptionError
        Sessions of different models, kinetics, hip centres or (without ``condition``) conditions; no used cycle in any of them, or
        everybody has a diagnosis.
    """
    must_fit(one_of(AVERAGED, "What the norm's cycles are of."), movement, "movement")
    people: dict[str, _Person] = {}
    kinds: dict[str, dict[str, str]] = {key: {} for key in FINGERPRINT}
    conditions: dict[str, None] = {}
    patients: list[str] = []
    tell = tell or (lambda _: None)
    for number, tables in enumerate(sessions):
        code = str(tables.summary["subject"].get("code") or f"session {number + 1}")
        why = _unwanted(code, tables, ages, without)
        patients += [code] if why is not None and why.rule == HAS_A_DIAGNOSIS else []
        if why is not None:
            tell(Omission(code, "", "", (), "means", why))
            continue
        begin(code)
        known, means = fingerprint_of(tables.summary, movement), mean_curves(tables, movement=movement)
        for key, codes in kinds.items() if means or movement == WALKING else ():
            codes.setdefault(known.get(key, ""), code)
        for left_out in omissions_of(code, tables.summary, condition, movement=movement):
            tell(left_out)
        conditions |= dict.fromkeys(means)
        for own, curves in means.items():
            if condition is None or own == condition:
                _add(_known_again(people, code, tables, tell), curves, tables, own, movement, known.get("bandwidth", ""))
    _check_alike(kinds, mix)
    if condition is None:
        _check_one(conditions, "condition", "name the one to take")
    if not people and patients:
        raise OptionError(
            f"No session is left for a norm: no person with a diagnosis is in one ({', '.join(dict.fromkeys(patients))}).",
            value=patients, expected="sessions of people without a diagnosis", where="norm",
        )  # fmt: skip
    if not people:
        raise OptionError(
            f"No session has a usable cycle for a norm of {movement}s.",
            value=condition, expected="steady straight cycles" if movement == WALKING else "runs", where="norm",
        )  # fmt: skip
    about = {key: " + ".join(filter(None, codes)) for key, codes in kinds.items()} | {"source": source, "movement": movement}
    about |= {"name": name, "version": version, "date": date}
    widths = [words for words in kinds["bandwidth"] if words]
    if len(widths) < 2 or "bandwidth" in mix:
        return _of_people(people, {"", *widths}, tell, about)
    tell = _once(tell)
    return several_bandwidths({words: _of_people(people, {"", words}, tell, {**about, "bandwidth": words}) for words in widths})


def _of_people(
    people: Mapping[str, _Person], widths: Collection[str], tell: Callable[[Omission], None], about: Mapping[str, str]
) -> pd.DataFrame:
    """The norm of some people, of what stands below these bandwidths."""
    begin("samples")
    samples = [_sample(code, person, widths, tell) for code, person in people.items()]
    return scored_norm(tuple(_without_unknown(samples, tell)), about)


def _once(tell: Callable[[Omission], None]) -> Callable[[Omission], None]:
    """Tell each omission once, however many bandwidths it is left out of."""
    passed_on: list[Omission] = []

    def telling(omission: Omission) -> None:
        if omission not in passed_on:
            passed_on.append(omission)
            tell(omission)

    return telling


def _known_again(people: dict[str, _Person], code: str, tables: Tables, tell: Callable[[Omission], None]) -> _Person:
    """Who walked this session: a person of that code, or of whom there are the same recordings under another."""
    marks = marks_of(tables, person_of(tables).marks)
    same = code if code in people else next((other for other, each in people.items() if each.marks & marks), code)
    if same != code:
        tell(Omission(code, "", "", (), "means", Sentence("counted-as", {"other": same})))
    person = people.setdefault(same, _Person())
    person.marks |= marks
    person.about.append(tables.summary["subject"])
    return person


def _unwanted(code: str, tables: Tables, ages: tuple[float, float] | None, without: Collection[str]) -> Sentence | None:
    """Why a session is not to be in the norm; None if it is."""
    if code in without:
        return Sentence("not-in-this-norm", {})
    if tables.diagnosis:
        return Sentence(HAS_A_DIAGNOSIS, {"diagnosis": tables.diagnosis})
    age = tables.summary["subject"].get("age_years")
    if ages is None:
        return None
    if age is None:
        return Sentence("age-not-recorded", {"youngest": ages[0], "oldest": ages[1]})
    if not ages[0] <= age <= ages[1]:
        return Sentence("outside-the-ages", {"age_years": age, "youngest": ages[0], "oldest": ages[1]})
    return None


def _check_alike(kinds: Mapping[str, Mapping[str, str]], mix: Collection[str]) -> None:
    """Refuse sessions that were computed differently, but for their plates' bandwidth: loads of several are kept apart.

    Those that do not say how are not refused, but named by `make_norm`.
    """
    check_mix(mix)
    for key, codes in kinds.items():
        kind_codes = {words: code for words, code in codes.items() if words}
        if len(kind_codes) > 1 and key not in (*mix, "bandwidth"):
            names = "; ".join(f"{words}, as {code}" for words, code in kind_codes.items())
            raise OptionError(
                f"The sessions do not have one {FINGERPRINT[key]} ({names}); make one norm for each, or name {key} in `mix`.",
                value=list(kind_codes), expected=f"one {FINGERPRINT[key]}", where="norm",
            )  # fmt: skip


def _check_one(kinds: Mapping[str, None], what: str, do: str) -> None:
    if len(kinds) > 1:
        names = "; ".join(f"'{key}'" for key in kinds)
        raise OptionError(
            f"The sessions do not have one {what} ({names}); {do}.", value=list(kinds), expected=f"one {what}", where="norm"
        )


def _add(person: _Person, curves: MeanCurves, tables: Tables, condition: str, movement: str, bandwidth: str) -> None:
    muscles = _muscles(tables, condition) if movement == WALKING else {}
    for name, curve in {**curves, **muscles}.items():
        width = bandwidth if hangs_on(name[1], "bandwidth") else ""
        person.curves.setdefault((width, name), []).append(curve)
    used = averaged_cycles(tables, movement)
    used = used[used["condition"] == condition]
    rows = tables.spatiotemporal.merge(used[["trial", "side", "cycle"]], on=["trial", "side", "cycle"])
    for (parameter, side), values in rows.groupby(["parameter", "side"], sort=False)["value"]:
        person.parameters.setdefault(str(parameter), {}).setdefault(str(side), []).append(float(values.mean()))
    begin("named values")
    for name, value in _named(tables, used):
        width = bandwidth if hangs_on(name[0], "bandwidth") else ""
        person.named.setdefault((width, name[:2]), {}).setdefault(name[2], []).append(value)


def _named(tables: Tables, used: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], float]]:
    """(``max_stance.KneeAngles``, component, side) -> a session's mean of that value, and of where in the cycle it lies."""
    values = named_values(tables, used)
    places: dict[tuple[str, str, str, str], list[int]] = {}
    for place, key in enumerate(zip(*(values[column] for column in ("variable", "component", "name", "side")), strict=True)):
        places.setdefault(key, []).append(place)
    numbers = values[["value", "percent"]].to_numpy(np.float64).T
    latest = ""
    for (variable, component, name, side), at in places.items():
        latest = latest if latest == side else begin(str(side))
        value, percent = over_seen(np.nanmean, numbers.take(at, axis=1), axis=1).tolist()
        yield (f"{name}.{variable}", str(component), str(side)), value
        if np.isfinite(percent) and name != "value_contact":
            yield (f"{PLACE}{name}.{variable}", str(component), str(side)), percent


def _muscles(tables: Tables, condition: str) -> MeanCurves:
    """Mean envelopes over the cycles in them, percent of the session's own peak, one channel for a muscle."""
    if tables.emg is None:
        return {}
    trials = [trial["name"] for trial in tables.summary["trials"] if trial["condition"] == condition]
    used = tables.emg[(tables.emg["used"] == "true") & tables.emg["trial"].isin(trials) & (tables.emg["muscle"] != "")]
    envelopes: MeanCurves = {}
    for (side, muscle, _), rows in used.groupby(["side", "muscle", "label"], sort=False):
        curves = rows["percent_peak"].to_numpy(np.float64).reshape(-1, CURVE_POINTS)
        envelopes.setdefault((str(side), EMG_VARIABLE.format(muscle=muscle), ""), np.asarray(curves.mean(axis=0)))
    return envelopes


def _sample(code: str, person: _Person, widths: Collection[str], tell: Callable[[Omission], None]) -> NormSample:
    """One subject's contribution to a norm of these bandwidths."""
    every: dict[tuple[str, str, str], list[FloatArray]] = {}
    for (width, curve), each in person.curves.items():
        every.setdefault(curve, []).extend(each if width in widths else ())
    sides = {name: mean_of_known(np.stack(curves)) for name, curves in every.items() if curves}
    values: dict[tuple[str, str], FloatArray] = {}
    limbs: MeanCurves = {name: curve for name, curve in sides.items() if name[1:] in GAIT_VARIABLES}
    halves: dict[str, dict[str, None]] = {}
    for row in cycle_rows():
        both = {side: sides[key] for side in SIDES if (key := (side, row.variable, row.component)) in sides}
        most = {side: curve for side, curve in both.items() if np.isfinite(curve).mean() >= LEAST_KNOWN}
        # A path over the sole scales with the foot: it has no norm in millimetres.
        if row.quantity == "point":
            continue
        # A free moment exists in stance only, of everybody.
        for side in both.keys() - most.keys() if row.quantity != "ground moment" else ():
            halves.setdefault(side, {})[row.variable] = None
        if most:
            values[row.variable, row.component] = mean_of_known(np.stack(list(most.values())))
            limbs |= {(side, row.variable, row.component): curve for side, curve in most.items()}
    for side, variables in sorted(halves.items()):
        why = Sentence("half-a-curve", {"variables": tuple(variables), "percent": 100.0 * LEAST_KNOWN})
        tell(Omission(code, "", side, (), "means", why))
    for variable in dict.fromkeys(name for _, name, _ in sides if name.startswith(EMG_VARIABLE.format(muscle=""))):
        of_sides = {(side, variable, ""): sides[side, variable, ""] for side in SIDES if (side, variable, "") in sides}
        values[variable, ""] = np.mean(list(of_sides.values()), axis=0)
        limbs |= of_sides
    numbers = {(parameter, ""): by_side for parameter, by_side in person.parameters.items()}
    for name in dict.fromkeys(name for width, name in person.named if width in widths):
        numbers[name] = _together([each for (width, known), each in person.named.items() if known == name and width in widths])
    for name, by_side in numbers.items():
        of_number = {side: _mean(of_sessions) for side, of_sessions in by_side.items()}
        values[name] = np.array([_mean(list(of_number.values()))])
        limbs |= {(side, *name): np.array([value]) for side, value in of_number.items() if side in SIDES}
    for parameter, by_side in person.parameters.items():
        if set(SIDES) <= set(by_side):
            values[f"{ASYMMETRY}{parameter}", ""] = np.array([symmetry_index(*(_mean(by_side[side]) for side in SIDES))])
    speed = float(values[SPEED, ""][0]) if (SPEED, "") in values else float("nan")
    return NormSample(values, speed=speed, marks=person.marks, sides=limbs, **_about(person.about))


def _together(parts: Sequence[Mapping[str, list[float]]]) -> dict[str, list[float]]:
    """Side -> the values of all parts."""
    return {side: [value for part in parts for value in part.get(side, ())] for part in parts for side in part}


def _about(subjects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Who a subject is, the mean of what all sessions say; legs left and right together."""
    sexes = {str(subject.get("sex") or "") for subject in subjects} - {""}
    numbers = {
        name: _mean([float(subject[name]) for subject in subjects if subject.get(name) is not None])
        for name in ("age_years", "mass_kg", "height_m")
    }
    legs = [float(length) for subject in subjects for length in (subject.get("leg_length_m") or {}).values()]
    return {**numbers, "leg_length_m": _mean(legs), "sex": sexes.pop() if len(sexes) == 1 else ""}


def _without_unknown(samples: Sequence[NormSample], tell: Callable[[Omission], None]) -> Iterator[NormSample]:
    """Samples without the curves that none of them knows all of: a band with a hole is none."""
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    holes = {}
    for name in names:
        known = np.any([np.isfinite(sample.values[name]) for sample in samples if name in sample.values], axis=0)
        if not known.all():
            holes[name] = Sentence("no-subject-knows", {"variable": name[0], "points": int((~known).sum()), "all": len(known)})
            tell(Omission(" ".join(name).strip(), "", "", (), "means", holes[name]))
    for sample in samples:
        yield replace(sample, values={name: values for name, values in sample.values.items() if name not in holes})


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
