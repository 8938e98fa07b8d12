"""Every count that a report prints, read out of its PDF and counted again from the tables: a page may not contradict another.

Nothing of the report's own code is used: text comes from pypdf, counts from ``summary.json`` and the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdf

from biomech_id.conventions import Aspect, cycle_rows
from biomech_id.review.packing import Block, Blocks
from biomech_id.review.session_data import session_data
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables, cycle_layers

#: What a page calls each kind of movement.
KINDS = {
    "straight": "Straight walk", "turn": "Turn", "treadmill": "Treadmill", "run": "Run", "stair_ascent": "Stair ascent",
    "stair_descent": "Stair descent", "ramp_ascent": "Ramp, upwards", "ramp_descent": "Ramp, downwards", "curb_up": "Curb, up",
    "curb_down": "Curb, down", "jump": "Jump", "squat": "Squat",
    "rise": "Rising from a seat", "static": "Static", "other": "Other movement",
    "not judged": "Movement not judged", "not_judged": "Movement not judged",
}  # fmt: skip
GRADES = "accept|warn|reject|not measured|not judged"


@dataclass(frozen=True)
class Count:
    """One number of the report beside the same number of the tables."""

    what: str
    printed: object
    counted: object

    @property
    def agrees(self) -> bool:
        return self.printed == self.counted


class Unpacked(Blocks):
    """Blocks of a page that nobody draws: compressing them takes nine tenths of making a page's data."""

    def add(self, block: Block) -> str:
        return f"b{len(block.notes)}"


def folder_counts(tables: Tables, out: Path) -> list[Count]:
    """Cycles in the means by layer and side: the session's verdicts, its trials' and the review page's, beside `cycle_list`'s."""
    found = []
    trials = _trials(tables)
    walks = _kind(tables)
    page = {trial["name"]: trial for trial in session_data(out, tables, Unpacked(), called="out")["trials"]}
    for layer in (Aspect.KINEMATICS, Aspect.KINETICS, Aspect.WHOLE_BODY):
        for side in "LR":
            by_trial = {trial["name"]: trial["verdicts"][layer][side]["cycles"] for trial in trials}
            shown = {name: sum(c[layer] for c in trial["cycles"] if c["side"] == side) for name, trial in page.items()}
            found.append(Count(f"review page: {layer} {side}", shown, by_trial))
            own = tables.cycle_list[(tables.cycle_list["side"] == side) & tables.cycle_list[layer].astype(bool)]
            listed = {name: int((own["trial"] == name).sum()) for name in by_trial}
            found.append(Count(f"cycles: {layer} {side}", listed, by_trial))
            every = sum(by_trial[trial["name"]] for trial in trials if walks in ("", trial["kind"]))
            found.append(Count(f"session: {layer} {side}", tables.summary["verdicts"][layer][side]["cycles"], every))
    return found


def counts(pdf: Path, tables: Tables) -> list[Count]:
    """Every count found in the report."""
    reader = pypdf.PdfReader(pdf)
    titles = {reader.get_destination_page_number(mark): str(mark.title) for mark in _flat(reader.outline)}
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    found: list[Count] = []
    for number, text in enumerate(texts):
        title = titles.get(number, "")
        if title.startswith("Session"):
            found += _cover(text, tables)
        elif title.startswith("Data quality"):
            found += _quality(text, tables)
        elif title.startswith("Time and distance"):
            found += _parameters(reader.pages[number].extract_text(), tables)
        elif title.startswith("Values"):
            found += _in_means(
                text,
                "over the cycles in the means: ",
                [(_kind_of(tables, trial), cycle) for trial, cycle in _straight(tables)],
                "Values",
            )
        if title.startswith(("Kinematics", "Kinetics", "Ground")):
            found += _panels(reader.pages[number].extract_text(), title, tables)
    return found


def _flat(outline: list[Any]) -> Iterator[Any]:
    for mark in outline:
        yield from _flat(mark) if isinstance(mark, list) else [mark]


def _trials(tables: Tables) -> list[dict[str, Any]]:
    return list(tables.summary["trials"])


