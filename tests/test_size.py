"""The library stays small, and its functions are called in words: code lines by one script, at most six arguments by position."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "biomech_id").rglob("*.py"))
#: Code lines that the library may have. Lower it when something goes; raise it for something new that a user asked for.
MOST_LINES = sum([
    23_431,
    18,  # prepare is public
    304,  # verdicts set by hand, and review.toml
    78,  # stances that the trial cuts
    253,  # movements
    371,  # stairs, ramps and curbs
    81,  # damaged parameter sections
    300,  # frames, angles, masses and loads above the legs
    420,  # upper body tracked, its columns
    10,  # two spellings of one label
    325,  # knee devices, medial malleoli, stored offsets, smoothing spline
    256,  # belts, recordings cut within stances, centre of pressure off the feet
    163,  # poses of segments (ROTATION), recordings without markers
    182,  # belts, recordings cut within stances
    171,  # poses of segments (ROTATION), recordings without markers
    217,  # matched bandwidth
    1884,  # muscle signals
    429,  # cycles judged by themselves, what is left out
    158,  # fingerprint
    540,  # arguments and fields said once, settings without effect, stored offsets
    572,  # arguments and fields said once, settings without effect, stored offsets
    1720,  # one multibody System
    239,  # model, mass and static trial by themselves
    579,  # markers recognised by labels, words and places; a folder's verdict
    10,  # muscles of recordings whose markers nobody knows
    9,  # ends that all labels share
    385,  # momentum of the whole body, its residual, stability, energy, trunk and arms
    340,  # reader and skeleton of OpenSim's models
    170,  # how patients walk
    675,  # inverse kinematics of OpenSim's models
    190,  # gaps filled from other markers, with errors
    610,  # what a review may decide, scales that fit, clinical findings, sagittal overview, consistency
    1494,  # one multibody System
    760,  # inverse dynamics, scaling and setups of OpenSim
    486,  # opensim-run and scaled models as files
    620,  # muscle paths over cylinders
    185,  # events of patients, aids on plates
    150,  # events of patients
    370,  # statistics for one person
    330,  # sessions compared, a workbook
    175,  # a scaled OpenSim model as a body model
    105,  # a recorded stride simulated forward
    140,  # exchanged labels
    215,  # events of patients, aids on plates
    519,  # the whole body in the main job, its table and page
    190,  # functional joints refused by numbers, knee axes from the walk
    90,  # medial markers and one placement as the laboratory says
    85,  # knee axes from functional movements
    40,  # copies of one recording
    110,  # what a trial looked like, for replay
    105,  # energy left open by segment
    195,  # reliability, the page of statistics
    215,  # conditions with statics of their own, the knee axis judged
    70,  # decimal marks, cover and pages of one cycle
    460,  # measured poses of segments as a body model
    330,  # plates of unknown types declared; runs and jumps measured, their pages
    500,  # one result read and computed, trials, functions and forces of the user's own in the main job
    520,  # one result read and computed, trials, functions and forces of the user's own in the main job
    125,  # further markers that move with a segment
    600,  # own arrays in, other libraries' tables out, figures that show themselves, recordings written
    420,  # the page that replays a session
    350,  # lengths of the clinic's muscles
    660,  # schema files, own arrays in, other libraries' tables out, figures that show themselves, recordings written
    190,  # values with ranges, phases and norm
    85,  # hip centres of the conventional model by any regression, further forces on the whole body
    350,  # plausibility of plates, markers, events and measurements
    120,  # jumps laid over one another by phase, reports of jumps alone
    420,  # norms that tell who is in them
    95,  # texts and axes of pages at two thirds of their cost
    350,  # forces of a second file, their lag
    240,  # squats and rising from a seat
    1010,  # where plates stand by the steps on them, a laboratory's log of them
    140,  # tables of too many rows are thinned
    70,  # what the reading process answers is data, not a pickle; text that is no formula
    25,  # cycles cut from the frames around them
    225,  # events, stances and cycles looked up by time: long recordings
    110,  # norms of runs
    110,  # trials without a cycle over time, panels as wide as their curves
    300,  # names and numbers that damage has changed, memory for long recordings, hostile surroundings
    162,  # impulses, free moments, drifts, frozen markers, cut stances
    70,  # a habit of both feet is told from plates that stand apart
    130,  # texts of a PDF worked out once, heads that keep their words, percentiles drawn
    60,  # differences of two visits without what they share
    3,  # scatter without noise
    55,  # work of joints with its band
    45,  # work beside the peaks, compared
    146,  # inputs read and hashed once
    97,  # bands from half the work: errors that do nothing left out, kinetics only where known
    230,  # signals of plates, limits of joints, paths that are badly written; names in any script
    34,  # names and links refused early, stumps of recordings, lacks of the machine said everywhere
])  # fmt: skip
MOST_POSITIONAL = 6


def crowded(source: str) -> list[str]:
    """Functions that take more than six arguments by position; self and cls do not count."""
    tree = ast.parse(source)
    methods = {id(child) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in node.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            bound = id(node) in methods and arguments[:1] in (["self"], ["cls"])
            if len(arguments) - bound > MOST_POSITIONAL:
                found.append(node.name)
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_at_most_six_arguments_by_position(module: Path) -> None:
    assert crowded(module.read_text(encoding="utf-8")) == []


def test_crowded_functions_are_seen() -> None:
    assert crowded("def f(a, b, c, d, e, f, g): ...") == ["f"]
    assert crowded("def f(a, b, c, d, e, f, *, g, h): ...") == []
    assert crowded("class A:\n    def f(self, a, b, c, d, e, f): ...") == []
    assert crowded("class A:\n    def f(self, a, b, c, d, e, f, /, g): ...") == ["f"]


def test_lines_are_counted_without_docstrings_comments_and_blanks() -> None:
    count = runpy.run_path(str(ROOT / "benchmarks" / "code_lines.py"))["code_lines"]
    text = (
        '"""What it is.\n\nAnd more."""\n\n# why\nX = 1  # as always\n\n\ndef f():\n    """Do."""\n    return (\n        X\n    )\n'
    )
    assert count(text) == 5
    assert count('TEXT = """\n\nkept\n"""\n') == 3


def test_the_library_stays_small() -> None:
    rooms = runpy.run_path(str(ROOT / "benchmarks" / "code_lines.py"))["by_room"]()
    assert rooms.total() <= MOST_LINES, dict(rooms)


def test_one_system_is_at_most_1500_lines_more_than_what_it_replaced() -> None:
    """Closed loops, trees, limb, arm, pendulums, forward dynamics and expressions of commit 07987c6^ had 1 733 lines in all.

    Values of OpenSim's models live in the same room and are counted apart.
    """
    count = runpy.run_path(str(ROOT / "benchmarks" / "code_lines.py"))["code_lines"]
    modules = [m for m in MODULES if "multibody" in m.parts and m.stem not in ("functions", "musculoskeletal")]
    assert len(modules) > 20
    assert sum(count(module.read_text(encoding="utf-8")) for module in modules) <= 1_733 + 1_500
