from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.errors import OutputError
from biomech_id.files.atomic import check_writable


@pytest.mark.parametrize("name", ["a" * 300, "b" * 300 + "/c", "/".join(["d" * 100] * 45)], ids=["name", "name above", "path"])
def test_a_name_that_is_too_long_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="its name is too long; name another folder"):
        check_writable(tmp_path / "new" / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_whose_replacement_would_have_too_long_a_name_is_refused(tmp_path: Path) -> None:
    out = tmp_path / ("a" * 250)
    check_writable(out)
    out.mkdir()
    with pytest.raises(OutputError, match="too long"):
        check_writable(out)
