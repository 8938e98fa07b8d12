"""A trial is a Trial, a BodyMotion or Solved, a session a Session or its Tables: pages, exports and norms take nothing else."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.judgement.commissioning import Commissioned
from biomech_id.pipeline import analyse, one_trial, stages
from biomech_id.pipeline.stage import assemble, calibration, judgement, measure, recordings, reuse, trial
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.report.panels.emg_rows import EmgView
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.page import Content
from biomech_id.request.intake import Intake
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import Tables
from biomech_id.statistics.sessions import ComparedCycles
from biomech_id.trial import Trial

ROOMS = ("report", "review", "exports", "statistics", "norms")
VALUES = (Trial, BodyMotion, Solved, Session, Tables)
#: Types that hold a trial or a session and are neither, with why they are.
OTHERS = {
    Layer: "cycles of one kind and condition of a session, which are drawn as one line",
    ComparedCycles: "the cycles of a session that enter means, from which changes between sessions are computed",
    Commissioned: "a laboratory's sessions together, held against what its own software stored",
    Content: "what a page is drawn from: such cycles, the session's tables, style and norm",
    Intake: "recordings as they came in, read or refused, before anything is made of them",
    EmgView: "the trials of a session whose muscle signals a page shows",
    JointLoads: "loads of a motion, which they name",
    TrialAnalysis: "a trial on its way from one stage to the next, with what the earlier ones made of it",
    Analysis: "a session on its way from one stage to the next, with what the earlier ones made of it",
}


def types_in(hint: Any) -> Iterator[type]:
    """Classes of the package in an annotation, however deep."""
    arguments = hint if isinstance(hint, list) else typing.get_args(hint)
    for each in arguments:
        yield from types_in(each)
    if inspect.isclass(hint) and not arguments and hint.__module__.split(".")[0] in ("biomech_id", __name__.split(".")[0]):
        yield hint


def hints_of(thing: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(thing)
    except NameError:  # a name that only who checks types imports
        return {}


def holds(kind: type) -> bool:
    """Whether a value of a type has a trial or a session among its fields, or says that it makes one's tables."""
    if issubclass(kind, VALUES):
        return False
    whole = dataclasses.is_dataclass(kind)
    fields = [hint for name, hint in hints_of(kind).items() if whole or name in getattr(kind, "_fields", ())]
    made = [hints_of(each).get("return") for name, each in vars(kind).items() if name == "tables" and inspect.isfunction(each)]
    return any(issubclass(each, VALUES) for hint in (*fields, *made) for each in types_in(hint))


def others(functions: dict[str, Callable[..., object]]) -> dict[str, list[str]]:
    """Function -> types among its parameters and what it returns that stand for a trial or a session and are none."""
    named = {name: {kind for hint in hints_of(each).values() for kind in types_in(hint)} for name, each in functions.items()}
    found = {name: sorted(kind.__name__ for kind in kinds if kind not in OTHERS and holds(kind)) for name, kinds in named.items()}
    return {name: kinds for name, kinds in found.items() if kinds}


def public_functions(module: Any) -> dict[str, Callable[..., object]]:
    members = {name: inspect.unwrap(each) for name, each in vars(module).items() if name[0] != "_" and inspect.isroutine(each)}
    return {f"{module.__name__}.{name}": each for name, each in members.items() if each.__module__ == module.__name__}


@pytest.mark.parametrize("room", ROOMS)
def test_reports_reviews_and_exports_take_these_values_alone(room: str) -> None:
    package = importlib.import_module(f"biomech_id.{room}")
    modules = [importlib.import_module(each.name) for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    functions = {name: function for module in modules for name, function in public_functions(module).items()}
    assert len(functions) > 5
    assert others(functions) == {}


def test_stages_take_these_values_alone() -> None:
    modules = (analyse, one_trial, stages, recordings, calibration, trial, measure, judgement, assemble, reuse)
    functions = {name: each for module in modules for name, each in public_functions(module).items()}
    names = {name.rpartition(".")[2] for name in functions}
    assert {"analyse", "analyse_job", "solve_trial", "cut_and_grade"} <= names
    assert {each.function.__name__ for each in stages.STAGES} <= names
    assert others(functions) == {}


@dataclasses.dataclass
class Walk:
    tables: Tables


class HasTables(typing.Protocol):
    def tables(self) -> Tables: ...


def draw(sessions: list[Walk]) -> None: ...


def plot(session: HasTables) -> None: ...


def write(trial: Solved, tables: dict[str, Tables]) -> tuple[Session, ...]: ...


def test_another_type_is_seen() -> None:
    assert others({"draw": draw, "plot": plot, "write": write}) == {"draw": ["Walk"], "plot": ["HasTables"]}


def test_every_exception_is_needed() -> None:
    assert [kind.__name__ for kind in OTHERS if not holds(kind)] == []
