"""Names as docstrings and annotations write them, found wherever in the package they live.

`solve` in a docstring means the nearest object of that name: in the same module, else in the same room, else in the package itself,
else the only one there is.
"""

from __future__ import annotations

from typing import Any


def nearest(target: str, names: list[str], module: str) -> str | None:
    """Return the full name, among ``names``, that ``target`` means in ``module``; None when none or several are equally near."""
    ending = f".{target}"
    found = [name for name in names if f".{name}".endswith(ending)]
    scope = module
    while scope:
        if scope + ending in found:
            return scope + ending
        near = [name for name in found if name.startswith(f"{scope}.")]
        if len(near) == 1:
            return near[0]
        scope = scope.rpartition(".")[0]
    return found[0] if len(found) == 1 else None


def _ask_here(app: Any, doctree: Any) -> None:
    from sphinx.addnodes import pending_xref

    for node in doctree.findall(pending_xref):
        node.attributes.pop("refspecific", None)  # or Sphinx takes any object of that name for an annotation


def _resolve(app: Any, env: Any, node: Any, contents: Any) -> Any:
    if node.get("refdomain") != "py":
        return None
    domain = env.get_domain("py")
    name = nearest(node["reftarget"].lstrip("."), list(domain.objects), node.get("py:module") or "")
    if name is None:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contents)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("doctree-read", _ask_here)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
