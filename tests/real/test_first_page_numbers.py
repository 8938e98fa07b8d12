"""Page 1 of recorded sessions: every number that stands on it is computed again by hand, and none is left over."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pypdf
import pytest
from by_hand import (
    SIDES,
    Judged,
    NormByHand,
    Person,
    Printed,
    judged,
    rules,
    scores,
    widened,
)
from sessions import Sessions, compute

from biomech_id.interpretation.rules import shipped_rules
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.report import draw_report
from biomech_id.report.first.patterns import named_words, rule_words, shown_words
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.clinic import examined_words
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.norm import with_norm
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import FINGERPRINT
from biomech_id.session.values.norm import write_norm

pytestmark = [pytest.mark.real, pytest.mark.slow]
HEALTHY = ("children/HC", "norm_subjects/")
#: Session, language: knees bent or feet pointed all the time, one analysed with its norm, a patient, one cycle a side.
PAGES = (
    ("norm_subjects/NP1002 crouch", "en"), ("norm_subjects/NP1010 equinus", "de"), ("norm_subjects/NP1006 with its norm", "de"),
    ("labs_abroad/examined_child", "en"), ("labs_abroad/examined_child", "de"), ("children/HC036A", "en"),
)  # fmt: skip
#: By how much curves of a variable are moved, degrees.
MOVED = {"crouch": ("KneeAngles", 35.0), "equinus": ("AnkleAngles", -30.0)}
#: Labels that hold numbers of their own, which are the same on every page.
FIXED = (
    "first.not_clinical", "first.numbers_change", "first.numbers_error", "first.norm_sd", "first.profile_norm", "first.curves_key",
    "first.orientation", "first.how", "first.conventions",
)  # fmt: skip
DECIMALS = {"deg": 0, "%": 0}
MIX = tuple(FINGERPRINT)


@dataclass(frozen=True)
class Drawn:
    """Page 1 and what it was drawn from."""

    printed: Printed
    person: Person
    norm: NormByHand
    table: pd.DataFrame
    style: Style
    analysed_with_norm: bool

    def label(self, key: str, **words: object) -> str:
        return self.style.label(key, **words)

    def written(self, value: float, decimals: int) -> str:
        return self.printed.written(value, decimals) if np.isfinite(value) else "–"

    def value(self, value: float, unit: str) -> str:
        number = self.written(value, DECIMALS.get(unit, 2))
        return f"{number}°" if unit == "deg" else number if unit == "1" else f"{number} {self.style.word(unit)}"


def others_of(sessions: Sessions, person: str) -> list[Tables]:
    """The healthy people of a person's model."""
    model = sessions[person].tables.summary["model"]
    people = (sessions[name] for name in sessions if name.startswith(HEALTHY) and name != person)
    return [each.tables for each in people if each.ran and each.tables.summary["model"] == model]


def moved(tables: Tables, kind: str) -> Tables:
    """A session whose cycles are bent by so much all the time."""
    variable, by_deg = MOVED[kind]
    cycles = tables.cycles.copy()
    cycles.loc[(cycles["variable"] == variable) & (cycles["component"] == "X"), "value"] += by_deg
    peaks = tables.peaks.copy()
    ends = peaks["name"].str.startswith(("min_", "max_")) & (peaks["unit"] == "deg")
    peaks.loc[(peaks["variable"] == variable) & (peaks["component"] == "X") & ends, "value"] += by_deg
    return replace(tables, cycles=cycles, peaks=peaks)


