"""Forty seeded mistakes in the physics and the judgement: which test of the fast suite sees each.

``python -m benchmarks.studies.seeded_mutants`` lays each row of ``seeded_mutants.csv`` over a copy of the package, runs tests until
one fails (that of the row first, then those of its room), and writes the table beside this module. With ``draw`` the rows are drawn
anew from the syntax of today's code: a room in turn, a kind of mistake, a place. A row names its expression by text, so that edits
elsewhere in the file leave it as it is. A row with a reason (``same_because``) is no mistake: it cannot change what the code does.
"""

from __future__ import annotations

import ast
import csv
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from biomech_id import __version__

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_suffix(".csv")
TABLE = Path(__file__).with_suffix(".md")
SEED = 20261130
PHYSICS = ("dynamics", "models", "gait", "feet", "plates", "signal", "multibody")
JUDGEMENT = ("judgement", "judgement", "interpretation")
N_PHYSICS, N_JUDGEMENT = 25, 15
#: Processor time for the tests of one mutant.
CPU_S = 20.0
FAST = "not slow and not peers"
#: Tests of a room beyond those that name the module and those of `tests/unit/ROOM`.
FURTHER = {
    "dynamics": ("tests/physics/test_solver_properties.py", "tests/physics/test_reference_leg_views.py"),
    "models": ("tests/physics/test_bands_of_markers.py", "tests/contract/test_third_model.py"),
    "gait": ("tests/physics/test_gait_virtual_subject.py", "tests/physics/test_running.py"),
    "feet": ("tests/unit/gait", "tests/physics/test_gait_virtual_subject.py"),
    "plates": ("tests/physics/test_plate_places.py", "tests/unit/judgement/test_plausibility.py"),
    "signal": ("tests/unit/gait", "tests/physics/test_gait_virtual_subject.py"),
    "multibody": ("tests/physics/test_multibody_numbers.py", "tests/physics/test_mechanics_limb.py"),
    "judgement": ("tests/contract/test_repairs.py", "tests/real/test_check_facts.py"),
    "interpretation": ("tests/physics/test_walks_with_aids.py",),
}
SURVIVED = "survived"
OTHER_OPERATOR: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Div(), ast.Div: ast.Mult(),
    ast.BitAnd: ast.BitOr(), ast.BitOr: ast.BitAnd(),
}  # fmt: skip
OTHER_COMPARISON: dict[type[ast.cmpop], tuple[ast.cmpop, ...]] = {
    ast.Lt: (ast.Gt(), ast.LtE()), ast.LtE: (ast.GtE(), ast.Lt()), ast.Gt: (ast.Lt(), ast.GtE()), ast.GtE: (ast.LtE(), ast.Gt()),
    ast.Eq: (ast.NotEq(),), ast.NotEq: (ast.Eq(),),
}  # fmt: skip
#: Calls whose first two arguments say nothing of the physics.
PLAIN_CALLS = {"isinstance", "getattr", "hasattr", "zip", "range", "replace", "print", "sub", "Finding", "np.errstate"}


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes
    ----------
    file : path of the module below the checkout, as ``biomech_id/gait/ground.py``.
    function : qualified name of the function, empty for a statement of the module or a class.
    kind : one of `KINDS`.
    before, after : the expression as it is and with the mistake, as ``ast.unparse`` writes them.
    place : which of the function's expressions of this text, from 0.
    drawn : test that failed when the row was drawn, or ``survived``.
    died_by : test that fails today, or ``survived``.
    same_because : why the change has no effect; empty for a mistake.
    """

    file: str
    function: str
    kind: str
    before: str
    after: str
    place: int
    drawn: str = ""
    died_by: str = ""
    same_because: str = ""


def _operator(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp):
        return [ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)]
    if not isinstance(node, ast.BinOp) or type(node.op) not in OTHER_OPERATOR or not _numbers(node):
        return []
    return [ast.BinOp(node.left, OTHER_OPERATOR[type(node.op)], node.right)]


def _numbers(node: ast.BinOp) -> bool:
    others = (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.Set)
    sides = (node.left, node.right)
    return not any(isinstance(side, others) or isinstance(getattr(side, "value", None), str) for side in sides)


def _sign(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return [node.operand]
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult) and _numbers(node)
    return [ast.UnaryOp(ast.USub(), node)] if product else []


def _term(node: ast.expr) -> list[ast.expr]:
    return [node.left] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and _numbers(node) else []


def _comparison(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return []
    return [ast.Compare(node.left, [other], node.comparators) for other in OTHER_COMPARISON.get(type(node.ops[0]), ())]


def _number(node: ast.expr) -> float | None:
    number = isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    return node.value if number else None  # type: ignore[attr-defined, no-any-return]


def _limit(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return []
    last = node.comparators[-1]
    if not _number(last) and not (isinstance(last, ast.Name | ast.Attribute) and ast.unparse(last).split(".")[-1].isupper()):
        return []
    return [ast.Compare(node.left, node.ops, [*node.comparators[:-1], ast.BinOp(ast.Constant(2), ast.Mult(), last)])]


def _constant(node: ast.expr) -> list[ast.expr]:
    value = _number(node)
    return [ast.Constant(float(f"{1.05 * value:.6g}"))] if isinstance(value, float) and value else []


def _index(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [
            ast.Call(node.func, node.args, [*node.keywords[:k], ast.keyword("axis", ast.Constant(0 if axis.value.value else 1)),
                                            *node.keywords[k + 1:]])
            for k, axis in enumerate(node.keywords) if axis.arg == "axis" and isinstance(axis.value, ast.Constant)
        ]  # fmt: skip
    if not isinstance(node, ast.Subscript):
        return []
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    changed: list[ast.expr] = []
    for k, part in enumerate(parts):
        value = _number(part)
        if isinstance(value, int):
            other = [*parts[:k], ast.Constant(value - 1 if value > 1 else 1 - value), *parts[k + 1 :]]
            changed.append(ast.Subscript(node.value, ast.Tuple(other) if len(other) > 1 else other[0], node.ctx))
    return changed


def _argument(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Call) or len(node.args) < 2 or any(isinstance(each, ast.Starred) for each in node.args):
        return []
    name = ast.unparse(node.func)
    if name in PLAIN_CALLS or name.split(".")[-1] in PLAIN_CALLS or ast.dump(node.args[0]) == ast.dump(node.args[1]):
        return []
    return [ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)]


#: What a mistake does to an expression: the expressions that may stand in its place.
KINDS: dict[str, Callable[[ast.expr], list[ast.expr]]] = {
    "sign": _sign, "operator": _operator, "comparison": _comparison, "index or axis": _index, "constant by 5 %": _constant,
    "swapped argument": _argument, "dropped term": _term, "limit doubled": _limit,
}  # fmt: skip


def expressions(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield every expression that runs, with its function; none of docstrings, messages, annotations and names of types."""

    def below(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr]]:
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_text(node):
            return
        skipped: set[int] = {id(getattr(node, name, None)) for name in ("annotation", "returns")}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            skipped |= {id(each) for each in node.decorator_list}
            function = f"{function}.{node.name}".lstrip(".")
        if isinstance(node, ast.expr):
            yield function, node
        for child in ast.iter_child_nodes(node):
            if id(child) not in skipped:
                yield from below(child, function)

    return below(tree, "")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def places(room: str) -> dict[str, list[Mutant]]:
    """Every mistake of a room by kind."""
    kinds: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for path in sorted((ROOT / "biomech_id" / room).rglob("*.py")):
        seen: dict[tuple[str, str], int] = {}
        for function, node in expressions(ast.parse(path.read_text(encoding="utf-8"))):
            before = ast.unparse(node)
            place = seen[function, before] = seen.get((function, before), -1) + 1
            for kind, changed in KINDS.items():
                for other in changed(node):
                    after = ast.unparse(ast.fix_missing_locations(other))
                    kinds[kind].append(Mutant(path.relative_to(ROOT).as_posix(), function, kind, before, after, place))
    return {kind: mutants for kind, mutants in kinds.items() if mutants}