def _kind(tables: Tables) -> str:
    """Kind of movement that the session's own pages show: straight walks, else runs, else every other one; "" for these."""
    kinds = {trial["kind"] for trial in _trials(tables) if trial["cycles"]}
    return next((kind for kind in ("straight", "run") if kind in kinds), "")


def _kind_of(tables: Tables, name: str) -> str:
    return next(str(trial["kind"]) for trial in _trials(tables) if trial["name"] == name)


def _straight(tables: Tables) -> list[tuple[str, dict[str, Any]]]:
    """Trial and cycle of those in the means of the condition that the session's own pages show: the first one."""
    straight = [trial for trial in _trials(tables) if _kind(tables) in ("", trial["kind"]) and trial["cycles"]]
    first = [trial for trial in straight if trial["condition"] == straight[0]["condition"]]
    return [(trial["name"], cycle) for trial in first for cycle in trial["cycles"] if _in(cycle, trial["kind"])]


def _sides(cycles: list[dict[str, Any]]) -> tuple[int, int]:
    return sum(c["side"] == "L" for c in cycles), sum(c["side"] == "R" for c in cycles)


def _with_kinetics(cycles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cycle for cycle in cycles if cycle["kinetics_valid"] != "false"]


def _cover(text: str, tables: Tables) -> Iterator[Count]:
    trials = _trials(tables)
    (said,) = re.findall(r"(\d+) trials?: (\d+) accepted", text)
    yield Count("cover: trials, accepted", tuple(map(int, said)), (len(trials), sum(t["verdict"] == "accept" for t in trials)))
    # Letters of a long sentence are wrapped; its names are not read, its numbers are.
    for words, verdict in (("with warnings", "warn"), ("rejected", "reject"), ("not measured", "not measured")):
        printed = sum(int(n) for n in re.findall(rf"(\d+) {words} \(", text))
        yield Count(f"cover: {words}", printed, sum(t["verdict"] == verdict for t in trials))
    failed = sum(int(n) for n in re.findall(r"(\d+) could not be analysed \(", text))
    yield Count("cover: failed", failed, len(tables.summary["failed"]))
    every = [(trial["kind"], cycle) for trial in trials for cycle in trial["cycles"] if _kind(tables) in ("", trial["kind"])]
    yield from _in_means(text, "Cycles in the means ", every, "cover")
    for trial in trials:
        row = rf"{re.escape(trial['file'])} {re.escape(KINDS[trial['kind']])} .*?(\d+), (\d+) (\d+), (\d+) ({GRADES})"
        printed = re.search(row, text)
        if printed is None:
            continue  # a long session's list ends on the next page, and says so
        counted = (*_sides(trial["cycles"]), *_sides(_with_kinetics(trial["cycles"])))
        yield Count(f"cover: {trial['name']}: cycles, with kinetics", tuple(map(int, printed.groups()[:4])), counted)
        yield Count(f"cover: {trial['name']}: verdict", printed[5], trial["verdict"])


def _in(cycle: dict[str, Any], kind: str, *layers: str) -> bool:
    """Whether a cycle counts in some of these layers; in angles or loads without any."""
    counts = cycle_layers(cycle, kind)
    return any(counts[layer]["counts"] for layer in layers or ("kinematics", "kinetics"))


def _in_means(text: str, head: str, cycles: list[tuple[str, dict[str, Any]]], page: str) -> Iterator[Count]:
    words = r"kinematics (\d+) left, (\d+) right; kinetics (\d+) left, (\d+) right"
    # Another movement than a straight walk or a run is named.
    named = rf"(?:(?:{'|'.join(map(re.escape, KINDS.values()))}): )?"
    printed = re.search(re.escape(head) + named + words, text)
    counted = [_sides([cycle for kind, cycle in cycles if _in(cycle, kind, layer)]) for layer in ("kinematics", "kinetics")]
    if printed is None:
        none = (
            re.search(re.escape(head) + "none: (no cycle|the events)", text) is not None or "no gait cycle is in the means" in text
        )
        yield Count(f"{page}: cycles in the means", none, counted == [(0, 0), (0, 0)])
        return
    yield Count(f"{page}: cycles in the means, with kinetics", tuple(map(int, printed.groups())), (*counted[0], *counted[1]))


