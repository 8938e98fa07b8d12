"""Texts of results that leave the house: each is one that this program says by itself, or a name that is made here, else it goes.

Under a code names that are known are taken out of what is written; here nothing is written that is not known to be harmless, for a
file's free texts, settings and conditions hold names that nobody told. A word of the person's own name is harmless in a text that
stands in this program as it is, and nowhere else: a leg that Ms Green moves is not left out, a condition "green" is.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from biomech_id.languages import WRITTEN, table, worded
from biomech_id.privacy.name_words import all_vetted, vetted_texts, words_of_name
from biomech_id.privacy.pseudonym import Pseudonym
from biomech_id.session.tables.session_tables import Table
from biomech_id.values import dataclass, field

#: Keys whose number is an age, in years: whole ones are released.
AGES = frozenset({"age", "age_years"})
#: Keys and columns whose text names a recording, a condition, a label or the person: there "static" may be a file's name, and
#: elsewhere it is this program's word. Documents whose keys are such names bear the last three.
_NAMING = frozenset(
    ("code", "condition", "file", "label", "labels", "marker", "markers", "name", "since", "static", "static_file", "taken",
     "trial", "where", "channels", "conditions", "trials")
)  # fmt: skip
_FILE = re.compile(r"\.[A-Za-z]\w{1,4}$|[\\/]\w+[\\/]")
#: End of a name of a number that gives back a length, a mass or a place.
_OF_BODY = re.compile(r"(?:_mm|_m|_kg|_N|_Nm|mass|height|length)$")


@dataclass(frozen=True)
class ReleasedTexts:
    """What the texts and values of one session become when it is released.

    Attributes
    ----------
    names : Pseudonym
        Code, and what recordings, conditions and labels are called; a label that stays is called itself.
    own : frozenset[str], optional
        Folded words of the person's name, harmless ones too.
    shift_days : int | None, optional
        By how many days every day of the person is moved; None leaves days out.
    body : bool, optional
        Whether sentences keep lengths, masses and forces.
    """

    names: Pseudonym
    own: frozenset[str] = frozenset()
    shift_days: int | None = None
    body: bool = True
    _known: dict[tuple[str, bool], str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of(self, text: str, name: str = "") -> str:
        """Return what becomes of a text.

        Parameters
        ----------
        text : str
            Of a table, a document or a setting.
        name : str, optional
            Its key or column.

        Returns
        -------
        str
            The text, the name that stands for it here, a day moved, or nothing.
        """
        at = (text, name in _NAMING)
        if at not in self._known:
            self._known[at] = self._made_harmless(text, naming=at[1])
        return self._known[at]

    def _made_harmless(self, text: str, *, naming: bool) -> str:
        if not text or (text in self.names.exact and (naming or text not in vetted_texts())):
            return self.names.exact.get(text, "")
        if (day := _as_day(text)) is not None:
            return self.moved(day)
        if text in vetted_texts():
            return text
        called = self.names.of(text)
        rest = re.sub(rf"{self.names.code}(?:_[a-z]+\d*)?(?:\.\w+)?", "", called)
        harmless = all_vetted(rest) and not words_of_name(rest) & self.own and not _FILE.search(rest)
        return called if harmless else ""

    def moved(self, day: datetime.date) -> str:
        """Return a day of this person as it is released: as ISO writes it, empty where days are left out.

        Parameters
        ----------
        day : datetime.date
            Day as it was recorded.
        """
        return "" if self.shift_days is None else (day + datetime.timedelta(days=self.shift_days)).isoformat()

    def of_value(self, value: Any, name: str = "") -> Any:
        """Return what becomes of a value of a document, however deep; words of sentences are made anew from their values.

        Parameters
        ----------
        value : Any
            As JSON holds it.
        name : str, optional
            Its key.

        Returns
        -------
        Any
            The same shape; keys that nobody knows are gone.
        """
        if isinstance(value, Mapping):
            if "rule" in value and "values" in value:
                return self._of_sentence(value)
            called = {key: self.of(key, name) for key in value}
            return {called[key]: self.of_value(each, key) for key, each in value.items() if called[key] or not key}
        if isinstance(value, list):
            return [self.of_value(each, name) for each in value]
        if isinstance(value, str):
            return self.of(value, name)
        if value is None or isinstance(value, bool):
            return value
        return math.floor(value) if name in AGES else value

    def _of_sentence(self, sentence: Mapping[str, Any]) -> dict[str, Any]:
        known = sentence["rule"] in table(WRITTEN)
        given = {name: each for name, each in sentence["values"].items() if self.body or not _OF_BODY.search(name)}
        # Who else is in a file is nobody's business.
        values = {} if sentence["rule"] == "subjects-several" or not known else self.of_value(given)
        made = {name: self.of_value(each, name) for name, each in sentence.items() if name != "values"}
        words = {"message": "text", "hint": "hint"} if known and self.body else {}
        made |= {name: worded(sentence["rule"], values, part=part) for name, part in words.items() if name in sentence}
        return made | {"rule": sentence["rule"] if known else "", "values": values}

    def in_words(self, sentences: list[Mapping[str, Any]]) -> list[str]:
        """Return sentences, of this language's words, of what `of_value` left of them.

        Parameters
        ----------
        sentences : list[Mapping[str, Any]]
            Rules with their values.
        """
        return [worded(each["rule"], each["values"]) if self.body else "" for each in sentences]

    def of_table(self, given: Table, own: Collection[str] = ()) -> Table:
        """Return a table in which every text is harmless.

        Parameters
        ----------
        given : Table
            Columns of numbers are left as they are.
        own : Collection[str], optional
            Columns of texts that this program alone fills, and puts together: "K2_sagittal_share".

        Returns
        -------
        Table
            The same rows and columns.
        """
        texts = [name for name in given.columns if given[name].dtype.kind not in "biuf" and name not in own]
        return given.assign(
            **{name: given[name].map({text: self.of(str(text), name) for text in given[name].unique()}) for name in texts}
        )


def _as_day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if len(text) == len("2019-05-31") else None
    except ValueError:
        return None
