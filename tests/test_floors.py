"""The house keeps its floors: a module imports only from below, and heavy packages only where they are at home."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.parsed import parsed
from tests.peers.chain_documents import chain_document
from tests.peers.constraint_documents import ID_SETUP, write_motion

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
FLOORS = {
    "values": 0,  # what values are declared with
    "doors": 1,  # names of a room that are imported when they are first used
    "languages": 1,  # what errors and findings are said with
    "errors": 2, "_version": 2,
    "deprecation": 2.5,  # warns in the words of errors
    "moved": 3, "conventions": 3, "anatomy": 3, "arguments": 3,
    "algebra": 4, "files": 4, "plugins": 4, "schema": 4,
    "signal": 5,
    "trial": 6, "anthropometry": 6, "markersets": 6, "dynamics": 6,
    "multibody": 7, "movement": 7,
    "readers": 8, "models": 8, "emg": 8, "uncertainty": 8,
    "writers": 9, "feet": 9,
    "sample": 10, "gait": 10, "osim": 10,
    "plates": 11,
    "session": 12,
    "statistics": 13, "request": 13,  # both stand on sessions and are asked by rules and norms, see docs/decisions/rooms.md
    "judgement": 14, "norms": 14,
    "interpretation": 15,
    "privacy": 16, "report": 16, "review": 16, "exports": 16,
    "pipeline": 17,
    "desk": 18,  # the local web application: asks files and rooms below, draws nothing
    "cli": 19,
}  # fmt: skip
HOMES = {
    "ezc3d": {"readers", "sample", "exports"},
    "pandas": {"session", "statistics", "judgement", "norms", "interpretation", "pipeline.study"},
    "pyarrow": {"pipeline.study"},
    "matplotlib": {"report"},
    "typer": {"cli"},
    "rich": {"cli"},
    "xarray": {"session"},
    "sympy": {"multibody.symbolic"},
    "opensim": {"exports"},
    "openpyxl": {"exports"},
    "distributed": {"pipeline"},
    "starlette": {"desk.web"},
    "uvicorn": {"desk.web"},
}
_DRAWING = "matplotlib: only who draws waits for it"
#: Imports inside functions, each with its reason: (module or room, what it imports there) -> why not at the top. In ``cli`` every
#: command imports what it runs inside its body, so that --help answers at once.
INSIDE_FUNCTIONS: dict[tuple[str, str], str] = {
    ("cli", "biomech_id"): "a command's body: --help answers at once",
    ("moved", "biomech_id.deprecation"): "needed only where a name moved: importing the package costs nothing",
    ("plugins", "importlib.metadata"): "costs what --help may not; only a command, or a process that reads, asks",
    ("cli", "rich"): "only where a terminal shows a table or a bar",
    ("readers.c3d.read", "biomech_id.readers"): "the child reads: this process need not load what reads files",
    ("readers.sandbox_child", "resource"): "Windows has no such module",
    ("files.surroundings", "resource"): "Windows has no such module",
    ("exports.excel.workbook", "openpyxl"): "an optional package: the workbook alone needs it",
    ("exports.opensim.memory", "opensim"): "an optional package: only its own tables need it",
    ("session.hand_over", "xarray"): "an optional package",
    ("report.pdf", "biomech_id.report.layout.pdf_pages"): "font tools that only writing a PDF needs, not drawing in a notebook",
    ("pipeline.stage.trial", "biomech_id.judgement.diagnosis"): "only a recipe that asks for a diagnosis needs it",
    ("pipeline.study.parquet", "pyarrow"): "an optional package, and heavy",
    ("exports.c3d.poses", "ezc3d"): "only who writes poses needs it",
    ("sample.c3d", "ezc3d"): "only who writes the virtual subject's files needs it",
    ("pipeline", "biomech_id.osim"): "fifty modules, for who names a model of OpenSim's",
    ("markersets.standing", "scipy.optimize"): "half of SciPy, for markers that no label names",
    ("markersets.leftover", "scipy.optimize"): "as markersets.standing",
    ("markersets.walking", "scipy.optimize"): "as markersets.standing",
    ("interpretation.deviations", "scipy.special"): "as statistics: only a session with a norm asks",
    ("statistics", "scipy.special"): "a third of what a report's own modules take to import; few reports ask for a p",
    ("osim.run", "biomech_id.osim"): "a setup waits for its own tool alone",
    ("osim.forces.passive_documents", "biomech_id.osim.muscles"): "only ligaments and springs go along paths",
    ("osim.fit.forces", "scipy"): "half of SciPy, for fits without forces",
    ("signal.gaps", "scipy.interpolate"): "half of SciPy, for recordings without gaps",
    ("multibody.forward", "scipy.integrate"): "costs as much to import as NumPy; few users simulate",
    ("multibody.friction", "scipy.optimize"): "costs as much to import as NumPy; few simulations have friction",
    ("pipeline.study.cluster", "distributed"): "an optional package, for studies on a cluster",
    ("pipeline.run", "biomech_id.report"): _DRAWING,
    ("pipeline.redraw", "biomech_id.report"): _DRAWING,
    ("pipeline.review_page", "biomech_id.report"): "loads matplotlib: only who takes over the report's style waits for it",
}
SAMPLE_MAY_IMPORT = {"values", "errors", "arguments", "conventions", "anatomy", "trial", "anthropometry", "markersets", "sample"}
NOT_A_LIBRARY = {"data", "pipelines", "reports", "tests", "benchmarks"}
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: Path) -> str:
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


@cache
def imports_of(module: Path) -> list[str]:
    found = []
    for node in ast.walk(parsed(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import; write the full name"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def _dotted(module: Path) -> str:
    """Name of a module below ``biomech_id``; of a package, its own."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _inside(module: Path, room: str) -> bool:
    return f"{_dotted(module)}.".startswith(f"{room}.")