def _quality(text: str, tables: Tables) -> Iterator[Count]:
    for trial in _trials(tables):
        name = re.escape(trial["name"])
        last = rf"[^A-Z]*(?<!limit) (\d+)(?: limit \d+)? (\d+) (\d+|not measured) ({GRADES})\b"
        row = re.search(rf"{name} {re.escape(KINDS[trial['kind']])} {last}", text)
        if row is not None:
            used = sum(_in(cycle, trial["kind"]) for cycle in trial["cycles"])
            yield Count(f"quality: {trial['name']}: in means", int(row[1]), used)
            yield Count(f"quality: {trial['name']}: not in means", int(row[2]), len(trial["cycles"]) - used)
            stances = tables.stances[tables.stances["trial"] == trial["name"]]
            accepted = int(stances["verdict"].isin(["clean", "two_plates", "override"]).sum())
            yield Count(f"quality: {trial['name']}: stances", row[3], str(accepted) if trial["plates"] else "not measured")
            yield Count(f"quality: {trial['name']}: verdict", row[4], trial["verdict"])
        listed: dict[tuple[str, str], int] = {}
        for sides, in_mean, kinetics in re.findall(rf"{name} ((?:(?:Left|Right) [\d, ]+(?:; )?)+) (yes|no) (yes|no|stance)", text):
            listed[in_mean, kinetics] = listed.get((in_mean, kinetics), 0) + len(re.findall(r"\d+", sides))
        words = {"true": "yes", "false": "no", "stance_only": "stance"}
        counted: dict[tuple[str, str], int] = {}
        for cycle in trial["cycles"]:
            used = _in(cycle, trial["kind"])
            if not used or cycle["kinetics_valid"] != "true":
                key = ("yes" if used else "no", words[cycle["kinetics_valid"]])
                counted[key] = counted.get(key, 0) + 1
        if listed or not counted:
            yield Count(f"quality: {trial['name']}: listed cycles", listed, counted)


def _parameters(text: str, tables: Tables) -> Iterator[Count]:
    table = tables.spatiotemporal
    known = table[table["value"].notna()]
    wanted = {(name, cycle["side"], cycle["cycle"]) for name, cycle in _straight(tables)}
    for words, row in re.findall(r"^(Stride time|Stride length|Step length|Walking speed) (?:s|m|m/s) (.*)$", text, re.MULTILINE):
        printed = re.match(r"(?:[▲▼] ?)?[\d.–-]+(?: ± [\d.]+)? (\d+) (?:[▲▼] ?)?[\d.–-]+(?: ± [\d.]+)? (\d+)\b", row)
        if printed is not None:
            mine = known[known["parameter"] == {"Walking speed": "speed"}.get(words, words.lower().replace(" ", "_"))]
            keys = [key for key in zip(mine["trial"], mine["side"], mine["cycle"], strict=True) if key in wanted]
            counted = tuple(sum(side == each for _, each, _ in keys) for side in "LR")
            yield Count(f"time and distance: {words}", tuple(map(int, printed.groups())), counted)


def _panels(text: str, title: str, tables: Tables) -> Iterator[Count]:
    kind = next((kind for kind, words in KINDS.items() if title.endswith(f": {words}")), "straight")
    if ":" in title and kind == "straight":
        return  # a further condition has pages of its own
    trials = [trial for trial in _trials(tables) if trial["kind"] == kind and trial["cycles"]]
    first = [trial for trial in trials if trial["condition"] == trials[0]["condition"]]
    heads = tables.cycles.iloc[::CURVE_POINTS]
    for right, left, words in re.findall(r"R (\d+)L (\d+)([A-Z][^\n]*)", text):
        rows = [row for row in cycle_rows() if words.startswith(row.title + " ")]
        if not rows:
            continue
        row = max(rows, key=lambda row: len(row.title))
        mine = heads[(heads["variable"] == row.variable) & (heads["component"] == row.component)]
        # One number a layer and side, wherever the variable was measured at all.
        own = [cycle for trial in first for cycle in trial["cycles"] if _in(cycle, kind, row.aspect)]
        counted = tuple(n if (mine["side"] == side).any() else 0 for side, n in zip("LR", _sides(own), strict=True))
        yield Count(f"{title}: {row.title}", (int(left), int(right)), counted)
