"""Run every benchmark, or those named: ``python -m benchmarks [dynamics reading ...]``.

A benchmark is a module in this folder with a ``main()``; each runs in a process of its own, so that none inherits the memory or the
imports of another. What a benchmark returns from ``main()`` becomes its exit code: 0 or None if its gates are met.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def names() -> list[str]:
    """Modules of this folder that define ``main``."""
    modules = sorted(FOLDER.glob("[!_]*.py"))
    return [module.stem for module in modules if "def main(" in module.read_text(encoding="utf-8")]


def run(name: str) -> int:
    print(f"=== {name} ===", flush=True)
    code = f"import sys; from benchmarks.{name} import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent, check=False).returncode


def main(arguments: list[str]) -> int:
    wanted = arguments or names()
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"No benchmark {', '.join(unknown)}; there are {', '.join(names())}.")
        return 2
    failed = [name for name in wanted if run(name) != 0]
    if failed:
        print(f"Gates not met or not run: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