def violations(module: Path, imports: list[str]) -> list[str]:
    room = room_of(module)
    if room in ("__init__", "__main__"):
        return []
    bad = []
    for name in imports:
        parts = name.split(".")
        if parts[0] == "biomech_id" and len(parts) > 1 and parts[1] != room and parts[1] in FLOORS:
            if FLOORS[parts[1]] >= FLOORS[room]:
                bad.append(f"{room} (floor {FLOORS[room]}) imports {name} (floor {FLOORS[parts[1]]})")
            if room == "sample" and parts[1] not in SAMPLE_MAY_IMPORT and name != "biomech_id.algebra.arrays":
                bad.append(f"the virtual subject shares no code with what it checks, but imports {name}")
        if parts[0] in HOMES and not any(_inside(module, home) for home in HOMES[parts[0]]):
            bad.append(f"{room} imports {name}, at home in {sorted(HOMES[parts[0]])}")
        if parts[0] in NOT_A_LIBRARY:
            bad.append(f"{room} imports {name}, which is not part of the library")
    return bad


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_imports_only_from_below(module: Path) -> None:
    assert violations(module, imports_of(module)) == []


def test_values_are_declared_with_the_fast_dataclass() -> None:
    compiled = [_dotted(module) for module in MODULES if "dataclasses.dataclass" in imports_of(module)]
    assert compiled == ["values"], "import dataclass and its companions from biomech_id.values"


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(module) for module in MODULES} - {"__init__", "__main__"}
    assert rooms <= set(FLOORS), f"rooms without a floor: {rooms - set(FLOORS)}"
    assert not rooms & FORBIDDEN_NAMES
    assert not {module.stem for module in MODULES} & FORBIDDEN_NAMES


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("trial/markers.py", "biomech_id.dynamics.body"),
        ("algebra/skew.py", "biomech_id.trial"),
        ("gait/events.py", "matplotlib.figure"),
        ("sample/walk.py", "biomech_id.dynamics.body"),
        ("report/pages.py", "tests.conftest"),
        ("multibody/system.py", "sympy"),
        ("session/difference.py", "openpyxl"),
        ("report/cover.py", "xarray"),
    ],
)
def test_the_rule_catches_a_violation(module: str, imported: str) -> None:
    assert violations(PACKAGE / module, [imported])


def test_start_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, biomech_id; "
        "heavy = {'scipy.signal', 'pandas', 'matplotlib', 'ezc3d', 'pyarrow', 'sympy', 'typer', 'rich'} & set(sys.modules); "
        "heavy |= {'xarray', 'opensim', 'openpyxl', 'distributed'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_doctor_of_muscle_signals_loads_no_scipy_signal() -> None:
    # Their filters are short (`signal.sections`); SciPy's cost more to import than a session to check.
    code = (
        "import atexit, sys; from biomech_id.cli import main; "
        "atexit.register(lambda: print(*(name for name in sys.modules if name.startswith('scipy.signal')), file=sys.stderr)); "
        "main()"
    )
    walk = str(PACKAGE.parent / "data" / "walk01.c3d")
    done = subprocess.run([sys.executable, "-c", code, "check", walk], check=True, capture_output=True, text=True)
    assert "emg-not-shown" in done.stdout, "a session without muscle signals shows nothing"
    assert not done.stderr.split()


def test_a_verdict_on_a_folder_loads_what_it_needs() -> None:
    # Tables, fits and models of OpenSim's are not asked for: a third of a second for each on a small machine.
    code = (
        "import atexit, sys; from biomech_id.cli import main; "
        "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); "
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "check", str(PACKAGE.parent / "data")], capture_output=True, text=True)
    assert "cycles to expect" in done.stdout
    loaded = set(done.stderr.split())
    assert "biomech_id.pipeline.stages" in loaded
    heavy = {
        "pandas.core",
        "pyarrow",
        "scipy.linalg",
        "scipy.optimize",
        "scipy.special",
        "scipy.signal",
        "biomech_id.osim.body_model",
        "matplotlib",
        "pydantic",
    }
    assert not heavy & loaded


