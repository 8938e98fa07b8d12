"""How far a command is: one value that is told of every step, and the time that each stage took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from time import perf_counter

from biomech_id.files.surroundings import require_any_room
from biomech_id.values import dataclass, field, replace

#: Stage of a command -> its share of the time of a usual ``run``, in their order; other commands have some of them.
SHARES = {
    "start": 0.15, "read": 0.05, "calibrate": 0.01, "analyse": 0.1, "cycles": 0.02, "judge": 0.02, "tabulate": 0.03, "draw": 0.57,
    "write": 0.05,
}  # fmt: skip
#: What takes long to import: of a command that reads results, that draws them, that looks into files, that analyses them; of a
#: verdict, which is an analysis that makes no table.
READS = ("numpy", "pandas", "biomech_id.feet.movements", "biomech_id.session.session")
DRAWS = ("matplotlib", "matplotlib.figure", *READS, "biomech_id.report.panels.layer", "biomech_id.report.book", "biomech_id.report")
LOOKS = ("numpy", "biomech_id.gait.events", "biomech_id.judgement.check")
ANALYSES = (
    *LOOKS, *READS, "biomech_id.pipeline.choose_model", "biomech_id.pipeline.stage.analysis",
    "biomech_id.pipeline.stages",
)  # fmt: skip
CHECK_STEPS = tuple(name for name in ANALYSES if name != "pandas")
_BEGINS = dict(zip(SHARES, accumulate(SHARES.values(), initial=0.0), strict=False))


@dataclass(frozen=True)
class Step:
    """One step of a command, told as it begins.

    Attributes
    ----------
    stage : str
        Stage of the command: one of `SHARES`.
    trial : str, optional
        Recording, session or page that it is about; empty for the stage as a whole.
    done : int, optional
        Number of this step within its stage, counted from 1; 0 for the stage as a whole.
    total : int, optional
        How many there are.
    part : str, optional
        What of it begins: one of the times that are taken, a library, a page; empty for the step as a whole.
    """

    stage: str
    trial: str = ""
    done: int = 0
    total: int = 1
    part: str = ""

    @property
    def share(self) -> float:
        """Share of a usual ``run`` that lies before this step, 0 to 1."""
        return _BEGINS[self.stage] + SHARES[self.stage] * max(self.done - 1, 0) / max(self.total, 1)


#: Told of every step as it begins.
Progress = Callable[[Step], None]


@dataclass
class Clock:
    """Who is told of steps, and how long each stage took.

    Attributes
    ----------
    progress : Progress
        Told of every step.
    seconds : dict[str, float]
        Stage -> its time (s), without that of stages inside it.
    latest : Step | None
        The step that was told last.
    """

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    latest: Step | None = None

    def tell(self, step: Step) -> None:
        """Tell of a step, and remember it."""
        self.latest = step
        self.progress(step)


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)
_AROUND: ContextVar[str | None] = ContextVar("around", default=None)


@contextmanager
def telling(progress: Progress) -> Iterator[Clock]:
    """Tell somebody of every stage that begins until the end of the block, and take its time.

    Parameters
    ----------
    progress : Progress
        Told of every step.

    Yields
    ------
    Clock
        Holds the times.
    """
    clock = Clock(progress)
    token = _CLOCK.set(clock)
    try:
        yield clock
    finally:
        _CLOCK.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Do a stage of a command: whoever listens is told as it begins, and its time is taken.

    Parameters
    ----------
    name : str
        Stage of the command: one of `SHARES`.
    """
    clock = _CLOCK.get()
    if clock is not None:
        clock.tell(Step(name))
    with _taken(name):
        yield


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Do a part of a stage: whoever listens is told as it begins, and its time is taken, which is then not the stage's own.

    Parameters
    ----------
    name : str
        What ``--timings`` calls it.
    """
    begin(name)
    with _taken(name):
        yield


def begin(part: str) -> str:
    """Tell whoever listens what of the present step begins, and return its name.

    Parameters
    ----------
    part : str
        A library, a page, one of the times that are taken.
    """
    clock = _CLOCK.get()
    if clock is not None and clock.latest is not None:
        clock.tell(replace(clock.latest, part=part))
    return part


def load(*modules: str) -> None:
    """Import what a command needs and what takes long, telling of each before.

    Parameters
    ----------
    modules : str
        Their full names.

    Raises
    ------
    MemoryError
        There is too little room for a library: some that run out of it in their import never end.
    """
    for name in modules:
        require_any_room()
        import_module(begin(name))


@contextmanager
def _taken(name: str) -> Iterator[None]:
    clock, around = _CLOCK.get(), _AROUND.get()
    if clock is None:
        yield
        return
    token, began = _AROUND.set(name), perf_counter()
    try:
        yield
    finally:
        _AROUND.reset(token)
        taken = perf_counter() - began
        clock.seconds[name] = clock.seconds.get(name, 0.0) + taken
        if around is not None:
            clock.seconds[around] = clock.seconds.get(around, 0.0) - taken


def steps(name: str, items: Iterable[Path]) -> Iterator[Path]:
    """Yield each of some folders, telling whoever listens before it is worked on.

    Parameters
    ----------
    name : str
        Stage that they belong to, one of `SHARES`.
    items : Iterable[Path]
        Folders or files that are worked on in turn.
    """
    clock, listed = _CLOCK.get(), list(items)
    for number, item in enumerate(listed, start=1):
        if clock is not None:
            clock.tell(Step(name, item.name, number, len(listed)))
        yield item
