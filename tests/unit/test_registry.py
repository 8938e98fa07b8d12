"""A registry of one shape: built-in rows are imported when asked for, a name is taken once, and who took it is known."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from biomech_id.errors import OptionError
from biomech_id.plugins import Registry


def means() -> Registry[str, object]:
    return Registry("mean", {"half": "statistics:median", "lost": "no_such_module:anything"})


def test_what_is_built_in_is_imported_when_it_is_asked_for() -> None:
    registry = means()
    assert "lost" in registry
    assert list(registry) == ["half", "lost"]
    assert registry["half"]([1, 2, 9]) == 2  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        registry["lost"]


def test_a_name_is_taken_once_and_the_sentence_names_both_places() -> None:
    registry = means()
    plugin = ModuleType("lab_plugin")
    exec("def add(registry, name): registry.add(name, len)\ndef put(registry, name): registry[name] = max", plugin.__dict__)
    plugin.add(registry, "own")
    assert (registry.origin("half"), registry.origin("own")) == ("biomech_id", "lab_plugin")
    with pytest.raises(OptionError, match=r"There is a mean own already, of lab_plugin; \S*test_registry cannot register"):
        registry.add("own", max)
    with pytest.raises(OptionError, match="There is a mean half already, of biomech_id; lab_plugin cannot register another one"):
        plugin.add(registry, "half")
    assert registry["own"] is len
    plugin.put(registry, "half")
    assert registry["half"] is max
    assert registry.origin("half") == "lab_plugin"
    assert list(registry) == ["half", "lost", "own"]


def test_a_name_nobody_has_is_met_with_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"There is no mean 'haf'; there are half, lost\. Did you mean 'half'\?") as refused:
        means().named("haf", "average")
    assert (refused.value.value, refused.value.expected, refused.value.where) == ("haf", "half | lost", "average")


def test_a_name_of_a_block_is_free_behind_it() -> None:
    registry = means()
    with registry.within("short", len):
        assert registry["short"] is len
    with pytest.raises(ModuleNotFoundError), registry.within("short", len):
        registry["lost"]
    assert "short" not in registry


def test_the_librarys_own_rows_say_so() -> None:
    code = (
        "from biomech_id.readers.formats import FORMATS\nfrom biomech_id.models.registry import _MODELS\n"
        "print(FORMATS.origin('.c3d'), FORMATS.origin('.trc'), _MODELS.origin('six-dof'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["biomech_id.readers.formats", "biomech_id.readers.formats", "biomech_id"]
