"""Typical signatures of causes, and whether asking by them misses what asking for every signature tells.

``python -m benchmarks.studies.typical_signatures table`` writes ``typical.csv`` beside the diagnosis: what a cause that is not of
one plate adds to the residuals, the mean over people, of 39 untouched walks of 18 people. ``python -m
benchmarks.studies.typical_signatures`` diagnoses every one of these walks as it is and with causes of the dictionary in it, with
typical signatures of the other people and with all signatures of its own, and writes how often both answers differ.
"""

from __future__ import annotations

import csv
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.studies.untouched_walks import untouched_walks
from biomech_id import BiomechError, __version__
from biomech_id.judgement.diagnosis import diagnosis, typical
from biomech_id.judgement.diagnosis.blocks import further
from biomech_id.judgement.diagnosis.causes import Possible, possible
from biomech_id.judgement.diagnosis.diagnosis import Diagnosis, Search, diagnose_recorded
from biomech_id.judgement.diagnosis.ranking import Whitening, signatures
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.residuals import residuals
from biomech_id.judgement.diagnosis.spread import HERE, package_spread

TABLE = Path(__file__).with_suffix(".md")
#: So many causes are put into every walk, at these shares of the size from which the walk tells them.
SEED, FAULTS, SHARES = 20261201, 2, (0.7, 2.0)
#: What a cause of its common size adds to a residual is left out below this share of the residual's SD.
LEAST_SHARE = 0.03
#: Scopes of causes that have no typical signature: numbers of plates mean something else in every laboratory.
OF_PLATES = ("plate", "stance", "every plate")
#: A cause has a typical signature where this is the cosine of a person's and that of the others, or more, in nine of ten people.
ALIKE, PEOPLE = 0.5, 10.0
Rows = dict[tuple[str, bool], dict[tuple[str, str], dict[str, list[float]]]]


def has_typical(one: Possible) -> bool:
    """Whether a cause can have a typical signature."""
    return one.at is None and one.row.scope not in OF_PLATES


@cache
def own_signatures() -> tuple[Rows, Mapping[tuple[str, str], float], Mapping[str, float]]:
    """Return (cause, static) -> residual -> person -> what it adds; SD of each residual; common size of each cause."""
    rows: Rows = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    sds, tau = defaultdict[tuple[str, str], list[float]](list), dict[str, float]()
    spread = package_spread().of_any_body()
    for person, session in untouched_walks():
        judged = residuals(session)
        scale = Whitening.of(judged.values, spread)
        every = [one for one in (*possible(session, set(scale.keys)), *further(session)) if has_typical(one)]
        units = typical.typical_units(session, scale.keys)
        for one, column in zip(every, signatures(judged, every, scale.keys).T, strict=True):
            tau[one.name] = one.row.tau
            for unit, value in zip(units, column, strict=True):
                rows[one.name, session.standing is not None][unit][person].append(float(value))
        for unit, sd in zip(units, np.linalg.norm(scale.root, axis=1), strict=True):
            sds[unit].append(float(sd))
    return rows, {unit: float(np.mean(values)) for unit, values in sds.items()}, tau


def table(without: str = "") -> dict[tuple[str, bool], dict[tuple[str, str], float]]:
    """Return (cause, static) -> residual -> what a unit of size adds, the mean over people but one."""
    rows, sds, tau = own_signatures()
    made = {}
    for key, by_unit in rows.items():
        means = {unit: {person: float(np.mean(values)) for person, values in of.items()} for unit, of in by_unit.items()}
        if _alike(means, sds) < ALIKE:
            continue
        adds = {unit: float(np.mean([v for person, v in of.items() if person != without] or [0.0])) for unit, of in means.items()}
        made[key] = {unit: value for unit, value in adds.items() if abs(value) * tau[key[0]] > LEAST_SHARE * sds[unit]}
    return {key: adds for key, adds in made.items() if adds}


def _alike(means: Mapping[tuple[str, str], Mapping[str, float]], sds: Mapping[tuple[str, str], float]) -> float:
    """The cosine, in nine of ten people, of each person's signature and the mean of the others', in SDs."""
    people = sorted({person for of in means.values() for person in of})
    cosines = []
    for person in people:
        pairs = [
            (of[person] / sds[unit], np.mean([value for other, value in of.items() if other != person]) / sds[unit])
            for unit, of in means.items() if person in of and len(of) > 1
        ]  # fmt: skip
        own, others = np.array(pairs).T
        length = float(np.linalg.norm(own) * np.linalg.norm(others))
        cosines.append(float(own @ others) / length if length else 1.0)
    return float(np.percentile(cosines, PEOPLE))


