"""Who signed stands on the pages of the report that was signed, and of no other."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pypdf
import pytest

from biomech_id.errors import OptionError
from biomech_id.report.pdf import Signed, draw_report

WHO = Signed(
    "Dr. A. Example", "physician", "2026-11-29T16:51:07+01:00", "0123456789ab", "", replaces=(1, "2026-11-20T09:00:00+01:00")
)
LINE = "Signed by Dr. A. Example, physician, 2026-11-29 16:51 · check code 0123456789ab · replaces version 1 of 2026-11-20 09:00"
PAGES = ["first", "methods"]


@pytest.fixture
def signed(build, tmp_path):
    plain = draw_report(build(), tmp_path / "plain.pdf", pages=PAGES).read_bytes()
    return replace(WHO, report_sha256=hashlib.sha256(plain).hexdigest())


def test_who_signed_stands_on_every_page(build, signed, tmp_path):
    file = draw_report(build(), tmp_path / "signed.pdf", pages=PAGES, signed=signed)
    assert all(page.extract_text().count(LINE) == 1 for page in pypdf.PdfReader(file).pages)


def test_another_report_is_not_signed(build, signed, tmp_path):
    with pytest.raises(OptionError, match="another report than the one that Dr") as caught:
        draw_report(build(), tmp_path / "signed.pdf", pages=PAGES[:1], signed=signed)
    assert caught.value.expected == signed.report_sha256
    assert not (tmp_path / "signed.pdf").exists()
