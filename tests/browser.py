"""Tests that look at pages in Chromium; where it is not installed they are skipped, and say so."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
in_browser = pytest.mark.skipif(
    CHROMIUM is None,
    reason="Chromium is not installed; make browser installs it and runs this test",
)
