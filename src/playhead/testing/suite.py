"""A loop's capabilities as tests, one for each, for pytest.

Law: thin over the kit; imports pytest, so that nothing else imports it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from playhead.testing.capabilities import CAPABILITIES
from playhead.testing.findings import Report
from playhead.testing.kit import check_loop


def conformance(loop: Callable[..., Any], **options: Any) -> Callable[[str], None]:
    """A parametrised test of a loop: `test_conformance = conformance(my_loop)` in a test file is one test for each
    capability.

    `options` are those of `check_loop`. The search is made once, by the first of the tests; each then fails with what
    was found about its capability. One that is switched off, or cannot be tried, is skipped with the reason, and one
    in which only shows what another test tells is an expected failure.
    """

    @functools.cache
    def report() -> Report:
        return check_loop(loop, **options)

    @pytest.mark.parametrize("capability", options.get("only") or [*CAPABILITIES])
    def test_conformance(capability: str) -> None:
        __tracebackhide__ = True
        its = report().about(capability)
        (row,) = its.rows
        if row.status in ("off", "not tried"):
            pytest.skip(row.note)
        if row.status == "as above":
            pytest.xfail(f"{row.note} shows here as well; another capability's test tells of it")
        its.assert_ok()

    return test_conformance
