"""From a recording to one that can be analysed: short gaps filled, raw markers smoothed, and all of it said.

Two copies of the plates leave this room. Whether and when a foot is on the floor is judged from the plates as recorded; how hard it
pushes is taken from plates filtered like the markers, because forces and accelerations that differ in bandwidth make spikes in the
moments (van den Bogert and de Koning 1996, Can J Appl Physiol 21:339; Kristianslund et al. 2012, J Biomech 45:666).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anatomy import Part
from biomech_id.arguments import Kind, a, a_count, a_str, each, or_none, takes
from biomech_id.conventions import MM_PER_M
from biomech_id.errors import Finding, OptionError
from biomech_id.files.settings import refuse_unknown_options
from biomech_id.languages import Sentence
from biomech_id.models.poses.points import posed_alone
from biomech_id.movement.movement import CalibratedModel
from biomech_id.plates.matching import PlateFilter, match_plates
from biomech_id.request.in_memory import own_functions
from biomech_id.request.recipe import PrepareSettings, Recipe
from biomech_id.signal.filter_choice import FilterChoice, choose_filter
from biomech_id.signal.filters import filter_named
from biomech_id.signal.gap_repair import MATES, MOVEMENTS, repair_gaps
from biomech_id.signal.gaps import LEFT_OPEN, Gap, fill_gaps
from biomech_id.signal.marker_exchange import find_exchanges
from biomech_id.signal.marker_jumps import find_frozen_markers, find_marker_jumps, find_marker_slides
from biomech_id.signal.marker_paths import (
    LARGEST_SHAKE_M,
    find_filled_stretches,
    find_repeated_frames,
    find_shaking_markers,
    find_twin_paths,
)
from biomech_id.trial import Markers, Rotations, Trial
from biomech_id.values import asdict, dataclass, replace

#: In whose word a recording is not filtered: that of the system it comes from.
RECORDING = "recording"


@dataclass(frozen=True)
class Prepared:
    """A trial ready to be analysed.

    Attributes
    ----------
    trial : Trial
        Its markers under the model's labels, gaps filled, smoothed if they had to be; plates as recorded, and beside them
        `Trial.wrench_plates`, from which joint loads are computed; the model's subject.
    gaps : tuple[Gap, ...]
        What was missing, filled or not.
    filter : FilterChoice
        Whether and why the markers were smoothed.
    plate_filter : PlateFilter
        What was done to the plates for the joint loads, and why.
    """

    trial: Trial
    gaps: tuple[Gap, ...]
    filter: FilterChoice
    plate_filter: PlateFilter


@takes(
    trial=a(Trial, "read_c3d(path) returns it"),
    model=Kind(
        "a calibrated model",
        lambda v: hasattr(v, "track") and hasattr(v, "marker_groups"),
        hint="conventional_model(static) is one",
    ),
    recipe=or_none(a(Recipe)),
)
def prepare(trial: Trial, model: CalibratedModel, recipe: Recipe | None = None, **settings: Unpack[PrepareSettings]) -> Prepared:
    """Fill the gaps of a recording and smooth what is raw, markers and plates alike, exactly as the main job does.

    Parameters
    ----------
    trial : Trial
        The recording as read, unfilled and unfiltered.
    model : CalibratedModel
        Who was measured, which markers matter (only they are judged and filled), and which of them move together, for filling by
        the segment's other markers.
    recipe : Recipe | None, optional
        Longest gap and filter settings to start from; None for the default recipe.
    settings : PrepareSettings
        Fields of `Recipe` that matter here, by name: ``marker_filter="never"``, ``longest_gap_frames=20``, ...

    Returns
    -------
    Prepared
        The trial with its gaps filled and smoothed where it had to be, and what was done to it.

    Raises
    ------
    WrongTypeError
        Something else than a trial, a model or a recipe.
    OptionError
        A setting that does not exist, or a value that does not fit.

    Examples
    --------
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> prepared = bid.prepare(person.walk().trial, bid.conventional_model(person.static().trial))
    >>> prepared.filter.apply, prepared.gaps
    (False, ())
    """
    refuse_unknown_options(settings, PrepareSettings.__annotations__, where="prepare")
    with own_functions(settings) as (by_name, _):
        chosen = (recipe or Recipe()).replaced(**by_name)
        if "cutoff_hz" in settings and chosen.cutoff_hz >= trial.rate_hz / 2:
            raise OptionError(
                f"prepare has a cutoff_hz of {chosen.cutoff_hz:g} Hz for {trial.name}, recorded at {trial.rate_hz:g} Hz.",
                value=chosen.cutoff_hz, expected=f"below half the rate, {trial.rate_hz / 2:g} Hz", where="prepare",
            )  # fmt: skip
        return _prepared(trial, model, chosen)


def _prepared(trial: Trial, model: CalibratedModel, recipe: Recipe) -> Prepared:
    recorded, names = replace(model.named(trial), subject=model.subject), model.marker_names
    trial = recorded
    markers, gaps = _filled(trial, names, model.marker_groups, recipe)
    columns = [markers.names.index(name) for name in names if name in markers]
    already = _filtered_already(recipe, recorded)
    choice = choose_filter(
        markers.position_m[:, columns],
        trial.rate_hz,
        mode="never" if already else filter_mode(recipe),
        smooth_below_m=recipe.smooth_below_mm * 1e-3,
        cutoff_hz=recipe.cutoff_hz,
        kind=filter_named(recipe.lowpass),
    )
    choice = replace(choice, mode=RECORDING) if already else choice
    trial = _with_filled(trial, markers, gaps, recipe)
    plates, plate_filter = match_plates(
        recorded, choice, model.marker_groups,
        cutoff_hz=recipe.plate_cutoff_hz, lowpass=recipe.lowpass, kinetics=recipe.kinetics,
    )  # fmt: skip
    if choice.apply:
        smooth = markers.with_positions(choice.lowpass.apply(markers.position_m, trial.rate_hz, choice.cutoff_hz))
        filtered = {"cutoff_hz": choice.cutoff_hz, "filter": choice.lowpass.words}
        trial = trial.after(Sentence("markers-filtered", filtered), markers=smooth, rotations=_smooth(trial.rotations, choice))
    findings = [*_exchanged(recorded, model), *_displaced(recorded, model, choice), choice.finding(trial.name)]
    findings += [plate_filter.finding(trial.name)] if plates else []
    trial = replace(trial, findings=(*trial.findings, *findings), wrench_plates=plates)
    return Prepared(trial, gaps, choice, plate_filter)


@takes("fill_gaps", trial=a(Trial, "read(path) returns it"), longest=a_count(0), groups=each(each(a_str())))
def fill_gaps_of(trial: Trial, longest: int = 10, *, groups: Sequence[Sequence[str]] = ()) -> Trial:
    """Fill the gaps of all markers of a recording, up to a length, without a body model.

    Parameters
    ----------
    trial : Trial
        The recording as read.
    longest : int, optional
        Longest gap to be filled, frames.
    groups : Sequence[Sequence[str]], optional
        Names of markers that are fixed to one segment each, for filling by rigid body; others are filled by a spline.

    Returns
    -------
    Trial
        The same recording, its markers filled (``markers.filled`` says where), with a line in its history.

    Examples
    --------
    >>> import numpy as np
    >>> import biomech_id as bid
    >>> path_m = np.linspace(0.0, 1.0, 50)[:, None] * np.ones(3)
    >>> path_m[20:24] = np.nan
    >>> filled = bid.fill_gaps(bid.Trial.from_arrays({"LHEE": path_m}, 100.0), longest=10)
    >>> filled.markers.filled is not None and int(filled.markers.filled.sum())
    4
    """
    markers = trial.markers
    position, filled, gaps = fill_gaps(
        markers.position_m, markers.names, longest=longest, first_frame=trial.first_frame, groups=groups
    )
    n_filled = sum(gap.method != LEFT_OPEN for gap in gaps)
    if not n_filled:
        return trial
    history = Sentence("gaps-filled", {"n": n_filled, "longest": longest})
    return trial.after(history, markers=markers.with_positions(position, filled=filled))


def filter_mode(recipe: Recipe) -> str:
    """Whether to filter: what the recipe says, but never unasked in vicon mode, where the vendor's own pipeline has done it.

    Parameters
    ----------
    recipe : Recipe
        Settings of the main job.
    """
    return "never" if recipe.kinetics == "vicon" and recipe.marker_filter == "auto" else recipe.marker_filter


def _smooth(poses: Rotations, choice: FilterChoice) -> Rotations:
    """Poses through the same filter as the markers."""
    return poses.smoothed(lambda path: choice.lowpass.apply(path, poses.rate_hz, choice.cutoff_hz)) if poses.names else poses


def _filtered_already(recipe: Recipe, trial: Trial) -> bool:
    """Whether the system that recorded poses has filtered them, no markers are beside them, and nobody asks for a filter."""
    return recipe.marker_filter == "auto" and bool(trial.rotations.cutoff_hz) and posed_alone((trial,))


def _filled(
    trial: Trial, names: Sequence[str], groups: Mapping[Part, Sequence[str]], recipe: Recipe
) -> tuple[Markers, tuple[Gap, ...]]:
    """Fill the gaps of the model's markers, if need be from all the others; those are nobody's business and stay as they are."""
    markers = trial.markers
    present = [name for name in names if name in markers]
    columns = [markers.names.index(name) for name in present]
    given: dict[str, Any] = {"first_frame": trial.first_frame, "groups": tuple(groups.values())}
    position, _, gaps = fill_gaps(markers.position_m[:, columns], present, longest=recipe.longest_gap_frames, **given)
    if not gaps or not recipe.longest_gap_frames:
        return markers, gaps
    everything = markers.position_m.copy()
    everything[:, columns] = position
    longest = round(recipe.longest_repair_s * trial.rate_hz)
    everything, gaps = repair_gaps(markers.position_m, markers.names, everything, gaps, longest=longest, **given)
    filled: BoolArray = np.asarray((np.isfinite(everything) & np.isnan(markers.position_m)).all(axis=2))
    return (markers.with_positions(everything, filled=filled) if filled.any() else markers), gaps


def _exchanged(trial: Trial, model: CalibratedModel) -> Iterator[Finding]:
    """Yield the pairs of the model's markers whose labels changed places since the static trial or within the trial."""
    names = [name for name in model.marker_names if name in trial.markers]
    if len(names) < 2:
        return
    static, reference = None if model.static is None else model.static.markers, None
    if static is not None:
        nowhere = np.full((static.n_frames, 3), np.nan)
        reference = np.stack([static[name] if static.present(name) else nowhere for name in names], axis=1)
    position = np.stack([trial.markers[name] for name in names], axis=1)
    for exchange in find_exchanges(position, names, first_frame=trial.first_frame, reference_m=reference):
        yield Finding("markers-exchanged", asdict(exchange), trial.name)


