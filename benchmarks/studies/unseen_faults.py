"""Faults that the limits were not set with: which leave a curve's own band, and which are told by the rules and by the diagnosis.

``python -m benchmarks.studies.unseen_faults [dictionary] [unseen]`` puts one fault at a time into walks of six people of three
laboratories and analyses each with the whole program. The kinds of ``unseen_fault_kinds.py`` were written by somebody who has not
seen residuals, causes or rules, and a seed draws which of them in which size are put into which recording; those of
``dictionary_kinds.py`` are causes of the diagnosis's own dictionary and are counted apart.

A fault matters where a mean curve changes by more than `designed_faults` asks for, and leaves the band where that curve also leaves
the 95 % band printed for the recording as it is. It is told by the rules where the run has a warning or a doubted verdict that it
has not without the fault, rules of stored outputs left aside; by the diagnosis where a cause that warns is new, or by 2 likelier
than without the fault. ``unseen_faults.csv`` has every fault, ``unseen_faults.md`` the counts.
"""

from __future__ import annotations

import csv
import itertools
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies import dictionary_kinds
from benchmarks.studies.cut_gaps import SHARED
from benchmarks.studies.designed_faults import COUNTING, LEAST, LOWER, RANGE_SHARE, VARIABLES, Recording
from benchmarks.studies.unseen_fault_kinds import KINDS, Kind, NotHere
from benchmarks.studies.unseen_fault_words import cause_is_very, class_is_right
from benchmarks.studies.unseen_faults_table import SHOWN, gates, is_met, table
from biomech_id import BiomechError, Trial
from biomech_id.errors import Severity
from biomech_id.judgement.diagnosis.causes import Possible
from biomech_id.judgement.diagnosis.contacts import contacts
from biomech_id.judgement.diagnosis.diagnosis import ALIKE, MOST_CAUSES, STRIDE_STRIKES, Found, Search
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.judgement.diagnosis.residuals import JudgedWalk, residuals
from biomech_id.judgement.diagnosis.spread import package_spread
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stages import analysed
from biomech_id.readers import read_recording
from biomech_id.request.in_memory import InMemory, named_trial, trials_in_memory
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.bands.mean_uncertainty import band_rows_of, uncertainty_of_rows
from biomech_id.session.bands.uncertainty import TOTAL
from biomech_id.session.session import Session
from biomech_id.session.tables.means import averaged_cycles, mean_curves
from biomech_id.trial import AnalogChannels

SEED = 20261130
TABLE = Path(__file__).with_suffix(".md")
ROWS = Path(__file__).with_suffix(".csv")
#: Name -> laboratory, static trial and walk below the folder of recordings.
RECORDINGS: Mapping[str, tuple[str, str, str]] = {
    "HC002D": ("children", "children/HC002D/HC002D02", "children/HC002D/HC002D06"),
    "HC030A": ("children", "children/HC030A/HC030A01", "children/HC030A/HC030A05"),
    "HC032A": ("children", "children/HC032A/HC032A01", "children/HC032A/HC032A03"),
    "flat foot": ("adults", "plug_in_gait/PiG_Calibration3_FF", "plug_in_gait/PiG_Motion3_FF"),
    "knee device": ("adults", "knee_device/kad_medial/PiGKadMed_Calibration", "knee_device/kad_medial/PiGKadMed_Motion"),
    "tuned device": ("abroad", "labs_abroad/device_tuned_rotation/static", "labs_abroad/device_tuned_rotation/walk03"),
}
#: Rules that hold a session against outputs stored in its own files. A fault of a laboratory is in those too, one that is put in is
#: not: what they say counts for nothing.
OF_STORED = frozenset((
    "static-offsets-differ", "offsets-of-trials-differ", "thigh-rotations", "marker-diameter-assumed",
    "marker-diameter-contradicted", "stored-angles-differ",
))  # fmt: skip
BAND_SDS = 1.96
#: Share of a size that its error may be, beside its SD.
SIZE_SHARE = 0.1
#: So many of the unseen kinds and sizes are put in.
UNSEEN = 300
ORIGINS = ("unseen", "dictionary")
Curve = tuple[str, str, str]


def recording_of(name: str, folder: Path = SHARED) -> Recording:
    """Read a static trial and a walk; of the children the legs alone, no muscles."""
    _, static, walk = RECORDINGS[name]
    return Recording(name, *(legs_of(read_recording(folder / f"{path}.c3d", trust=True).trial) for path in (static, walk)))


def legs_of(trial: Trial) -> Trial:
    of_device = any("KAX" in label for label in trial.markers.names)
    kept = [i for i, label in enumerate(trial.markers.names) if label in LOWER or of_device]
    names, position = tuple(trial.markers.names[i] for i in kept), trial.markers.position_m[:, kept]
    markers = replace(trial.markers, names=names, position_m=position, filled=None)
    return replace(trial, markers=markers, analog=AnalogChannels())