@pytest.fixture(scope="module")
def prepared(
    sessions: Sessions, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Tables, pd.DataFrame, NormByHand]]:
    @cache
    def prepare(page: str) -> tuple[Tables, pd.DataFrame, NormByHand]:
        name, _, kind = page.partition(" ")
        people = others_of(sessions, name)
        norm = norm_from_sessions(people, source="children and adolescents", mix=MIX)
        tables = sessions[name].tables
        if kind == "with its norm":
            home = tmp_path_factory.mktemp("with-norm")
            write_norm(norm, home / "norm.csv")
            session = sessions.sessions[name]
            options = (*session.options, "--norm", str(home / "norm.csv"), *(word for key in MIX for word in ("--mix", key)))
            compute(replace(session, options=options), sessions.shared, home)
            tables = read_tables(home / "out")
        elif kind:
            tables = moved(tables, kind)
        return tables, norm, NormByHand(people)

    return prepare


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: "-".join(page).replace("/", "-").replace(" ", "-"))
def drawn(
    request: Any, prepared: Callable[[str], tuple[Tables, pd.DataFrame, NormByHand]], tmp_path_factory: pytest.TempPathFactory
) -> Drawn:
    page, language = request.param
    tables, norm, by_hand = prepared(page)
    style = load_style(language=language)
    path = draw_report(tables, tmp_path_factory.mktemp("page") / "first.pdf", norm=norm, mix=MIX, pages=["first"], style=style)
    printed, person = Printed(pypdf.PdfReader(path).pages[0].extract_text(), language), Person(with_norm(norm, tables, mix=MIX)[0])
    return Drawn(printed, person, by_hand, norm, style, analysed_with_norm=page.endswith("with its norm"))


def test_every_number_of_page_one_is_computed_by_hand(drawn: Drawn) -> None:
    """What no part of the page accounts for is printed with the words around it."""
    for part in (frame, headline, profile, examination, patterns, trust, unsayable):
        part(drawn)
    assert drawn.printed.missing == []
    assert list(drawn.printed.unexplained()) == []


def frame(page: Drawn) -> None:
    """Head, foot, fixed words, and the numbers of axes, which stand before everything else."""
    printed, subject, summary = page.printed, page.person.tables.summary["subject"], page.person.tables.summary
    head = page.label("first.norm", name="#", n="#").split("#")[0]
    axes, _, rest = printed.left.partition(head)
    assert re.fullmatch(r"(?:0 50 100 |−?\d+(?:[.,]\d+)? |[^\d]+)*", axes), axes
    assert axes.count("0 50 100") >= 4
    printed.left = re.sub(r"\d", "·", axes) + head + rest
    printed.take(page.label("first.norm", name="…", n=page.norm.n))
    for label in FIXED:
        words = page.label(label)
        if words.split()[0] in printed.left and re.sub(r"\s", "", words) in re.sub(r"\s", "", printed.left):
            printed.take(words)
    if subject.get("age_years") is not None:
        printed.take(page.label("cover.years", years=page.written(subject["age_years"], 0)))
    printed.take(f"{page.written(subject['height_m'], 2)} m")
    printed.take(f"{page.written(subject['mass_kg'], 1)} kg")
    left, right = (page.written(subject["leg_length_m"][side], 2) for side in SIDES)
    printed.take(page.label("first.leg", leg=left if left == right else f"L {left} R {right}"))
    untested = sum(not rule.tested for rule in rules().values())
    printed.take(page.label("first.untested", n=untested))
    printed.take(page.label("first.rules", version=shipped_rules().version))
    printed.take(str(subject.get("code") or ""))
    if summary.get("session_date") or subject.get("session_date"):
        printed.take(str(subject["session_date"]))
    printed.take(f"biomech_id {page.person.tables.summary.get('version', page.person.tables.manifest.get('version', ''))}".strip())
    printed.take("1 / 1")


