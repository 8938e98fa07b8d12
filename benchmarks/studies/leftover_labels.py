"""Markers that a set leaves over, under random words: what `markersets.leftover` names, and whether that is what they lie on.

``BIOMECH_ID_SHARED=... python -m benchmarks.studies.leftover_labels`` asks of 20 virtual people of 0.9 to 2.0 m, ten draws each,
and of every static trial of the recordings beside the project, ten draws each, and writes the table beside this module. A set's
spines, lateral knee and ankle markers, heels, toes and wands keep their names; all others have random words in a random order. A
draw of a virtual person moves every marker by 5 mm (SD of each axis), knows the joints' widths or not, and adds a patella marker, a
tubercle, a head of the fibula or a knee device, each in half of the draws; the walk has noise and moving skin. Each trial is asked
a second time without its medial markers and tubercles, so that every name of one that is certain is wrong.

An analysis takes names only where both medial knees are among them, so that of trials without any it takes none; what it would take
wrongly is counted apart.

A marker is *right* where its name is certain and true, *asked* where it is true and not certain, *unsure* where the question names
another marker, *missed* where nothing is named, and *wrong* where a name is certain and another marker's.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.studies.recognised_markers import STATICS
from biomech_id import __version__, virtual_subject
from biomech_id.markersets import propose
from biomech_id.markersets.leftover import Leftovers, in_walk, name_leftovers, written_beside
from biomech_id.markersets.marker_set import MarkerKey
from biomech_id.markersets.standing import mean_places_m
from biomech_id.models.still_window import still_part
from biomech_id.pipeline.choose_model import joint_widths_m
from biomech_id.readers import read
from biomech_id.trial import Markers

TABLE, SEED, DRAWS, PEOPLE = Path(__file__).with_suffix(".md"), 20261128, 10, 20
#: Static trials beside those of the other study, and the walk of each where there is one.
FURTHER_STATICS = (
    "knee_device/kad/PiGKad_Calibration.c3d", "knee_device/kad_medial/PiGKadMed_Calibration.c3d",
    "labs_abroad/device_tuned_rotation/static.c3d", "labs_abroad/examined_child/static.c3d",
    "labs_abroad/sacrum_and_medials/static.c3d", "oxford_foot/flat/static_processed.c3d", "oxford_foot/not_flat/static.c3d",
    "plug_in_gait/PiG_Calibration3_noFF.c3d",
)  # fmt: skip
WALK_OF = {
    "children/HC002D/HC002D02.c3d": "HC002D06.c3d", "children/HC030A/HC030A01.c3d": "HC030A05.c3d",
    "children/HC031A/HC031A01.c3d": "HC031A06.c3d", "children/HC032A/HC032A01.c3d": "HC032A03.c3d",
    "children/HC033A/HC033A01.c3d": "HC033A10.c3d", "children/HC036A/HC036A01.c3d": "HC036A10.c3d",
    "helen_hayes/HHStatic.c3d": "HHMotion.c3d", "leardini/static01.c3d": "trial02.c3d",
    "motionmonitor/static_pose.c3d": "gait_with_emg.c3d", "drop_jump/FAILT01_static02.c3d": "FAILT01_Walk01.c3d",
    "treadmill_run/RBDS001static.c3d": "RBDS001runT35.c3d", "knee_device/kad/PiGKad_Calibration.c3d": "PiGKad_Motion.c3d",
    "knee_device/kad_medial/PiGKadMed_Calibration.c3d": "PiGKadMed_Motion.c3d",
    "labs_abroad/device_tuned_rotation/static.c3d": "walk03.c3d", "labs_abroad/examined_child/static.c3d": "walk04.c3d",
    "labs_abroad/sacrum_and_medials/static.c3d": "walk.c3d", "oxford_foot/flat/static_processed.c3d": "dynamic_processed.c3d",
    "oxford_foot/not_flat/static.c3d": "dynamic_processed.c3d",
}  # fmt: skip
#: Roles that keep their names; every other marker of a set is left over.
KEPT = (
    "asis", "psis", "sacrum", "lateral_epicondyle", "lateral_malleolus", "heel", "toe", "thigh_wand", "shank_wand",
)  # fmt: skip
ASKED = ("medial_epicondyle", "medial_malleolus", "tibial_tubercle")
DEVICE = ("knee_device_axis", "knee_device_1", "knee_device_2")
#: Labels, without their side, of what no marker set names.
FURTHER = {
    "medial_epicondyle": ("KNI", "Med_kn"), "medial_malleolus": ("MMA", "MED", "Med_ank"),
    "tibial_tubercle": ("TUB", "TTU", "_TTC", "TTB", ".TT"), "metatarsal_1": ("Med_toe",), "metatarsal_5": ("LA_TOE",),
}  # fmt: skip
#: Further marker of a virtual person -> inward, forward and up from the lateral knee marker, shares of the body's height, as
#: laboratories wear them (`drop_jump`, `leardini`).
BESIDE_KNEE = {
    "patella": (0.036, 0.045, -0.011), "tibial_tubercle": (0.030, 0.030, -0.055), "fibula_head": (-0.004, -0.015, -0.030),
}  # fmt: skip
#: Length of a knee device's rods (m), and by how much one of them is longer.
ROD_M, UNLIKE = 0.10, 0.006
PLACED_M, NOISE_M, SKIN_M = 0.005, 0.0005, 0.010


@dataclass(frozen=True, eq=False)
class Standing:
    """A static trial: which markers keep their names, what the others lie on, and where everything is.

    Attributes
    ----------
    name : str
        Of the recording.
    roles : Mapping[MarkerKey, str]
        What keeps its name.
    truth : Mapping[MarkerKey, str]
        (side, role) -> label of what lies there and has a random word.
    devices : Mapping[str, frozenset[str]]
        Side -> tips of a knee device.
    place_m : Mapping[str, np.ndarray]
        Label -> (3,), m, laboratory axes.
    widths_m : Mapping[MarkerKey, float]
        As `name_leftovers` takes them.
    walk : Markers | None
        Of a walk.
    """

    name: str
    roles: Mapping[MarkerKey, str]
    truth: Mapping[MarkerKey, str]
    devices: Mapping[str, frozenset[str]]
    place_m: Mapping[str, np.ndarray]
    widths_m: Mapping[MarkerKey, float] = field(default_factory=dict)
    walk: Markers | None = None

    def bare(self) -> Standing:
        """The same without medial markers and tubercles."""
        gone = {label for (_, role), label in self.truth.items() if role in ASKED}
        left = {label: place for label, place in self.place_m.items() if label not in gone}
        return replace(self, truth={k: v for k, v in self.truth.items() if v not in gone}, place_m=left)


def recorded(shared: Path, path: str) -> Standing:
    """A static trial of the recordings beside the project."""
    trial = read(shared / "c3d" / path, trust=True)
    labels = [name for name in trial.markers.names if trial.markers.present(name)]
    markerset = propose(labels, stored=tuple(trial.model_outputs))[0].markerset
    spelt = {meant: label for label, meant in markerset.matches(labels).items()}
    every = {key: spelt[label] for key, label in markerset.roles.items() if label in spelt}
    truth = {key: label for key, label in every.items() if key[1] in ASKED}
    for role, spellings in FURTHER.items():
        truth |= {(side, role): side + each for side in "LR" for each in spellings if side + each in labels}
    tips = {side: frozenset(every[side, role] for role in DEVICE if (side, role) in every) for side in "LR"}
    walk = shared / "c3d" / Path(path).with_name(WALK_OF[path]) if path in WALK_OF else None
    stood, roles = still_part(trial)[0].markers, {key: label for key, label in every.items() if key[1] in KEPT}
    written = written_beside(roles, {label: stood[label] for label in labels})
    place_m = {label: place for label, place in mean_places_m(labels, stood.position_m).items() if label not in written}
    devices = {side: three for side, three in tips.items() if len(three) == 3}
    walked = None if walk is None else read(walk, trust=True).markers
    return Standing(path, roles, truth, devices, place_m, joint_widths_m(trial.subject), walked)


def every_recorded(shared: Path) -> Iterator[Standing]:
    """All static trials of the study that name spines and ankles."""
    every = (recorded(shared, path) for path in (*STATICS, *FURTHER_STATICS))
    return (each for each in every if all((side, role) in each.roles for side in "LR" for role in ("asis", "lateral_malleolus")))


@cache
def person(number: int) -> tuple[Standing, float]:
    """One of the virtual people as they are, and the body's height, m."""
    height_m = float(np.linspace(0.9, 2.0, PEOPLE)[number])
    body = "child" if height_m < 1.4 else "adult"
    subject = virtual_subject(
        body=body, height_m=height_m, mass_kg=21.0 * height_m**2, clusters=True, noise_m=NOISE_M, soft_tissue_m=SKIN_M,
        plates="none", seed=SEED + number,
    )  # fmt: skip
    static = subject.static().trial
    labels = list(static.markers.names)
    markerset = propose(labels)[0].markerset
    spelt = {meant: label for label, meant in markerset.matches(labels).items()}
    roles = {key: spelt[label] for key, label in markerset.roles.items() if label in spelt and key[1] in KEPT}
    truth = {(side, role): side + word for side in "LR" for role, word in zip(ASKED, ("KNM", "ANM"), strict=False)}
    place_m = mean_places_m(labels, static.markers.position_m)
    walk = subject.walk(duration_s=1.5).trial.markers
    return Standing(f"virtual {height_m:.2f} m", roles, truth, {}, place_m, joint_widths_m(static.subject), walk), height_m


