"""``review.html``: one or two finished sessions as a page that replays them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from biomech_id.arguments import a_path, a_str, one_or_several, or_none, takes
from biomech_id.conventions import FOOT_TABLE
from biomech_id.errors import OptionError
from biomech_id.files.atomic import whole_file
from biomech_id.languages import LANGUAGES, terms_of
from biomech_id.review.document import json_in_html, page_html
from biomech_id.review.packing import Blocks
from biomech_id.review.session_data import session_data, variables
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import DRAWS, begin, load, steps

#: Colours of the report's style that the page takes over.
_COLOURS = ("left", "right", "norm", "session_b")
#: A session, and one beside it.
SESSIONS_ON_A_PAGE = 2
#: Name of the page in the folder of a run.
REVIEW_PAGE = "review.html"


@takes(
    outs=one_or_several(a_path("give the folder that `run` wrote")), path=a_path("name the page"),
    norm=or_none(a_path("name a norm.csv")),
    style=or_none(a_path("name a style.toml")), language=or_none(a_str()),
)  # fmt: skip
def write_review(
    outs: str | Path | Sequence[str | Path],
    path: str | Path,
    *,
    norm: str | Path | None = None,
    style: str | Path | None = None,
    language: str | None = None,
) -> Path:
    """Write a page that replays a session, and hands back what somebody decides there as ``review.toml``.

    Parameters
    ----------
    outs : str | Path | Sequence[str | Path]
        Folder of the results; a second one is shown beside it.
    path : str | Path
        The page; one that ends in ``.json`` holds its data and blocks alone, for a program that shows them.
    norm : str | Path | None, optional
        File of a norm; None takes the session's own.
    style : str | Path | None, optional
        The laboratory's style file, for its colours, labels and language.
    language : str | None, optional
        One of `languages.LANGUAGES`; None takes the style's.

    Raises
    ------
    OptionError
        More than two folders, a style that cannot be used, or a norm of another model.
    FileRefusedError
        A folder is none of ``run``, or is damaged.
    OutputError
        The page cannot be written.
    """
    folders = [Path(out) for out in ((outs,) if isinstance(outs, str | Path) else outs)]
    if not 1 <= len(folders) <= SESSIONS_ON_A_PAGE:
        raise OptionError(
            f"A page shows one session or two, not {len(folders)}.",
            value=[str(folder) for folder in folders], expected="one folder or two", where="review",
        )  # fmt: skip
    blocks, path = Blocks(), Path(path)
    sessions = [
        _session(folder, tables, blocks, called=_called(folder, tables), norm=norm, style=style)
        for folder, tables in ((folder, read_tables(folder)) for folder in steps("read", folders))
    ]
    content = _content(sessions)
    look = _look(style, language, content["variables"])
    if path.suffix == ".json":
        text = json_in_html({"data": {**content, **look}, "blocks": blocks.texts})
    else:
        text = _text(content, blocks, look)
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return path


def _called(folder: Path, tables: Tables) -> str:
    """Under a code the folder's name is not told either."""
    return str(tables.summary["subject"]["code"]) if tables.manifest.get("coded") else folder.name


def write_own_page(folder: Path, *, tables: Tables) -> None:
    """Write ``review.html`` of a session into its folder; the same session gives the same bytes, whatever its folder is called.

    Parameters
    ----------
    folder : Path
        Of the results, with what its trials looked like.
    tables : Tables
        The session's tables.
    """
    blocks = Blocks()
    content = _content([_session(folder, tables, blocks, called="OUT")])
    text = _text(content, blocks, _look(None, None, content["variables"]))
    (folder / REVIEW_PAGE).write_text(text, encoding="utf-8", newline="\n")


def _text(content: dict[str, Any], blocks: Blocks, look: dict[str, Any]) -> str:
    data = {**content, **look}
    title = " | ".join(str(session["subject"]["code"] or session["folder"]) for session in content["sessions"])
    return page_html(data, blocks.texts, title=title, language=look["language"])


def _content(sessions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    begin("words")
    columns = {name[1:] for session in sessions for trial in session["trials"] for name in trial["columns"]}
    rows = list(variables(inside_foot=any(row.column("") in columns for row in FOOT_TABLE)))
    return {"sessions": sessions, "variables": rows, "words": _words()}


def _session(
    folder: Path, tables: Tables, blocks: Blocks, *, called: str, norm: str | Path | None = None, style: str | Path | None = None
) -> dict[str, Any]:
    """What the page knows of one session, and what the report's first page says of its walks, in every language."""
    load(*DRAWS)
    from biomech_id.report.first.spoken import spoken
    from biomech_id.report.layout.style import load_style
    from biomech_id.report.panels.norm import load_norm

    made = load_norm(tables.norm if norm is None else norm, tables)
    walks = spoken(tables, made, {each: load_style(style, language=each) for each in LANGUAGES})
    return {**session_data(folder, tables, blocks, called=called, norm=made.table if made is not None else None), "walks": walks}


def _look(path: str | Path | None, language: str | None, variables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Colours, dashes, scales and labels of the report for some variables, in every language."""
    load(*DRAWS)
    from biomech_id.report.layout.style import PLOTTED_UNIT, load_style

    own = load_style(path, language=language)
    labels = {each: load_style(path, language=each).labels for each in LANGUAGES}
    # Fixed scales are those of the report, in the tables' units.
    ground = 1.0 / PLOTTED_UNIT["ground force"][1]
    factors = {name: ground if name.startswith("GroundReactionForce") else 1.0 for name in (*own.scales, *own.run_scales)}
    scales = {
        key: {name: [factors[name] * scale.low, factors[name] * scale.high] for name, scale in table.items()}
        for key, table in (("scales", own.scales), ("run_scales", own.run_scales))
    }
    rows = [word for row in variables for word in (row["title"], row["positive"], row["negative"])]
    rows += [word for word in own.labels if word.startswith("emg.verdict_")]
    return {
        "language": own.language,
        "colours": {name: own.colour(name) for name in _COLOURS},
        **scales,
        "dashes": {side: list(own.dashes(side)[1] or ()) for side in ("L", "R")},
        "labels": {
            each: {**{word: texts[word] for word in dict.fromkeys(rows) if word in texts}, **terms_of(each, "muscles")}
            for each, texts in labels.items()
        },
        "laboratory": own.settings["laboratory"]["name"],
    }


def _words() -> dict[str, dict[str, Any]]:
    """Words of the page, how each language calls itself and writes a number."""
    return {each: {**terms_of(each, "language"), **terms_of(each, "review")} for each in LANGUAGES}
