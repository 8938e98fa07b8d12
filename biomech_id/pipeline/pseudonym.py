"""A code in place of a name: in file names, tables, findings and the manifest alike.

Laboratories name files after patients. With ``--code`` every occurrence of the name that the recordings carry, in any spelling of
upper and lower case, is replaced before anything is analysed, so that nothing written can hold it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from biomech_id.anatomy import Part
from biomech_id.errors import Finding, OptionError, option
from biomech_id.gait.review import Review
from biomech_id.sentences import Sentence
from biomech_id.trial import Markers, Trial

#: A name shorter than this occurs by chance inside other words.
SHORTEST_NAME = 3
#: Characters that some system does not allow in the name of a file, or takes for a folder.
IN_NO_FILE_NAME = frozenset('/\\:*?"<>|')


@dataclass(frozen=True)
class Pseudonym:
    """Replaces names by a code; without a code it changes nothing.

    Attributes
    ----------
    names : tuple[str, ...], optional
        Names the recordings carry.
    code : str, optional
        What stands in their place; empty for no change.
    """

    names: tuple[str, ...] = ()
    code: str = ""

    def of(self, text: str) -> str:
        """Return a text without the names.

        Parameters
        ----------
        text : str
            Text that may hold the names.
        """
        for name in self.names if self.code else ():
            text = re.sub(re.escape(name), lambda _: self.code, text, flags=re.IGNORECASE)
        return text

    def of_finding(self, finding: Finding) -> Finding:
        """Return a finding without the names.

        Parameters
        ----------
        finding : Finding
            The finding.
        """
        return replace(finding, values=self.of_values(finding.values), where=self.of(finding.where))

    def of_review(self, review: Review) -> Review:
        """Return what was decided by hand without the names; it may name a trial as its file is called, or as the code has it.

        Parameters
        ----------
        review : Review
            Of a recipe, and of a review.
        """
        kinds = {
            each.name: tuple(map(self._of_decision, getattr(review, each.name))) for each in fields(review) if each.name != "file"
        }
        return replace(review, **kinds, file=self.of(review.file))

    def _of_decision(self, said: Any) -> Any:
        words = {each.name: self.of(value) for each in fields(said) if type(value := getattr(said, each.name)) is str}
        return replace(said, **words)

    def of_values(self, values: Any) -> Any:
        """Return values without the names, however deep.

        Parameters
        ----------
        values : Any
            Texts, numbers, sentences, and lists and mappings of them.
        """
        if isinstance(values, Mapping):
            return {name: self.of_values(value) for name, value in values.items()}
        if isinstance(values, Sentence):
            return replace(values, values=self.of_values(values.values))
        if isinstance(values, tuple | list):
            return type(values)(map(self.of_values, values))
        return self.of(values) if isinstance(values, str) else values

    def of_trial(self, trial: Trial) -> Trial:
        """Return a trial whose name, history and findings do not hold the names; its path still says where it lies.

        Parameters
        ----------
        trial : Trial
            The recording.
        """
        if not self.code:
            return trial
        sources = {field: self.of(source) for field, source in trial.subject.sources.items()}
        return replace(
            trial,
            name=self.of(trial.name),
            markers=self._of_markers(trial.markers),
            subject=replace(trial.subject, code=self.code, sources=sources),
            history=self.of_values(trial.history),
            findings=tuple(self.of_finding(finding) for finding in trial.findings),
        )

    def _of_markers(self, markers: Markers) -> Markers:
        """Markers under labels that do not hold the names; what they lie on stays known."""
        names = tuple(map(self.of, markers.names))
        return markers if names == markers.names else replace(markers, names=names, roles=self._of_roles(markers.roles))

    def _of_roles(self, roles: Mapping[Part, str]) -> Mapping[Part, str]:
        return {part: self.of(name) for part, name in roles.items()}


def pseudonym(trials: Iterable[Trial], code: str | None) -> Pseudonym:
    """Return what replaces the subject names of some trials by ``code``; longer names first, for one may hold another.

    Parameters
    ----------
    trials : Iterable[Trial]
        The subject's recordings.
    code : str | None
        Takes the names' place; None leaves everything as it is.

    Raises
    ------
    OptionError
        A code that cannot stand in the name of a file on every system.
    """
    if code and (set(code) & IN_NO_FILE_NAME or not code.isprintable() or code != code.strip(" .")):
        raise OptionError(
            f"The code {code!r} cannot stand in file names, where it replaces the subject's name.",
            value=code, expected=f"no {' '.join(sorted(IN_NO_FILE_NAME))}, and no space or dot at its ends", where=option("code"),
        )  # fmt: skip
    names = {trial.subject.code for trial in trials if len(trial.subject.code) >= SHORTEST_NAME}
    return Pseudonym(tuple(sorted(names, key=lambda name: (-len(name), name))), code or "")
