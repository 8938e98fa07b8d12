"""Run every benchmark or study, or those named: ``python -m benchmarks [dynamics ...]``, ``python -m benchmarks.studies [...]``.

A benchmark is a module in this folder with a ``main()``, a study one in ``studies``: what takes more than a minute, seeded, its
full table beside it. Each runs in a process of its own, so that none inherits the memory or the imports of another. What ``main()``
returns becomes its exit code: 0 or None if its gates are met.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def names(package: str = "benchmarks") -> list[str]:
    """Modules of a package's folder that define ``main``."""
    modules = sorted(FOLDER.parent.joinpath(*package.split(".")).glob("[!_]*.py"))
    return [module.stem for module in modules if "def main(" in module.read_text(encoding="utf-8")]


def run(package: str, name: str) -> int:
    print(f"=== {name} ===", flush=True)
    code = f"import sys; from {package}.{name} import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent, check=False).returncode


def main(arguments: list[str], package: str = "benchmarks") -> int:
    wanted = arguments or names(package)
    unknown = sorted(set(wanted) - set(names(package)))
    if unknown:
        print(f"{package} has no {', '.join(unknown)}; there are {', '.join(names(package))}.")
        return 2
    failed = [name for name in wanted if run(package, name) != 0]
    if failed:
        print(f"Gates not met or not run: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
