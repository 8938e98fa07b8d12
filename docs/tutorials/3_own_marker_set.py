"""Your own marker set

Laboratories call their markers what they like. A marker set is a text file that says what each label lies on.
"""

# %% A laboratory with its own names
# Here every marker of the virtual subject gets another name, as if your system had recorded it so.
import tempfile
from dataclasses import replace
from pathlib import Path

import biomech_id as bid

person = bid.virtual_subject()
called = {"ASI": "PELV_F", "PSI": "PELV_B", "THI": "UPLEG", "KNE": "KNEE_O", "TIB": "LOLEG", "ANK": "ANKLE_O", "HEE": "CALC", "TOE": "FOREFT"}


def renamed(trial: bid.Trial) -> bid.Trial:
    names = tuple(f"{called[name[1:]]}_{name[0]}" if name[1:] in called else name for name in trial.markers.names)
    return replace(trial, markers=replace(trial.markers, names=names))


static, walk = renamed(person.static().trial), renamed(person.walk().trial)
walk.markers.names[:6]

# %% The marker set, a text file
# `{s}` stands for L and R. Roles are on the left, your labels on the right.
text = """schema = 1
title = "Our laboratory's markers"
source = "our manual, 2026"
models = ["conventional", "six-dof"]

[landmarks]
asis = "PELV_F_{s}"
psis = "PELV_B_{s}"
thigh_wand = "UPLEG_{s}"
lateral_epicondyle = "KNEE_O_{s}"
shank_wand = "LOLEG_{s}"
lateral_malleolus = "ANKLE_O_{s}"
heel = "CALC_{s}"
toe = "FOREFT_{s}"

[tracking]
pelvis = ["PELV_F_L", "PELV_F_R", "PELV_B_L", "PELV_B_R"]
thigh = ["UPLEG_{s}", "KNEE_O_{s}"]
shank = ["LOLEG_{s}", "ANKLE_O_{s}"]
foot = ["CALC_{s}", "FOREFT_{s}"]
"""
path = Path(tempfile.mkdtemp()) / "ours.toml"
path.write_text(text, encoding="utf-8")

# %% Analyse with it
# `marker_set` is the path, here and in the recipe of `biomech-id run`. `biomech-id markerset FILE.c3d` proposes such a file from your labels.
result = bid.analyse([static, walk], marker_set=str(path), report=False, uncertainty=False)
result.verdict

# %% The curves are those of the same walk under its usual names
usual = bid.analyse([person.static().trial, person.walk().trial], report=False, uncertainty=False)
bid.plot.compare([result, usual], "KneeMoment.X", names=["our names", "usual names"])