@dataclass(frozen=True, eq=False)
class Shown:
    """What the program shows of a recording.

    Attributes
    ----------
    words : frozenset[str]
        Rules that warn, doubt or refuse.
    means : Mapping[Curve, np.ndarray]
        (side, variable, component) -> mean curve (101,), in the unit of the sign table.
    bands : Mapping[Curve, np.ndarray]
        The same -> half of the printed 95 % band (101,); empty where nobody asked.
    walk : tuple[Trial, ConventionalModel] | None
        What is diagnosed; None where the walk could not be calibrated.
    """

    words: frozenset[str]
    means: Mapping[Curve, np.ndarray]
    bands: Mapping[Curve, np.ndarray]
    walk: tuple[Trial, ConventionalModel] | None

    @classmethod
    def of(cls, recording: Recording, *, bands: bool = False) -> Shown:
        given = [recording.static, recording.walk]
        options: dict[str, object] = {"static": recording.static.name, "mass_kg": recording.mass_kg, "budget": False}
        try:
            session = bid.analyse(given, uncertainty=bands, **options)  # type: ignore[arg-type]
            walk = lined_up(recording)
        except BiomechError as error:
            return cls(frozenset({f"refused: {type(error).__name__}"}), {}, {}, None)
        tables = session.tables()
        means = {curve: values for of in mean_curves(tables).values() for curve, values in of.items() if curve[1] in VARIABLES}
        rows = band_rows_of(tables, averaged_cycles(tables)) if bands else {}
        sds = {curve: uncertainty_of_rows(tables, rows[curve]).get(TOTAL) for curve in means if curve in rows}
        printed = {curve: BAND_SDS * sd for curve, sd in sds.items() if sd is not None}
        return cls(_words(session), means, printed, walk)


def _words(session: Session) -> frozenset[str]:
    """Rules that ask for a look, as `designed_faults` counts them."""
    computed = session.computed
    words = {f.rule for f in computed.findings if f.severity is not Severity.INFO} - {"session-without-kinetics"}
    words |= {f"refused: {failed.file}" for failed in computed.failed}
    for trial in computed.trials:
        words |= {finding.rule for finding in trial.findings if finding.severity is not Severity.INFO}
        words |= {row.rule for row in trial.quality if row.verdict.doubted and row.rule not in COUNTING}
    return frozenset(words) - OF_STORED


def lined_up(recording: Recording) -> tuple[Trial, ConventionalModel] | None:
    """The walk as ``biomech-id diagnose`` takes it, and its model."""
    trials = trials_in_memory([recording.static, recording.walk])
    static = named_trial(recording.static.name, trials, "static")
    job = Job(
        tuple(Path(trial.path) for trial in trials), recipe=Recipe().replaced(uncertainty=False, budget=False),
        mass_kg=recording.mass_kg, given=InMemory(trials, {}, {}), static=static,
    )  # fmt: skip
    walks = analysed(job, Analysis(), until="line_up").walks
    return next(((walk.trial, walk.model) for walk in walks if walk.trial.name == recording.walk.name), None)  # type: ignore[misc]


@dataclass(frozen=True, eq=False)
class Untouched:
    """A recording as it is: what is shown of it, its residuals and what they are compared with, and its likely causes."""

    recording: Recording
    shown: Shown
    search: Search
    likely: tuple[Found, ...]

    @property
    def session(self) -> Recorded:
        return self.search.judged.session


@cache
def untouched(name: str) -> Untouched:
    """Return a recording as it is, analysed once."""
    recording = recording_of(name)
    shown = Shown.of(recording, bands=True)
    assert shown.walk is not None, name
    search = _search(residuals(recorded_walk(*shown.walk)))
    return Untouched(recording, shown, search, tuple(_likely(search)))


def _search(judged: JudgedWalk) -> Search:
    """The search with every signature of the walk, as ``biomech-id diagnose`` has it, whatever was asked before."""
    search = Search(judged, package_spread().of_any_body())
    search.signatures.ask(range(len(search.every)))
    return search


def _likely(search: Search) -> Iterator[Found]:
    """Yield the likely causes one after the other."""
    for _ in range(MOST_CAUSES):
        best = search.best()
        if best is None:
            return
        yield best[0]
        search = best[1]


