"""The page as one HTML file: words and numbers, vendored libraries, our modules in the order of their imports.

A content-security policy in the page allows the scripts and the style it holds, by their hashes, and forbids every connection.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from biomech_id.errors import InvalidValueError

#: Vendored libraries in the order the page runs them.
LIBRARIES = ("three.js", "uplot.js")
_IMPORT = re.compile(r'^import (?P<what>[^;]*?) from "(?P<of>[^"]+)";\n', re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class|let) (?P<name>\w+))", re.MULTILINE)


def page_html(data: Mapping[str, Any], blocks: Mapping[str, str], *, title: str, language: str) -> str:
    """Return the page.

    Parameters
    ----------
    data : Mapping[str, Any]
        Everything that the page knows, arrays left out.
    blocks : Mapping[str, str]
        Name of a block of arrays -> its text.
    title : str
        In the browser's tab.
    language : str
        One of `languages.LANGUAGES`: what the page speaks first.
    """
    style = _vendored("uplot.css") + _own("style.css")
    scripts = [*map(_vendored, LIBRARIES), own_script()]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)}; img-src data: blob:; "
        "media-src blob:; connect-src 'none'; form-action 'none'; base-uri 'none'"
    )
    held = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in blocks.items())
    ran = "\n".join(f"<script>{script}</script>" for script in scripts)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<script type="application/json" id="data">{json_in_html(data)}</script>\n{held}\n{ran}\n</body>\n</html>\n'
    )


def json_in_html(data: Mapping[str, Any]) -> str:
    r"""Return JSON that ends no element and opens no comment, whatever its texts hold; NaN is null.

    Parameters
    ----------
    data : Mapping[str, Any]
        Texts, numbers, lists and mappings.

    Examples
    --------
    >>> from biomech_id.review.document import json_in_html
    >>> json_in_html({"label": "</script>", "value": float("nan")})
    '{"label":"\\u003c/script\\u003e","value":null}'
    """
    text = json.dumps(_plain(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escapes = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
    # A lone half of a pair, as a damaged label may hold, is no text in UTF-8.
    return text.translate(escapes).encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and value - value != 0.0 else value


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"


def _vendored(name: str) -> str:
    return _text(_folder("vendor") / name)


def _own(name: str) -> str:
    return _text(_folder("page") / name)


def _folder(name: str) -> Traversable:
    return resources.files("biomech_id.review") / name


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def own_script() -> str:
    """Return our modules as one script, each in a scope of its own and behind those it imports."""
    modules = {file.name: _text(file) for file in sorted(_folder("page").iterdir(), key=lambda file: file.name)
               if file.name.endswith(".js")}  # fmt: skip
    ordered = "\n".join(_scoped(name, modules[name]) for name in _in_order(modules))
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{ordered}\n}})();\n'


def _scoped(name: str, text: str) -> str:
    """One module as a function of its own, which returns what it exports."""
    exported = ", ".join(match["name"] for match in _EXPORT.finditer(text))
    return f'modules["{name}"] = (() => {{\n{_EXPORT.sub("", _IMPORT.sub(_imported, text))}\nreturn {{ {exported} }};\n}})();'


def _imported(match: re.Match[str]) -> str:
    """An import of one of ours; a library is there already under its own name."""
    own = match["of"].startswith("./")
    return f'const {match["what"]} = modules["{match["of"].removeprefix("./")}"];\n' if own else ""


def _in_order(modules: Mapping[str, str]) -> Iterable[str]:
    """Names of modules, each behind those it imports.

    Raises
    ------
    InvalidValueError
        Modules import one another.
    """
    wanted = {
        name: {match["of"].removeprefix("./") for match in _IMPORT.finditer(text) if match["of"].startswith("./")}
        for name, text in modules.items()
    }
    done: list[str] = []
    while wanted:
        ready = sorted(name for name, needs in wanted.items() if needs <= set(done))
        if not ready:
            raise InvalidValueError(
                f"Modules of the review page import one another: {', '.join(sorted(wanted))}.",
                value=sorted(wanted), expected="an order in which each stands behind those it imports", where="review page",
            )  # fmt: skip
        done += ready
        wanted = {name: needs for name, needs in wanted.items() if name not in ready}
    return done
