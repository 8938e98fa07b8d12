"""Programs as code that runs: C through the platform's compiler where there is one, Python otherwise, NumPy for many states.

All three compute the same list of assignments; C is compiled without contracting products and sums, so that numbers are those of
Python. Nothing is compiled on import, and nothing is written outside a temporary folder unless a cache is asked for.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a, takes
from biomech_id.errors import BiomechWarning, Finding, OptionError, ShapeError
from biomech_id.multibody.straight_line import Program
from biomech_id.values import dataclass, field

#: What a program can be run by.
Language = Literal["auto", "c", "python"]
_FLAGS = ("-O1", "-ffp-contract=off", "-shared", "-fPIC")
#: From this many states on, NumPy is faster than one state after the other.
MANY_STATES = 16
#: States that NumPy works on at once: few enough for dozens of intermediate arrays to stay in the processor's cache.
BLOCK_STATES = 4096
_SECONDS = 120
_one_at_a_time = Lock()
_PYTHON_NAMES = {name: getattr(__import__("math"), name) for name in ("sin", "cos", "sqrt", "atan2")}
_NUMPY_NAMES = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "atan2": np.arctan2}


@dataclass(eq=False)
class GeneratedCode:
    """A program made callable: one state (k,) or many (N, k) of its inputs to all results, one after the other.

    Attributes
    ----------
    program : Program
        What it computes; `Program.split` gives results their names.
    language : str
        What it runs as, "c" or "python".
    findings : tuple[Finding, ...], optional
        Why it is not C, if it was asked to be.
    """

    program: Program
    language: str
    findings: tuple[Finding, ...] = ()
    _native: Any = None
    _scalars: Callable[[Any], list[float]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n, k = len(self.program.inputs), len(self.program.outputs)
        self._x, self._y = np.zeros(n), np.zeros(k)
        self._to, self._from = self._x.ctypes.data, self._y.ctypes.data

    def __call__(self, values: ArrayLike) -> FloatArray:
        """Results (m,) of one state or (N, m) of many.

        Parameters
        ----------
        values : ArrayLike
            (k,) or (N, k), in the order of ``program.inputs``.

        Raises
        ------
        ShapeError
            Not k numbers a state.
        """
        x = np.asarray(values, dtype=np.float64)
        if x.shape == self._x.shape:
            with _one_at_a_time:
                return self.one(x).copy()
        if x.ndim != 2 or x.shape[1] != len(self._x):
            raise ShapeError(
                f"A state has {len(self._x)} numbers: {', '.join(self.program.inputs)}.",
                value=x.shape, expected=f"(any, {len(self._x)})", where="generated code",
            )  # fmt: skip
        if self._native is not None:
            x, y = np.ascontiguousarray(x), np.empty((len(x), len(self._y)))
            self._native(x.ctypes.data, y.ctypes.data, len(x))
            return y
        if len(x) < MANY_STATES:
            return np.array([self._row(row) for row in x]).reshape(len(x), len(self._y))
        results = np.empty((len(self._y), len(x)))
        for start in range(0, len(x), BLOCK_STATES):
            block = slice(start, start + BLOCK_STATES)
            with np.errstate(all="ignore"):  # as C
                computed = self._arrays(np.ascontiguousarray(x[block].T))
            for row, one in zip(results, computed, strict=True):
                row[block] = one
        return results.T

    @cached_property
    def _arrays(self) -> Any:
        return _executed(self.program.source("python"), "numpy")

    def _row(self, x: Any) -> list[float]:
        assert self._scalars is not None
        try:
            return self._scalars(x.tolist() if isinstance(x, np.ndarray) else x)
        except (ZeroDivisionError, OverflowError, ValueError):  # C and NumPy hand out what is no number, too
            return [np.nan] * len(self._y)

    def one(self, x: Any) -> FloatArray:
        """Compute the results of one state, into an array that the next call fills again.

        Parameters
        ----------
        x : Any
            k numbers, in the order of ``program.inputs``.

        Returns
        -------
        FloatArray
            (m,), all results one after the other; NaN or infinite in a singular state, such as that of a joint without a mass.
        """
        if self._native is not None:
            self._x[:] = x
            self._native(self._to, self._from, 1)
        else:
            self._y[:] = self._row(x)
        return self._y


@takes(program=a(Program, "equations(system) returns one"))
def generate(program: Program, language: Language = "auto", *, cache: Path | None = None) -> GeneratedCode:
    """Make a program callable.

    Parameters
    ----------
    program : Program
        List of assignments, from `biomech_id.multibody.traced.equations`.
    language : Language, optional
        "auto" takes C where a compiler works, and says so in ``findings`` and one warning where it does not.
    cache : Path | None, optional
        Folder in which compiled code is kept, by the hash of its source and compiler; None keeps nothing.

    Returns
    -------
    GeneratedCode
        With the reason in ``findings`` where it is not C although that was asked for.

    Raises
    ------
    OptionError
        An unknown language.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.generated import generate
    >>> from biomech_id.multibody.straight_line import Tape
    >>> tape = Tape()
    >>> x = tape.symbol("x")
    >>> generate(tape.program({"y": [x * x, tape.cos(x)]}), "python")(np.array([[2.0], [0.0]])).round(3)
    array([[ 4.   , -0.416],
           [ 0.   ,  1.   ]])
    """
    if language not in ("auto", "c", "python"):
        raise OptionError(
            f"Nothing is generated in {language!r}.", value=language, expected="'auto', 'c' or 'python'", where="generate"
        )
    findings: tuple[Finding, ...] = ()
    if language != "python":
        code = native(program, cache)
        if isinstance(code, GeneratedCode):
            return code
        findings = (Finding("code-not-compiled", {"why": code}, where="generate"),)
        warnings.warn(findings[0].message, BiomechWarning, stacklevel=2)
    return GeneratedCode(program, "python", findings, None, _executed(program.source("python"), "python"))


@lru_cache(maxsize=64)
def _executed(source: str, language: str) -> Any:
    names: dict[str, Any] = dict(_PYTHON_NAMES if language == "python" else _NUMPY_NAMES)
    exec(compile(source, "<generated>", "exec"), names)  # our own text: names, numbers and four functions
    return names["evaluate"]


def compiler() -> str | None:
    """Find the C compiler: what CC names, or the first of cc, gcc, clang that is there.

    Returns
    -------
    str | None
        Its path; None where there is none.
    """
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    return None


def native(program: Program, cache: Path | None = None) -> GeneratedCode | str:
    """Compile a program as C, without a warning where that fails.

    Parameters
    ----------
    program : Program
        List of assignments.
    cache : Path | None, optional
        Folder in which compiled code is kept, as `generate` takes it.

    Returns
    -------
    GeneratedCode | str
        Compiled code, or why there is none: no compiler, or its first line of complaint.
    """
    command = compiler()
    if command is None:
        return "no C compiler was found"
    try:
        return GeneratedCode(program, "c", (), _loaded(program.source("c"), command, str(cache or "")))
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", b"") or b""
        lines = output.decode(errors="replace").strip().splitlines()
        return lines[0] if lines else str(error)


@lru_cache(maxsize=64)
def _loaded(source: str, command: str, cache: str) -> Any:
    suffix = ".dll" if sys.platform == "win32" else ".so"
    if not cache:
        # A library that is loaded works on without its file; where that cannot be deleted (Windows), the system cleans up.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            return _entry(_build(source, command, Path(folder), f"code{suffix}"))
    version = subprocess.run([command, "--version"], capture_output=True, check=False, timeout=_SECONDS).stdout
    name = hashlib.sha256("\0".join([source, " ".join(_FLAGS)]).encode() + version).hexdigest()[:32] + suffix
    kept = Path(cache) / name
    if not kept.exists():
        Path(cache).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, ignore_cleanup_errors=True) as folder:
            os.replace(_build(source, command, Path(folder), name), kept)
    return _entry(kept)


def _build(source: str, command: str, folder: Path, name: str) -> Path:
    text, target = folder / "code.c", folder / name
    text.write_text(source, encoding="utf-8")
    subprocess.run([command, *_FLAGS, "-o", str(target), str(text), "-lm"], capture_output=True, check=True, timeout=_SECONDS)
    return target


def _entry(library: Path) -> Any:
    function = ctypes.CDLL(str(library)).evaluate
    function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong), None
    return function
