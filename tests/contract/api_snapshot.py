"""What others build on, as a list of lines: public names with their arguments, members, commands with options, columns, JSON keys.

``python -m tests.contract.api_snapshot --write`` adds what is new to ``api_snapshot.txt`` and ``public_imports.txt``; it takes
nothing off and changes nothing. ``--accept KEY...`` records a change that CHANGELOG.md explains.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import re
import sys
import typing
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import biomech_id
from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = Path(__file__).with_name("api_snapshot.txt")
#: Every import that README, pages, tutorials, gallery and pipelines have used since b14f79e, and every ``register*``; only grows.
IMPORTS = Path(__file__).with_name("public_imports.txt")
PAGES = (
    "README.md",
    "docs/**/*.md",
    "docs/tutorials/*.py",
    "docs/gallery/*.py",
    "pipelines/**/*.py",
    "pipelines/**/*.md",
    "pipelines/**/Snakefile",
)
_CODE = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


# ------------------------------------------------------------------------------------------------------------- imports
def imports_of(source: str) -> set[str]:
    """``module`` or ``module:name`` of every import of the package in Python code."""
    found = set()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}:{alias.name}" for alias in node.names}
    return {name for name in found if re.split("[.:]", name)[0] == "biomech_id"}


def blocks(path: Path) -> list[str]:
    """The Python code of a file: of a page its blocks, of a Snakefile the lines that import."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return [text]
    if path.suffix == ".md":
        return [re.sub(r"^(?:>>>|\.\.\.) ?", "", code, flags=re.MULTILINE) for code in _CODE.findall(text)]
    return re.findall(r"^(?:from|import) .*$", text, flags=re.MULTILINE)


