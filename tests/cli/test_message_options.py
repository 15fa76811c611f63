"""Options that say what is to be delivered."""

from pathlib import Path

import pytest
from knotwork.cli.message_options import Asked
from knotwork.errors import ConfigurationError

NOTHING = Asked(None, None, None, None, 1)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (NOTHING, "draw: there must be --permutation or --messages"),
        (
            NOTHING._replace(permutation="random", messages="m.json"),
            "draw: --messages must not go with --permutation",
        ),
        (
            NOTHING._replace(permutation="random", matrix=Path("m")),
            "draw: --matrix and --complement must come with --permutation lc, not 'random'",
        ),
        (
            NOTHING._replace(messages="m.json", complement=""),
            "draw: --matrix and --complement must come with --permutation lc",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(asked, complaint):
    with pytest.raises(ConfigurationError) as caught:
        asked.require("draw", one=True)
    assert str(caught.value) == complaint


def test_whether_anything_is_asked_for():
    NOTHING.require("draw", one=False)
    assert not NOTHING.is_any
    for some in (NOTHING._replace(permutation="lc"), NOTHING._replace(messages="m.json")):
        some.require("draw", one=True)
        assert some.is_any
