"""Disks whose true speed is known: is the winner right?"""

import pytest
from conftest import Group
from emulated import capped
from emulated.board import PC_OF_TWO

pytestmark = pytest.mark.alone
GROUPS = [Group("caps", PC_OF_TWO, capped.DISKS)]


@pytest.mark.parametrize("pair", capped.PAIRS)
def test_caps(guest, pair):
    """Nineteen of twenty runs are right, so one that is not is repeated with another seed; a wrong
    winner is never forgiven."""
    try:
        said = capped.measure(guest, pair, 1)
        if not (said.is_right and said.covers) and said.verdict != "fastest":
            said = capped.measure(guest, pair, 2)
    except capped.TooBusy as busy:
        pytest.skip(str(busy))
    assert said.is_right and said.covers, said
