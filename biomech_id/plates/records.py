"""Steps on plates as JSON holds them, in millimetres and degrees; and the population that ships, ``plate_population.json``.

Its steps are those of healthy children and adolescents of two laboratories, told by `plates.steps` as any session's are. The
first laboratory's plates are taken to stand where its files say; the second's are put where its own steps say they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M, SCHEMA
from biomech_id.errors import MissingInputError
from biomech_id.files.atomic import whole_file
from biomech_id.files.json_text import json_text, read_json
from biomech_id.plates.place import Population, population_of
from biomech_id.plates.steps import GRID, PlateStep

POPULATION_FILE = Path(__file__).with_name("plate_population.json")
#: Fewer steps are no population: thirty numbers are read of each.
LEAST_STEPS = 15


def step_record(step: PlateStep) -> dict[str, Any]:
    """Return a step as JSON can hold it.

    Parameters
    ----------
    step : PlateStep
        One step on one plate.

    Returns
    -------
    dict[str, Any]
        By the names of `PlateStep`; lengths in millimetres, rounded.
    """
    return {
        "trial": step.trial, "side": step.side, "plate": step.plate, "start_s": round(step.start_s, 4),
        "direction": _rounded(step.direction_lab, 5), "foot_direction": _rounded(step.forward_lab, 5),
        "heel_from_plate_mm": _rounded(MM_PER_M * step.heel_from_plate_m, 2),
        "foot_length_mm": round(MM_PER_M * step.foot_length_m, 2),
        "along": _rounded(step.curve[:, 0], 5), "across": _rounded(step.curve[:, 1], 5),
        "momentum_mm": _rounded(MM_PER_M * step.momentum_lab_m, 2),
        "momentum_by_turn_mm": _rounded(MM_PER_M * step.momentum_by_turn_m, 2),
    }  # fmt: skip


def _rounded(values: FloatArray, digits: int) -> list[float]:
    return [round(float(value), digits) for value in values]


def step_from(record: Mapping[str, Any]) -> PlateStep:
    """Return the step that a record holds.

    Parameters
    ----------
    record : Mapping[str, Any]
        Mapping as `step_record` makes it, or read back from JSON.

    Returns
    -------
    PlateStep
        The step in SI, as exactly as the record has it.
    """
    vectors = {
        key: np.array([np.nan if value is None else value for value in record[key]], dtype=float)
        for key in ("direction", "foot_direction", "heel_from_plate_mm", "momentum_mm", "momentum_by_turn_mm")
    }
    return PlateStep(
        record["trial"], record["side"], record["plate"], record["start_s"], vectors["direction"], vectors["foot_direction"],
        vectors["heel_from_plate_mm"] / MM_PER_M, record["foot_length_mm"] / MM_PER_M,
        np.stack([record["along"], record["across"]], axis=1), vectors["momentum_mm"] / MM_PER_M,
        vectors["momentum_by_turn_mm"] / MM_PER_M,
    )  # fmt: skip


def write_population(path: Path, source: str, steps: Iterable[tuple[str, str, PlateStep]]) -> None:
    """Write a population's steps, to be read by `read_population`.

    Parameters
    ----------
    path : Path
        JSON file to write; an existing one is replaced.
    source : str
        Who walked, where, in words.
    steps : Iterable[tuple[str, str, PlateStep]]
        Laboratory, person and step; plates of the first laboratory are taken to stand where its files say.
    """
    records = [{"laboratory": laboratory, "person": person, **step_record(step)} for laboratory, person, step in steps]
    text = json_text({"schema": SCHEMA, "source": source, "grid": GRID, "steps": records})
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def population_records(path: Path = POPULATION_FILE) -> tuple[str, tuple[tuple[str, str, PlateStep], ...]]:
    """Return who a population's walkers are, and laboratory, person and step of each of its steps.

    Parameters
    ----------
    path : Path, optional
        What `write_population` wrote; unless given, the one that ships.

    Returns
    -------
    tuple[str, tuple[tuple[str, str, PlateStep], ...]]
        Who and where in words; then laboratory, person and step of each.

    Raises
    ------
    MissingInputError
        The file holds no population, or too few steps.
    """
    # A laboratory's own may be another one when it is read again.
    return _shipped() if path == POPULATION_FILE else _records(path)


@cache
def _shipped() -> tuple[str, tuple[tuple[str, str, PlateStep], ...]]:
    return _records(POPULATION_FILE)


def _records(path: Path) -> tuple[str, tuple[tuple[str, str, PlateStep], ...]]:
    try:
        held = read_json(path)
        steps = tuple((row["laboratory"], row["person"], step_from(row)) for row in held["steps"])
        source = str(held["source"])
    except (ValueError, KeyError, TypeError) as error:
        raise MissingInputError(
            f"{path.name} holds no population of steps on plates: {error}.",
            value=path.name, expected="what biomech-id plates --population writes", where=str(path),
        ) from error  # fmt: skip
    if len(steps) < LEAST_STEPS:
        raise MissingInputError(
            f"{path.name} holds {len(steps)} steps on plates, too few for a population.",
            value=len(steps), expected=f"at least {LEAST_STEPS} steps", where=str(path),
        )  # fmt: skip
    return source, steps


def read_population(path: Path = POPULATION_FILE, without: str = "") -> Population:
    """Return a population.

    Parameters
    ----------
    path : Path, optional
        What `write_population` wrote; unless given, the one that ships.
    without : str, optional
        A person whose steps are left out: whoever is judged is no part of what judges.

    Returns
    -------
    Population
        As `population_of` makes it of the file's steps.

    Raises
    ------
    MissingInputError
        See `population_records`.
    """
    return _shipped_without(without) if path == POPULATION_FILE else _population(_records(path)[1], without)


@cache
def _shipped_without(person: str) -> Population:
    return _population(_shipped()[1], person)


def _population(records: Iterable[tuple[str, str, PlateStep]], without: str) -> Population:
    steps = [row for row in records if row[1] != without]
    return population_of([step for *_, step in steps], [lab for lab, *_ in steps], [who for _, who, _ in steps])
