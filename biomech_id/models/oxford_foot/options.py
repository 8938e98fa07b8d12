"""What a laboratory may decide of the Oxford foot model."""

from __future__ import annotations

from biomech_id.values import dataclass


@dataclass(frozen=True)
class FootOptions:
    """Options of the Oxford foot model.

    Attributes
    ----------
    flat : str, optional
        "yes": the hindfoot's sole was level in the static trial; "no": as its markers show it; "auto": whichever agrees with what
        the file stores, else level where the heel marker stands low.
    floor : str, optional
        "yes" or "no": whether the metatarsal heads stood as low as the fifth metatarsal's base; "auto": as the file says, else not.
    heel_passes : int, optional
        How often the heel is smoothed: once, unless an archive is to be repeated; 0 takes the smoothed heel that the file stores.
    widths : str, optional
        "mean" of both sides' knees and ankles as the plug-in takes them, or "own".
    last_frame : bool, optional
        Whether the last frame counts in the means of the smoothing; it does not in the plug-in's version 2.11.
    source : str, optional
        "auto": calibrated by what the walk's file stores, else by the static trial; or "stored", "static" alone.
    """

    flat: str = "auto"
    floor: str = "auto"
    heel_passes: int = 1
    widths: str = "mean"
    last_frame: bool = True
    source: str = "auto"
