"""The report drawn again from finished tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomech_id.errors import OptionError, OutputError, typed
from biomech_id.files.atomic import check_writable
from biomech_id.gait.review import Decision, Review, decision_records, without_remarks
from biomech_id.request.input_hashes import InputHashes, make_key
from biomech_id.request.job import sha256_of_input
from biomech_id.request.review_file import read_review
from biomech_id.session.folder.read_write import read_tables, update_output
from biomech_id.session.output.review import reviewed_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import Progress, stage

if TYPE_CHECKING:
    from biomech_id.report.pdf import Signed

#: Files that a report may be drawn with, beside the session's own tables.
DRAWN_WITH = ("norm", "style", "review", "patterns")
#: Keys of the manifest that say with what the report and the appendix were drawn.
DRAWN, DRAWN_APPENDIX = "drawn", "drawn_appendix"


def redraw(
    out: Path,
    *,
    norm: Path | None = None,
    pages: Sequence[str] | None = None,
    appendix: bool = False,
    style: Path | None = None,
    mix: Sequence[str] = (),
    review: Path | None = None,
    norm_for: str | None = None,
    patterns: Path | None = None,
    key: Path | None = None,
    figures: Path | None = None,
    output: Path | None = None,
    signed: Signed | None = None,
    progress: Progress | None = None,
) -> Path:
    """Draw ``report.pdf`` or ``appendix.pdf`` in a folder of results and renew its hash in the manifest; return its path.

    With ``figures`` the same pages are written as pictures there, with ``output`` into that PDF; then the results stay untouched.

    Parameters
    ----------
    out : Path
        Folder of the results.
    norm : Path | None, optional
        File of a norm; None for the session's own.
    pages : Sequence[str] | None, optional
        Names of the pages wanted; None for those of the standard report.
    appendix : bool, optional
        Whether ``appendix.pdf`` is drawn, of what the standard report leaves out, and the report stays as it is.
    style : Path | None, optional
        A style file; None for the default.
    mix : Sequence[str], optional
        In what norm and session may differ: "bandwidth", say.
    review : Path | None, optional
        A review.toml whose cycles and comments are followed; None leaves the cycles as they were used.
    norm_for : str | None, optional
        Whose norm it is, one of ``session.values.norm.NORM_CHOICES``; None takes that of the session's recipe.
    patterns : Path | None, optional
        File of a laboratory's own rules of gait patterns; None for those that are shipped.
    key : Path | None, optional
        The laboratory's key, for the hashes of norm, style, review and patterns in results under a code; None for no such hashes.
    figures : Path | None, optional
        Folder for the pages as PNG and SVG, which is then returned; None draws the PDF.
    output : Path | None, optional
        PDF that is written in place of the folder's own, and returned.
    signed : Signed | None, optional
        Who signed the report; only with ``output``, for a signature is of results that nobody changes.
    progress : Progress | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Raises
    ------
    BiomechError
        The folder, norm, page names, style or review cannot be used; the old report is then still there.
    """
    from biomech_id.report import draw_report

    with stage("read"):
        tables = read_tables(out)
    coded = bool(tables.manifest.get("coded"))
    make_key(key, coded=coded, out=out)
    hashes = InputHashes.of(str(tables.summary["subject"]["code"]) if coded else None, key)
    if review is not None:
        decided = _drawable(read_review(review), tables, review, out)
        keeps = tables.manifest["recipe"].get("privacy", {}).get("keep_comments", False)
        tables = reviewed_tables(tables, without_remarks(decided) if coded and not keeps else decided)
    how: dict[str, Any] = {
        "norm": norm, "pages": pages, "appendix": appendix, "style": style, "mix": mix, "norm_for": norm_for,
        "patterns": patterns or "", "progress": progress,
    }  # fmt: skip
    if figures is not None:
        from biomech_id.report.figures import draw_figures

        with stage("draw"):
            draw_figures(tables, figures, **how)
        return figures
    if output is not None:
        if output.resolve().is_relative_to(out.resolve()):
            raise OutputError.at(output, f"{output} lies among the results, which stay as they are.", "a file elsewhere")
        with stage("draw"):
            return draw_report(tables, output, signed=signed, **how)
    name = "appendix.pdf" if appendix else "report.pdf"
    check_writable(out / name)

    def draw(path: Path) -> None:
        with stage("draw"):
            draw_report(tables, path, **how)

    drawn = _drawn_with(dict(zip(DRAWN_WITH, (norm, style, review, patterns), strict=True)), hashes, pages, mix)
    drawn |= {"norm_for": norm_for} if norm_for else {}
    update_output(out, name, draw, noted={DRAWN_APPENDIX if appendix else DRAWN: drawn})
    return out / name


def _drawable(review: Review, tables: Tables, path: Path, out: Path) -> Review:
    """The review, if everything it asks for can be had without the recordings.

    Raises
    ------
    OptionError
        It changes events, stances or recordings, and the analysis does not have these changes.
    """
    followed = (tables.summary.get("review") or {}).get("decisions", ())
    asked: tuple[Decision, ...] = (*review.events, *review.verdicts, *review.repairs, *review.placements)
    news = [said for said in asked if decision_records([said])[0] not in followed]
    if news:
        raise OptionError(
            f"{path.name} changes more than what is drawn ({news[0]}{f' and {len(news) - 1} more' if len(news) > 1 else ''}): that "
            f"needs the recordings. Type: biomech-id run SUBJECT_DIR -o {typed(out)} --review {typed(path)}",
            value=str(news[0]), expected="cycles and comments", where=path.name,
        )  # fmt: skip
    return review


def _drawn_with(
    files: Mapping[str, Path | None], hashes: InputHashes, pages: Sequence[str] | None, mix: Sequence[str]
) -> dict[str, Any]:
    """What the manifest says of a report drawn with more than the session's own tables; empty for one that was not."""
    drawn: dict[str, Any] = {
        # Under a code named as what it is: found again by its hash, or where there is none by this name.
        what: {
            "name": f"{hashes.code}_{what}{path.suffix.lower()}" if hashes.code else path.name,
            "sha256": hashes.entry(path, sha256_of_input(path)),
        }
        for what, path in files.items()
        if path is not None
    }
    return drawn | ({"pages": list(pages)} if pages else {}) | ({"mix": list(mix)} if mix else {})