def headline(page: Drawn) -> None:
    """Speed, steps and profile scores, each beside the norm, with its arrow where it leaves two SDs of it."""
    person, printed, w = page.person, page.printed, widened(page.norm.n)
    for side in SIDES:
        if person.counted(side) < 3:
            printed.take(f"n = {person.counted(side)}")

    def row(name: str, decimals: int, values: Sequence[float], norm: str = "", bands: Sequence[float] = ()) -> None:
        of_norm = page.table[(page.table["variable"] == norm) & (page.table["component"] == "")]
        words = [page.label(f"first.{name}")]
        for value, band in zip(values, bands or [np.nan] * len(values), strict=True):
            text = page.written(value, decimals)
            if len(of_norm):
                mean, sd = (float(of_norm[column].iloc[0]) for column in ("mean", "sd"))
                step = abs(round(value, decimals) - round(mean, decimals)) <= 1.5 * 10.0**-decimals
                if abs(value - mean) > 2.0 * w * sd and not step:
                    text += " ▲" if value > mean else " ▼"
            words += [text, *([f"±{page.written(band, decimals)}"] if np.isfinite(band) else [])]
        if len(of_norm):
            words.append(f"{page.written(mean, decimals)} ± {page.written(sd, decimals)}")
        printed.take(" ".join(words))

    for name, decimals in (("speed", 2), ("speed_dimensionless", 2), ("cadence", 0)):
        row(name, decimals, [person.number(name)], name)
    row("step_length", 2, [person.number("step_length", side) for side in SIDES], "step_length")
    row("single_support", 1, [person.number("single_support", side) for side in SIDES], "single_support")
    row("foot_off", 1, [person.number("foot_off", side) for side in SIDES], "foot_off")
    row("step_width", 2, [person.number("step_width")], "step_width")
    row("walk_ratio", 1, [1000.0 * person.number("step_length") / person.number("cadence")])
    whole, less = scores(person, page.table), scores(person, page.table, without=[("HipAngles", "Z")])
    stored = person.tables.scores
    stored = stored[(stored["score"] == "GPS") & (stored["condition"] == person.condition)].set_index("side")
    bands = (stored["high"] - stored["low"]) / 2.0
    assert np.isfinite(bands).all() == page.analysed_with_norm
    row("gps", 1, [whole[side] for side in SIDES], "GPS", [bands[side] for side in SIDES])
    row("gps_without", 1, [less[side] for side in SIDES])
    row("gps_overall", 1, [whole[""]], "GPS.overall", [bands[""]])
    printed.take(page.label("first.numbers_note", n=page.norm.n))


def profile(page: Drawn) -> None:
    """The nine scores of each side, and the profile score."""
    values = scores(page.person, page.table)
    for variable, component in dict.fromkeys(tuple(name.split()[1:]) for name in values if " " in name):
        left, right = (page.written(values[f"{side} {variable} {component}"], 0) for side in SIDES)
        page.printed.take(f"{page.style.word(ROWS[variable, component].title)} {left} {right}")
    page.printed.take(f"{page.label('first.gps_short')} {page.written(values['L'], 0)} {page.written(values['R'], 0)}")


def examination(page: Drawn) -> None:
    """What was examined, as it was written down; what gait did, the mean of its cycles' peaks."""
    person, printed, table = page.person, page.printed, page.person.tables.examination

    def mean_of(side: str, variable: str, least: bool, swing: bool) -> str:
        peaks = []
        for limb in person.cycles[side]:
            curve, off = limb.curve((variable, "X")), int(limb.events["foot_off"])
            part = curve[off + 1 :] if swing else curve[: off + 1]
            peaks.append(np.nanmin(part) if least else np.nanmax(part))
        return page.written(float(np.mean(peaks)), 0)

    gait = {
        "hip": (("HipAngles", True, False),), "knee": (("KneeAngles", True, False), ("KneeAngles", False, True)),
        "ankle": (("AnkleAngles", False, False),),
    }  # fmt: skip
    for joint, values in gait.items():
        for row in () if table is None else table.itertuples():
            if row.joint == joint and row.side in SIDES:
                name = examined_words(page.style, row.muscle, row.test, row.position)
                both = table[(table["joint"] == joint) & (table["muscle"] == row.muscle) & (table["test"] == row.test)
                             & (table["position"] == row.position)].set_index("side")["raw"]  # fmt: skip
                texts = [f"{both[side]}°" if row.unit == "deg" else both[side] for side in SIDES if side in both]
                if row.side == next(side for side in SIDES if side in both.index):
                    _examined(printed, name, texts)
        cells = [" / ".join(mean_of(side, *value) for value in values) + "°" for side in SIDES]
        printed.take(f"{page.label(f'first.gait_{joint}')} {' '.join(cells)}")


