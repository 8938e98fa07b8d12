"""What the library says: a rule and its values decide, the words come last, from one folder for each language.

A folder holds all that is of its language: ``language.toml`` (decimal mark, what it falls back to), ``report.toml`` (labels
of the pages), ``review.toml`` (words of the review page), ``muscles.toml``, ``joints.toml`` and ``sentences/*.toml``. To be here is
to be known; `register_language` adds one from outside, and `missing_words` lists what a language lacks.

A table of sentences is a TOML file: a rule's name, and under it ``text`` and ``hint`` with ``{values}`` filled in as Python's
format strings are.  English says besides how grave the rule is and what it means; other languages need not.  Where a value is not
simply printed, an entry of its name says how:

* by cases: ``more = {0 = "", other = " and {more} more"}`` picks by the value (or the number of items in a list);
* as a list: ``gaps = {each = "{0} {1}-{2}", join = ", ", most = 5, more = " and {n} more"}``.

``of = "name"`` lets an entry speak about another value; ``{name!m}`` is a side and a muscle.  Entries under
``[words]`` hold for every rule of the language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from string import Formatter
from typing import Any, Self

from biomech_id.values import dataclass, field

#: The language of the tables that ``run`` writes; it has every word.
WRITTEN = "en"
_HERE = Path(__file__).parent
#: Language -> its folder, English first: the folders beside this file, and those that `register_language` adds.
LANGUAGES: dict[str, Path] = {folder.name: folder for folder in (_HERE / WRITTEN, *sorted(_HERE.glob("[!_]*/")))}
_PLATE = re.compile(r"\bplate (?=\d)")
#: Folders with a folder of further sentences for each language; later ones win.
FOLDERS: list[Path] = []
#: Tables in them that hold labels and no sentences.
LABELS = ("report", "review")


@dataclass(frozen=True)
class Sentence:
    """Something said: which rule, and the values its words are made with.

    Parameters
    ----------
    rule : str
        Stable identifier, lower-case words joined by hyphens (``gap-long``); decisions are taken by it, never by the words.
    values : Mapping[str, object], optional
        Numbers in the unit their name ends with, texts, enums, lists of these, or further sentences.
    """

    rule: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", {name: _plain(value) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.text()

    def text(self, language: str = "en") -> str:
        """Return the words in one of `LANGUAGES`.

        Parameters
        ----------
        language : str, optional
            Language of the words: one of `LANGUAGES`.

        Returns
        -------
        str
            The sentence with its values filled in.
        """
        return worded(self.rule, self.values, language)

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """Return what `to_dict` was made of.

        Parameters
        ----------
        said : Mapping[str, Any]
            Rule and values, as JSON holds them.
        """
        return cls(said["rule"], said.get("values", {}))

    def to_dict(self) -> dict[str, Any]:
        """Return rule and values as JSON can hold them; `worded` takes them back."""
        return {"rule": self.rule, "values": {name: _for_json(value) for name, value in self.values.items()}}


def worded(rule: str, values: Mapping[str, Any], language: str = "en", part: str = "text") -> str:
    """Return what a rule says.

    Parameters
    ----------
    rule : str
        A rule of the tables; of an unknown one the values are listed.
    values : Mapping[str, Any]
        As a `Sentence` holds them, or as JSON gave them back.
    language : str
        Language of the words: one of `LANGUAGES`.
    part : str
        ``"text"`` or ``"hint"``; empty where the rule has no such part.

    Returns
    -------
    str
        The sentence, values filled in, numbers with the language's decimal mark.
    """
    forms = table(language)
    entry = forms.get(rule)
    if entry is None:
        listed = ", ".join(f"{name} {_shown(value, '', language)}" for name, value in values.items())
        return f"{rule}: {listed}" if part == "text" else ""
    return _filled(str(entry.get(part, "")), values, {**forms["words"], **entry}, language)


def plates_called(text: str, language: str) -> str:
    """Return a text in which plates that a file only numbers ("plate 1") are called as a language calls them.

    Parameters
    ----------
    text : str
        A sentence that may call plates by their number.
    language : str
        Language of the text: one of `LANGUAGES`.

    Returns
    -------
    str
        The same text otherwise.

    Examples
    --------
    >>> from biomech_id.languages import plates_called
    >>> plates_called("plate 1, plate 12", "de")
    'Platte 1, Platte 12'
    """
    return _PLATE.sub(f"{terms_of(language, 'language').get('plate', 'plate')} ", text)


def _muscle_called(value: str, language: str) -> str:
    """Side and muscle as values have them ("L adductors"), the muscle as a language calls it."""
    muscle = value.removeprefix("L ").removeprefix("R ")
    known: dict[str, str] = {
        name.lower(): terms_of(language, "muscles").get(key, name) for key, name in terms_of(WRITTEN, "muscles").items()
    }
    return value.removesuffix(muscle) + known.get(muscle, muscle).lower()


def opens_with(rule: str, language: str = "en") -> str:
    """Return the name of the value that a rule's sentence begins with; empty where it begins with a word.

    Parameters
    ----------
    rule : str
        Name of the rule.
    language : str, optional
        Language whose sentence is meant: one of `LANGUAGES`.

    Returns
    -------
    str
        Name of the value, or "".
    """
    literal, name, *_ = next(iter(Formatter().parse(str(table(language).get(rule, {}).get("text", "")))), ("", None))
    return "" if literal else name or ""


def table(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Return rule -> entry of one language, in the tables' order; what it lacks is said in the language it falls back to.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`; another has the English entries.

    Returns
    -------
    Mapping[str, Mapping[str, Any]]
        ``text``, ``hint`` and forms of each rule; under "words" the forms that hold for every rule.
    """
    return _tables(language, tuple(FOLDERS))


