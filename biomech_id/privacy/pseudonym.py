"""A code in place of a name: whatever a session calls something, with ``--code`` it is called by a name that is made here.

Laboratories name files, folders, markers and conditions after patients. With a code nothing of that is taken over: recordings
become ``P017_walk01``, labels stay only where it is known what they lie on (else ``marker_17``, ``channel_12``), words about a
person are left out unless the recipe keeps them. What was made before this, sentences of a reader for example, goes through
`Pseudonym.of`; and ``last_scan`` looks once more at everything that was written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

from biomech_id.algebra.late import LateMapping
from biomech_id.emg.channels import EmgInput
from biomech_id.errors import Finding, OptionError, option
from biomech_id.files.output_names import IN_NO_FILE_NAME, is_plain
from biomech_id.gait.review import Placement, Repair, Review
from biomech_id.languages import Sentence
from biomech_id.markersets import load_markerset
from biomech_id.markersets.marker_set import MARKER_SETS, MarkerKey
from biomech_id.privacy.name_words import SHORTEST_WORD, NameWords, folded, runs_of, vetted_words, words_of_name
from biomech_id.readers.formats import companions_of
from biomech_id.request.intake import Intake, stands_still
from biomech_id.request.job import FILE_SETTINGS, SETTING_FILES, Job
from biomech_id.request.subject_file import apply_subject_file, condition_of
from biomech_id.session.solved import Solved
from biomech_id.trial import AnalogChannels, Markers, Subject, Trial
from biomech_id.values import dataclass, field, fields, is_dataclass, replace

_T = TypeVar("_T")
#: Words in the name of a recording that say what somebody did in it.
WORDS_OF_RECORDINGS = ("walk", "run", "static", "jump", "squat", "stair", "ramp", "turn", "emg")
#: Kind of a word in a file's name.
FILES = "a file's name"
#: How many folders above a recording tell whose it is.
FOLDERS_THAT_TELL = 4


@dataclass(frozen=True)
class Pseudonym:
    """What everything is called under a code; without a code it changes nothing.

    Attributes
    ----------
    code : str, optional
        The code; empty for no change.
    exact : Mapping[str, str], optional
        Name or path, whole -> what it is called.
    trials : Mapping[str, str], optional
        Name of a recording without its ending -> name of its trial.
    words : NameWords, optional
        Of stored names, files and folders.
    labels : Mapping[str, str], optional
        Label of a marker or channel that does not stay -> what it is called.
    keeps : frozenset[str], optional
        What the recipe keeps of words about the person: "clinic", "comments", "conditions".
    files : tuple[Path, ...], optional
        The recordings, in the order in which they were read.
    """

    code: str = ""
    exact: Mapping[str, str] = field(default_factory=dict)
    trials: Mapping[str, str] = field(default_factory=dict)
    words: NameWords = field(default_factory=NameWords)
    labels: Mapping[str, str] = field(default_factory=dict)
    keeps: frozenset[str] = frozenset()
    files: tuple[Path, ...] = ()

    def of(self, text: str) -> str:
        """Return a text without the names.

        Parameters
        ----------
        text : str
            Text that may hold the names.

        Returns
        -------
        str
            The text itself without a code, or where it shows no name.
        """
        if not self.code:
            return text
        if text in self.exact:
            return self.exact[text]
        for name, pattern in self._phrases():
            if name in text:
                text = pattern.sub(lambda _, called=self.exact[name]: called, text)  # type: ignore[misc]
        return self.words.replaced(text, self.code)

    def _phrases(self) -> Iterator[tuple[str, re.Pattern[str]]]:
        """Names that may stand within a sentence, the longer first; a name of one vetted word is a word of ours."""
        for name in sorted(self.exact, key=len, reverse=True):
            if len(name) >= SHORTEST_WORD and not name.isdigit() and folded(name) not in vetted_words():
                yield name, re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")

    def trial(self, name: str) -> str:
        """Return what a trial is called, by its name or its file's.

        Parameters
        ----------
        name : str
            As somebody wrote it.

        Returns
        -------
        str
            Code, kind of movement and number, as "P07_walk01"; the name itself without a code.
        """
        return self.trials.get(Path(name).stem, self.trials.get(name, name)) if self.code else name

    def file(self, path: Path) -> str:
        """Return what a file is called.

        Parameters
        ----------
        path : Path
            A recording of the job.

        Returns
        -------
        str
            Name of a file without its folder.
        """
        return self.exact.get(str(path), self.of(path.name)) if self.code else path.name

    def condition(self, name: str) -> str:
        """Return what a condition is called.

        Parameters
        ----------
        name : str
            As ``subject.toml`` has it.

        Returns
        -------
        str
            "condition_1" and so on, or the condition itself where it may be kept.
        """
        return self.exact.get(f"condition {name}", self.of(name)) if self.code else name

    def of_finding(self, finding: Finding) -> Finding:
        """Return a finding without the names.

        Parameters
        ----------
        finding : Finding
            A finding whose values or place may hold names.

        Returns
        -------
        Finding
            With the same rule and severity.
        """
        return replace(finding, values=self.of_values(finding.values), where=self.of(finding.where)) if self.code else finding

    def of_review(self, review: Review) -> Review:
        """Return what was decided by hand without names and remarks; it may name a trial as its file or as the code has it.

        Parameters
        ----------
        review : Review
            Of a recipe, and of a review.

        Returns
        -------
        Review
            Comments only where the recipe keeps them.
        """
        if not self.code:
            return review
        kinds = {
            each.name: tuple(map(self._of_decision, getattr(review, each.name)))
            for each in fields(review)
            if each.name != "file" and (each.name != "comments" or "comments" in self.keeps)
        }
        return replace(review, **{"comments": (), **kinds}, file=self.of(review.file))

    def _of_decision(self, decision: Any) -> Any:
        words: dict[str, Any] = {
            each.name: self.of(value) for each in fields(decision) if type(value := getattr(decision, each.name)) is str
        }
        if isinstance(decision, Repair):
            named = {str(name): self.trial(str(name)) for name in decision.named}
            words |= {"trials": tuple(named[name] for name in decision.trials), "since": named.get(decision.since, "")}
            words["what"] = tuple(named.get(str(what), self.of_values(what)) for what in decision.what)
        elif isinstance(decision, Placement):
            words |= {"since": self.trial(decision.since), "static": self.trial(Path(decision.static).stem)}
        else:
            words["trial"] = self.trial(decision.trial)
        if "comments" not in self.keeps:
            words |= {name: "" for name in ("reason", "author") if name in words}
        return replace(decision, **words)

    def of_values(self, values: Any) -> Any:
        """Return values without the names, however deep.

        Parameters
        ----------
        values : Any
            Texts, numbers, sentences, and lists and mappings of them.

        Returns
        -------
        Any
            Of the same type and shape, texts alone changed.
        """
        if isinstance(values, Mapping):
            return {self.of_values(name): self.of_values(value) for name, value in values.items()}
        if isinstance(values, Sentence):
            return replace(values, values=self.of_values(values.values))
        if isinstance(values, tuple | list):
            return type(values)(map(self.of_values, values))
        return self._of_word(values) if type(values) is str else values

    def _of_word(self, text: str) -> str:
        called = self.labels.get(text)
        # A label that is a word of ours may well stand for that word.
        return self.of(text) if called is None or _is_vetted(text) else called

    def of_trial(self, trial: Trial) -> Trial:
        """Return a trial whose name, history and findings do not hold the names; its path still says where it lies.

        Parameters
        ----------
        trial : Trial
            The recording as it was read.

        Returns
        -------
        Trial
            The same recording otherwise, identity included.
        """
        if not self.code:
            return trial
        sources = {name: self.of(source) for name, source in trial.subject.sources.items()}
        return replace(
            trial,
            name=self.trial(trial.name),
            subject=replace(trial.subject, code=self.code, sources=sources, condition=None),
            history=self.of_values(trial.history),
            findings=tuple(self.of_finding(self._at_trial(finding)) for finding in trial.findings),
        )

    def _at_trial(self, finding: Finding) -> Finding:
        values = {name: self.trial(str(value)) if name == "trial" else value for name, value in finding.values.items()}
        return replace(finding, values=values, where=self.trials.get(finding.where, finding.where))

    def of_subject(self, subject: Subject) -> Subject:
        """Return who was measured by code and age: without birth date, without what is free text.

        Parameters
        ----------
        subject : Subject
            Who was measured, with all that the files say.

        Returns
        -------
        Subject
            Age to a tenth of a year; the examination only where the recipe keeps the clinic's notes.
        """
        if not self.code:
            return subject
        sources = {name: self.of(source) for name, source in subject.sources.items() if name != "birth_date"}
        # With the day of the session, an exact age is a birth date.
        age = None if subject.age_years is None else round(subject.age_years, 1)
        condition = subject.condition and self.condition(subject.condition)
        sex = None if subject.sex is None else self.of(subject.sex)
        kept = tuple(replace(one, examiner="", raw=self.of(one.raw)) for one in subject.examination if "clinic" in self.keeps)
        return replace(
            subject, code=self.code, birth_date=None, age_years=age, condition=condition, sex=sex, sources=sources, examination=kept
        )  # fmt: skip

    def of_clinic(self, clinic: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
        """Return the clinic's notes where the recipe keeps them.

        Parameters
        ----------
        clinic : Mapping[str, Mapping[str, str]]
            Section -> key -> text.

        Returns
        -------
        dict[str, dict[str, str]]
            Section -> key -> text; empty where they are not kept.
        """
        kept = not self.code or "clinic" in self.keeps
        return {self.of(name): {self.of(key): self.of(text) for key, text in keys.items()} for name, keys in clinic.items() if kept}

    def of_job(self, job: Job) -> Job:
        """Return the job with recordings of a recipe's settings under the names that they have here.

        Parameters
        ----------
        job : Job
            The job as it was asked for, with real names.

        Returns
        -------
        Job
            The same without a code.
        """
        return replace(job, recipe=job.recipe.replaced(emg_reference=self._reference(job))) if self.code else job

    def _reference(self, job: Job) -> str:
        return self.trial(job.recipe.emg_reference) if job.recipe.emg_reference else ""

    def told(self, job: Job) -> Job:
        """Return the job as the manifest tells it: every file by the name that it has here, patterns replaced by what they left.

        Parameters
        ----------
        job : Job
            The job as it was asked for, with real names.
        """
        if not self.code:
            return job

        def called(path: Path | None) -> Path | None:
            return None if path is None else Path(self.file(path))

        recipe = job.recipe
        named = {name: getattr(recipe, name) for name in FILE_SETTINGS}
        own = {name: self.file(Path(value)) for name, value in named.items() if str(value).lower().endswith(SETTING_FILES)}
        verdicts = tuple(map(self._of_decision, job.recipe_verdicts))
        channels = {self.labels.get(label, self.of(label)): muscle for label, muscle in recipe.channels.items()}
        recipe = recipe.replaced(**own, stance_verdicts=verdicts, channels=channels or None, emg_reference=self._reference(job))
        return replace(
            job, paths=tuple(Path(self.file(path)) for path in self.files), recipe=recipe, static=called(job.static),
            functional=tuple(Path(self.file(path)) for path in job.functional), exclude=(),
            subject_file=called(job.subject_file), norm=called(job.norm), review=called(job.review),
        )  # fmt: skip

    def input(self, name: str) -> str:
        """Return what the manifest calls an input.

        Parameters
        ----------
        name : str
            Path relative to the subject's folder, as it is.

        Returns
        -------
        str
            The name itself without a code.
        """
        return self.exact.get(name, self.of(name)) if self.code else name

    def with_labels(
        self, trials: Sequence[Trial], roles: Iterable[Mapping[MarkerKey, str]], muscles: Iterable[EmgInput]
    ) -> Pseudonym:
        """Return the same with names for labels, once it is known what they lie on.

        Parameters
        ----------
        trials : Sequence[Trial]
            Every recording, with its own labels.
        roles : Iterable[Mapping[MarkerKey, str]]
            (side, role) -> label, of all of them.
        muscles : Iterable[EmgInput]
            Channels, with what muscle each shows.

        Returns
        -------
        Pseudonym
            Names for labels that no marker set knows, by what they lie on.
        """
        if not self.code:
            return self
        segments = {label: " ".join(filter(None, part)) for each in roles for part, label in each.items()}
        markers = dict.fromkeys(name for trial in trials for name in (*trial.markers.names, *trial.rotations.names))
        shown = {each.label for each in muscles if each.named.muscle}
        channels = dict.fromkeys(name for trial in trials for name in trial.analog.names)
        called = called_labels(markers, self.words, segments=segments)
        called |= called_labels(channels, self.words, known=shown, kind="channel")
        return replace(self, labels=called)

    def throughout(self, value: _T) -> _T:
        """Return a value with every text in it as `of` has it and every label as it is called here, however deep; arrays are left.

        Parameters
        ----------
        value : _T
            Any value of ours.

        Returns
        -------
        _T
            A value of the same type.
        """
        return cast(_T, self._through(value)) if self.code else value

    def _through(self, value: Any) -> Any:
        if type(value) is str:
            return self.of(value)
        if isinstance(value, Sentence | Finding):
            return replace(value, values=self.of_values(value.values), **self._where(value))
        # What is made anew each time is another value each time; parts of moments are numbers, without a word in them.
        if isinstance(value, Mapping) and not isinstance(value, Solved | LateMapping):
            made = {self._through(name): self._through(each) for name, each in value.items()}
            same = all(a is b and c is d for (a, c), (b, d) in zip(value.items(), made.items(), strict=False))
            return value if same and len(made) == len(value) else made
        if type(value) in (tuple, list):
            items = [self._through(each) for each in value]
            return value if all(a is b for a, b in zip(value, items, strict=True)) else type(value)(items)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self._through, value))
        if isinstance(value, Enum | type) or not is_dataclass(value):
            return value
        return self._of_value(value)

    def _where(self, value: Sentence | Finding) -> dict[str, Any]:
        return {"where": self._of_word(value.where)} if isinstance(value, Finding) else {}

    def _of_value(self, value: Any) -> Any:
        """A frozen value with its fields; labels are changed in the fields that hold them."""
        now = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        new = {name: self._through(each) for name, each in now.items()}
        if isinstance(value, Markers | AnalogChannels):
            new["names"] = self._labels(value.names)
        if isinstance(value, Markers):
            new["roles"] = {part: self.labels.get(label, label) for part, label in value.roles.items()}
        for name in ("marker", "label", "marker_names"):
            if name in now and type(now[name]) in (str, tuple):
                new[name] = self._labels(now[name]) if type(now[name]) is tuple else self.labels.get(now[name], new[name])
        if own := now.get("model_markers_lab_m"):
            new["model_markers_lab_m"] = dict(zip(self._labels(tuple(own)), own.values(), strict=True))
        changed = {name: each for name, each in new.items() if each is not now[name] and not _same_text(each, now[name])}
        return replace(value, **changed) if changed else value

    def _labels(self, labels: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.labels.get(label, label) for label in labels)


def called_labels(
    labels: Iterable[str],
    words: NameWords,
    *,
    known: Collection[str] | None = None,
    segments: Mapping[str, str] | None = None,
    kind: str = "marker",
) -> dict[str, str]:
    """Return what labels are called where names have no place; who is not in it keeps its own.

    Parameters
    ----------
    labels : Iterable[str]
        Of a session's recordings, each once.
    words : NameWords
        By which the person could be known.
    known : Collection[str] | None, optional
        Labels that tell nothing about anybody; those of the library's marker sets unless given.
    segments : Mapping[str, str] | None, optional
        Label -> place on the body, "L heel".
    kind : str, optional
        What is numbered: "marker" or "channel".

    Returns
    -------
    dict[str, str]
        Label -> its place, or kind and number among all labels: "marker_17".
    """
    harmless, places = known_labels() if known is None else known, segments or {}
    return {
        label: places.get(label, "").replace(" ", "_") or f"{kind}_{number}"
        for number, label in enumerate(labels, start=1)
        if label not in harmless or words.first_in(label)
    }


def _same_text(one: object, other: object) -> bool:
    return type(one) is type(other) and isinstance(one, str | tuple | dict) and one == other


def _is_vetted(label: str) -> bool:
    words = [folded(run) for run in runs_of(label) if len(run) >= SHORTEST_WORD]
    return bool(words) and all(word in vetted_words() for word in words)


@cache
def known_labels() -> frozenset[str]:
    """Return every label of a marker set that the library has.

    Returns
    -------
    frozenset[str]
        Labels, extra landmarks among them.
    """
    sets = [load_markerset(name) for name in MARKER_SETS]
    return frozenset(label for each in sets for label in (*each.labels, *each.extra_landmarks.values()))


def pseudonym(job: Job, files: Sequence[Path], intake: Intake) -> Pseudonym:
    """Return what everything of a session is called under the job's code.

    Parameters
    ----------
    job : Job
        What is asked for.
    files : Sequence[Path]
        Its recordings, those that cannot be read too.
    intake : Intake
        What was read of them.

    Returns
    -------
    Pseudonym
        Without a code one that leaves everything as it is.

    Raises
    ------
    OptionError
        A code that cannot stand in the name of a file on every system.
    """
    if not job.code:
        return Pseudonym()
    check_code(job.code)
    trials, exact = _recordings(job, files, {trial.path: trial for trial in intake.trials})
    exact |= _other_files(job, exact)
    exact |= {trial.subject.code: job.code for trial in intake.trials}
    # What a recording or a folder is called may be a word that is said all the time: walk, static.
    exact = {name: called for name, called in exact.items() if _may_identify(name)}
    conditions = dict.fromkeys(condition_of(job.subject_toml)(path.stem) for path in files)
    of_subject = [trial.subject.condition or "" for trial in intake.trials]
    keeps = frozenset(what for what in ("clinic", "comments", "conditions") if getattr(job.recipe, f"keep_{what}"))
    if "conditions" not in keeps:
        named = [name for name in dict.fromkeys([*conditions, *of_subject]) if name]
        exact |= {f"condition {name}": f"condition_{number}" for number, name in enumerate(named, start=1)}
    telling = sorted(_names(job, files, intake.trials), key=lambda name: name[1] == FILES)
    words = NameWords.of(telling, without=job.code)
    if "conditions" in keeps:
        # Who keeps conditions says that their words tell nothing, though files are called after them too.
        free = frozenset(word for name in conditions for word in words_of_name(name))
        words = NameWords(tuple((word, kind) for word, kind in words.kinds if kind != FILES or word not in free))
    return Pseudonym(job.code, exact, trials, words, keeps=keeps, files=tuple(files))


def check_code(code: str) -> None:
    """Refuse a code that cannot stand in the name of a file on every system.

    Parameters
    ----------
    code : str
        What stands in place of names.

    Raises
    ------
    OptionError
        It cannot.
    """
    if code and not is_plain(code):
        raise OptionError(
            f"The code {code!r} cannot stand in file names, where it replaces the subject's name.",
            value=code, expected=f"no {' '.join(sorted(IN_NO_FILE_NAME))}, and no space or dot at its ends", where=option("code"),
        )  # fmt: skip


def _may_identify(name: str) -> bool:
    if len(name) < SHORTEST_WORD or name.isdigit():
        return False
    return "." in name.strip(".") or not _is_vetted(name)


def _recordings(job: Job, files: Sequence[Path], read: Mapping[str, Trial]) -> tuple[dict[str, str], dict[str, str]]:
    """Name of a recording -> of its trial; and every way to name it, or a file that belongs to it -> what that is called."""
    counts: dict[str, int] = {}
    exact: dict[str, str] = {}
    trials: dict[str, str] = {}
    for path in files:
        word = _movement(job, path, read.get(str(path)))
        counts[word] = counts.get(word, 0) + 1
        stem = f"{job.code}_{word}{counts[word]:02d}"
        exact |= _ways(job, path, f"{stem}{path.suffix.lower()}") | {path.stem: stem}
        trials[path.stem] = stem
        for beside in () if job.given.trials else companions_of(path):
            exact |= _ways(job, beside, stem + beside.name.removeprefix(path.stem))
    return trials, exact


def _movement(job: Job, path: Path, trial: Trial | None) -> str:
    if trial is None:
        return "file"
    if path == job.static or (job.static is None and trial.markers.names and stands_still(trial)):
        return "static"
    if path in job.functional:
        return "functional"
    return recording_word(path.stem)


def recording_word(stem: str) -> str:
    """Return what the name of a recording says that somebody did in it, "trial" where it says nothing known.

    Parameters
    ----------
    stem : str
        Name of the recording without its ending.
    """
    words = [folded(run) for run in runs_of(stem)]
    return next((word for word in WORDS_OF_RECORDINGS if word in words and word != "static"), "trial")


def _ways(job: Job, path: Path, called: str) -> dict[str, str]:
    paths = {str(path), str(path.absolute()), str(path.resolve()), path.name}
    relative = () if job.given.trials else (job.relative(path),)
    return dict.fromkeys((*paths, *relative), called)


def _other_files(job: Job, recordings: Mapping[str, str]) -> dict[str, str]:
    named = {
        "subject": job.subject_toml,
        "examination": job.examination_csv,
        "review": job.review_toml,
        "norm": job.norm,
        **job.setting_files,
    }
    files = {
        way: called
        for what, path in named.items()
        if path is not None and str(path) not in recordings
        for way, called in _ways(job, path, f"{job.code}_{what}{path.suffix.lower()}").items()
    }
    folder = {} if job.given.trials else dict.fromkeys((str(job.folder), str(job.folder.resolve())), job.code or "")
    return files | folder


def _heads(labels: Sequence[str]) -> Iterator[str]:
    """What half of some labels or more begin with: a name."""
    heads = [match[0] for label in labels if label not in known_labels() and (match := re.match(r".+?(?=[:_.|/-])", label))]
    for head in dict.fromkeys(heads):
        if 2 * heads.count(head) >= len(labels):
            yield head


def left_out_finding(job: Job, clinic: Mapping[str, Any], review: Review, conditions: Iterable[str]) -> tuple[Finding, ...]:
    """Return what is to be said of a session under a code: what was left out of it.

    Parameters
    ----------
    job : Job
        What was asked for.
    clinic : Mapping[str, Any]
        The clinic's notes, as they are.
    review : Review
        What was decided by hand, as it is.
    conditions : Iterable[str]
        Condition of every trial; empty where it has none.
    """
    if not job.code:
        return ()
    recipe = job.recipe
    remarks = sum(
        bool(noted.reason or noted.author)
        for noted in chain(*(getattr(review, each.name) for each in fields(review) if each.name != "file"))
    )
    values = {
        "code": job.code,
        "clinic": 0 if recipe.keep_clinic else len(clinic),
        "comments": 0 if recipe.keep_comments else remarks + sum(not (noted.reason or noted.author) for noted in review.comments),
        "conditions": 0 if recipe.keep_conditions else len({name for name in conditions if name}),
    }
    return (Finding("under-a-code", values),)


def folders_that_tell(path: Path) -> Iterator[str]:
    """Yield the names of the folders above a file, as it is named and where it really lies.

    Parameters
    ----------
    path : Path
        A recording, as it was named.

    Yields
    ------
    Iterator[str]
        The nearest first; a name may come twice.
    """
    for parents in (path.absolute().parents, path.resolve().parents):
        yield from (folder.name for folder in list(parents)[:FOLDERS_THAT_TELL])


def _names(job: Job, files: Sequence[Path], trials: Sequence[Trial]) -> Iterator[tuple[str, str]]:
    """Everything that could tell who this is, with what kind of name it is."""
    for trial in trials:
        yield trial.subject.code, "a stored name"
        yield from ((head, "a stored name") for head in _heads(trial.markers.names))
        several = (finding.values["subjects"] for finding in trial.findings if finding.rule == "subjects-several")
        yield from ((str(name), "a stored name") for pairs in several for name, _ in cast(Sequence[tuple[str, int]], pairs))
    if job.subject_toml is not None:
        yield apply_subject_file(Subject(), job.subject_toml).code, "a stored name"
    others = [path for path in (job.subject_file, job.review, job.norm) if path is not None]
    for path in (*files, *others):
        yield path.stem, FILES
        for name in () if job.given.trials else folders_that_tell(path):
            yield name, "a folder's name"
    for pattern in job.exclude:
        yield pattern, FILES
