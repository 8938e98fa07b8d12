"""The body models by name. Light to import: a model's own code is loaded when somebody asks for the model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from biomech_id.errors import OptionError

if TYPE_CHECKING:
    from biomech_id.models.model import BodyModel

#: Name -> the model, or where it is found when somebody asks for it.
_MODELS: dict[str, BodyModel | str] = {
    "conventional": "biomech_id.models.conventional.model:CONVENTIONAL",
    "six-dof": "biomech_id.models.six_dof.model:SIX_DOF",
}
#: What every folder of results without a model's name was made with.
DEFAULT_MODEL = "conventional"
#: What a recipe that does not say gets: the first of these that a session can be analysed with.
AUTO, AUTO_MODELS = "auto", ("conventional", "six-dof")


def register(model: BodyModel) -> BodyModel:
    """Make a body model known by its name, and return it; a second one of that name takes the first's place.

    Parameters
    ----------
    model : BodyModel
        The body model.
    """
    _MODELS[model.name] = model
    return model


def model_names() -> tuple[str, ...]:
    """Return the names of all body models."""
    return tuple(_MODELS)


def body_model(name: str) -> BodyModel:
    """Return a body model by its name.

    Parameters
    ----------
    name : str
        Its name.

    Raises
    ------
    OptionError
        There is none of that name.
    """
    known = _MODELS.get(name)
    if known is None:
        raise OptionError(
            f"There is no body model named {name}; there are {', '.join(_MODELS)}.",
            value=name, expected=" | ".join(_MODELS), where="model",
        )  # fmt: skip
    if isinstance(known, str):
        module, _, attribute = known.partition(":")
        model: BodyModel = getattr(import_module(module), attribute)
        _MODELS[name] = known = model
    return known
