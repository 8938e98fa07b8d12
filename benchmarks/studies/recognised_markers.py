"""Markers under other names: static trials of every laboratory beside the project, renamed, and what is made of them.

``python -m benchmarks.studies.recognised_markers [N]`` renames the markers of each static trial whose marker set is known, N times
in all (300), as laboratories do: their own language and its words for sides, a subject's name or a number before or behind each
label, upper or lower case, and in a third of them one marker missing. A recognition is right when every point that was found is the
marker it was before, and at most one of those needed was not found; wrong when one point is another marker; otherwise nothing was
recognised. A second table numbers markers without any word, so that their places alone are left; in a third each word is with a
chance of one in five one of no language, the same on both sides, so that places have to tell it. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.before import ROOT
from biomech_id import __version__
from biomech_id.markersets import SMALLEST_SHARE, propose
from biomech_id.markersets.recognise import CORE, recognise
from biomech_id.markersets.standing import mean_places_m
from biomech_id.readers import read

SEED = 20261122
TABLE = Path(__file__).with_suffix(".md")
STATICS = (
    "children/HC002D/HC002D02.c3d", "children/HC030A/HC030A01.c3d", "children/HC031A/HC031A01.c3d", "children/HC032A/HC032A01.c3d",
    "children/HC033A/HC033A01.c3d", "children/HC036A/HC036A01.c3d", "plug_in_gait/PiG_Calibration-FlatFoot-One.c3d",
    "plug_in_gait/PiG_Calibration3_FF.c3d", "swaying_static/PiG_Calibration4.c3d", "helen_hayes/HHStatic.c3d",
    "leardini/static01.c3d",
    "motionmonitor/static_pose.c3d", "treadmill_run/RBDS001static.c3d", "drop_jump/FAILT01_static02.c3d",
    "functional/Test_func_anat.c3d", "functional/anatomical_posture.c3d", "markerless/opencap/static1.trc",
    "others/FunctionalStatic.c3d", "pycgm/Sample_2/RoboStatic.c3d",
)  # fmt: skip
#: Role: how somebody may write it in a language; sides stand before or behind it. As laboratories write, not the library's words.
_WRITTEN = """
German
L: links | L | li
R: rechts | R | re
asis: SIAS | Becken vorne
psis: SIPS | Becken hinten
sacrum: Sacrum | Kreuzbein
thigh_wand: Oberschenkel
lateral_epicondyle: Knie lateral | Knie aussen | Knie außen
medial_epicondyle: Knie medial | Knie innen
shank_wand: Unterschenkel | Tibia
lateral_malleolus: Malleolus lateralis | Knöchel aussen | Sprunggelenk lateral
medial_malleolus: Malleolus medialis | Knöchel innen
heel: Ferse | Calcaneus
toe: Zehe

French
L: gauche | G
R: droit | D | droite
asis: EIAS | épine iliaque antéro-supérieure
psis: EIPS
sacrum: Sacrum
thigh_wand: Cuisse
lateral_epicondyle: Genou | genou ext | Genou latéral
medial_epicondyle: genou int | Genou médial
shank_wand: Jambe | Tibia
lateral_malleolus: Cheville | malléole externe
medial_malleolus: malléole interne | Cheville int
heel: Talon
toe: Orteil

Spanish
L: izq | izquierda | I
R: der | derecha | D
asis: EIAS
psis: EIPS
sacrum: Sacro
thigh_wand: Muslo
lateral_epicondyle: Rodilla | Rodilla lateral
medial_epicondyle: Rodilla medial
shank_wand: Pierna | Tibia
lateral_malleolus: Tobillo | maleolo lateral
medial_malleolus: Tobillo medial | maleolo medial
heel: Talón
toe: Dedo

Italian
L: sx | sinistra
R: dx | destra
asis: SIAS
psis: SIPS
sacrum: Sacro
thigh_wand: Coscia
lateral_epicondyle: Ginocchio | Ginocchio laterale
medial_epicondyle: Ginocchio mediale
shank_wand: Gamba | Tibia
lateral_malleolus: Caviglia | malleolo laterale
medial_malleolus: malleolo mediale
heel: Tallone
toe: Alluce

English
L: Left | L | LT
R: Right | R | RT
asis: ASIS | Anterior Superior Iliac Spine
psis: PSIS
sacrum: Sacrum | Sacral
thigh_wand: Thigh | Thigh Wand
lateral_epicondyle: Knee Lateral | LatKnee | Knee
medial_epicondyle: Knee Medial | MedKnee
shank_wand: Shank | Tibia
lateral_malleolus: Ankle Lateral | Lateral Malleolus | Ankle
medial_malleolus: Ankle Medial | Medial Malleolus
heel: Heel | Calc
toe: Toe