def imports_of_pages() -> set[str]:
    """Imports of all pages as they are today, and the functions that register."""
    files = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    found = {name for path in files for code in blocks(path) for name in imports_of(code)}
    for path in sorted((ROOT / "biomech_id").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        names = [node.name for node in parsed(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
        found |= {f"{module}:{name}" for name in names if name == "register" or name.startswith("register_")}
    return found


def promised_imports() -> list[str]:
    return IMPORTS.read_text(encoding="utf-8").split()


def imported(line: str) -> object:
    """What one line of ``public_imports.txt`` gives."""
    module, _, name = line.partition(":")
    found = importlib.import_module(module)
    if not name:
        return found
    if not hasattr(found, name):
        return importlib.import_module(f"{module}.{name}")
    return getattr(found, name)


# --------------------------------------------------------------------------------------------------------------- names
def _text(value: object) -> str:
    """A default as text, without addresses and without the module it lives in."""
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return re.sub(r" at 0x[0-9a-f]+", "", re.sub(r"biomech_id\.(?:\w+\.)+", "", repr(value))).replace("\n", " ")


def _arguments(key: str, function: Callable[..., object], *, bound: bool) -> Iterator[tuple[str, str]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    parameters = parameters[1:] if bound and parameters and parameters[0].name in ("self", "cls") else parameters
    for number, each in enumerate(parameters):
        positional = each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        place = f"{each.kind.description}{f' {number + 1}' if positional else ''}"
        variadic = each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        default = "" if variadic else ", required" if each.default is each.empty else f", default {_text(each.default)}"
        yield f"{key}({each.name})", f"{place}{default}"
    for old in getattr(function, "__deprecated_names__", {}):
        yield f"{key}({old})", "deprecated"


def _fields(kind: type) -> set[str]:
    """Names that a class of the package declares, of its own and of those it stands on."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("biomech_id")]
    names = {name for base in own for name in (*vars(base), *getattr(base, "__annotations__", {}))}
    return {name for name in names if not name.startswith("_")}


def _members(key: str, kind: type) -> Iterator[tuple[str, str]]:
    for name in sorted(_fields(kind)):
        member = inspect.getattr_static(kind, name, None)
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        if inspect.isfunction(member):
            yield f"{key}.{name}()", "method"
            yield from _arguments(f"{key}.{name}", member, bound=True)
        else:
            yield f"{key}.{name}", "attribute"


def described(key: str, thing: object, promised: Collection[object]) -> Iterator[tuple[str, str]]:
    """Lines of a public thing: what it is, its arguments, its members; of a function also the members of what only it returns."""
    if inspect.ismodule(thing):
        yield key, "module"
        for name, value in sorted(vars(thing).items()):
            own = getattr(value, "__module__", "") == thing.__name__ or name in getattr(thing, "__all__", ())
            if inspect.isfunction(value) and own and not name.startswith("_"):
                yield from described(f"{key}.{name}", value, promised)
    elif inspect.isclass(thing):
        yield key, "class"
        if dataclasses.is_dataclass(thing) or "__init__" in vars(thing):
            yield from _arguments(key, thing, bound=False)
        yield from _members(key, thing)
    elif inspect.isfunction(thing):
        yield key, "function"
        yield from _arguments(key, thing, bound=False)
        try:
            returned = typing.get_type_hints(thing).get("return")
        except (NameError, TypeError):
            returned = None
        if inspect.isclass(returned) and returned.__module__.startswith("biomech_id") and returned not in promised:
            yield from _members(f"{key}()", returned)
    else:
        yield key, "value"


# --------------------------------------------------------------------------------------------- command line and tables
def commands() -> Iterator[tuple[str, str]]:
    from biomech_id.cli.app import app

    group: Any = typer.main.get_command(app)
    for name, command in sorted(group.commands.items()):
        yield f"biomech-id {name}", "command"
        for number, each in enumerate(command.params):
            default = _text(each.default() if callable(each.default) else each.default)
            several = ", several" if getattr(each, "multiple", False) or each.nargs == -1 else ""
            required = "required" if each.required else f"default {default}"
            word = " ".join(sorted([*each.opts, *each.secondary_opts])) if each.param_type_name == "option" else f"<{each.name}>"
            place = f" {number + 1}" if each.param_type_name == "argument" else ""
            yield f"biomech-id {name} {word}", f"{each.param_type_name}{place}{several}, {required}"


def _keys(key: str, schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, inner in typing.cast("dict[str, dict[str, object]]", schema.get("properties", {})).items():
        yield f"{key}{name}", str(inner.get("type", "key"))
        yield from _keys(f"{key}{name}.", inner)
    for word, mark in (("items", "[]."), ("additionalProperties", "*.")):
        inner_schema = schema.get(word)
        if isinstance(inner_schema, dict):
            yield from _keys(f"{key}{mark}", inner_schema)


def tables() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "biomech_id").rglob("schemas/*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "datapackage.json":
            for table in schema["resources"]:
                for column in table["schema"]["fields"]:
                    yield f"table {table['name']}: {column['name']}", str(column.get("type", "any"))
        else:
            yield from _keys(f"{schema.get('title', path.stem)}: ", schema)


def today() -> dict[str, str]:
    """Every line as the library is now."""
    things = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for line in promised_imports():
            try:
                things[line] = imported(line)
            except (ImportError, AttributeError):
                continue  # its lines are missing then, and said to be
        things = {
            line: thing for line, thing in things.items() if not (isinstance(thing, ModuleType) or line.startswith("biomech_id:"))
        }
        things |= {f"biomech_id.{name}": getattr(biomech_id, name) for name in (*biomech_id.__all__, *biomech_id._GOES)}
        lines: dict[str, str] = {}
        for key, thing in things.items():
            lines |= described(key, thing, list(things.values()))
        lines |= commands()
        lines |= tables()
    return lines


# ---------------------------------------------------------------------------------------------------------- comparison
def recorded() -> dict[str, str]:
    return dict(line.split(" = ", 1) for line in SNAPSHOT.read_text(encoding="utf-8").splitlines())  # type: ignore[misc]


def broken(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Sentences on what went or changed: each says what to do."""
    found = []
    for key, value in before.items():
        if key not in now:
            cure = "by @deprecated (biomech_id/deprecation.py) or a row of biomech_id/moved.csv"
            found.append(f"{key} is gone: keep it for two minor versions, {cure}.")
        elif now[key] not in (value, "deprecated"):
            found.append(
                f"{key} was {value!r} and is {now[key]!r}: keep what it was, or deprecate it and add a new name beside it."
            )
    callables = {key.removesuffix("()") for key in before}
    demanded = [key for key in sorted(now.keys() - before.keys()) if now[key].endswith("required") and _owner(key) in callables]
    return found + [f"{key} is new and required: give it a default, so that what is called today still works." for key in demanded]


def _owner(key: str) -> str:
    """Function or command of an argument's line."""
    return re.sub(r"(\(\w+\)| (?:<\w+>|-\S+.*))$", "", key)


def write(accept: list[str]) -> int:
    IMPORTS.write_text(
        "".join(f"{line}\n" for line in sorted({*promised_imports(), *imports_of_pages()})), encoding="utf-8", newline="\n"
    )
    before, now = recorded(), today()
    kept = {key: value for key, value in before.items() if key not in accept}
    lines = {**{key: value for key, value in now.items() if key not in kept or value == "deprecated"}, **kept}
    SNAPSHOT.write_text("".join(f"{key} = {value}\n" for key, value in sorted(lines.items())), encoding="utf-8", newline="\n")
    print(*broken(kept, now), sep="\n")
    return bool(broken(kept, now))


if __name__ == "__main__":
    words = sys.argv[1:]
    if not words or words[0] not in ("--write", "--accept"):
        sys.exit(__doc__)
    sys.exit(write(words[1:] if words[0] == "--accept" else []))