def _displaced(trial: Trial, model: CalibratedModel, choice: FilterChoice) -> Iterator[Finding]:
    """Yield the model's markers that jump, slide or stand still, as recorded: a filter would spread what is short."""
    paths = {name: trial.markers[name] for name in model.marker_names if name in trial.markers}
    cutoff_hz = choice.cutoff_hz if choice.apply else None
    groups = model.marker_groups.values()
    jumps = find_marker_jumps(paths, groups, trial.rate_hz, first_frame=trial.first_frame, cutoff_hz=cutoff_hz)
    if jumps:
        worst = jumps[0]
        values = {"marker": worst.name, "size_mm": MM_PER_M * worst.size_m, "frames": worst.frames}
        yield Finding("marker-jumps", {**values, "others": tuple(jump.name for jump in jumps[1:])}, trial.name)
    for slide in find_marker_slides(paths, groups)[:1]:
        values = {"first": slide.first, "second": slide.second, "change_mm": MM_PER_M * slide.change_m}
        yield Finding("marker-slides", values, trial.name)
    for frozen in find_frozen_markers(paths, groups, trial.rate_hz, first_frame=trial.first_frame)[:1]:
        values = {"marker": frozen.name, "first": frozen.first_frame, "last": frozen.last_frame}
        yield Finding("marker-stands-still", values, trial.name)
    yield from _badly_written(trial, paths)


