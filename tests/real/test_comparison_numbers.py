"""Page 1 of a comparison: every number that stands on it is computed again by hand, and none is left over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pypdf
import pytest
from by_hand import PLACED_M, SCORED, SIDES, Judged, NormByHand, Person, Printed, judged, rules, scores, widened
from scipy import stats
from sessions import Sessions
from test_first_page_numbers import MIX, moved, others_of

from biomech_id.conventions import CYCLE_ROWS
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.report.compare import compare_report
from biomech_id.report.first.patterns import named_words, rule_words
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.norm import with_norm
from biomech_id.session.tables.session_tables import Tables

pytestmark = [pytest.mark.real, pytest.mark.slow]
#: Session, language: bent knees that became straight; a foot that drops no longer, walked faster, examined again.
PAGES = (("norm_subjects/NP1002", "en"), ("norm_subjects/NP1002", "de"), ("labs_abroad/examined_child", "de"))
FIXED = (
    "changed.numbers_key", "changed.key", "changed.not_clinical", "changed.how_text", "changed.overview_key", "changed.norm_sd",
)  # fmt: skip
#: Errors that each visit draws anew, which alone count in what two visits of one person differ by.
ANEW = ("knee_centre", "ankle_centre", "segment_axes", "pelvis")
MCID_DEG, GPS_BAND_APART_DEG, N_DRAWS = 1.6, 0.2, 4000
NAMED = (
    ("HipAngles", "Z"), ("HipAngles", "Y"), ("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X"), ("KneeMoment", "X"),
)  # fmt: skip
PROFILE = (
    ("PelvisAngles", "X"), ("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X"), ("PelvisAngles", "Y"), ("HipAngles", "Y"),
    ("PelvisAngles", "Z"), ("HipAngles", "Z"), ("FootProgressAngles", "Z"),
)  # fmt: skip
LIMITS = {
    "sagittal": ("KneeAngles.X", "AnkleAngles.X", "HipAngles.X"), "frontal": ("HipAngles.Y", "PelvisAngles.Y", "KneeAngles.Y"),
    "transverse": ("HipAngles.Z",),
}  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """The page and what it was drawn from."""

    printed: Printed
    before: Person
    after: Person
    norm: NormByHand
    table: pd.DataFrame
    changes: pd.DataFrame
    style: Style

    @property
    def both(self) -> tuple[Person, Person]:
        return self.before, self.after

    def label(self, key: str, **words: object) -> str:
        return self.style.label(f"changed.{key}", **words)

    def number(self, value: float, unit: str) -> str:
        """A value of a curve: whole degrees from ten on."""
        decimals = 0 if unit == "deg" and abs(value) >= 10.0 else self._decimals(unit)
        return self.printed.written(value, decimals)

    @staticmethod
    def _decimals(unit: str) -> int:
        return {"deg": 1, "%": 1, "1": 3}.get(unit, 2)

    def change(self, value: float, band: float, unit: str) -> str:
        first, second = (self.printed.written(each, self._decimals(unit)) for each in (value, band))
        return f"{'+' * (value > 0)}{first} ± {second}{self.unit(unit)}"

    def unit(self, unit: str) -> str:
        return "°" if unit == "deg" else "" if unit == "1" else f" {self.style.word(unit)}"

    def counts(self, layer: str) -> dict[str, tuple[int, int]]:
        return {side: (self.before.counted(side, layer), self.after.counted(side, layer)) for side in SIDES}


def dated(tables: Tables, day: str, **subject: object) -> Tables:
    """A session of another day, with other measurements of the person."""
    return replace(tables, summary={**tables.summary, "subject": {**tables.summary["subject"], "session_date": day, **subject}})


def second_visit(tables: Tables) -> Tables:
    """The child half a year on: the right foot no longer drops, it walks faster, was examined again and has grown."""
    cycles, walked = tables.cycles.copy(), tables.spatiotemporal.copy()
    right = (cycles["variable"] == "AnkleAngles") & (cycles["component"] == "X") & (cycles["side"] == "R")
    cycles.loc[right, "value"] += 18.0
    faster = walked["parameter"].isin(["speed", "speed_dimensionless", "cadence"])
    walked.loc[faster, "value"] *= 1.15
    assert tables.examination is not None
    found = tables.examination.copy()
    found.loc[(found["joint"] == "hip") & (found["muscle"] == "psoas") & (found["side"] == "R"), "raw"] = "20"
    changed = replace(tables, cycles=cycles, spatiotemporal=walked, examination=found)
    return dated(changed, "2026-09-01", mass_kg=36.5, leg_length_m={"L": 0.74, "R": 0.72})


@pytest.fixture(scope="module")
def prepared(sessions: Sessions) -> Callable[[str], tuple[Tables, Tables, pd.DataFrame, NormByHand]]:
    @cache
    def prepare(name: str) -> tuple[Tables, Tables, pd.DataFrame, NormByHand]:
        people, tables = others_of(sessions, name), sessions[name].tables
        norm = norm_from_sessions(people, source="children and adolescents", mix=MIX)
        crouch = name.startswith("norm_subjects/")
        first = dated(moved(tables, "crouch") if crouch else tables, "2026-01-01")
        second = dated(tables, "2026-09-01") if crouch else second_visit(tables)
        return first, second, norm, NormByHand(people)

    return prepare


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: "-".join(page).replace("/", "-"))
def drawn(request: Any, prepared: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    name, language = request.param
    first, second, norm, by_hand = prepared(name)
    style = load_style(language=language)
    path = compare_report([first, second], tmp_path_factory.mktemp("page") / "compared.pdf", norm=norm, mix=MIX, style=style)
    text = pypdf.PdfReader(path).pages[0].extract_text()
    changes = pd.read_csv(path.with_suffix(".changes.csv"), keep_default_na=False)
    people = (Person(with_norm(norm, tables, mix=MIX)[0]) for tables in (first, second))
    return Drawn(Printed(text, language), *people, by_hand, norm, changes, style)


def test_every_number_of_a_comparisons_page_one_is_computed_by_hand(drawn: Drawn) -> None:
    """What no part of the page accounts for is printed with the words around it."""
    for part in (frame, headline, profile_scores, profile, examination, differences, patterns, boxes, trust):
        part(drawn)
    assert drawn.printed.missing == []
    assert list(drawn.printed.unexplained()) == []


def frame(page: Drawn) -> None:
    """Head, foot, fixed words, and the numbers of axes, which stand before everything else."""
    printed, person = page.printed, page.after.tables.summary["subject"]
    axes, found, rest = printed.left.partition(str(person["code"]))
    assert found
    assert axes.count("0 50 100") >= 4
    assert re.fullmatch(r"(?:0 50 100 |−?\d+(?:[.,]\d+)? )*", axes), axes
    printed.left = re.sub(r"\d", "·", axes) + found + rest
    for _ in range(2):
        printed.take(str(person["code"]))
    if person.get("age_years") is not None:
        printed.take(page.style.label("cover.years", years=f"{person['age_years']:g}"))
    for key, unit in (("height_m", "m"), ("mass_kg", "kg")):
        printed.take(f"{person[key]:.3g} {unit}".replace(".", page.style.decimal_mark))
    printed.take("2026-01-01 → 2026-09-01")
    printed.take("2026-01-01 / 2026-09-01")
    printed.take(page.label("judged_by", norm=page.label("norm_called", source="children and adolescents", n=page.norm.n)))
    for label in FIXED:
        words = page.style.label(label)
        if re.search(r"\d", words):
            printed.take(words)
    counts = {side: " + ".join(map(str, each)) for side, each in page.counts("kinematics").items()}
    foot = page.label("foot", model="#", rules=shipped_rules().version, left=counts["L"], right=counts["R"])
    printed.take(foot.split("#")[1].strip(" ·"))
    printed.take(f"biomech_id {page.after.tables.manifest.get('version', '')}".strip())
    printed.take("1 / 10")


def numbers_of(page: Drawn, name: str, side: str) -> tuple[float, float, float, bool]:
    """Before, after, what 95 % of changes stay within, and whether the cycles' scatter leaves a change."""
    first, second = (person.numbers(name, side) for person in page.both)
    free = len(first) + len(second) - 2
    pooled = np.sqrt((((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()) / free)
    error = pooled * np.sqrt(1.0 / len(first) + 1.0 / len(second))
    length = name.removesuffix("_dimensionless")
    sd = PLACED_M.get(length, 0.0) / (1.0 if length == name else min(person.leg_m for person in page.both))
    change = second.mean() - first.mean()
    p = 2.0 * stats.t.sf(abs(change) / error, free)
    return float(first.mean()), float(second.mean()), float(1.959964 * np.hypot(np.sqrt(2.0) * sd, error)), bool(p < 0.05)


def faster_percent(page: Drawn) -> float:
    before, after = (person.number("speed_dimensionless") for person in page.both)
    return 100.0 * (after - before) / before


def of_norm(page: Drawn, name: str) -> tuple[float, float]:
    row = page.table[(page.table["variable"] == name) & (page.table["component"] == "")].iloc[0]
    return float(row["mean"]), float(row["sd"])


def headline(page: Drawn) -> None:
    """Speed and steps: before, after, and their change where it leaves its band."""
    dagger = " †" if abs(faster_percent(page)) > 10.0 else ""
    rows = (
        ("speed", 2, False), ("speed_dimensionless", 2, False), ("cadence", 0, False), ("step_length", 2, True),
        ("single_support", 1, True), ("step_width", 2, False),
    )  # fmt: skip
    for name, decimals, of_side in rows:
        for side in SIDES if of_side else ("",):
            before, after, band, sure = numbers_of(page, name, side)
            normal = of_norm(page, name)
            head = page.label(name) + (f", {page.style.label(f'side.{side}').lower()}" if side else "")
            words = [head, *(page.printed.written(value, decimals) for value in (before, after))]
            change = after - before
            if sure and abs(change) > band and abs(change) >= 0.5 * 10.0**-decimals:
                first, second = (page.printed.written(value, decimals) for value in (change, band))
                nearer = abs(after - normal[0]) < abs(before - normal[0])
                words += [
                    f"{'↑ +' if change > 0 else '↓ '}{first} ± {second}",
                    page.label("towards_short" if nearer else "away_short"),
                ]
                words[-1] += dagger if name in ("cadence", "step_length", "single_support") else ""
            else:
                words.append(page.label("within_scatter"))
            words.append(" ± ".join(page.printed.written(value, decimals) for value in normal))
            page.printed.take(" ".join(words))


def drawn_squares(page: Drawn, person: Person, side: str, name: tuple[str, str], rng: np.random.Generator) -> np.ndarray:
    """Mean square distance from the norm as it is, and with the errors drawn that a visit has of its own."""
    rows = page.table[(page.table["variable"] == name[0]) & (page.table["component"] == name[1])].sort_values("percent")
    apart = (person.means[side].curve(name) - rows["mean"].to_numpy(float))[::2]
    sd = person.total(side, name, ANEW)
    assert sd is not None
    drawn = apart[None] + rng.standard_normal(N_DRAWS)[:, None] * sd[::2][None]
    return np.concatenate([[np.mean(apart**2)], np.mean(drawn**2, axis=1)])


def profile_scores(page: Drawn) -> None:
    """Profile scores of both visits; a change beyond the band of both as a multiple of what is important."""
    rng = np.random.default_rng(20261129)
    squares = [
        {(side, *name): drawn_squares(page, person, side, name, rng) for side in SIDES for name in SCORED} for person in page.both
    ]
    dagger = " †" if abs(faster_percent(page)) > 10.0 else ""
    for side in (*SIDES, ""):
        for hip_rotation in (True, False):
            names = [name for name in SCORED if hip_rotation or name != ("HipAngles", "Z")]
            of = [(one, *name) for one in (side or "LR") for name in names if side or one == "L" or name[0] != "PelvisAngles"]
            before, after = (np.sqrt(np.mean([each[name] for name in of], axis=0)) for each in squares)
            low, high = np.percentile(after[1:] - before[1:], (2.5, 97.5))
            values = [float(before[0]), float(after[0]), float(after[0] - before[0]), float(high - low) / 2.0]
            key = "gps" if hip_rotation else "gps_without"
            head = page.label(key) + (f", {page.style.label(f'side.{side}').lower()}" if side and hip_rotation else "")
            sign = "+" if values[2] > 0.0 else ""
            near = [0.05001, 0.05001, 0.05001, GPS_BAND_APART_DEG + 0.05]
            if abs(values[2]) > values[3]:
                times = page.label("times", times="#", mcid=page.printed.written(MCID_DEG, 1))
                words = f"{head} # # {'↑' if sign else '↓'} {sign}# ± # {times}{dagger}"
                values.append(abs(values[2]) / MCID_DEG)
                near.append(0.05001)
            else:
                words = f"{head} # # {page.label('within', change=f'{sign}# ± #')}"
            if hip_rotation:
                words += " # ± #"
                values += of_norm(page, "GPS" if side else "GPS.overall")
                near += [0.05001, 0.05001]
            page.printed.take_near(words, values, near)
    page.printed.take(page.label("numbers_note", mcid=page.printed.written(MCID_DEG, 1)))


def profile(page: Drawn) -> None:
    """The nine scores of the second visit, left and right."""
    values = scores(page.after, page.table)
    for variable, component in PROFILE:
        left, right = (page.printed.written(values[f"{side} {variable} {component}"], 0) for side in SIDES)
        page.printed.take(f"{left} {right} {page.label(f'short_{variable}.{component}')}")


def examination(page: Drawn) -> None:
    """Raw values of both visits, as far as there is room, and how many more there are."""
    first, second = (person.tables.examination for person in page.both)
    if first is None:
        return
    keys = ["joint", "test", "muscle", "position"]
    rows = {}
    for number, table in enumerate((first, second)):
        for row in table.astype(object).fillna("").itertuples():
            if row.side in SIDES and row.raw not in ("", "_"):
                sides = rows.setdefault(tuple(getattr(row, key) for key in keys), {})
                sides.setdefault(row.side, ["–", "–"])[number] = str(row.raw)
    shown = 0
    for values in rows.values():
        texts = [f"{before} → {after}" if before != after else before for _, (before, after) in sorted(values.items())]
        pattern = r"(?<=[^\d→ ]) " + r"\s?".join(re.escape(text) for text in texts) + r"(?= [^\d→])"
        shown += _rows_taken(page.printed, pattern, texts)
    more = re.search(re.escape(page.label("more_examined", n="#")).replace(r"\#", r"(\d+)"), page.printed.left)
    assert more is not None
    seen = [values for values in rows.values() if all(re.search(r"\w", value) for pair in values.values() for value in pair)]
    assert int(more[1]) + shown == pytest.approx(len(seen), abs=0)
    page.printed.take(more[0])


def _rows_taken(printed: Printed, pattern: str, texts: list[str]) -> int:
    """Take the first such row of the part of the page that holds the examination."""
    found = re.search(pattern, printed.left)
    if found is None:
        return 0
    printed.left = printed.left[: found.start()] + re.sub(r"\d", "·", found[0]) + printed.left[found.end() :]
    return 1


def differences(page: Drawn) -> None:
    """Months, mass and legs."""
    printed = page.printed
    printed.take(page.label("months", n=8))
    masses = [float(person.tables.summary["subject"]["mass_kg"]) for person in page.both]
    if abs(masses[1] - masses[0]) > 0.02 * masses[0]:
        before, after = (printed.written(mass, 1) for mass in masses)
        printed.take(page.label("mass", before=before, after=after))
    legs = [person.leg_m for person in page.both]
    if abs(legs[1] - legs[0]) > 0.004:
        before, after = (printed.written(leg, 3) for leg in legs)
        printed.take(page.label("grown", before=before, after=after))


def changed_rows(page: Drawn) -> Iterator[tuple[Any, Judged, Judged, float]]:
    """Every row of ``changes.csv`` with both visits judged by hand, and its band."""
    of = rules()
    for row in page.changes.itertuples():
        before, after = (judged(person, page.norm, of[row.pattern], row.side, anew=True) for person in page.both)
        yield row, before, after, float(np.hypot(before.band, after.band))


def patterns(page: Drawn) -> None:
    """What changed of each pattern by side: before, after, change, band, norm and cycles; what did not, in a line."""
    printed, product = page.printed, shipped_rules()
    rows = list(changed_rows(page))
    for row, before, after, band in rows:
        assert float(row.band) == pytest.approx(band, rel=1e-4), row
        assert float(row.change) == pytest.approx(after.value - before.value, abs=1e-4), row
        beyond = abs(after.value - before.value) > band
        assert (row.direction != "within error") == beyond, row
    alone = {row.pattern for row, *_ in rows if row.direction != "within error" and not _covered(row, rows)}
    leads = dict.fromkeys(("towards", "away", "past"), 0)
    for number, pattern in enumerate(dict.fromkeys(row.pattern for row, *_ in rows if row.pattern in alone), 1):
        sides = sorted((each for each in rows if each[0].pattern == pattern), key=lambda each: each[0].side)
        leads[sides[0][0].direction.split(" ")[0]] += 1
        texts = []
        for row, before, after, band in sides:
            unit, change = before.rule.unit, after.value - before.value
            text = f"{row.side} {page.number(before.value, unit)} → {page.number(after.value, unit)}".strip()
            words = page.label("change_of" if abs(change) > band else "change_within", change=page.change(change, band, unit))
            texts.append(f"{text}{page.unit(unit) if f'{text}{page.unit(unit)}' in printed.left else ''} {words}")
        printed.take(f"{number} {' '.join(texts)} {named_words(product[pattern], page.style)}")
        norm, unit = sides[0][2].norm, sides[0][2].rule.unit
        cycles = ", ".join(f"{row.side} {before.cycles}+{after.cycles}".strip() for row, before, after, _ in sides)
        mean_sd = f"{page.number(norm[0], unit)} ± {page.number(norm[1], unit)}{page.unit(unit)}"
        printed.take(f"{page.label('details', norm=mean_sd, cycles=cycles)} · {pattern}")
    if alone:
        counts = ", ".join(page.label(f"count_{way}", n=n) for way, n in leads.items() if n)
        printed.take(page.label("one" if len(alone) == 1 else "several", n=len(alone), leads=counts))
    for pattern in dict.fromkeys(row.pattern for row, *_ in rows if row.pattern not in alone and not row.covered_by):
        sides = sorted((each for each in rows if each[0].pattern == pattern), key=lambda each: each[0].side)
        unit = sides[0][1].rule.unit
        texts = [
            f"{row.side} {page.number(before.value, unit)} → {page.number(after.value, unit)}{page.unit(unit)} "
            f"(± {page.number(band, unit)})".strip()
            for row, before, after, band in sides
        ]
        printed.take(f"{rule_words(product[pattern], page.style)[1]} {', '.join(texts)}")
    faster = faster_percent(page)
    if abs(faster) > 10.0:
        printed.take(page.label("faster" if faster > 0 else "slower", percent=printed.written(abs(faster), 0)))


def _covered(row: Any, rows: list[tuple[Any, Judged, Judged, float]]) -> bool:
    """Whether a change stands in the sentence of another that changed too."""
    beyond = {(other.side, other.pattern) for other, *_ in rows if other.direction != "within error"}
    return (row.side, row.covered_by) in beyond


def least_change(page: Drawn, name: tuple[str, str]) -> float:
    """What 95 % of changes of a mean curve stay within where nothing changed."""
    sds = [sd for person in page.both for side in SIDES if (sd := person.total(side, name)) is not None and np.isfinite(sd).any()]
    return float(1.96 * np.sqrt(2.0 * np.mean([np.nanmean(sd**2) for sd in sds])))


def boxes(page: Drawn) -> None:
    """Sides of too few cycles, and the least change of a curve that could have been seen."""
    printed, loads = page.printed, page.counts("kinetics")
    for label, layer in (("few_angles", "kinematics"), ("few_loads", "kinetics")):
        for side, (before, after) in page.counts(layer).items():
            if min(before, after) < 3:
                printed.take(page.label(label, side=page.style.label(f"side.{side}").lower(), before=before, after=after))
    parts = []
    for name in NAMED:
        row = CYCLE_ROWS[name]
        if row.kinetic and all(min(counts) < 3 for counts in loads.values()):
            continue
        number = printed.written(least_change(page, name), 2 if row.kinetic else 0)
        parts.append(f"{page.style.word(row.title)} {number}{' ' + page.style.word(row.unit) if row.kinetic else '°'}")
    printed.take(", ".join(parts))


def trust(page: Drawn) -> None:
    """From which change on angles count, cycles, and the norm's people."""
    printed = page.printed
    for names in LIMITS.values():
        parts = [
            f"{page.label(f'short_{name}')} ±{printed.written(least_change(page, (name[:-2], name[-1])), 0)}°" for name in names
        ]  # fmt: skip
        printed.take(page.label("counts_from", parts=", ".join(parts)))
    for layer in ("kinetics", "emg"):
        if layer == "emg" and not any(person.tables.emg is not None for person in page.both):
            continue
        counts = {side: " + ".join(map(str, each)) for side, each in page.counts(layer).items()}
        words = page.label("cycles_both", left=counts["L"], right=counts["R"])
        if layer == "kinetics" or re.sub(r"\s", "", words) in re.sub(r"\s", "", printed.left):
            printed.take(words)
    printed.take(page.label("norm_people", n=page.norm.n, percent=printed.written(100.0 * (widened(page.norm.n) - 1.0), 0)))
