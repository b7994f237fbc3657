"""The checks by programs that others keep: `pytest tests/scripts`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from others import counts


def test_drops_what_is_no_prose():
    def line(check: str) -> str:
        return f"/a/docs/plans.md:43:29: {check}: Use another word."

    assert counts(line("redundancy.misc.after_the_deadline"))
    assert not counts(line("typography.symbols.curly_quotes"))
    assert not counts(line("lexical_illusions"))
    assert not counts("E E' - a phrase is repeated.")
