"""The body models by name. Light to import: a model's own code is loaded when somebody asks for the model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from biomech_id.plugins import Registry

if TYPE_CHECKING:
    from biomech_id.models.model import BodyModel

#: Name -> the model.
_MODELS: Registry[str, BodyModel] = Registry("body model", {
    "conventional": "biomech_id.models.conventional.model:CONVENTIONAL",
    "six-dof": "biomech_id.models.six_dof.model:SIX_DOF",
    "poses": "biomech_id.models.poses.model:POSES",
})  # fmt: skip
#: Name -> a model that has a body only with a file of the laboratory's: no name that a recipe gives alone.
_OF_FILES: Registry[str, BodyModel] = Registry("body model of a file", {"opensim": "biomech_id.osim.body_model:OPENSIM_FILE"})
#: The one whose file is an OpenSim model; the environment variable that names the folder of a laboratory's; where public ones are.
OPENSIM, MODELS_FOLDER = "opensim", "BIOMECH_ID_MODELS"
_SUFFIX, _PUBLIC_MODELS = ".osim", "https://github.com/opensim-org/opensim-models"
#: What every folder of results without a model's name was made with.
DEFAULT_MODEL = "conventional"
#: What a recipe that does not say gets: the first of these that a session can be analysed with.
AUTO, AUTO_MODELS = "auto", ("conventional", "six-dof")
#: The one for recordings without markers, whose file brings the poses of the segments.
MARKERLESS = "poses"


def register(model: BodyModel) -> BodyModel:
    """Make a body model known by its name.

    Parameters
    ----------
    model : BodyModel
        A second one of a name takes the first's place.

    Returns
    -------
    BodyModel
        The same model, so that a module can register what it defines.
    """
    _MODELS[model.name] = model
    return model


def model_names() -> tuple[str, ...]:
    """Return the names of all body models.

    Returns
    -------
    tuple[str, ...]
        As recipes spell them, the library's own first.
    """
    return tuple(_MODELS)


def body_model(name: str) -> BodyModel:
    """Return a body model by its name.

    Parameters
    ----------
    name : str
        As recipes spell it: "conventional".

    Returns
    -------
    BodyModel
        Its module is imported when it is first asked for.

    Raises
    ------
    OptionError
        There is none of that name.
    """
    return (_OF_FILES if name in _OF_FILES else _MODELS).named(name, "model")


def model_file(model: object) -> Path | None:
    """Return the OpenSim model that a recipe's ``model`` means, by its path or by its name.

    No OpenSim model is shipped: a name is looked for in the folder that BIOMECH_ID_MODELS names, where it is that of a file, or
    how the name of one file only begins.

    Parameters
    ----------
    model : object
        As a recipe or ``--model`` says it.

    Returns
    -------
    Path | None
        Path of an ``.osim`` file, which need not exist where a path was given; None for anything else.
    """
    if not isinstance(model, str) or not model or model in (AUTO, OPENSIM, *_MODELS):
        return None
    if model.lower().endswith(_SUFFIX):
        return Path(model)
    folder = os.environ.get(MODELS_FOLDER)
    if not folder or not Path(folder).is_dir():
        return None
    files = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() == _SUFFIX)
    exact = [path for path in files if path.stem.lower() == model.lower()]
    matching = exact or [path for path in files if path.stem.lower().startswith(model.lower())]
    return matching[0] if len(matching) == 1 else None


def is_model(model: object) -> bool:
    """Whether a recipe's ``model`` means a body model.

    Parameters
    ----------
    model : object
        As a recipe or ``--model`` says it.
    """
    return model in (AUTO, *_MODELS) or model_file(model) is not None


def registered_name(model: str) -> str:
    """Return the name of the body model that a recipe's ``model`` means.

    Parameters
    ----------
    model : str
        As a recipe or ``--model`` says it.

    Returns
    -------
    str
        "opensim" for every OpenSim model, else the name itself.
    """
    return model if model_file(model) is None else OPENSIM


def no_model(model: object) -> str:
    """Say what a ``model`` that means none could be.

    Parameters
    ----------
    model : object
        As a recipe or ``--model`` says it.

    Returns
    -------
    str
        One sentence: the known names, and where OpenSim's models are to be had.
    """
    folder = os.environ.get(MODELS_FOLDER)
    looked = f"{folder} ({MODELS_FOLDER}) holds no single {model}*{_SUFFIX}" if folder else f"{MODELS_FOLDER} names no folder"
    known = ", ".join((AUTO, *_MODELS))
    return (
        f"{model!r} is not one of {known}, nor an OpenSim model that is at hand: {looked}; give the path of a {_SUFFIX} file "
        f"(public ones: {_PUBLIC_MODELS})."
    )