@cache
def _tables(language: str, folders: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    other = terms_of(language, "language").get("falls_back_to")
    entries: dict[str, dict[str, Any]] = dict(_tables(other, folders)) if other else {"words": {}}
    for folder in (_folder(language) / "sentences", *(folder / language for folder in folders)):
        for file in sorted((file for file in folder.glob("*.toml") if file.stem not in LABELS), key=lambda file: file.name):
            for rule, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
                entries[rule] = {**entries.get(rule, {}), **entry} if rule == "words" else entry
    return entries


def _folder(language: str) -> Path:
    return LANGUAGES.get(language, LANGUAGES[WRITTEN])


@cache
def terms_of(language: str, table: str, *, alone: bool = False) -> Mapping[str, Any]:
    """Return the words of one of a language's tables.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`; another has the English words.
    table : str
        "language", "report" (labels of the pages), "review" (words of the review page) or "muscles" (names by muscle),
        "joints" (how a laboratory's words for a joint begin).
    alone : bool, optional
        Whether what the language falls back to is left out.

    Returns
    -------
    Mapping[str, Any]
        Key -> text. Keys of a section have its name in front ("page.cover"), but for the section "words".
    """
    other = None if alone or table == "language" else terms_of(language, "language").get("falls_back_to")
    terms = dict(terms_of(other, table)) if other else {}
    for folder in (_folder(language), *(folder / language for folder in FOLDERS if table in LABELS)):
        file = folder / f"{table}.toml"
        for key, value in (tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}).items():
            section = "" if key == "words" else f"{key}."
            terms |= {f"{section}{name}": text for name, text in value.items()} if isinstance(value, dict) else {key: value}
    return terms


def register_language(name: str, folder: str | Path) -> None:
    """Add a language from outside the library.

    Parameters
    ----------
    name : str
        What a style file calls it, and the tag of the pages: "fr".
    folder : str | Path
        Its tables, as in ``biomech_id/languages/en``. What it lacks is said in English only where its ``language.toml`` has
        ``falls_back_to = "en"``.
    """
    LANGUAGES[name] = Path(folder)
    terms_of.cache_clear()
    _tables.cache_clear()


