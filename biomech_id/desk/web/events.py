"""Server-sent events: what happens on the desk, told to every page that listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

#: How often (s) a page is told that the desk is alive, and how many events may wait for a slow one.
ALIVE_S, MOST_WAITING = 15.0, 1000


class Events:
    """Who listens; told from any thread."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[str]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closed = asyncio.Event()

    def bind(self) -> None:
        """Take the loop that is running as the one that listeners wait in."""
        self._loop = asyncio.get_running_loop()

    def tell(self, kind: str, values: Mapping[str, Any]) -> None:
        """Tell every listener.

        Parameters
        ----------
        kind : str
            "job" or "visit".
        values : Mapping[str, Any]
            As JSON holds them.
        """
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, f"event: {kind}\ndata: {json.dumps(values)}\n\n")

    def _put(self, text: str) -> None:
        for queue in list(self._listeners):
            if queue.qsize() < MOST_WAITING:
                queue.put_nowait(text)

    async def listen(self) -> AsyncIterator[str]:
        """Yield events as a stream of text.

        Yields
        ------
        str
            One event, or a comment that says the desk is alive.
        """
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield "event: hello\ndata: {}\n\n"
            while not self.closed.is_set():
                try:
                    yield await asyncio.wait_for(queue.get(), ALIVE_S)
                except TimeoutError:
                    yield ": alive\n\n"
        finally:
            self._listeners.discard(queue)
