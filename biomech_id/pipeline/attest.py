"""What the manifest says of the inputs: the hashes of the bytes that were analysed, and which of them lie there no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from biomech_id.errors import BiomechError, Finding
from biomech_id.files.inputs import InputsRead, state_of
from biomech_id.trial import Trial


def noting(reader: Callable[[Path], Trial], seen: InputsRead) -> Callable[[Path], Trial]:
    """Return a reader that holds the hash of what it reads, which may happen in another process.

    Parameters
    ----------
    reader : Callable[[Path], Trial]
        Reads one file, and refuses what it cannot.
    seen : InputsRead
        What the analysis has read.
    """

    def read_noted(path: Path) -> Trial:
        state = state_of(path)
        try:
            trial = reader(path)
        except BiomechError:
            # Refused for what it held, which the manifest names too.
            seen.remember(path, state, "")
            raise
        seen.remember(path, state, trial.sha256)
        return trial

    return read_noted


def attested(before: Mapping[str, Path], now: Mapping[str, Path], seen: InputsRead) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """Return the hashes of what was analysed, and what is to be said of inputs that are not any more what they were.

    Parameters
    ----------
    before : Mapping[str, Path]
        Path relative to the subject's folder -> file, as the analysis began.
    now : Mapping[str, Path]
        The same as it ends; what was not there before changed no number.
    seen : InputsRead
        What the analysis has read.
    """
    hashes = {name: sha256 for name, path in before.items() if (sha256 := seen.sha256(path))}
    changed = {name for name, path in before.items() if seen.changed(path)} | (now.keys() - before.keys())
    return hashes, (Finding("input-changed", {"inputs": sorted(changed)}),) if changed else ()
