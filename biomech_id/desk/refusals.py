"""What the desk does not do, in a sentence of the language files."""

from __future__ import annotations

from typing import Any

from biomech_id.errors import BiomechError
from biomech_id.languages import Sentence


class Refusal(BiomechError):
    """Something that the desk refuses, with the number an answer over HTTP bears.

    Attributes
    ----------
    said : Sentence
        Rule and values; the page has it in its own language.
    status : int
        404 not there, 409 not now, 412 somebody else was first, 422 not to be understood.
    more : dict[str, Any]
        What else the json_answer holds.
    """

    said: Sentence
    status: int = 409
    more: dict[str, Any]

    @classmethod
    def because(cls, rule: str, *, status: int = 409, more: dict[str, Any] | None = None, **values: Any) -> Refusal:
        """Make one of a rule and its values.

        Parameters
        ----------
        rule : str
            Of the sentence.
        status : int, optional
            Of the json_answer.
        more : dict[str, Any] | None, optional
            What else the json_answer holds.
        **values : Any
            Of the sentence.
        """
        said = Sentence(rule, values)
        made = cls(str(said), value=values, expected="something that can be done now", where="desk")
        made.said, made.status, made.more = said, status, more or {}
        return made
