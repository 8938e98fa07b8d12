"""Every shipped marker set, and random ones, worn by the virtual subject: each session runs with its bands, or is refused in words.

``python -m benchmarks.studies.marker_sets_with_bands [N]`` puts the markers of a set where its roles say they lie, each fixed to
its segment, and runs a static trial and a walk with every model that the set serves. A random set is a shipped one with further
landmarks, further and fewer markers that follow a segment, and markers that the walk lost. The table lies beside this module.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.renamed_markers import as_toml
from biomech_id import __version__
from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.errors import BiomechError
from biomech_id.markersets import MARKER_SETS, MarkerSet, load_markerset
from biomech_id.markersets.marker_set import TRACKED_SEGMENTS, MarkerKey
from biomech_id.sample.recording import SampleTrial
from biomech_id.sample.subject import virtual_subject
from biomech_id.session import trial_tables
from biomech_id.trial import Trial

TABLE = Path(__file__).with_suffix(".md")
SEED = 20261128
#: Role -> its segment, and where it lies from the segment's origin (m; forwards, outwards, up) of a tall adult.
PLACES: Mapping[str, tuple[str, tuple[float, float, float]]] = {
    "thigh_wand": ("thigh", (0.03, 0.09, 0.18)), "lateral_epicondyle": ("thigh", (0.0, 0.055, 0.0)),
    "medial_epicondyle": ("thigh", (0.0, -0.055, 0.0)), "knee_centre": ("thigh", (0.0, 0.0, 0.0)),
    "knee_device_axis": ("thigh", (0.0, 0.10, 0.0)), "knee_device_1": ("thigh", (0.05, 0.10, 0.05)),
    "knee_device_2": ("thigh", (-0.05, 0.10, -0.05)), "shank_wand": ("shank", (0.03, 0.08, 0.20)),
    "lateral_malleolus": ("shank", (0.0, 0.04, 0.0)), "medial_malleolus": ("shank", (0.0, -0.04, 0.005)),
    "ankle_centre": ("shank", (0.0, 0.0, 0.0)), "heel": ("foot", (-0.06, 0.0, -0.05)), "toe": ("foot", (0.13, 0.0, -0.05)),
    "toe_tip": ("foot", (0.19, 0.0, -0.06)), "metatarsal_1": ("foot", (0.13, -0.04, -0.06)),
    "metatarsal_2": ("foot", (0.14, -0.01, -0.045)), "metatarsal_5": ("foot", (0.10, 0.05, -0.06)),
}  # fmt: skip
#: Roles that a leg has and a pelvis has not: what a random set gets more of.
FURTHER = ("medial_epicondyle", "medial_malleolus", "toe_tip", "metatarsal_1", "metatarsal_2", "metatarsal_5")


@dataclass(frozen=True)
class Worn:
    """One session: what it is called, its set, its model, and the labels that the walk lost."""

    name: str
    markerset: MarkerSet
    model: str
    lost: frozenset[str] = frozenset()


def shipped() -> Iterator[Worn]:
    """Every set of the library, with every model that it serves."""
    for name in MARKER_SETS:
        markerset = load_markerset(name)
        yield from (Worn(name, markerset, model) for model in markerset.models)


def drawn(number: int) -> Worn:
    """Return a random set: a shipped one, and what a laboratory may do to it."""
    rng = np.random.default_rng([SEED, number])
    base = list(shipped())[int(rng.integers(len(list(shipped()))))]
    markerset = base.markerset
    taken = {role for _, role in markerset.roles}
    roles = [role for role in FURTHER if role not in taken and rng.random() < 0.4]
    extra = {(side, role): f"{side}_{role}" for role in roles for side in SIDES}
    tracking = {}
    for (side, segment), labels in markerset.tracking.items():
        kept = [label for label in labels if rng.random() < 0.9]
        kept = kept if len(kept) >= 3 else list(labels)
        more = [f"{side or 'M'}_{segment}_{i}" for i in range(int(rng.integers(0, 4)))] + [
            label for (owner, role), label in extra.items() if owner == side and role in PLACES and PLACES[role][0] == segment
        ]
        tracking[side, segment] = (*kept, *more)
    changed = replace(
        markerset,
        name=f"drawn-{number}",
        tracking=tracking,
        extra_landmarks={**markerset.extra_landmarks, **extra},
        twins=(),
        aliases={},
    )
    spare = sorted({*changed.static_only, *extra.values(), *changed.extra_landmarks.values()})
    lost = frozenset(label for label in spare if rng.random() < 0.3)
    return Worn(f"{base.name}, drawn {number}", changed, base.model, lost)


def _place(key: MarkerKey, sample: SampleTrial) -> FloatArray | None:
    """Path of a role, (n, 3), metres; None of what the virtual subject has not."""
    side, role = key
    truth, markers = sample.truth, sample.trial.markers
    worn = {"asis": f"{side}ASI", "psis": f"{side}PSI"}.get(role)
    if worn is not None:
        return np.asarray(markers[worn])
    if role == "sacrum":
        return 0.5 * (np.asarray(markers["LPSI"]) + np.asarray(markers["RPSI"]))
    if role == "hip_centre":
        return truth.joint_centres_lab_m[side, "hip"]
    if role in PLACES:
        segment, place = PLACES[role]
        return _carried(sample, side, segment, np.array(place))
    # Trunk, head and arms: on one rod above the pelvis, each at its own height.
    height = 0.2 + 0.001 * (sum(map(ord, role)) % 400)
    return _carried(sample, "", "pelvis", np.array([0.0, {"L": 0.1, "R": -0.1}.get(side, 0.0), height]))


def _carried(sample: SampleTrial, side: str, segment: str, place: FloatArray) -> FloatArray:
    outwards = np.array([1.0, -1.0 if side == "R" else 1.0, 1.0])
    key = (side, segment)
    return sample.truth.origin_lab_m[key] + sample.truth.R_lab_seg[key] @ (outwards * place)


def dressed(sample: SampleTrial, markerset: MarkerSet, *, lost: frozenset[str] = frozenset()) -> Trial:
    """Return a recording of the virtual subject with the markers of a set, without labels that are lost.

    Parameters
    ----------
    sample : SampleTrial
        The recording and its truth.
    markerset : MarkerSet
        What is worn.
    lost : frozenset[str], optional
        Labels that the recording has not.
    """
    paths: dict[str, FloatArray] = {}
    for key, label in {**markerset.extra_landmarks, **markerset.roles}.items():
        path = _place(key, sample)
        if path is not None:
            paths[label] = path
    for (side, segment), labels in markerset.tracking.items():
        rng = np.random.default_rng([SEED, TRACKED_SEGMENTS.index(segment)])
        for label in labels:
            # Around the bone, above its lower end.
            angle, height = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.02, 0.3 if segment in ("thigh", "shank") else 0.05)
            around = np.array([0.06 * np.cos(angle), 0.06 * np.sin(angle), height])
            paths.setdefault(label, _carried(sample, side, segment, around))
    noise = np.random.default_rng(SEED).normal(0.0, 2e-4, (len(paths), *next(iter(paths.values())).shape))
    shown = {label: path + noise[i] for i, (label, path) in enumerate(paths.items()) if label not in lost}
    markers = replace(sample.trial.markers, names=tuple(shown), position_m=np.stack(list(shown.values()), axis=1), filled=None)
    return replace(sample.trial, markers=markers)


def outcome(worn: Worn, place: Path) -> str:
    """Run one session: how many curves have a band, or why there is no result."""
    person = virtual_subject()
    path = place / f"{worn.name.replace(', ', '-').replace(' ', '-')}-{worn.model}.toml"
    path.write_text(as_toml(worn.markerset, {label: label for label in _labels(worn.markerset)}), encoding="utf-8")
    static, walk = dressed(person.static(), worn.markerset), dressed(person.walk(), worn.markerset, lost=worn.lost)
    try:
        session = bid.analyse([static, walk], static=static, model=worn.model, marker_set=str(path))
    except BiomechError as error:
        return f"refused: {error.message}"
    bands = [band for trial in session.computed.trials for band in trial_tables.bands(trial)]
    sizes = [float(np.nanmean(total)) for band in bands for total in band.total if np.isfinite(total).any()]
    return f"{len(sizes)} curves with a band" if sizes and np.isfinite(sizes).all() else "no band"


def _labels(markerset: MarkerSet) -> set[str]:
    return {*markerset.roles.values(), *markerset.labels, *markerset.extra_landmarks.values(), *markerset.optional}


def kind(worn: Worn, said: str) -> str:
    """Which outcome it is: "bands", "two markers" (refused: fewer than three of a segment are shown), "refused" or "no band"."""
    if not said.startswith("refused"):
        return "no band" if said == "no band" else "bands"
    few = any(len(set(labels) - worn.lost) < 3 for labels in worn.markerset.tracking.values())
    return "two markers" if few else "refused"


def main(n: int = 200) -> int:
    """Write the table and return how many sessions had no bands although their segments can be followed."""
    rows, listed = [], []
    for title, every in (("shipped sets", list(shipped())), ("random sets", [drawn(number) for number in range(n)])):
        with tempfile.TemporaryDirectory() as place:
            found = [(worn, outcome(worn, Path(place))) for worn in every]
        counts = Counter(kind(worn, said) for worn, said in found)
        rows.append((title, len(found), *(counts[each] for each in ("bands", "two markers", "refused", "no band"))))
        listed += [f"- {worn.name}, {worn.model}: {said}" for worn, said in found if kind(worn, said) != "bands"]
    lines = [
        f"biomech_id {__version__}, the virtual subject, seed {SEED}; a session is one set with one model.", "",
        "| | sessions | run with bands | refused: fewer than three markers of a segment | refused otherwise | without bands |",
        "|---|---|---|---|---|---|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows), "",
        *(listed or ["Every session runs with bands."]),
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(row[-1] + row[-2] for row in rows)


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:2]))))
