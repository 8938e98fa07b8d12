"""What a run is asked to do: inputs, recipe and the options that are not settings."""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from biomech_id.errors import Cure, MissingInputError, OptionError, option
from biomech_id.files.inputs import sha256_of, state_of
from biomech_id.files.output_names import leads_elsewhere
from biomech_id.files.unfinished import is_unfinished
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.review import Review
from biomech_id.models.registry import model_file
from biomech_id.readers.formats import FORMATS, companions_of, recordings_among
from biomech_id.request.in_memory import InMemory
from biomech_id.request.input_hashes import InputHashes
from biomech_id.request.recipe import Recipe
from biomech_id.request.review_file import read_review, refuse_contradictions, verdict_from
from biomech_id.session.output.manifest import UNVERIFIED
from biomech_id.values import dataclass, field, replace

#: How a setting that is the name of a file ends: a marker set, an inertial table, an OpenSim model.
SETTING_FILES = (".toml", ".csv", ".osim")
#: Settings that may name one.
FILE_SETTINGS = ("marker_set", "inertia_table", "extra_forces", "plate_population", "model")


@dataclass(frozen=True)
class Job:
    """One subject's analysis, as asked for.

    Attributes
    ----------
    paths : tuple[Path, ...]
        One folder, or recordings; of a folder the first format in `readers.formats` that has files there serves.
    recipe : Recipe, optional
        Every setting; the default recipe unless given.
    static : Path | None, optional
        The static trial, or None to find it.
    functional : tuple[Path, ...], optional
        Trials in which hips circle or knees bend.
    exclude : tuple[str, ...], optional
        Patterns of file names to leave out; one that is the whole name of a file means that file.
    subject_file : Path | None, optional
        A subject.toml, or None for the folder's own.
    mass_kg : float | None, optional
        Body mass that beats every file.
    norm : Path | None, optional
        CSV file of a norm; None draws no norm.
    code : str | None, optional
        Replaces the subject's name everywhere.
    review : Path | None, optional
        A review.toml, or None for the folder's own.
    given : InMemory, optional
        Recordings made in memory (``paths`` are then their names), functions and forces of the user's own.
    key : Path | None, optional
        The laboratory's key, with which hashes of all inputs but C3D files are made under a code; None for no such hashes.
    recorded : Mapping[str, str], optional
        What finished results tell of their inputs, repeated where there is no key to tell it anew.
    remembered : Mapping[str, Any] | None, optional
        What finished results took from the laboratory's memory, used in place of the folder; None reads the folder.
    """

    paths: tuple[Path, ...]
    recipe: Recipe = field(default_factory=Recipe)
    static: Path | None = None
    functional: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    subject_file: Path | None = None
    mass_kg: float | None = None
    norm: Path | None = None
    code: str | None = None
    review: Path | None = None
    given: InMemory = field(default_factory=InMemory)
    key: Path | None = None
    recorded: Mapping[str, str] = field(default_factory=dict)
    remembered: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        # Who writes Python passes paths as texts, and a single pattern on its own: a text is a sequence too.
        for name in ("static", "subject_file", "norm", "review", "key"):
            path = getattr(self, name)
            object.__setattr__(self, name, None if path is None else Path(path))
        several = (self.functional,) if isinstance(self.functional, str | PathLike) else self.functional or ()
        # A trial is called what messages call it: its name, without folder and ending.
        object.__setattr__(self, "functional", tuple(self._recording(Path(path)) for path in several))
        object.__setattr__(self, "static", self.static and self._recording(self.static))
        object.__setattr__(self, "exclude", (self.exclude,) if isinstance(self.exclude, str) else tuple(self.exclude))
        if self.mass_kg is not None and not (isinstance(self.mass_kg, float | int) and 2.0 <= self.mass_kg <= 400.0):
            called = option("mass_kg")
            words = f"{called} is {self.mass_kg!r} kg; a person has 2 to 400 kg."
            raise OptionError(words, value=self.mass_kg, expected="2 to 400 kg", where=called)
        if self.code is not None and not self.code.strip():
            raise OptionError(
                f"{option('code')} is empty; it must be what stands in place of the subject's name.",
                value=self.code, expected=f"a code, or no {option('code')}", where=option("code"),
            )  # fmt: skip
        if self.code and self.recipe.write_c3d:
            raise OptionError(
                f"{option('write_c3d')} copies recordings, and these hold the subject's name: it cannot go together with "
                f"{option('code')}.",
                value=self.code, expected=f"one of {option('write_c3d')} and {option('code')}", where=option("code"),
            )  # fmt: skip

    def _recording(self, named: Path) -> Path:
        """A recording as named, or the one of that name among the recordings to be analysed."""
        if self.given.trials or named.exists() or named.parent != Path():
            return named
        given = [path for path in self.paths if path.is_file()]
        beside = (path for folder in self.paths if folder.is_dir() for path in sorted(folder.iterdir()))
        alike = [path for path in (*given, *recordings_among(beside)) if named.name in (path.name, path.stem)]
        return alike[0] if alike else named

    @property
    def folder(self) -> Path:
        """The subject's folder:
        the one given, or the one that holds the first file.
        """
        if self.given.trials:
            return Path()
        first = self.paths[0]
        return first if first.is_dir() else first.parent

    @property
    def subject_toml(self) -> Path | None:
        """The subject file in force, if there is one."""
        return self.subject_file or self._own("subject.toml")

    @property
    def examination_csv(self) -> Path | None:
        """The clinical examination in the subject's folder, if there is one."""
        return self._own("examination.csv")

    @property
    def review_toml(self) -> Path | None:
        """The review in force, if there is one."""
        return self.review or self._own("review.toml")

    def _own(self, name: str) -> Path | None:
        """A file of the subject's folder; recordings made in memory have no folder."""
        own = self.folder / name
        return own if own.is_file() and not self.given.trials else None

    @property
    def recipe_verdicts(self) -> tuple[StanceVerdict, ...]:
        """Verdicts on stances that the recipe holds."""
        return tuple(map(verdict_from, self.recipe.stance_verdicts))

    def decisions(self) -> Review:
        """Return what somebody decided by hand: the recipe's verdicts on stances, and behind them the review, which counts.

        Raises
        ------
        OptionError
            One cannot be read, or two of one source contradict each other.
        """
        of_recipe = self.recipe_verdicts
        refuse_contradictions(of_recipe, "stance_verdicts")
        reviewed = Review() if self.review_toml is None else read_review(self.review_toml)
        return replace(reviewed, verdicts=of_recipe + reviewed.verdicts)

    def files(self) -> tuple[Path, ...]:
        """Recordings of this job, sorted by name, without the excluded ones.

        Raises
        ------
        MissingInputError
            No such path, or no recording in it.
        OptionError
            Two files with one stem, which would write to one table; a name that cannot be printed.
        """
        self.check_named()
        if self.given.trials:
            return self.paths
        recordings: list[Path] = []
        for path in self.paths:
            if not path.exists():
                raise MissingInputError.at(path, f"There is no file or folder {path}.", "a folder with C3D files, or C3D files")
            recordings += _recordings(path) if path.is_dir() else [path]
        recordings += [special for special in (self.static, *self.functional) if special is not None]
        recordings = list({p.resolve(): p for p in reversed(recordings)}.values())[::-1]
        names = without_excluded([path.name for path in recordings], self.exclude)
        kept = [path for path in recordings if path.name in names]
        if recordings and not kept:
            raise MissingInputError(
                f"{option('exclude')} {' '.join(self.exclude)} leaves none of the {len(recordings)} recordings of {self.folder}.",
                value=self.exclude, expected="patterns that leave some", where=str(self.folder),
            )  # fmt: skip
        if not kept:
            others = "".join(f", and no {suffix} file" for suffix in FORMATS if suffix != ".c3d")
            words = f"{self.paths[0]} holds no C3D file{others} (`run` does not look into folders inside it; `batch` does)."
            raise MissingInputError.at(self.paths[0], words, f"at least one {' or '.join(FORMATS)} file")
        refuse_alike(kept)
        return tuple(kept)

    def check_named(self) -> None:
        """Refuse what an option or a setting names and is not there, before anything is computed.

        Raises
        ------
        MissingInputError
            A file is not there; the message names the option.
        """
        named = {option(name): getattr(self, name) for name in ("norm", "subject_file", "review")}
        own = {option(name) if name == "model" else name: path for name, path in self.setting_files.items()}
        special = [(option("static"), self.static), *((option("functional"), path) for path in self.functional)]
        listed = [*named.items(), *([] if self.given.trials else special), *own.items()]
        for called, path in listed:
            if path is not None and not path.is_file():
                raise MissingInputError(
                    f"There is no file {path}, which {called} names.", value=str(path), expected="an existing file", where=called
                )
            if path is not None:
                refuse_unfit(path)
        if self.recipe.lab and self.remembered is None:
            lab = Path(self.recipe.lab)
            words = ""
            if not lab.is_dir():
                words = f"There is no folder {lab} with past results, which {option('lab')} names."
            elif next(lab.rglob("summary.json"), None) is None and any(map(_is_recording, lab.rglob("*"))):
                words = f"{lab}, which {option('lab')} names, holds recordings and no results; name what run or batch wrote."
            if words:
                raise MissingInputError(words, value=str(lab), expected="a folder of what run or batch wrote", where=option("lab"))

    def command(self) -> str:
        """The canonical command that repeats this run, with paths relative to the subject's folder and without ``-o``."""
        words = ["biomech-id", "run"]
        if self.given.trials:
            return f"biomech_id.analyse({', '.join(map(str, self.paths))})"
        words += ["."] if self.paths[0].is_dir() else [self.relative(p) for p in self.paths]
        functional = [("--functional", path) for path in self.functional]
        for called, path in (("--static", self.static), *functional, ("--norm", self.norm)):
            words += [called, self.relative(path)] if path else []
        if self.subject_file:
            words += ["--subject", self.relative(self.subject_file)]
        words += ["--review", self.relative(self.review)] if self.review else []
        for pattern in self.exclude:
            words += ["--exclude", pattern]
        words += ["--mass", f"{self.mass_kg:.9g}"] if self.mass_kg is not None else []
        words += ["--code", self.code] if self.code else []
        model = self.setting_files.get("model")
        words += ["--model", self.relative(model) if model else self.recipe.model, "--kinetics", self.recipe.kinetics]
        words += ["--muscle-forces"] if self.recipe.muscle_forces else []
        words += ["--write-c3d"] if self.recipe.write_c3d else []
        words += ["--review-page"] if self.recipe.review_page else []
        return shlex.join(words)

    @property
    def setting_files(self) -> dict[str, Path]:
        """Settings that name a file of the laboratory's own, by their name."""
        values = {name: getattr(self.recipe, name) for name in FILE_SETTINGS if name != "model"}
        own = {name: Path(value) for name, value in values.items() if Path(value).suffix.lower() in SETTING_FILES}
        osim = model_file(self.recipe.model)
        return own | ({"model": osim} if osim is not None else {})

    def settings(self) -> dict[str, dict[str, Any]]:
        """Every setting by section, as the manifest holds them: without absolute paths."""
        names = {name: self.relative(path) for name, path in self.setting_files.items()}
        return self.recipe.replaced(**names, lab=Path(self.recipe.lab).name).as_dict()

    def relative(self, path: Path) -> str:
        """Return a path as the manifest holds it: relative to the subject's folder, or the bare name of what lies elsewhere.

        Parameters
        ----------
        path : Path
            An input of the job, wherever it lies.
        """
        try:
            return path.resolve().relative_to(self.folder.resolve()).as_posix()
        except ValueError:
            # Outside the folder only the name is kept: a manifest holds no absolute path.
            return path.name

    def input_files(self, files: Sequence[Path] | None = None) -> dict[str, Path]:
        """Every file that can change a number, by its path relative to the subject's folder; nothing is read.

        Parameters
        ----------
        files : Sequence[Path] | None, optional
            The recordings, where they have been listed; None lists them.

        Raises
        ------
        MissingInputError, OptionError
            As for `files`.
        """
        recordings = () if self.given.trials else self.files() if files is None else files
        beside = [path for recording in recordings for path in companions_of(recording)]
        # One that is no file changes no number, and reading it says why; pipes are not waited for.
        there = [path for path in (*recordings, *beside) if state_of(path) is not None]
        return {self.relative(path): path for path in (*there, *self._named_files())}

    def _named_files(self) -> tuple[Path, ...]:
        own = self.setting_files
        # What a fit says of its model is read with it.
        fits = [fit for path in own.values() if (fit := path.with_name("fit.json")).is_file()]
        named = (self.subject_toml, self.examination_csv, self.review_toml, self.norm, *own.values(), *fits)
        return tuple(path for path in named if path is not None)

    @property
    def hashes(self) -> InputHashes:
        """How the manifest tells what an input held."""
        return InputHashes.of(self.code, self.key)

    def manifest_inputs(self, sha256: Mapping[str, str], called: Mapping[str, str]) -> dict[str, str]:
        """Return what the manifest says of inputs: what each is called there -> the hash, or what was recorded where there is none.

        Parameters
        ----------
        sha256 : Mapping[str, str]
            Path relative to the subject's folder -> hash of its content.
        called : Mapping[str, str]
            The same path -> what the manifest calls it.
        """
        hashes = self.hashes
        entries = {called[name]: hashes.entry(name, digest) for name, digest in sha256.items()}
        return {name: self.recorded.get(name, entry) if entry == UNVERIFIED else entry for name, entry in entries.items()}

    def inputs(self) -> dict[str, str]:
        """Every file that can change a number, as path relative to the subject's folder -> what the manifest says it holds now.

        Raises
        ------
        MissingInputError, OptionError
            As for `files`; or a named file that cannot be read.
        """
        entries, needed, hashes = {}, self._named_files(), self.hashes
        for name, path in self.input_files().items():
            try:
                entries[name] = hashes.entry(name, sha256_of_input(path))
            except MissingInputError:
                if path in needed:
                    raise
        return entries


