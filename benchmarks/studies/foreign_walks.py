"""Walks whose labels are all random words, named by the tree of `markersets.walking`, each laboratory left out of its own template.

``BIOMECH_ID_SHARED=... python -m benchmarks.studies.foreign_walks`` names 41 walks of the recordings beside the project and writes
the table beside this module; with ``--template`` it writes the template that ships as well, made of all of them.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomech_id import __version__, read_c3d
from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.markersets import propose, walking
from biomech_id.markersets.marker_set import MarkerKey
from biomech_id.markersets.walking import (
    LEAVES,
    OFFERED_MARGIN,
    PARENTS,
    ROOT,
    TREE,
    TreePart,
    WalkNames,
    WalkShape,
    WalkTemplate,
    name_walk,
    walk_shape,
)

TABLE, SEED = Path(__file__).with_suffix(".md"), 20261128
#: Laboratory -> its walks below the folder of recordings; "*" for every file of the norm's people.
WALKS: Mapping[str, tuple[str, ...]] = {
    "children": tuple(f"children/{name[:6]}/{name}" for name in (
        "HC002D06", "HC030A05", "HC031A06", "HC032A03", "HC033A10", "HC036A10")),
    "norm_subjects": ("norm_subjects/*/*",),
    "plug_in_gait": ("knee_device/kad/PiGKad_Motion", "knee_device/kad_medial/PiGKadMed_Motion",
                     "plug_in_gait/PiG_Motion-FlatFoot-One", "plug_in_gait/PiG_Motion3_FF", "swaying_static/PiG_Motion4_noFF_noHO"),
    "oxford_foot": ("oxford_foot/flat/dynamic_processed",),
    "device_tuned_rotation": ("labs_abroad/device_tuned_rotation/walk03", "labs_abroad/device_tuned_rotation/walk05"),
    "examined_child": ("labs_abroad/examined_child/walk04",),
    "sacrum_and_medials": ("labs_abroad/sacrum_and_medials/walk",),
    "small_child": ("labs_abroad/small_child/trial",),
    "leardini": ("leardini/trial02", "leardini/trial03"),
    "helen_hayes": ("helen_hayes/HHMotion",),
    "motionmonitor": ("motionmonitor/gait_with_emg",),
    "drop_jump": ("drop_jump/FAILT01_Walk01",),
    "vcm": ("vcm/gait-pig",),
    "treadmill_run": ("treadmill_run/RBDS001runT35",),
    "opensim": ("opensim/walking2", "opensim/walking5"),
    "walking": ("walking/bmc_gait",),
    "nimble": ("nimble/JA1Gait35",),
}  # fmt: skip
#: Labels of points that no marker set names.
FURTHER = {
    "tibial_tubercle": ("TUB", "TTU", "_TTC", "TTB", ".TT"), "trochanter": ("TROC", "_GTR", "TRO"),
    "fibula_head": ("HFB", "_FAX", "FIB"),
}  # fmt: skip
#: Recordings in which nobody walks over ground with markers on knees and ankles: they are to be refused.
NO_WALKS = (
    "labs_abroad/small_child/trial", "nimble/JA1Gait35", "opensim/walking2", "opensim/walking5", "treadmill_run/RBDS001runT35",
)  # fmt: skip
#: Least spreads: of a vector's three parts and the logarithm of the distance's spread, and of height and way fore and aft.
_EDGE_FLOOR, _NODE_FLOOR, _WIDENED = np.array([0.015, 0.012, 0.012, 0.35]), np.array([0.015, 0.012]), 1.3
#: Points by which a reading stands or falls.
NEEDED = ("asis", "lateral_epicondyle", "lateral_malleolus")


@dataclass(frozen=True, eq=False)
class Walk:
    """A recording, its shape (None where nobody goes on), and what its markers lie on."""

    laboratory: str
    path: str
    shape: WalkShape | None
    roles: Mapping[MarkerKey, str]


def walk_of(shared: Path, laboratory: str, path: str) -> Walk:
    """A recording under random words for labels."""
    trial = read_c3d(shared / "c3d" / f"{path}.c3d")
    markers = trial.markers
    labels = [name for name in markers.names if markers.present(name)]
    markerset = propose(labels, stored=tuple(trial.model_outputs))[0].markerset
    spelt = {meant: label for label, meant in markerset.matches(labels).items()}
    roles = {key: spelt[label] for key, label in markerset.roles.items() if label in spelt}
    for role, spellings in FURTHER.items():
        roles |= {(side, role): side + each for side in "LR" for each in spellings if side + each in labels}
    words = {label: f"word{number}" for number, label in enumerate(random.Random(SEED).sample(labels, len(labels)))}
    shape = walk_shape(
        [words[label] for label in labels], markers.position_m[:, [markers.names.index(n) for n in labels]], markers.rate_hz
    )
    return Walk(laboratory, path, shape, {key: words[label] for key, label in named_in(labels, roles).items()})


def walks(shared: Path) -> Iterator[Walk]:
    """Every walk of the study."""
    for laboratory, patterns in WALKS.items():
        for pattern in patterns:
            files = sorted((shared / "c3d").glob(f"{pattern}.c3d"))
            yield from (walk_of(shared, laboratory, str(file.relative_to(shared / "c3d").with_suffix(""))) for file in files)


@dataclass(frozen=True)
class Named:
    """What became of a walk: names right and wrong by role, of all and of those with the margin of an offer."""

    path: str
    cost: float
    right: Counter[str]
    wrong: Counter[str]
    offered_right: int
    offered_wrong: int
    elsewhere: int

    @property
    def row(self) -> str:
        if not self.right and not self.wrong:
            return f"| {self.path} | {self.cost:.0f} | refused | | | |"
        wrong = ", ".join(f"{role} {n}" for role, n in sorted(self.wrong.items())) or "-"
        counts = f"{self.right.total()} of {self.right.total() + self.wrong.total()}"
        offered = f"{self.offered_right} of {self.offered_right + self.offered_wrong}"
        return f"| {self.path} | {self.cost:.1f} | {counts} | {offered} | {wrong} | {self.elsewhere} |"


def judge(walk: Walk, names: WalkNames | None) -> Named:
    """Hold what was named against what is known."""
    if names is None or not names.labels:
        return Named(walk.path, float("nan") if names is None else names.cost, Counter(), Counter(), 0, 0, 0)
    known = {key: label for key, label in names.labels.items() if key in walk.roles}
    right = Counter(key[1] for key, label in known.items() if walk.roles[key] == label)
    wrong = Counter(key[1] for key, label in known.items() if walk.roles[key] != label)
    offered = {key: walk.roles[key] == label for key, label in known.items() if names.margin[key] >= OFFERED_MARGIN}
    return Named(
        walk.path,
        names.cost,
        right,
        wrong,
        sum(offered.values()),
        len(offered) - sum(offered.values()),
        len(names.labels) - len(known),
    )


def left_out(every: list[Walk]) -> Iterator[Named]:
    """Each walk, named by the template of the other laboratories."""
    for walk in every:
        others = [
            (each.shape, each.roles)
            for each in every
            if each.laboratory != walk.laboratory and each.shape is not None and each.path not in NO_WALKS
        ]
        yield judge(walk, None if walk.shape is None else name_walk(walk.shape, template_of(others)))


def text_of(rows: list[Named]) -> str:
    """The table."""
    accepted = [row for row in rows if row.right or row.wrong]
    right, wrong = (sum((getattr(row, name) for row in accepted), Counter[str]()) for name in ("right", "wrong"))
    needed = [sum(each[role] for role in NEEDED) for each in (right, wrong)]
    offered = [sum(getattr(row, name) for row in accepted) for name in ("offered_right", "offered_wrong")]
    refused = sorted(row.path for row in rows if row not in accepted)
    lines = [
        "# Walks whose labels are all random words", "",
        f"biomech_id {__version__}, seed {SEED}; {len(rows)} walks, each laboratory left out of its own template.", "",
        f"- accepted: {len(accepted)} of {len(rows)}; refused: {', '.join(refused)}",
        f"- spines, lateral knees and ankles right: {needed[0]} of {sum(needed)}",
        f"- all names right: {right.total()} of {right.total() + wrong.total()}",
        f"- names with margin {OFFERED_MARGIN:g} right: {offered[0]} of {sum(offered)}",
        f"- named where the laboratory is not known to have such a marker: {sum(row.elsewhere for row in accepted)}", "",
        "| role | right | wrong |", "|---|---|---|",
        *(f"| {role} | {right[role]} | {wrong[role]} |" for role in sorted({*right, *wrong})), "",
        "| walk | cost | right | with that margin | wrong | no such marker known |", "|---|---|---|---|---|---|",
        *(row.row for row in rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _edges() -> Iterator[tuple[str, str]]:
    yield "asis", ROOT
    yield from PARENTS.items()
    yield from LEAVES.items()


def template_of(walks: Sequence[tuple[WalkShape, Mapping[MarkerKey, str]]]) -> WalkTemplate:
    """Return medians and spreads of named walks, right legs mirrored.

    Parameters
    ----------
    walks : Sequence[tuple[WalkShape, Mapping[MarkerKey, str]]]
        Each with (side, role) -> label.
    """
    rows: dict[tuple[str, str], list[FloatArray]] = {}
    for shape, roles in walks:
        at = {key: shape.names.index(label) for key, label in roles.items() if label in shape.names}
        if not all((side, "asis") in at for side in SIDES):
            continue
        height = float(np.mean([shape.height_m[at[side, "asis"]] for side in SIDES]))
        for side in SIDES:
            mirror = np.array([1.0, 1.0 if side == "L" else -1.0, 1.0])
            for child, parent in _edges():
                one = at.get(("L" if child == "sacrum" else side, "asis" if parent == ROOT else parent))
                other = ("R" if side == "L" else "L", child) if parent == ROOT else (side, child)
                two = at.get(("", child) if child == "sacrum" else other)
                if one is None or two is None or (child == "sacrum" and side == "R"):
                    continue
                vector = shape.vector_m[one, two] / height * mirror
                rows.setdefault((child, parent), []).append(np.array([*vector, shape.spread[one, two]]))
            for role in (*TREE, *LEAVES):
                key = ("", role) if role == "sacrum" else (side, role)
                if key in at and not (role == "sacrum" and side == "R"):
                    rows.setdefault((role, ""), []).append(np.array([shape.height_m[at[key]], shape.fore_aft_m[at[key]]]) / height)
    template = {}
    for key, values in rows.items():
        floor = _NODE_FLOOR if key[1] == "" else _EDGE_FLOOR
        spread = np.maximum(_WIDENED * np.std(values, axis=0), floor)
        template[key] = TreePart(tuple(map(float, np.median(values, axis=0))), tuple(map(float, spread)))
    return template


def named_in(labels: Collection[str], roles: Mapping[MarkerKey, str]) -> dict[MarkerKey, str]:
    """Return the points of the tree that a marker set names; a second metatarsal stands for the toe.

    Parameters
    ----------
    labels : Collection[str]
        Of a recording.
    roles : Mapping[MarkerKey, str]
        (side, role) -> label.
    """
    stands_in = {(side, "toe"): roles[side, "metatarsal_2"] for side in SIDES if (side, "metatarsal_2") in roles}
    known = {**stands_in, **roles}
    return {key: label for key, label in known.items() if key[1] in (*TREE, *LEAVES) and label in labels}


def write_template(template: WalkTemplate, path: Path) -> None:
    """Write a template as the file that ships.

    Parameters
    ----------
    template : WalkTemplate
        As of `template_of`.
    path : Path
        A .csv.
    """
    lines = ["point,beside,numbers (medians; then spreads)"]
    for (child, parent), part in sorted(template.items()):
        lines.append(",".join([child, parent, *(f"{value:.4f}" for value in (*part.median, *part.spread))]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Write the table, and with ``--template`` what ships."""
    every = list(walks(Path(os.environ["BIOMECH_ID_SHARED"])))
    if "--template" in sys.argv:
        known = [(each.shape, each.roles) for each in every if each.shape is not None and each.path not in NO_WALKS]
        write_template(template_of(known), Path(walking.__file__).with_name("walking.csv"))
    TABLE.write_text(text_of(list(left_out(every))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