def _examined(printed: Printed, name: str, texts: Sequence[str]) -> None:
    """A row of the examination, which finds room or not: as long as its name it is cut."""
    for length in range(len(name), 5, -1):
        words = name if length == len(name) else f"{name[:length]}…"
        pattern = re.escape(words) + r"\s?" + r"\s?".join(re.escape(text) for text in texts)
        found = re.search(pattern, printed.left)
        if found is not None:
            printed.left = printed.left[: found.start()] + re.sub(r"\d", "·", found[0]) + printed.left[found.end() :]
            return


def by_rule(page: Drawn) -> dict[tuple[str, str], Judged]:
    """Every row of ``deviations.csv``, judged by hand."""
    table, of = page.person.tables.deviations, rules()
    rows = [row for row in table.itertuples() if row.condition == page.person.condition and of[row.pattern].status != "class"]
    return {(row.pattern, row.side): judged(page.person, page.norm, of[row.pattern], row.side) for row in rows}


def _sided(page: Drawn, each: Judged, alone: bool) -> str:
    one = each.rule.joint == "pelvis" and each.rule.stat == "range" and alone
    side = f"{page.label(f'first.side_{each.side}')} " if each.side and not one else ""
    return f"{side}{page.value(each.value, each.rule.unit)}"


def patterns(page: Drawn) -> None:
    """Openings, sentences with what they cover, what found no room and what is smaller."""
    person, printed, style, product = page.person, page.printed, page.style, shipped_rules()
    for side in SIDES:
        n = person.counted(side, "kinematics")
        if n < 3:
            label = "first.no_cycle" if not n else "first.one_cycle" if n == 1 else "first.few_cycles"
            printed.take(page.label(label, side=page.label(f"side.{side}"), n=n))
    midstance(page)
    pace(page)
    by_hand = by_rule(page)
    table = person.tables.deviations
    rows = {(row.pattern, row.side): row for row in table.itertuples() if row.condition == person.condition}
    for key, each in by_hand.items():
        assert rows[key].cycles == each.cycles, (key, each)
        assert rows[key].cycles_shown == each.shown, (key, each)
        assert rows[key].band == pytest.approx(each.band, rel=1e-4), (key, each)
        assert rows[key].least_sayable == pytest.approx(each.least, rel=1e-4) or each.turned, (key, each)
    marked = {key for key, row in rows.items() if str(row.marked).lower() == "true"}
    covered_by = {key: row.covered_by if isinstance(row.covered_by, str) else "" for key, row in rows.items()}
    alone = sorted((key for key in marked if not covered_by[key]), key=lambda key: -rows[key].size)
    number = 0
    for pattern in dict.fromkeys(pattern for pattern, _ in alone):
        sides = [by_hand[pattern, side] for side in ("", *SIDES) if (pattern, side) in alone]
        rule, first = product[pattern], sides[0]
        values = " ".join(_sided(page, each, len(sides) == 1) for each in sides)
        decimals = DECIMALS.get(first.rule.unit, 2)
        sd, limit = (page.value(value, first.rule.unit) for value in (first.norm[1], first.limit))
        norm = page.label("first.norm_limit", mean=page.written(first.norm[0], decimals), sd=sd, limit=limit)
        cycles = ", ".join(
            (f"{page.label(f'first.side_{each.side}')} " if each.side else "")
            + page.label("first.of_cycles", shown=each.shown, n=each.cycles)
            for each in sides
        )
        said = page.label("first.measured", band=page.value(max(each.band for each in sides), first.rule.unit), cycles=cycles,
                          size=page.written(max(each.size for each in sides), 1), rule=pattern)  # fmt: skip
        if not re.search(rf"(?<!\w){re.escape(said.split(' · ')[-2])} · {pattern}\b", printed.left):
            printed.take(f"{values} {rule_words(rule, style)[1]} ({pattern})")
            continue
        number += 1
        printed.take(f"{number} {values} {norm} {named_words(rule, style)}")
        printed.take(said)
        if first.rule.stat == "asym":
            name = re.findall(r"\((\w+)\)", first.rule.shown)[0]
            unit = str(person.tables.spatiotemporal.set_index("parameter")["unit"][name].iloc[0])
            printed.take(page.label("first.both_sides", **{side: page.value(person.number(name, side), unit) for side in SIDES}))
        covered: dict[str, list[Judged]] = {}
        for each in sides:
            inside = [key for key in marked if covered_by[key] == pattern and key[1] == each.side]
            for key in sorted(inside, key=lambda key: -rows[key].size):
                covered.setdefault(key[0], []).append(by_hand[key])
        for name, of_sides in list(covered.items())[:2]:
            values = " ".join(_sided(page, each, len(of_sides) == 1) for each in of_sides)
            printed.take(page.label("first.with", values=values, name=shown_words(product[name], style), rule=name))
    unsaid = [key for key in by_hand if key not in marked and not covered_by[key]]
    unsaid = [key for key in unsaid if by_hand[key].cycles >= 3 and by_hand[key].rule.tested and by_hand[key].met]
    for pattern in dict.fromkeys(pattern for pattern, _ in unsaid):
        sides = [by_hand[pattern, side] for side in ("", *SIDES) if (pattern, side) in unsaid]
        values = " ".join(_sided(page, each, len(sides) == 1) for each in sides)
        printed.take(f"{values} {rule_words(product[pattern], style)[1]} ({pattern})")


