"""Old names of what a session holds in SI: they go in version 0.4."""

from __future__ import annotations

from typing import Any

from biomech_id.session.solved import Solved

#: Attribute of a session's values until version 0.2 -> its field now. The other fields kept their names.
_OLD = {
    "subject": "person", "calibration": "calibration_record", "failed": "failures", "verdict": "grade",
    "findings": "session_findings", "norm": "norm_table", "emg": "muscle_signals",
}  # fmt: skip


class Computed:
    """A session by the names that its values had until version 0.2: for programs and plug-ins that were written for them.

    Parameters
    ----------
    session : Any
        `session.session.Session` that was analysed in this process.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self.trials: tuple[Solved, ...] = session.movements

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, _OLD.get(name, name))

    def __reduce__(self) -> tuple[type[Computed], tuple[object, ...]]:
        return Computed, (self._session,)