def write_table() -> None:
    """Write ``typical.csv``."""
    with (HERE / "typical.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("cause", "static", "residual", "of", "adds"))
        for (cause, static), adds in table().items():
            writer.writerows((cause, int(static), *unit, f"{value:.3g}") for unit, value in adds.items())


@dataclass(frozen=True)
class Asked:
    """One walk diagnosed twice.

    Attributes
    ----------
    fault : str
        What was put in; empty for a walk as it is.
    first, every : bool
        Whether the first cause is the same, and whether all are, in their order and to a thousandth of their sizes.
    told : bool
        Whether asking for every signature tells anything.
    cpu_s, cpu_every_s : float
        Seconds of a processor by typical signatures, and with all signatures of the walk.
    """

    fault: str
    first: bool
    every: bool
    told: bool
    cpu_s: float
    cpu_every_s: float


def _timed(session: Recorded) -> tuple[Diagnosis, float]:
    start_s = time.process_time()
    answer = diagnose_recorded(session, package_spread().of_any_body(), sizes=False)
    return answer, time.process_time() - start_s


def asked(session: Recorded, fault: str) -> Asked:
    """Diagnose a walk by typical signatures and with all of its own."""
    answer, cpu_s = _timed(session)
    with patch.multiple(diagnosis, ASKED_SDS=0.0, ASKED_EVIDENCE=-np.inf, LEAST_STRAIGHT=-np.inf, UNHEARD=-np.inf):
        whole, cpu_every_s = _timed(session)
    ours, theirs = ([one.cause for one in each.likely] for each in (answer, whole))
    sizes = [[one.size for one in each.likely] for each in (answer, whole)]
    same = ours == theirs and bool(np.allclose(*sizes, rtol=1e-3, equal_nan=True))
    return Asked(fault, ours[:1] == theirs[:1], same, bool(theirs), cpu_s, cpu_every_s)


def cases(person: str, session: Recorded, faults: int = FAULTS) -> Iterator[Asked]:
    """Yield a walk as it is, then with causes in it, by the typical signatures of the other people."""
    others = table(person)
    with patch.object(typical, "typical_table", lambda: others):
        yield asked(session, "")
        search = Search(residuals(session), package_spread().of_any_body())
        sizes = search.told_from()
        every = [one for one in search.causes if one.row.put and one.name in sizes]
        rng = np.random.default_rng([SEED, zlib.crc32(f"{session.name} {session.standing is None}".encode())])
        for place in rng.permutation(len(every))[:faults]:
            one = every[place]
            size = sizes[one.name][0] * rng.uniform(*SHARES) * (1.0 if one.row.one_sided else rng.choice((-1.0, 1.0)))
            changed = one.into(session, size)
            if changed is not None:
                with suppress(BiomechError):
                    yield asked(changed, one.name)


def text(made: Sequence[Asked]) -> str:
    """Return the table of all walks, as they are and with causes in them."""
    untouched, faulty = ([case for case in made if bool(case.fault) is put_in] for put_in in (False, True))
    rows = []
    for words, of in (("as they are", untouched), ("with a cause", faulty)):
        cpu_s, cpu_every_s = np.median([(case.cpu_s, case.cpu_every_s) for case in of], axis=0)
        counts = (len(of), sum(case.told for case in of), sum(not case.first for case in of), sum(not case.every for case in of))
        rows.append(f"| {words} | {' | '.join(map(str, counts))} | {cpu_s:.2f} | {cpu_every_s:.2f} |")
    others = sorted({case.fault for case in faulty if not case.first})
    head = f"biomech_id {__version__}, 39 walks of 18 people, {FAULTS} causes in each, seed {SEED}; typical signatures are of the"
    return "\n".join((
        head, "other people. Differs: from the answer with every signature of the walk worked out.", "",
        "| walks | diagnosed | told | first cause differs | anything differs | CPU, s (median) | every signature, s |",
        "|---|---|---|---|---|---|---|", *rows, "", f"First cause differs: {'; '.join(others) or 'none'}.", "",
    ))  # fmt: skip


def main() -> int:
    """Write the table."""
    made = [case for person, session in untouched_walks() for case in cases(person, session)]
    TABLE.write_text(text(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["table"]:
        write_table()
    else:
        sys.exit(main())