def test_a_run_without_report_loads_what_it_needs(tmp_path: Path) -> None:
    code = (
        "import atexit, sys; from biomech_id.cli import main; "
        "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); "
        "main()"
    )
    words = ["run", str(PACKAGE.parent / "data"), "-o", str(tmp_path / "out"), "--no-report"]
    loaded = set(subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True).stderr.split())
    assert (tmp_path / "out" / "summary.json").is_file()
    heavy = {"scipy.linalg", "scipy.optimize", "scipy.special", "scipy.signal", "matplotlib", "biomech_id.osim.body_model"}
    heavy |= {"pydantic"}
    assert "pandas.core" in loaded
    assert not heavy & loaded


def test_a_setup_of_opensims_loads_what_it_needs(tmp_path: Path) -> None:
    # Starting is most of what a setup costs.
    code = (
        "import atexit, sys; from biomech_id.cli import main; "
        "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); "
        "main()"
    )
    (tmp_path / "model.osim").write_text(chain_document(["Pin", "Custom"], 3), encoding="utf-8")
    (tmp_path / "setup.xml").write_text(ID_SETUP, encoding="utf-8")
    write_motion(tmp_path / "motion.sto", ("q0_0",), np.linspace(0.0, 1.0, 50), np.zeros((50, 1)))
    words = ["opensim-run", str(tmp_path / "setup.xml"), "-o", str(tmp_path / "out")]
    loaded = set(subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True).stderr.split())
    assert (tmp_path / "out" / "id.sto").is_file()
    heavy = {"pandas.core", "scipy.linalg", "scipy.optimize", "scipy.signal", "matplotlib", "pydantic", "importlib.metadata"}
    heavy |= {"numpy.ma", "numpy.polynomial", "biomech_id.trial", "biomech_id.osim.muscles", "biomech_id.osim.forces.analyses"}
    assert not heavy & loaded


def inside_functions(tree: ast.AST) -> set[str]:
    """What the functions of a module import, each as its full name."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    nodes = {id(node): node for function in functions for node in ast.walk(function)}.values()
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def _reasons(module: Path, imported: str) -> list[tuple[str, str]]:
    return [key for key in INSIDE_FUNCTIONS if _inside(module, key[0]) and f"{imported}.".startswith(f"{key[1]}.")]


def test_every_import_inside_a_function_has_its_reason() -> None:
    found = [(module, name) for module in MODULES for name in sorted(inside_functions(parsed(module.read_text(encoding="utf-8"))))]
    without = [f"{_dotted(module)}: {name}" for module, name in found if not _reasons(module, name)]
    assert not without, f"move to the top of the module, or say why not in INSIDE_FUNCTIONS: {without}"
    used = {key for module, name in found for key in _reasons(module, name)}
    assert used == set(INSIDE_FUNCTIONS), f"no longer needed: {set(INSIDE_FUNCTIONS) - used}"


def test_an_import_inside_a_function_is_seen() -> None:
    tree = ast.parse("def a():\n    def b():\n        from biomech_id.trial import Trial\n    import json\n")
    assert inside_functions(tree) == {"biomech_id.trial.Trial", "json"}
    assert not _reasons(PACKAGE / "trial" / "trial.py", "json")
    assert _reasons(PACKAGE / "cli" / "run.py", "biomech_id.request.job.Job")


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import one another: what is left without those that import none, or are imported by none, again and again."""
    left = {name: wanted & set(imports) for name, wanted in imports.items()}
    while True:
        imported = set().union(*left.values())
        loose = [name for name, wanted in left.items() if not wanted or name not in imported]
        if not loose:
            return [sorted(left)] if left else []
        left = {name: wanted - set(loose) for name, wanted in left.items() if name not in loose}


def test_no_modules_import_one_another() -> None:
    """Whether at the top, for types only, or inside a function: whoever reads one module must not have to read both at once."""
    names = {_dotted(module): module for module in MODULES if _dotted(module)}
    graph = {}
    for name, module in names.items():
        wanted = {imported.removeprefix("biomech_id.") for imported in imports_of(module)}
        # `from biomech_id.a.b import c` is of the module a.b.c where there is one, else of a.b.
        graph[name] = {full if full in names else full.rpartition(".")[0] for full in wanted} - {name}
    assert circles(graph) == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_the_report_says_what_its_values_are() -> None:
    """``Any`` in annotations of `report`: what matplotlib's stubs and the documents of schema 1 leave open, and no more."""
    trees = [parsed(module.read_text(encoding="utf-8")) for module in MODULES if room_of(module) == "report"]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "Any"]
    assert 0 < len(found) <= 20, len(found)


def test_no_test_module_that_another_imports_skips_itself() -> None:
    tests = PACKAGE.parent / "tests"
    modules = {".".join(path.relative_to(tests.parent).with_suffix("").parts): path for path in tests.rglob("*.py")}
    imported = {name for path in modules.values() for name in imports_of(path)}
    lent = (imported | {name.rpartition(".")[0] for name in imported}) & modules.keys()
    assert "tests.peers.browser" in lent
    # Skipped at its import, a module stays behind half made: who imports it next fails where it should be skipped.
    tops = {
        name: [node for node in parsed(modules[name].read_text("utf-8")).body if not isinstance(node, ast.FunctionDef)]
        for name in lent
    }
    assert not [name for name, top in tops.items() if "importorskip" in "".join(map(ast.dump, top))]