def _badly_written(trial: Trial, paths: Mapping[str, FloatArray]) -> Iterator[Finding]:
    """Yield frames that are written twice, markers that shake, labels of one path, and paths that were not measured."""
    repeated = find_repeated_frames(paths, first_frame=trial.first_frame)
    if repeated:
        yield Finding("frames-repeated", {"n": len(repeated), "first": repeated[0]}, trial.name)
    for name, sd_m in find_shaking_markers(paths, trial.rate_hz)[:1]:
        yield Finding(
            "marker-shakes", {"marker": name, "sd_mm": MM_PER_M * sd_m, "limit_mm": MM_PER_M * LARGEST_SHAKE_M}, trial.name
        )
    for first, second in find_twin_paths(paths)[:1]:
        yield Finding("markers-one-path", {"first": first, "second": second}, trial.name)
    filled = find_filled_stretches(paths, trial.rate_hz, first_frame=trial.first_frame)
    for stretch in filled[:1]:
        others = tuple(dict.fromkeys(each.name for each in filled if each.name != stretch.name))
        values = {"marker": stretch.name, "first": stretch.first_frame, "last": stretch.last_frame, "like": stretch.like}
        way = "marker" if stretch.like else "polynomial"
        yield Finding("path-filled", {**values, "way": way, "others": others}, trial.name)


def _with_filled(trial: Trial, markers: Markers, gaps: Sequence[Gap], recipe: Recipe) -> Trial:
    """The trial with its filled markers, and with what was filled in its history."""
    repaired = [gap.error_m for gap in gaps if gap.method in (MATES, MOVEMENTS)]
    n_filled = sum(gap.method != LEFT_OPEN for gap in gaps) - len(repaired)
    if n_filled:
        trial = trial.after(Sentence("gaps-filled", {"n": n_filled, "longest": recipe.longest_gap_frames}), markers=markers)
    if repaired:
        trial = trial.after(Sentence("gaps-repaired", {"n": len(repaired), "error_mm": MM_PER_M * max(repaired)}), markers=markers)
    return trial
