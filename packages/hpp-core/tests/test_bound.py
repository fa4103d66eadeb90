from __future__ import annotations

import pytest

from hpp.core.bound import LONGEST_TIMEOUT_S, check_count, check_timeout
from hpp.core.errors import RefusedError


@pytest.mark.parametrize("seconds", [5e-324, 0.5, 10, LONGEST_TIMEOUT_S])
def test_control_a_timeout_of_up_to_a_day_passes(seconds: float) -> None:
    check_timeout(seconds)


@pytest.mark.parametrize(
    "seconds", [0, -0.0, -1, 86400.5, float("inf"), float("-inf"), float("nan")]
)
def test_any_other_timeout_is_refused(seconds: float) -> None:
    with pytest.raises(RefusedError, match=r"--timeout .*: expected more than 0 and at most 86400"):
        check_timeout(seconds)


def test_a_count_is_0_or_more() -> None:
    check_count("--most", 0)
    with pytest.raises(RefusedError, match="--most: expected 0 or more, got -1"):
        check_count("--most", -1)