def midstance(page: Drawn) -> None:
    """How many SDs knee and ankle lie above the norm from 20 to 45 % of the cycle, where one leaves two of them."""
    apart: dict[str, dict[str, float]] = {}
    for variable in ("KneeAngles", "AnkleAngles"):
        mean, sd = page.norm.curve((variable, "X"))
        for side, limb in page.person.means.items():
            apart.setdefault(variable, {})[side] = float(np.mean(((limb.curve((variable, "X")) - mean) / sd)[20:46]))
    if max(abs(value) for sides in apart.values() for value in sides.values()) <= 2.0 * widened(page.norm.n):
        return
    knee, ankle = (
        " ".join(f"{page.label(f'first.side_{side}')} {page.written(sides[side], 1)}" for side in SIDES if side in sides)
        for sides in apart.values()
    )
    label = "first.midstance_no_class"
    page.printed.take(page.label(label, knee=knee, ankle=ankle))


def pace(page: Drawn) -> None:
    """A speed out of the norm's two SDs, and published means at such a speed."""
    printed, person = page.printed, page.person
    own = float(np.mean([limb.numbers["speed_dimensionless"] for limb in person.means.values()]))
    mean, sd, _ = page.norm.of("st(speed_dimensionless)")
    words = [page.label(f"first.{name}", own="#", mean="#", sd="#").split("#")[0].strip() for name in ("slow", "fast")]
    if not any(head in printed.left for head in words):
        return
    assert abs(own - mean) > 2.0 * sd
    row = page.table[page.table["variable"] == "speed_dimensionless"].iloc[0]
    numbers = {"own": page.written(own, 2), "mean": page.written(row["mean"], 2), "sd": page.written(row["sd"], 2)}
    printed.take(page.label("first.slow" if own < mean else "first.fast", **numbers))
    source = Path(__file__).parents[2] / "biomech_id" / "interpretation" / "published_speeds.csv"
    with source.open(encoding="utf-8", newline="") as file:
        classes = list(csv.DictReader(file))
    row = next(each for each in classes if not each["most_speed"] or own <= float(each["most_speed"]))
    means = [name for name in row if name not in ("pace", "most_speed", "source")]
    names = {name: page.written(float(row[name]), 2 if name == "power" else 0) for name in means}
    printed.take(page.label("first.published", pace=page.label(f"first.pace_{row['pace']}"), **names))