def draw(seed: int = SEED) -> list[Mutant]:
    """Draw the mutants: rooms in turn, in each a kind and then a place."""
    rng = np.random.default_rng(seed)
    by_room = {room: places(room) for room in dict.fromkeys(PHYSICS + JUDGEMENT)}
    rooms = [PHYSICS[k % len(PHYSICS)] for k in range(N_PHYSICS)] + [JUDGEMENT[k % len(JUDGEMENT)] for k in range(N_JUDGEMENT)]
    drawn: list[Mutant] = []
    for room in rooms:
        kinds = by_room[room]
        mutants = kinds[str(rng.choice(sorted(kinds)))]
        drawn.append(mutants[int(rng.integers(len(mutants)))])
    return drawn


def mutated(source: str, mutant: Mutant) -> str:
    """Return the module's text with the mistake.

    Raises
    ------
    LookupError
        The expression is not there any more: the row has to be drawn again.
    """
    nodes = [
        node for function, node in expressions(ast.parse(source))
        if function == mutant.function and ast.unparse(node) == mutant.before
    ]  # fmt: skip
    if len(nodes) <= mutant.place:
        raise LookupError(f"{mutant.file} {mutant.function} has no `{mutant.before}` any more")
    node = nodes[mutant.place]
    lines = source.encode().splitlines(keepends=True)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    code = source.encode()
    return (code[:start] + f"({mutant.after})".encode() + code[end:]).decode()