def drawn(number: int, rng: np.random.Generator) -> Standing:
    """A virtual person as somebody else would have put the markers on."""
    one, height_m = person(number)
    place_m = {label: place + rng.normal(0.0, PLACED_M, 3) for label, place in one.place_m.items()}
    worn = {name: bool(rng.integers(2)) for name in (*BESIDE_KNEE, "device")}
    truth, roles, devices = dict(one.truth), dict(one.roles), {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        knee = one.place_m[one.roles[side, "lateral_epicondyle"]]
        for name, (inward, forward, up) in BESIDE_KNEE.items():
            if worn[name]:
                place_m[side + name] = knee + height_m * np.array([forward, -sign * inward, up]) + rng.normal(0.0, PLACED_M, 3)
                truth |= {(side, name): side + name} if name in ASKED else {}
        if worn["device"]:
            del place_m[roles.pop((side, "lateral_epicondyle"))]
            axes = np.array([[0.0, sign, 0.0], [0.85, 0.0, 0.53], [0.53, 0.0, -0.85]])
            tips = {f"{side}tip{i}": knee + ROD_M * axis * (1.0 + UNLIKE * (i == 0)) for i, axis in enumerate(axes)}
            place_m |= tips
            devices[side] = frozenset(tips)
    widths_m = one.widths_m if rng.integers(2) else {}
    return replace(one, roles=roles, truth=truth, devices=devices, place_m=place_m, widths_m=widths_m)


def named(one: Standing, rng: np.random.Generator) -> tuple[Leftovers, dict[str, str]]:
    """What is named under random words in a random order, and word -> label."""
    kept = set(one.roles.values())
    labels = rng.permutation(sorted(one.place_m)).tolist()
    letters = rng.choice(list("bcfgkpqwxz"), (len(labels), 6))
    words = {label: label if label in kept else f"{''.join(letters[i])}{i}" for i, label in enumerate(labels)}
    back = {word: label for label, word in words.items()}
    found = name_leftovers(one.roles, {words[label]: one.place_m[label] for label in labels}, one.widths_m)
    walk = one.walk
    if walk is None:
        return found, back

    def path_m(word: str) -> np.ndarray | None:
        label = back.get(word, "")
        return walk[label] if label in walk and walk.present(label) else None

    return in_walk(found, one.roles, path_m), back


def judge(one: Standing, rng: np.random.Generator) -> Counter[tuple[str, str]]:
    """(role, what came of it) -> how often; a device is right where its three tips were found."""
    found, back = named(one, rng)
    told: Counter[tuple[str, str]] = Counter()
    for key in {*one.truth, *found.roles}:
        each, true = found.roles.get(key), one.truth.get(key)
        if key[1] not in ASKED and each is None:
            continue  # a forefoot is named only where it wears two markers
        if each is None:
            told[key[1], "missed"] += 1
        elif back[each.label] == true:
            told[key[1], "right" if each.certain else "asked"] += 1
        else:
            told[key[1], "wrong" if each.certain else "unsure"] += 1
    for side in {*one.devices, *found.devices}:
        tips = frozenset(back[word] for word in found.devices.get(side, ()))
        told["knee device", "right" if tips == one.devices.get(side) else "wrong" if tips else "missed"] += 1
    return told


def wrongly_taken(one: Standing, rng: np.random.Generator) -> int:
    """Names of another marker, certain or asked about, that an analysis takes."""
    found, back = named(one, rng)
    return sum(back[each.label] != one.truth.get(key) for key, each in found.roles.items()) if found.usable else 0


OUTCOMES = ("right", "asked", "unsure", "missed", "wrong")


def rows(told: Mapping[tuple[str, str], int]) -> list[str]:
    """Lines of a table, one a role."""
    counts = {role: " | ".join(str(told.get((role, what), 0)) for what in OUTCOMES) for role, _ in sorted(told)}
    return [f"| {role} | {cells} |" for role, cells in counts.items()]


def row_of(name: str, every: Iterable[Standing]) -> str:
    """Line of a table: all roles of some static trials together."""
    told = counted(every, 1, SEED)
    return f"| {name} | {' | '.join(str(sum(n for (_, w), n in told.items() if w == what)) for what in OUTCOMES)} |"


def counted(every: Iterable[Standing], draws: int, seed: int) -> Counter[tuple[str, str]]:
    """All draws of some static trials."""
    rng, told = np.random.default_rng(seed), Counter[tuple[str, str]]()
    for one in every:
        for _ in range(draws):
            told += judge(one, rng)
    return told


def taken_of(every: Iterable[Standing], draws: int) -> Iterator[int]:
    """How many names an analysis would take wrongly, draw by draw."""
    rng = np.random.default_rng(SEED)
    return (wrongly_taken(one, rng) for one in every for _ in range(draws))


def virtual(numbers: Iterable[int], draws: int, seed: int) -> Iterator[Standing]:
    """Virtual people, each several times."""
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        yield from (drawn(number, rng) for _ in range(draws))


def text_of(shared: Path) -> str:
    """The table."""
    every = list(every_recorded(shared))
    people = list(virtual(range(PEOPLE), DRAWS, SEED))
    head = ["| what it lies on | right | asked | unsure | missed | wrong |", "|---|---|---|---|---|---|"]
    lines = [
        "# Markers that a set leaves over, under random words", "",
        f"biomech_id {__version__}, seed {SEED}; {len(every)} static trials and {PEOPLE} virtual people, {DRAWS} draws each.", "",
    ]  # fmt: skip
    for title, standing, draws in (("Virtual people", people, 1), ("Recordings beside the project", every, DRAWS)):
        lines += [f"## {title}", "", *head, *rows(counted(standing, draws, SEED)), ""]
        bare = counted([one.bare() for one in standing], draws, SEED)
        lines += ["Without medial markers and tubercles:", "", *head, *(rows(bare) or ["| - | 0 | 0 | 0 | 0 | 0 |"]), ""]
        taken = {
            name: sum(taken_of(of, draws)) for name, of in (("as they are", standing), ("without", [x.bare() for x in standing]))
        }
        lines += [f"Taken wrongly by an analysis: {', '.join(f'{n} {name}' for name, n in taken.items())}.", ""]
    lines += ["## Each recording, one draw", "", head[0].replace("what it lies on", "static trial"), head[1]]
    lines += [row_of(one.name, [one]) for one in every]
    lines += ["", f"## Each virtual person, {DRAWS} draws", "", head[0].replace("what it lies on", "height"), head[1]]
    lines += [row_of(person(number)[0].name, virtual([number], DRAWS, SEED)) for number in range(PEOPLE)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table."""
    text = text_of(Path(os.environ["BIOMECH_ID_SHARED"]))
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
