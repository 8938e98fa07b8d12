"""What a session's analysis returns: its values, and every table made of them."""

from __future__ import annotations

from functools import cached_property

from biomech_id.results.session.values import SessionValues
from biomech_id.results.tables.from_session import session_tables
from biomech_id.results.tables.session_tables import SessionTables


class SessionResult(SessionValues):
    """Everything one subject's session yields, as values and as tables (fields: `SessionValues`)."""

    def tables(self) -> SessionTables:
        """Return every table and document of the session, as written under OUT."""
        return self._tables

    @cached_property
    def _tables(self) -> SessionTables:
        return session_tables(self)