Dutch
L: links | L
R: rechts | R
asis: SIAS
psis: SIPS
sacrum: Sacrum
thigh_wand: Bovenbeen
lateral_epicondyle: Knie | Knie buiten
medial_epicondyle: Knie binnen
shank_wand: Onderbeen
lateral_malleolus: Enkel | Enkel buiten
medial_malleolus: Enkel binnen
heel: Hiel
toe: Teen
"""


def _languages() -> dict[str, dict[str, list[str]]]:
    found = {}
    for block in _WRITTEN.strip().split("\n\n"):
        name, *lines = block.splitlines()
        found[name] = {key: words.split(" | ") for key, words in (line.split(": ") for line in lines)}
    return found


LANGUAGES = _languages()
_METATARSALS = {"metatarsal_1": "1", "metatarsal_2": "2", "metatarsal_5": "5"}
KINDS = ("language", "prefix", "case", "numbering", "prefix and case", "language and numbering")


class Static(NamedTuple):
    """A static trial whose marker set is known: labels, (side, role) -> label, and places."""

    name: str
    labels: tuple[str, ...]
    roles: Mapping[tuple[str, str], str]
    place_m: Mapping[str, np.ndarray]


def statics(shared: Path) -> list[Static]:
    """Every static trial beside the project whose labels a shipped set knows."""
    found = []
    for path in STATICS:
        trial = read(shared / "c3d" / path, trust=True)
        labels = tuple(name for name in trial.markers.names if trial.markers.present(name))
        markerset = propose(labels, stored=tuple(trial.model_outputs))[0].markerset
        own = {
            new: old
            for old, new in zip(trial.markers.names, markerset.renamed(trial.markers.names, trial.markers.position_m), strict=True)
        }
        roles = {key: own[label] for key, label in markerset.roles.items() if own.get(label) in labels}
        found.append(Static(path, labels, roles, mean_places_m(labels, trial.markers.position_m)))
    return found


def renaming(static: Static, kind: str, rng: np.random.Generator) -> dict[str, str]:
    """Label -> the other name."""
    names = {label: label for label in static.labels}
    if "language" in kind:
        names = _in_language(static, LANGUAGES[str(rng.choice(list(LANGUAGES)))], rng)
    if "prefix" in kind:
        head = str(rng.choice(["Anna:", "Subject01_", "patient 7.", "S3-", "PiG|"]))
        names = {label: head + name for label, name in names.items()}
    if "case" in kind:
        change = [str.lower, str.upper, str.title][rng.integers(3)]
        names = {label: change(name) for label, name in names.items()}
    if "numbering" in kind:
        form = [lambda i, n: f"{i:02d}_{n}", lambda i, n: f"{i} {n}", lambda i, n: f"{n}_{i}", lambda i, n: f"{n} #{i}"][
            rng.integers(4)
        ]
        names = {label: form(i, name) for i, (label, name) in enumerate(names.items(), 1)}
    return names


def _in_language(static: Static, words: Mapping[str, list[str]], rng: np.random.Generator) -> dict[str, str]:
    sign, behind = str(rng.choice([" ", "_", ".", ""])), bool(rng.integers(2))
    of = {label: key for key, label in static.roles.items()}
    chosen = {role: rng.integers(8) for role in words}
    names = {}
    for number, label in enumerate(static.labels, 1):
        side, role = of.get(label, ("", ""))
        if role in _METATARSALS and role not in words:
            word = f"MT{_METATARSALS[role]}"
        elif role in words:
            spellings = words[role]
            word = spellings[chosen[role] % len(spellings)]
        else:
            names[label] = f"Punkt {number}" if not role or role not in words else label
            continue
        said = words[side][chosen[side] % len(words[side])] if side else ""
        parts = [word, said] if behind else [said, word]
        parts = [part[:1].upper() + part[1:] if sign == "" else part for part in parts if part]
        names[label] = sign.join(parts).replace(" ", sign) if sign else "".join(parts).replace(" ", "")
    return names


def judged(static: Static, names: Mapping[str, str], lost: str = "") -> str:
    """What came of a recording whose markers have other names: right, wrong, or nothing recognised."""
    back = {new: old for old, new in names.items() if old != lost}
    labels = list(back)
    place_m = {new: static.place_m[old] for new, old in back.items() if old in static.place_m}
    nearest = propose(labels)[0]
    if nearest.share >= SMALLEST_SHARE:
        matched = nearest.markerset.matches(labels)
        own = {meant: label for label, meant in matched.items()}
        roles = {key: own[label] for key, label in nearest.markerset.roles.items() if label in own}
    else:
        found = recognise(labels, place_m)
        if found is None:
            return "not recognised"
        roles = {key: label for key, label in found.markerset.roles.items() if label in back}
    truth = {key: label for key, label in static.roles.items() if label != lost}
    alike = {"toe": ("toe", "metatarsal_2"), "metatarsal_2": ("toe", "metatarsal_2")}
    wrong = [
        key for key, label in roles.items() if not any(truth.get((key[0], r)) == back[label] for r in alike.get(key[1], (key[1],)))
    ]
    # A marker of a cluster may serve as the wand that another set has; an anatomical point may not be another.
    wrong = [key for key in wrong if not (key[1].endswith("_wand") and back[roles[key]] not in truth.values())]
    if wrong:
        return "wrong"
    needed = [(side, group) for side in "LR" for group in CORE if any((s, r) in truth for s in (side, "") for r in group)]
    missed = [(side, group) for side, group in needed if not any((s, r) in roles for s in (side, "") for r in group)]
    return "right" if len(missed) <= 1 else "not recognised"


def renamed(every: list[Static], n: int, seed: int = SEED) -> Counter[tuple[str, bool, str]]:
    """(kind, whether a marker was missing, what came of it) -> how often."""
    rng, told = np.random.default_rng(seed), Counter[tuple[str, bool, str]]()
    for i in range(n):
        static, kind = every[i % len(every)], KINDS[i % len(KINDS)]
        lost = str(rng.choice(sorted(static.roles.values()))) if rng.random() < 1 / 3 else ""
        told[kind, bool(lost), judged(static, renaming(static, kind, rng), lost)] += 1
    return told


def numbered(every: list[Static], n: int, seed: int = SEED) -> Counter[tuple[str, bool, str]]:
    """The same for markers that have a number and no name."""
    rng, told = np.random.default_rng(seed), Counter[tuple[str, bool, str]]()
    for i in range(n):
        static = every[i % len(every)]
        order = rng.permutation(len(static.labels))
        lost = str(rng.choice(sorted(static.roles.values()))) if i >= len(every) else ""
        names = {label: f"M{number + 1}" for label, number in zip(static.labels, order, strict=True)}
        told["number alone", bool(lost), judged(static, names, lost)] += 1
    return told


def unknown(every: list[Static], n: int, seed: int = SEED) -> Counter[tuple[str, bool, str]]:
    """The same for markers in a language of which each word is, with a chance of one in five, another that nobody knows."""
    rng, told = np.random.default_rng(seed), Counter[tuple[str, bool, str]]()
    for i in range(n):
        static, words = every[i % len(every)], dict(LANGUAGES[str(rng.choice(list(LANGUAGES)))])
        for role in [role for role in words if role not in "LR" and rng.random() < 0.2]:
            words[role] = ["".join(rng.choice(list("bcfgkpqwxz"), 5))]
        lost = str(rng.choice(sorted(static.roles.values()))) if rng.random() < 1 / 3 else ""
        told["some words unknown", bool(lost), judged(static, _in_language(static, words, rng), lost)] += 1
    return told


def table(n: int, shared: Path) -> str:
    """Everything as Markdown."""
    every = statics(shared)
    heading = f"biomech_id {__version__}, {len(every)} static trials of the recordings beside the project, seed {SEED}"
    lines = [heading, "", "| names | one marker missing | right | not recognised | wrong |", "|---|---|---|---|---|"]
    for told in (renamed(every, n), numbered(every, 4 * len(every)), unknown(every, 100)):
        for kind, lost in sorted({(kind, lost) for kind, lost, _ in told}):
            counts = " | ".join(str(told[kind, lost, what]) for what in ("right", "not recognised", "wrong"))
            lines.append(f"| {kind} | {'yes' if lost else 'no'} | {counts} |")
        total = {
            what: sum(count for (_, _, w), count in told.items() if w == what) for what in ("right", "not recognised", "wrong")
        }
        lines.append(f"| **all {sum(total.values())}** |  | {' | '.join(map(str, total.values()))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    shared = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    text = table(int(sys.argv[1]) if len(sys.argv) > 1 else 300, shared)
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(text)