def _is_recording(path: Path) -> bool:
    """Whether it is a C3D file, and no copy in a folder that is still being written."""
    return path.suffix.lower() == ".c3d" and not any(map(is_unfinished, path.parts))


def without_excluded(names: Collection[str], exclude: Iterable[str]) -> list[str]:
    """Return the names of files that nobody leaves out; a pattern that is the whole name of one means that one alone.

    Parameters
    ----------
    names : Collection[str]
        Of files, without their folder.
    exclude : Iterable[str]
        Names, or patterns as in a shell.

    Examples
    --------
    >>> from biomech_id.request.job import without_excluded
    >>> without_excluded(["walk1.c3d", "walk[1].c3d", "static.c3d"], ["walk[1].c3d", "st*"])
    ['walk1.c3d']
    """
    patterns = list(exclude)
    exact = {pattern for pattern in patterns if pattern in names}
    loose = [pattern for pattern in patterns if pattern not in exact]
    return [name for name in names if name not in exact and not any(fnmatch.fnmatch(name, pattern) for pattern in loose)]


def refuse_alike(paths: Iterable[Path]) -> None:
    """Refuse recordings that would write to one table, and names that no table could hold.

    Parameters
    ----------
    paths : Iterable[Path]
        Recordings of one session.

    Raises
    ------
    OptionError
        Two files with one stem; a name that cannot be printed.
    """
    stems: dict[str, Path] = {}
    for path in paths:
        refuse_unfit(path)
        if path.stem.casefold() in stems:
            raise OptionError(
                f"{path} and {stems[path.stem.casefold()]} have the same name; rename one or leave it out with "
                f"{option('exclude')}.",
                value=path.stem, expected="file names that differ", where=str(path),
            ).cured_by(Cure("names-alike", "--exclude", ((path.name,), (stems[path.stem.casefold()].name,))))  # fmt: skip
        stems[path.stem.casefold()] = path