PLANES = {
    "sagittal": (("hip", ("HipAngles", "X")), ("knee", ("KneeAngles", "X")), ("ankle", ("AnkleAngles", "X"))),
    "frontal": (("pelvis", ("PelvisAngles", "Y")), ("hip", ("HipAngles", "Y")), ("knee", ("KneeAngles", "Y"))),
    "transverse": (("pelvis", ("PelvisAngles", "Z")), ("hip", ("HipAngles", "Z")), ("foot", ("FootProgressAngles", "Z"))),
}  # fmt: skip


def trust(page: Drawn) -> None:
    """Cycles, errors by plane, slopes of the knee axes, channels, people."""
    person, printed, tables = page.person, page.printed, page.person.tables
    for label, layer in (("first.cycles", "kinematics"), ("first.cycles_loaded", "kinetics")):
        printed.take(page.label(label, left=person.counted("L", layer), right=person.counted("R", layer)))
    for names in PLANES.values():
        printed.take(", ".join(
            page.label("first.error", name=page.label(f"first.of_{joint}"), band=page.value(person.plane_error(name), "deg"))
            for joint, name in names
        ))  # fmt: skip
    legs = tables.calibration.get("sides", {})
    slopes = ", ".join(
        f"{page.label(f'first.side_{side}')} {page.value(legs[side]['knee_varus_slope'], '1')}"
        for side in SIDES if "knee_varus_slope" in legs.get(side, {})
    )  # fmt: skip
    if slopes:
        large = any(abs(leg.get("knee_varus_slope", 0.0)) >= 0.35 for leg in legs.values())
        printed.take(page.label("first.slope_large" if large else "first.slope", slopes=slopes))
    channels = tables.channels
    if channels is not None and len(own := channels[channels["verdict"] != "not_emg"]):
        names = ["label", "side", "muscle"]
        live = own[own["verdict"] == "live"].drop_duplicates(names)
        printed.take(page.label("first.channels", live=len(live), n=len(own.drop_duplicates(names))))
        for label in own["label"].unique():
            if re.search(r"\d", label) and f"{label}:" in printed.left:
                printed.take(f"{label}:")
    printed.take(page.label("first.norm_people", n=page.norm.n))


def unsayable(page: Drawn) -> None:
    """Sides of too few cycles, and of hip rotation and each joint the row that must lie farthest from the norm to be said."""
    person, printed, product = page.person, page.printed, shipped_rules()
    for side in SIDES:
        counts = {label: person.counted(side, layer) for label, layer in (("side_few", "kinematics"), ("loads_few", "kinetics"))}
        if counts["side_few"] < 3:
            printed.take(page.label("first.side_few", side=page.label(f"side.{side}"), n=counts["side_few"]))
        elif counts["loads_few"] < 3:
            printed.take(page.label("first.loads_few", side=page.label(f"side.{side}"), n=counts["loads_few"]))
    asked = [
        judged(person, page.norm, rule, side)
        for rule in rules().values() if rule.tested and rule.status != "class" and rule.unit == "deg"
        for side in person.means
    ]  # fmt: skip
    asked = [each for each in asked if each.cycles >= 3 and np.isfinite(each.band) and each.norm[2]]
    printed_rows = 0
    for joint in ("hip rotation", "pelvis", "hip", "knee", "ankle", "foot"):
        rotation = joint == "hip rotation"
        of_joint = [x for x in asked if (x.rule.joint == "hip" if rotation else x.rule.joint == joint)
                    and (x.rule.joint == "hip" and x.rule.plane == "transverse") == rotation]  # fmt: skip
        if not of_joint:
            continue
        largest = max(each.least for each in of_joint)
        candidates = {each.rule.pattern for each in of_joint if each.least > largest - 1e-6 or each.least == largest}
        for pattern in sorted(candidates):
            words = rule_words(product[pattern], page.style)[1]
            text = page.label("first.unsayable_row", words=words, least=page.value(largest, "deg"), pattern=pattern, side="")
            if np.isfinite(largest) and re.sub(r"\s", "", text) in re.sub(r"\s", "", printed.left):
                printed.take(text)
                printed_rows += 1
                break
    assert printed_rows >= (1 if asked else 0)