def tests_of(mutant: Mutant) -> list[list[str]]:
    """Test files in the order in which they are run: those that name the module or the function, the room's, further ones."""
    module = mutant.file.removesuffix(".py").replace("/", ".")
    room = mutant.file.split("/")[1]
    names = [re.escape(module), rf"from {re.escape(module.rpartition('.')[0])} import .*\b{module.rpartition('.')[2]}\b"]
    function = mutant.function.partition(".")[0]
    names += [rf"\b{function}\b"] if function and not function.startswith("_") else []
    named = re.compile("|".join(names))
    folders = [ROOT / "tests" / name for name in ("unit", "physics", "contract")]
    files = [path for folder in folders for path in sorted(folder.rglob("test_*.py"))]
    near = [path.relative_to(ROOT).as_posix() for path in files if named.search(path.read_text(encoding="utf-8"))]
    own = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests" / "unit" / room).rglob("test_*.py"))]
    runs = [[path for path in near if path.startswith("tests/unit")], [path for path in near if not path.startswith("tests/unit")]]
    runs += [[path for path in own if path not in near], [path for path in FURTHER[room] if path not in near]]
    return [paths for paths in runs if paths]


def copy_package(folder: Path) -> None:
    """Lay the package and its tests in a folder; what tests only read is linked."""
    for name in ("biomech_id", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.name not in ("biomech_id", "tests", ".git"):
            (folder / path.name).symlink_to(path)


def failed_test(folder: Path, tests: Sequence[str], cpu_s: float = CPU_S) -> str:
    """Run tests in a copy; return the first that fails, or an empty text, also where their processor time is used up before."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", FAST, "--no-header", *tests]
    shared = os.environ.get("BIOMECH_ID_SHARED", str(ROOT.parent / "shared"))
    environment = os.environ | {"PYTHONPATH": str(folder), "BIOMECH_ID_SHARED": shared}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (round(cpu_s), round(cpu_s))),
    )  # fmt: skip
    if done.returncode in (0, 5) or done.returncode < 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+(?:\[.*?\])?)(?= - |$)", done.stdout, re.M)
    return failed[1] if failed else f"exit code {done.returncode} of {tests[0]}"


def outcome(folder: Path, mutant: Mutant, tests: Sequence[Sequence[str]]) -> str:
    """The test that a mutant dies by in a copy of the package, or that it survived."""
    path = folder / mutant.file
    source = path.read_text(encoding="utf-8")
    path.write_text(mutated(source, mutant), encoding="utf-8")
    end_s = _children_s() + CPU_S
    try:
        for each in tests:
            left_s = end_s - _children_s()
            if left_s > 5.0 and (failed := failed_test(folder, each, left_s)):
                return failed
        return SURVIVED
    finally:
        path.write_text(source, encoding="utf-8")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_list() -> list[Mutant]:
    """The committed mutants."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return [Mutant(**{**row, "place": int(row["place"])}) for row in csv.DictReader(file)]


def write(mutants: Sequence[Mutant]) -> None:
    """Write the list and its table."""
    with LIST.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Mutant)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(mutant) for mutant in mutants)
    TABLE.write_text(page(mutants), encoding="utf-8")


def page(mutants: Sequence[Mutant]) -> str:
    """The table of the mutants, as the page beside this module holds it."""
    mistakes = [mutant for mutant in mutants if not mutant.same_because]
    drawn, now = (sum(getattr(mutant, name) != SURVIVED for mutant in mistakes) for name in ("drawn", "died_by"))
    lines = [
        "# Seeded mistakes in physics and judgement", "",
        f"biomech_id {__version__}, seed {SEED}: {N_PHYSICS} mistakes in {', '.join(PHYSICS)}, {N_JUDGEMENT} in judgement and "
        "interpretation. Tests: the fast ones that name the module or the function, those of its room, and further ones; at most "
        f"{CPU_S:g} s of processor time a mistake, which is where those survived that did; the test that a row names is run before "
        "all others. `python -m benchmarks.studies.seeded_mutants` writes this.", "",
        f"Drawn {len(mutants)}, of which {len(mutants) - len(mistakes)} cannot change what the code does. Of the other "
        f"{len(mistakes)} died when drawn: {drawn}; with the tests of today: {now}.", "",
        "| room | file | function | change | died when drawn by | dies today by |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for mutant in mutants:
        room, _, file = mutant.file.removeprefix("biomech_id/").partition("/")
        change = f"{mutant.kind}: `{mutant.before}` is `{mutant.after}`"
        today = f"no mistake: {mutant.same_because}" if mutant.same_because else mutant.died_by
        cells = (room, file, mutant.function, change, mutant.drawn, "the same" if today == mutant.drawn else today)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main(*asked: str) -> int:
    """Run the committed mutants, or those drawn anew, or those alone that lived; 1 where a mistake lives."""
    mutants = draw() if "draw" in asked else read_list()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy_package(folder)
        for k, mutant in enumerate(mutants):
            if "lived" not in asked or mutant.died_by in ("", SURVIVED):
                known = [] if mutant.died_by in ("", SURVIVED) else [[mutant.died_by]]
                died_by = outcome(folder, mutant, known + tests_of(mutant))
                mutants[k] = replace(mutant, drawn=mutant.drawn or died_by, died_by=died_by)
                print(f"{k + 1} {mutant.file} {mutant.kind}: {died_by}", file=sys.stderr, flush=True)
                write(mutants)
    return int(any(mutant.died_by == SURVIVED and not mutant.same_because for mutant in mutants))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
