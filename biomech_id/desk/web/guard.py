"""What every request passes before a route sees it, and what every answer bears.

A page of another origin in the same browser can make it send requests here, and a name of its own can be made to lead to 127.0.0.1.
Host, Origin and Sec-Fetch-Site keep both out; the key is in a header that only our script sends.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from biomech_id.desk.web.keys import Keys

#: A request's body may be so long (bytes).
LARGEST_BODY = 4_000_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'; "
    "frame-src 'self'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
#: The one route below ``/api`` that needs no key: it gives it.
EXCHANGE = "/api/session"
_READS = ("GET", "HEAD")


class Guard:
    """The application behind its door.

    Parameters
    ----------
    app : ASGIApp
        With the routes.
    keys : Keys
        Who may ask.
    port : int
        Where the desk listens.
    """

    def __init__(self, app: ASGIApp, keys: Keys, port: int) -> None:
        self.app, self.keys = app, keys
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no other protocol is spoken
        refused = self._refusal(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if refused:
            await Response(status_code=refused)(scope, receive, send_guarded)
        else:
            await self.app(scope, _limited(receive), send_guarded)

    def _refusal(self, scope: Scope) -> int:
        """Status of what is refused, 0 for what may pass."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return 421
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return 403
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403
        if method not in _READS and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return 413
        if path.startswith("/api/") and path != EXCHANGE:
            kind, _, key = headers.get("authorization", "").partition(" ")
            if kind != "Bearer" or not self.keys.is_key(key):
                return 401
        return 0


def _limited(receive: Receive) -> Receive:
    """A body that says no length is cut off all the same."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > LARGEST_BODY else message

    return limited
