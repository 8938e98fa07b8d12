"""Routes: pages and scripts hold no patient and need no key, everything else is JSON. Identifiers and names only, never a path."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from biomech_id.desk.archive import FILMS, ArchiveVisit
from biomech_id.desk.changes import result_changes
from biomech_id.desk.command import command_line
from biomech_id.desk.laboratory import laboratory
from biomech_id.desk.office import Office
from biomech_id.desk.record import REVIEW_FILE, revision_of
from biomech_id.desk.refusals import Refusal
from biomech_id.desk.results import is_whole
from biomech_id.desk.rows import PAGE, patient_visits, patients, standing_markers, today, visit_details
from biomech_id.desk.signing import sign_visit, to_sign
from biomech_id.desk.web.events import Events
from biomech_id.desk.web.keys import Keys
from biomech_id.errors import BiomechError
from biomech_id.languages import LANGUAGES, Sentence, terms_of
from biomech_id.review.document import LIBRARIES, own_script

#: Files of a page: name in the address -> room, folder, and kind.
_KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
#: Rows of one answer at most.
LARGEST_PAGE = 200
MOST_PATIENTS = 500
_WHO = 200
Handler = Callable[[Request], Awaitable[Response]]


def json_answer(content: Any, status: int = 200) -> Response:
    """Return JSON in ASCII, so that names that are no text can be told too.

    Parameters
    ----------
    content : Any
        Mappings, lists, texts, numbers.
    status : int, optional
        Of the json_answer.
    """
    return Response(json.dumps(content), status, media_type="application/json")


@cache
def static_files() -> dict[str, tuple[str, str]]:
    """Return every file of the pages: name -> content and kind. What is not in here is not served."""
    own = resources.files("biomech_id.desk") / "page"
    files = {file.name: file.read_text(encoding="utf-8") for file in own.iterdir() if Path(file.name).suffix in _KINDS}
    review = resources.files("biomech_id.review")
    files |= {name: (review / "vendor" / name).read_text(encoding="utf-8") for name in (*LIBRARIES, "uplot.css")}
    files |= {"review-app.js": own_script(), "review-app.css": (review / "page" / "style.css").read_text(encoding="utf-8")}
    words = {
        each: {**terms_of(each, "language"), **terms_of(each, "desk"), "muscles": dict(terms_of(each, "muscles"))}
        for each in LANGUAGES
    }
    made = {name: (text, _KINDS[Path(name).suffix]) for name, text in files.items()}
    return {**made, "words.json": (json.dumps(words), "application/json")}


class Routes:
    """The routes of one desk.

    Parameters
    ----------
    office : Office
        What they ask.
    keys : Keys
        Who may ask.
    events : Events
        Who listens.
    """

    def __init__(self, office: Office, keys: Keys, events: Events) -> None:
        self.office, self.keys, self.events = office, keys, events

    @property
    def application(self) -> Starlette:
        """The application, without its guard."""
        visit = "/api/visits/{id}"
        table: list[tuple[str, str, Handler]] = [
            ("POST", "/api/session", self.session), ("GET", "/api/today", self.today), ("POST", "/api/look", self.look),
            ("GET", "/api/patients", self.patients), ("GET", "/api/patients/{name}", self.patient),
            ("GET", "/api/events", self.listen), ("POST", "/api/lock", self.lock), ("GET", "/api/jobs", self.jobs),
            ("GET", visit, self.details), ("GET", f"{visit}/markers", self.markers),
            ("PATCH", f"{visit}/choices", self.choose), ("POST", f"{visit}/run", self.run),
            ("DELETE", "/api/jobs/{number:int}", self.cancel), ("DELETE", f"{visit}/failed", self.dismiss),
            ("GET", f"{visit}/review", self.review), ("GET", f"{visit}/review.toml", self.decisions),
            ("PUT", f"{visit}/review.toml", self.decide), ("GET", f"{visit}/signature", self.to_sign),
            ("POST", f"{visit}/signature", self.sign), ("GET", f"{visit}/changes", self.changes),
            ("POST", f"{visit}/export", self.export), ("POST", "/api/compare", self.compare),
            ("GET", "/api/compare", self.compared), ("GET", "/api/laboratory", self.laboratory),
            ("POST", "/api/laboratory/{name}", self.survey), ("GET", "/api/norm", self.norm_command),
            ("POST", "/api/norm", self.norm),
            ("GET", visit + "/media/{name}", self.media),
        ]  # fmt: skip
        routes = [Route(path, self._answered(handler), methods=[method]) for method, path, handler in table]
        routes += [Route("/file/{ticket}/{id}/{name}", self._answered(self.file)), Route("/{name}", static), Route("/", static)]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.events.bind()
        yield
        self.events.closed.set()

    def _answered(self, handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except Refusal as refusal:
                sentence = refusal.said.text(language_of(request))
                return json_answer({"error": sentence, "rule": refusal.said.rule, **refusal.more}, refusal.status)
            except BiomechError as error:
                return json_answer({"error": error.message, "rule": "error"}, 409)
            except OSError as error:
                sentence = Sentence("desk-disk", {"why": error.strerror or str(error)}).text(language_of(request))
                return json_answer({"error": sentence, "rule": "desk-disk"}, 507)

        return handle

    def _visit(self, request: Request) -> ArchiveVisit:
        return self.office.visit(request.path_params["id"])

    async def session(self, request: Request) -> Response:
        """Exchange the launch ticket for the key."""
        key = self.keys.redeem(str((await body_of(request)).get("ticket", "")))
        return json_answer({"key": key}) if key else json_answer({"error": ""}, 401)

    async def today(self, request: Request) -> Response:
        """Rows, the newest first."""
        asked = request.query_params
        limit, after = (whole_number(asked.get(name, ""), default) for name, default in (("limit", PAGE), ("after", 0)))
        texts = {name: asked.get(name, "") for name in ("state", "patient", "search")}
        return json_answer(await run_in_threadpool(today, self.office, **texts, after=after, limit=min(limit, LARGEST_PAGE)))

    async def patients(self, request: Request) -> Response:
        """Everybody."""
        found = await run_in_threadpool(patients, self.office, request.query_params.get("search", ""))
        return json_answer({"patients": found[:MOST_PATIENTS], "total": len(found)})

    async def patient(self, request: Request) -> Response:
        """Visits of one."""
        return json_answer({"rows": await run_in_threadpool(patient_visits, self.office, request.path_params["name"])})

    async def look(self, request: Request) -> Response:
        """Have visits looked at."""
        names = (await body_of(request)).get("ids", [])
        await run_in_threadpool(self.office.ask_looks, [str(name) for name in names][:LARGEST_PAGE])
        return json_answer({})

    async def details(self, request: Request) -> Response:
        """All of one visit."""
        return json_answer(await run_in_threadpool(visit_details, self.office, self._visit(request), language_of(request)))

    async def markers(self, request: Request) -> Response:
        """Where the markers of a visit are, for the picture beside their names."""
        return json_answer(await run_in_threadpool(standing_markers, self.office, self._visit(request)))

    async def choose(self, request: Request) -> Response:
        """One cure; the visit as it is then."""
        body = await body_of(request)
        change = body.get("change")
        if not isinstance(change, dict):
            raise Refusal.because("desk-not-understood", status=422, why="change")
        seen = request.headers.get("if-match")
        await run_in_threadpool(self.office.choose, self._visit(request), change, who_of(body), seen)
        return await self.details(request)

    async def run(self, request: Request) -> Response:
        """Put a run into the queue."""
        task = await run_in_threadpool(self.office.run, self._visit(request), who_of(await body_of(request)))
        return json_answer(task.to_dict(), 202)

    async def jobs(self, request: Request) -> Response:
        """Tasks that are not over, in their order."""
        return json_answer(
            [task.to_dict() for task in list(self.office.queue.tasks.values()) if not task.ended and task.kind != "look"]
        )

    async def cancel(self, request: Request) -> Response:
        """End a task."""
        await run_in_threadpool(self.office.cancel, request.path_params["number"])
        return json_answer({})

    async def dismiss(self, request: Request) -> Response:
        """Forget a failure."""
        await run_in_threadpool(self.office.dismiss, self._visit(request))
        return json_answer({})

    async def lock(self, request: Request) -> Response:
        """Take the desk over from one that was not heard of."""
        return json_answer({"held": await run_in_threadpool(self.office.take_lock)})

    async def review(self, request: Request) -> Response:
        """Content of the review page; 202 while it is being made."""
        made = await run_in_threadpool(self.office.page, self._visit(request))
        return json_answer({}, 202) if made is None else FileResponse(made, media_type="application/json")

    async def decisions(self, request: Request) -> Response:
        """Decisions in force, and their revision."""
        record = self.office.record(self._visit(request))
        text = await run_in_threadpool(record.review_text)
        decisions = await run_in_threadpool(record.decisions)
        return json_answer({"toml": text, "revision": revision_of(record.folder / REVIEW_FILE), "decisions": decisions})

    async def changes(self, request: Request) -> Response:
        """What the last run changed."""
        results = self.office.results(self._visit(request))
        if not results.there or not is_whole(results.before):
            return json_answer({"rows": []})
        return json_answer({"rows": await run_in_threadpool(result_changes, results.before, results.folder, language_of(request))})

    async def compare(self, request: Request) -> Response:
        """Have two to six visits overlaid."""
        names = [str(name) for name in (await body_of(request)).get("ids", [])]
        task = await run_in_threadpool(self.office.compare, self._ticked(names))
        return json_answer(task.to_dict(), 202)

    async def compared(self, request: Request) -> Response:
        """The last comparison."""
        return json_answer({"url": self._url("compare")})

    @property
    def _drawn(self) -> dict[str, Path]:
        """Documents that are of no single visit."""
        return {"compare": self.office.comparison, "laboratory": self.office.charts}

    def _url(self, kind: str) -> str | None:
        path = self._drawn[kind]
        return f"/file/{self.keys.media_ticket(f'{kind}/{path.name}')}/{kind}/{path.name}" if path.is_file() else None

    async def laboratory(self, request: Request) -> Response:
        """Charts over sessions, norms, style, and signatures that do not hold."""
        search = request.query_params.get("search", "")
        about = await run_in_threadpool(laboratory, self.office, language_of(request), search)
        return json_answer({**about, "url": self._url("laboratory")})

    async def survey(self, request: Request) -> Response:
        """Have a command over everything run."""
        task = await run_in_threadpool(self.office.survey, request.path_params["name"], language_of(request))
        return json_answer(task.to_dict(), 202)

    def _ticked(self, names: list[str]) -> list[ArchiveVisit]:
        return [self.office.visit(name) for name in dict.fromkeys(names)]

    async def norm_command(self, request: Request) -> Response:
        """The command that would build a norm."""
        asked = request.query_params
        words = await run_in_threadpool(self.office.norm_words, self._ticked(asked.getlist("id")), asked.get("name", ""))
        return json_answer({"command": command_line(words)})

    async def norm(self, request: Request) -> Response:
        """Have a norm built of ticked visits."""
        body = await body_of(request)
        visits = self._ticked([str(name) for name in body.get("ids", [])])
        task = await run_in_threadpool(self.office.build_norm, visits, str(body.get("name", "")), who_of(body))
        return json_answer(task.to_dict(), 202)

    async def export(self, request: Request) -> Response:
        """Have a visit written in another form, into the desk's own folder."""
        body = await body_of(request)
        kind, code = str(body.get("kind", "")), str(body.get("code", ""))
        task = await run_in_threadpool(self.office.export, self._visit(request), kind, who_of(body), code)
        return json_answer(task.to_dict(), 202)

    async def decide(self, request: Request) -> Response:
        """Keep the decisions."""
        body = await body_of(request)
        seen = request.headers.get("if-match")
        revision = await run_in_threadpool(self.office.decide, self._visit(request), str(body.get("toml", "")), who_of(body), seen)
        return json_answer({"revision": revision})

    async def to_sign(self, request: Request) -> Response:
        """What would be signed."""
        return json_answer(await run_in_threadpool(to_sign, self.office, self._visit(request), language_of(request)))

    async def sign(self, request: Request) -> Response:
        """Sign."""
        body = await body_of(request)
        said = {name: str(body.get(name, ""))[:1000] for name in ("name", "role", "statement")}
        seen = [str(each) for each in body.get("seen", []) if isinstance(each, str)]
        signature = await run_in_threadpool(lambda: sign_visit(self.office, self._visit(request), **said, seen=seen))
        return json_answer({"version": signature.values["version"], "code": signature.code})

    async def media(self, request: Request) -> Response:
        """A ticket for one file."""
        visit, name = self._visit(request), request.path_params["name"]
        self._file(visit, name)
        return json_answer({"url": f"/file/{self.keys.media_ticket(f'{visit.id}/{name}')}/{visit.id}/{quote(name, safe='')}"})

    async def file(self, request: Request) -> Response:
        """A file, whole or in ranges; without the header, for nothing sends one for a film or a frame."""
        name = request.path_params["name"]
        kind = request.path_params["id"]
        if kind in self._drawn and self.keys.opens(request.path_params["ticket"], f"{kind}/{self._drawn[kind].name}"):
            return FileResponse(self._drawn[kind], media_type="application/pdf")
        visit = self._visit(request)
        if not self.keys.opens(request.path_params["ticket"], f"{visit.id}/{name}"):
            return json_answer({"error": ""}, 401)
        return FileResponse(self._file(visit, name), media_type=FILMS.get(Path(name).suffix.lower(), "application/pdf"))

    def _file(self, visit: ArchiveVisit, name: str) -> Path:
        """A film beside the recordings, the report, or a signed one."""
        record = self.office.record(visit)
        # What became a link since the folder was listed is no film either.
        known = {film: path for film in visit.films if not (path := visit.folder / film).is_symlink()}
        known["report.pdf"] = record.folder / "results" / "report.pdf"
        numbers = (folder.name for folder in (record.folder / "versions").glob("[0-9]*"))
        known |= {f"version-{number}.pdf": record.folder / "versions" / number / "report.pdf" for number in numbers}
        if name not in known or not known[name].is_file():
            raise Refusal.because("desk-no-file", status=404, file=name)
        return known[name]

    async def listen(self, request: Request) -> Response:
        """Events."""
        return StreamingResponse(self.events.listen(), media_type="text/event-stream")