def refuse_unprintable(path: Path) -> None:
    """Refuse a name that holds bytes which are no text, as archives of other systems leave them; no table could hold it.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    OptionError
        With the name as far as it can be printed.
    """
    shown = str(path).encode("utf-8", "replace").decode()
    if shown != str(path):
        words = f"The name of {shown} holds characters that are no text (unpacked from another system?); rename it."
        raise OptionError.at(shown, words, "a name that can be printed")


def refuse_unfit(path: Path) -> None:
    """Refuse a file whose name no table could hold, or that the manifest would name by another system's path.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    OptionError
        With the name as far as it can be printed.
    """
    refuse_unprintable(path)
    if leads_elsewhere(path.name):
        words = f"The name of {path} is a path on Windows, for it holds a backslash, or a colon in the second place; rename it."
        raise OptionError.at(path, words, "a name that means the same file on every system")


def _recordings(folder: Path) -> list[Path]:
    """The recordings of a folder.

    Raises
    ------
    MissingInputError
        The folder may not be listed.
    """
    try:
        files = sorted(folder.iterdir())
    except OSError as error:
        raise MissingInputError.at(folder, f"{folder} cannot be looked into: {error.strerror}.", "a readable folder") from error
    return recordings_among(files)


def sha256_of_input(path: Path) -> str:
    """Return the SHA-256 of an input as 64 hexadecimal digits.

    Parameters
    ----------
    path : Path
        File whose bytes are hashed.

    Raises
    ------
    MissingInputError
        The file cannot be read.
    """
    try:
        return sha256_of(path)
    except OSError as error:
        raise MissingInputError.at(path, f"{path} cannot be read: {error.strerror}.", "a readable file") from error