def missing_words(language: str) -> list[str]:
    """List what English says and a language has no words of its own for.

    Parameters
    ----------
    language : str
        Language that is checked: one of `LANGUAGES`.

    Returns
    -------
    list[str]
        Table and key, "report: page.cover" or "sentences/gait: no-gait.hint"; empty for a complete language.
    """
    tables = sorted(file.relative_to(LANGUAGES[WRITTEN]).with_suffix("").as_posix() for file in LANGUAGES[WRITTEN].rglob("*.toml"))
    return [
        f"{table}: {key}"
        for table in tables
        for key in terms_of(WRITTEN, table)
        # Forms inside a sentence are its language's own.
        if key not in terms_of(language, table, alone=True) and ("/" not in table or key.endswith((".text", ".hint")))
    ]


def add_sentences(folder: str | Path) -> None:
    """Add tables from outside the library: a folder with ``en/*.toml`` and, for other languages, ``de/*.toml``.

    Parameters
    ----------
    folder : str | Path
        Folder that has a folder for each language. ``report.toml`` in it holds labels of pages, ``review.toml`` words of the review
        page, as those of ``biomech_id/languages/en``; other tables hold sentences.
    """
    FOLDERS.append(Path(folder))
    terms_of.cache_clear()


def _filled(text: str, values: Mapping[str, Any], forms: Mapping[str, Any], language: str, plainly: str = "") -> str:
    parts = []
    for literal, name, spec, conversion in Formatter().parse(text):
        parts.append(literal)
        if name is None:
            continue
        form = forms.get(name)
        if isinstance(form, Mapping) and name != plainly:
            parts.append(_formed(form, name, values, forms, language))
        else:
            value = values.get(name)
            how: dict[str, Callable[[Any], object]] = {"r": repr, "a": ascii, "m": partial(_muscle_called, language=language)}
            parts.append(_shown(how[conversion](value) if conversion else value, spec or "", language))
    return "".join(parts)


def _formed(form: Mapping[str, Any], name: str, values: Mapping[str, Any], forms: Mapping[str, Any], language: str) -> str:
    value = values.get(form.get("of", name))
    if "each" not in form:
        return _filled(str(form.get(_case(value), form.get("other", ""))), values, forms, language, plainly=name)
    most = form.get("most", len(value or ()))
    items = [_filled(form["each"], _numbered(item), forms, language) for item in (value or ())[:most]]
    join, left = str(form.get("join", ", ")), len(value or ()) - len(items)
    return join.join(items) + (_filled(str(form.get("more", "")), {"n": left}, {}, language) if left else "")


def _numbered(item: Any) -> dict[str, Any]:
    parts = item if isinstance(item, (list, tuple)) else (item,)
    return {str(number): part for number, part in enumerate(parts)}


def _case(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(len(value) if isinstance(value, (list, tuple)) else value)


def _shown(value: Any, spec: str, language: str) -> str:
    if isinstance(value, Sentence):
        return value.text(language)
    if isinstance(value, Mapping):
        return worded(str(value["rule"]), value["values"], language)
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(item, spec, language) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number, terms = f"{value:{spec}}", terms_of(language, "language")
        number = terms.get("minus", "-") + number[1:] if number.startswith("-") else number
        return number.replace(".", terms.get("decimal_mark", "."))
    # JSON has no NaN: a number that is not known comes back as nothing.
    return format(float("nan"), spec) if value is None and spec else plates_called(str(value), language)


def _plain(value: Any) -> Any:
    """Numbers, texts and tuples of them, whatever array library or enum they come from."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    return value.item() if hasattr(value, "item") else value


def _for_json(value: Any) -> Any:
    if isinstance(value, Sentence):
        return value.to_dict()
    return [_for_json(item) for item in value] if isinstance(value, tuple) else value
