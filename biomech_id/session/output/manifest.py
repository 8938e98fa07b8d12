"""``manifest.json``: what is needed to get the same numbers again; without clock or absolute path, so itself reproducible."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import Any

from biomech_id._version import __version__
from biomech_id.conventions import SCHEMA
from biomech_id.errors import InvalidValueError
from biomech_id.plugins import plugin_packages

#: What stands in place of an input's hash under a code where there is no key to make one.
UNVERIFIED = "unverified"
#: Packages whose version can change a number or a page, beside those that plug something in.
DEPENDENCIES = ("ezc3d", "matplotlib", "numpy", "pandas", "scipy")


def build_manifest(
    *,
    command: str,
    recipe: Mapping[str, Any],
    inputs: Mapping[str, str],
    in_memory: Mapping[str, Any] | None = None,
    coded: bool = False,
    memory: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the manifest of a session that has not been written yet; its ``outputs`` are empty.

    Parameters
    ----------
    command : str
        The canonical command that repeats the run, without ``-o``, ``--workers``, ``--resume`` and ``--key``.
    recipe : Mapping[str, Any]
        Every setting, by section.
    inputs : Mapping[str, str]
        Path relative to the subject's folder, with forward slashes -> sha256, or what stands for it under a code.
    in_memory : Mapping[str, Any] | None, optional
        What no file holds: trials and further forces with their hashes, functions by the setting that they stand for.
    coded : bool, optional
        Whether a code stands in place of every name: inputs are then known by their hashes.
    memory : Mapping[str, Any] | None, optional
        What was taken from the laboratory's memory; None or empty where nobody asked for it.

    Raises
    ------
    InvalidValueError
        An absolute path, which would tie the manifest to one machine.
    """
    for path in inputs:
        if path.startswith("/") or "\\" in path or path[1:2] == ":" or ".." in path.split("/"):
            raise InvalidValueError(
                f"The manifest would hold the path {path}.",
                value=path, expected="a path relative to the subject's folder, with forward slashes", where="manifest",
            )  # fmt: skip
    return {
        "schema": SCHEMA,
        "version": __version__,
        "command": command,
        "recipe": dict(recipe),
        "inputs": dict(sorted(inputs.items())),
        **({"in_memory": {kind: dict(given) for kind, given in in_memory.items()}} if in_memory else {}),
        **({"coded": True} if coded else {}),
        **({"memory": dict(memory)} if memory else {}),
        "dependencies": {name: package_version(name) for name in (*DEPENDENCIES, *plugin_packages())},
        "python": platform.python_version(),
        "outputs": {},
    }


@cache
def package_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed.

    Parameters
    ----------
    package : str
        Its name on the package index.
    """
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
