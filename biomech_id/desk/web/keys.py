"""Who may ask: a launch ticket that is exchanged once for the key, and tickets for single files."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable

from biomech_id.values import dataclass, field

#: How long (s) a launch ticket and one of a file live.
LAUNCH_S, MEDIA_S = 60.0, 3600.0


@dataclass
class Keys:
    """The key of one run of the desk, and its tickets; none of them is ever written down.

    Attributes
    ----------
    clock : Callable[[], float]
        Seconds that only go on.
    """

    clock: Callable[[], float] = field(default_factory=lambda: time.monotonic)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _launch: dict[str, float] = field(default_factory=dict, repr=False)
    _media: dict[str, tuple[str, float]] = field(default_factory=dict, repr=False)

    def launch_ticket(self) -> str:
        """Return a new ticket that opens one browser."""
        ticket = secrets.token_urlsafe(24)
        self._launch[ticket] = self.clock() + LAUNCH_S
        return ticket

    @property
    def waiting(self) -> bool:
        """Whether a launch ticket was not redeemed yet."""
        return bool(self._launch)

    def redeem(self, ticket: str) -> str | None:
        """Exchange a launch ticket for the key, once and in time; None otherwise.

        Parameters
        ----------
        ticket : str
            As the page sent it.
        """
        until = self._launch.pop(ticket, None)
        return self.key if until is not None and self.clock() <= until else None

    def is_key(self, given: str) -> bool:
        """Return whether a text is the key, in a time that tells nothing.

        Parameters
        ----------
        given : str
            As a request has it.
        """
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.key.encode())

    def media_ticket(self, file: str) -> str:
        """Return a ticket for one file.

        Parameters
        ----------
        file : str
            ArchiveVisit and name.
        """
        self._media = {each: kept for each, kept in self._media.items() if kept[1] > self.clock()}
        ticket = secrets.token_urlsafe(24)
        self._media[ticket] = (file, self.clock() + MEDIA_S)
        return ticket

    def opens(self, ticket: str, file: str) -> bool:
        """Return whether a ticket is for this file and still lives.

        Parameters
        ----------
        ticket : str
            As the address has it.
        file : str
            ArchiveVisit and name.
        """
        kept = self._media.get(ticket)
        return kept is not None and kept[0] == file and self.clock() <= kept[1]
