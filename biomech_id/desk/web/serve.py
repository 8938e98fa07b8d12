"""Open the desk: a socket of this machine alone, a ticket for one browser, and the server until it is ended."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from html import escape
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from biomech_id.desk.archive import Archive
from biomech_id.desk.office import Office
from biomech_id.desk.web.events import Events
from biomech_id.desk.web.guard import Guard
from biomech_id.desk.web.keys import Keys
from biomech_id.desk.web.routes import Routes

#: After how long (s) without a request the desk ends by itself, and how long a browser may take to open.
IDLE_S, OPENING_S = 12 * 3600.0, 10.0


def listening_socket() -> socket.socket:
    """Return a socket that listens on 127.0.0.1 alone, at a port that the system chooses."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    return listening


class _Counted:
    """When somebody last asked."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.last_s = app, time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.last_s = time.monotonic()
        await self.app(scope, receive, send)


def guarded_application(office: Office, keys: Keys, port: int) -> Guard:
    """Return the application behind its guard; the office tells its events to whoever listens.

    Parameters
    ----------
    office : Office
        What it shows.
    keys : Keys
        Who may ask.
    port : int
        Where it listens.
    """
    events = Events()
    office.tell = events.tell
    return Guard(Routes(office, keys, events).application, keys, port)


def serve(archive: Path, folder: Path, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve the desk until somebody ends it, or nobody asked for half a day.

    Parameters
    ----------
    archive : Path
        Folder of recordings, which is only read.
    folder : Path
        Where the desk writes.
    browser : bool
        Whether a browser is opened.
    say : Callable[[str], None]
        Writes a line on standard output.
    """
    listening = listening_socket()
    port = listening.getsockname()[1]
    keys = Keys()
    link = f"http://127.0.0.1:{port}/#{keys.launch_ticket()}"
    if not browser:
        say(f"desk: {link}")
    office = Office(Archive(archive), folder, workers=max(1, (os.cpu_count() or 2) // 2))
    counted = _Counted(guarded_application(office, keys, port))
    settings = uvicorn.Config(
        counted, log_level="critical", access_log=False, server_header=False, timeout_graceful_shutdown=1, ws="none", lifespan="on"
    )
    server = uvicorn.Server(settings)
    threading.Thread(target=office.watch, daemon=True).start()
    threading.Thread(target=_end_idle, args=(server, counted, office), daemon=True).start()
    launch = _open_browser(link) if browser else None
    if browser:
        threading.Thread(target=_link_too, args=(keys, port, say), daemon=True).start()
    try:
        server.run(sockets=[listening])
    finally:
        office.close()
        if launch is not None:
            launch.unlink(missing_ok=True)


def _end_idle(server: uvicorn.Server, counted: _Counted, office: Office) -> None:
    while not server.should_exit:
        time.sleep(30.0)
        at_work = any(not task.ended for task in list(office.queue.tasks.values()))
        if time.monotonic() - counted.last_s > IDLE_S and not at_work:
            server.should_exit = True


def _open_browser(link: str) -> Path:
    """Open a file that only this user can read and that forwards to the link: a browser's command line can be read by others."""
    descriptor, name = tempfile.mkstemp(prefix="desk-", suffix=".html", dir=os.environ.get("XDG_RUNTIME_DIR") or None)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(link)}"><a href="{escape(link)}">desk</a>')
    webbrowser.open(Path(name).as_uri())
    return Path(name)


def _link_too(keys: Keys, port: int, say: Callable[[str], None]) -> None:
    """Some browsers may not read such a file: then the link is printed."""
    time.sleep(OPENING_S)
    if keys.waiting:
        say(f"desk: http://127.0.0.1:{port}/#{keys.launch_ticket()}")