def _diagnosed(clean: Untouched, now: Shown) -> tuple[float, Iterator[Found]]:
    """Whitened change of the residuals, NaN where there are none, and the likely causes one after the other.

    Below `SHOWN` signatures are those of the recording as it is: working them out anew is most of the cost.
    """
    if now.walk is None:
        return float("nan"), iter(())
    try:
        session = replace(recorded_walk(*now.walk), any_gait=clean.session.any_gait)
        judged = residuals(session)
    except BiomechError:
        return float("nan"), iter(())
    # As `diagnose` asks.
    if max(len(times) for (_, kind), times in contacts(session).items() if kind == "strike") < STRIDE_STRIKES:
        return float("nan"), iter(())
    before, scale = clean.search.judged.values, clean.search.scale
    # A residual without a verdict in either does not change.
    change = np.array([judged.values.get(key, before[key]) - before[key] for key in scale.keys])
    delta = float(np.linalg.norm(scale.white(change)))
    return delta, _likely(Search(judged, clean.search.spread, clean.search) if delta < SHOWN else _search(judged))


@dataclass(frozen=True, eq=False)
class Case:
    """One fault to be put into one recording.

    Attributes
    ----------
    origin : str
        "unseen" or "dictionary".
    kind, family, size, recording : str
        Its name, its family, its size as the table has it, and the recording's name.
    put : Callable[[Recording, np.random.Generator], Recording]
        Puts it in.
    causes : tuple[str, ...]
        Causes of the dictionary, blocks, exchanges or classes that would be right.
    amount : float
        Size in the cause's unit; NaN where it has none.
    """

    origin: str
    kind: str
    family: str
    size: str
    recording: str
    put: Callable[[Recording, np.random.Generator], Recording]
    causes: tuple[str, ...]
    amount: float = float("nan")

    def faulty(self) -> Recording:
        """The recording with the fault in it."""
        rng = np.random.default_rng([SEED, zlib.crc32(f"{self.kind} {self.size} {self.recording}".encode())])
        return self.put(untouched(self.recording).recording, rng)

    def is_possible(self) -> bool:
        """Whether the recording has what the kind changes; what no type accepts is a refusal."""
        try:
            self.faulty()
        except NotHere:
            return False
        except BiomechError:
            return True
        return True


@dataclass(frozen=True)
class Row:
    """One fault in one recording, as ``unseen_faults.csv`` has it."""

    origin: str
    kind: str
    family: str
    size: str
    recording: str
    state: str
    curve: str
    share: float
    of_band: float
    leaves: bool
    delta: float
    rules: str
    diagnosis: str
    first_class: str
    causes: str
    class_first: str
    cause_first: str
    size_right: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.origin, self.kind, self.size, self.recording

    @property
    def silent(self) -> bool:
        return not self.rules and not self.diagnosis


def judge(case: Case) -> Row:
    """Put one fault in and look at what it changes and what is said."""
    clean = untouched(case.recording)
    try:
        shown = Shown.of(case.faulty())
    except BiomechError as error:
        shown = Shown(frozenset({f"refused: {type(error).__name__}"}), {}, {}, None)
    lost = bool(clean.shown.means) and not shown.means
    curve, share, of_band, leaves = _most_changed(clean.shown, shown)
    delta, likely = _diagnosed(clean, shown)
    first = next(new_causes(clean.likely, likely), None)
    marks = _marks(case, first) if first else ("", "", "")
    return Row(
        case.origin, case.kind, case.family, case.size, case.recording, "no curve" if lost else "", curve, round(share, 2),
        round(of_band, 2), leaves, round(delta, 1), "; ".join(sorted(shown.words - clean.shown.words)),
        _of(first) if first else "", first.group if first else "", "; ".join(case.causes), *marks,
    )  # fmt: skip


def _of(one: Found) -> str:
    return one.cause if np.isnan(one.size) else f"{one.cause} {one.size:.3g} +- {one.sd:.2g} {one.unit}"


def _most_changed(clean: Shown, now: Shown) -> tuple[str, float, float, bool]:
    """The curve that is furthest out of its band, its change over what matters, over the band, and whether one does both."""
    rows = [("", 0.0, 0.0, False)]
    for curve in clean.bands.keys() & now.means.keys():
        before, change, band = clean.means[curve], np.abs(now.means[curve] - clean.means[curve]), clean.bands[curve]
        known = np.isfinite(change) & np.isfinite(band) & (band > 0)
        if not known.any():
            continue
        least = next(value for kind, value in LEAST.items() if kind in curve[1])
        share = float(change[known].max()) / max(least, RANGE_SHARE * float(np.ptp(before[np.isfinite(before)])))
        of_band = float((change[known] / band[known]).max())
        rows.append((" ".join(filter(None, curve)), share, of_band, share > 1.0 and of_band > 1.0))
    return max(rows, key=lambda row: (row[3], row[2]))


def new_causes(before: Sequence[Found], after: Iterable[Found]) -> Iterator[Found]:
    """Yield causes that warn and that the recording as it is does not have, or has less evidence of, the likeliest first."""
    known = {one.cause: one.evidence for one in before if one.warns}
    for one in after:
        if one.warns and one.evidence > known.get(one.cause, -np.inf) + ALIKE:
            yield one


