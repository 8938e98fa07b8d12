"""One diagnosis of all that contradicts itself in a walk: residuals, the causes that explain them, and what could not be said.

In: a walk as read and the conventional model of its session; rows of residuals (``spread.csv``, ``correlation.csv``), of causes
(``causes.csv``). Out: `Diagnosis`, which ``run`` turns into findings where its recipe asks for it. A newcomer
adds a residual where `of_legs` or `of_plates` makes the others, with its row in ``spread.csv``, and a cause as a row of `CAUSES`.
"""

from typing import TYPE_CHECKING

from biomech_id.doors import door

if TYPE_CHECKING:
    from biomech_id.judgement.diagnosis.causes import CAUSES
    from biomech_id.judgement.diagnosis.diagnosis import Diagnosis, Found, diagnose

__all__ = ["CAUSES", "Diagnosis", "Found", "diagnose"]

__getattr__, __dir__ = door(__name__, {"CAUSES": "causes", "Diagnosis": "diagnosis", "Found": "diagnosis", "diagnose": "diagnosis"})