async def static(request: Request) -> Response:
    """Return a page, a script or a style from the list of them.

    Parameters
    ----------
    request : Request
        Of its name.
    """
    content, kind = static_files().get(request.path_params.get("name", "index.html"), ("", ""))
    return Response(content, media_type=kind) if kind else json_answer({"error": ""}, 404)


async def body_of(request: Request) -> dict[str, Any]:
    """Return the object of JSON that a request holds.

    Parameters
    ----------
    request : Request
        With a body.

    Raises
    ------
    Refusal
        It holds none (422).
    """
    try:
        body = json.loads(await request.body())
    except ClientDisconnect as error:
        raise Refusal.because("desk-not-understood", status=413, why="") from error
    except (ValueError, RecursionError) as error:
        raise Refusal.because("desk-not-understood", status=422, why=str(error)) from error
    if not isinstance(body, dict):
        raise Refusal.because("desk-not-understood", status=422, why=type(body).__name__)
    return body


def who_of(body: dict[str, Any]) -> str:
    """Return the name that somebody gave.

    Parameters
    ----------
    body : dict[str, Any]
        Of a request.
    """
    return str(body.get("who", ""))[:_WHO]


def language_of(request: Request) -> str:
    """Return the page's language.

    Parameters
    ----------
    request : Request
        Whose header names it.
    """
    wanted = request.headers.get("accept-language", "en")[:2]
    return wanted if wanted in LANGUAGES else "en"


def whole_number(text: str, default: int) -> int:
    """Return a number that an address names, the default where it names none.

    Parameters
    ----------
    text : str
        As the address has it.
    default : int
        Otherwise.
    """
    return int(text) if text.isdecimal() and len(text) < 9 else default