def _marks(case: Case, first: Found) -> tuple[str, str, str]:
    """Whether class, cause and size of what stands first are right: "yes", "no", or empty where the fault has none."""
    if not case.causes:
        return "", "", ""
    if case.origin == "unseen":
        very = cause_is_very(first.cause, case.causes)
        whole = very or class_is_right(first.cause, first.group, case.causes)
    else:
        very = first.cause in case.causes
        whole = very or first.group == case.family or any(cause in first.parts for cause in case.causes)
    right = ""
    if very and np.isfinite(case.amount) and np.isfinite(first.size):
        error = BAND_SDS * float(np.hypot(first.sd, SIZE_SHARE * case.amount))
        right = "yes" if abs(first.size - case.amount) <= error else "no"
    return "yes" if whole else "no", "yes" if very else "no", right


@cache
def _candidates(name: str) -> Mapping[str, Sequence[Possible]]:
    clean = untouched(name)
    return dictionary_kinds.candidates(clean.session, set(clean.search.scale.keys))


def dictionary_case(one: Possible, size: float, name: str) -> Case:
    """A cause of the dictionary in a recording; the size in the cause's unit."""

    def put(recording: Recording, _: np.random.Generator) -> Recording:
        return dictionary_kinds.put_in(recording, untouched(name).session, one, size)

    return Case("dictionary", one.name, one.row.group, f"{size:g} {one.row.unit}", name, put, (one.name,), size)


def dictionary_cases() -> Iterator[Case]:
    """Yield every kind of the dictionary in its sizes, each in a recording, on a leg or plate and of a sign by chance."""
    with_static = [name for name in RECORDINGS if untouched(name).session.standing is not None]
    for kind in dictionary_kinds.kinds():
        for share in dictionary_kinds.SHARES:
            rng = np.random.default_rng([SEED, zlib.crc32(f"{kind} {share:g}".encode())])
            for name in rng.permutation(with_static):
                several = _candidates(str(name)).get(kind, [])
                if several:
                    one = several[int(rng.integers(len(several)))]
                    sign = 1.0 if one.row.one_sided else rng.choice((-1.0, 1.0))
                    yield dictionary_case(one, float(share * one.row.tau * sign), str(name))
                    break


def unseen_case(kind: Kind, size: float, name: str) -> Case:
    """One of the unseen kinds in a recording."""
    return Case("unseen", kind.name, kind.family, f"{size:g} {kind.unit}".strip(), name, kind.make(size), kind.causes)


def unseen_cases() -> Iterator[Case]:
    """Yield a sample of the unseen kinds in their sizes, each in a recording, all drawn by chance."""
    rng = np.random.default_rng(SEED)
    every = [(kind, size) for kind in KINDS for size in kind.sizes]
    for i in rng.permutation(len(every))[:UNSEEN]:
        kind, size = every[int(i)]
        drawn = (unseen_case(kind, size, str(name)) for name in rng.permutation(list(RECORDINGS)))
        yield from itertools.islice((case for case in drawn if case.is_possible()), 1)


def case_of(row: Row) -> Case:
    """The fault that a row is of."""
    if row.origin == "unseen":
        kind = next(kind for kind in KINDS if kind.name == row.kind)
        every = (unseen_case(kind, size, row.recording) for size in kind.sizes)
        return next(case for case in every if case.size == row.size)
    one = next(one for several in _candidates(row.recording).values() for one in several if one.name == row.kind)
    return dictionary_case(one, float(row.size.split()[0]), row.recording)


def cases(origin: str) -> list[Case]:
    """Every fault of one origin."""
    return list({"dictionary": dictionary_cases, "unseen": unseen_cases}[origin]())


def write_rows(rows: Sequence[Row]) -> None:
    """Write ``unseen_faults.csv``."""
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def read_rows() -> list[Row]:
    """Return the rows of ``unseen_faults.csv``."""
    if not ROWS.exists():
        return []
    kinds = {"share": float, "of_band": float, "delta": float, "leaves": lambda text: text == "True"}
    with ROWS.open(encoding="utf-8", newline="") as file:
        texts = list(csv.DictReader(file))
    return [Row(**{name: kinds.get(name, str)(text) for name, text in row.items()}) for row in texts]  # type: ignore[arg-type]


def main(*origins: str) -> int:
    """Put every fault in, of both origins or of one, and write both tables."""
    for origin in origins or ORIGINS:
        rows = []
        for case in cases(origin):
            rows.append(judge(case))
            print(*asdict(rows[-1]).values(), sep=" | ", flush=True)
        write_rows([*(row for row in read_rows() if row.origin != origin), *rows])
    rows = read_rows()
    TABLE.write_text(table(rows, SEED, len(RECORDINGS)), encoding="utf-8", newline="\n")
    return int(not all(is_met(*gate) for gate in gates(rows).values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
