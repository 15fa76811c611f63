"""Pictures of schedules."""

import pytest
from knotwork import Hypercube, Network
from knotwork.cli.answers.steps import draw_schedule
from knotwork.cli.message_options import Asked
from knotwork.errors import ConfigurationError

REVERSAL = Asked("reversal", None, None, None, 1)


def test_all_steps_in_one_picture_or_in_one_each():
    network = Network(Hypercube(n=3))
    (whole,) = draw_schedule(network, REVERSAL)
    assert "reversal: 5 steps, routing=lc1" in whole
    parts = draw_schedule(network, REVERSAL, apart=True)
    assert len(parts) == 5
    for number, part in enumerate(parts, start=1):
        assert f"step {number} of 5: " in whole
        assert f"reversal: 5 steps, step {number} of 5: " in part
        assert draw_schedule(network, REVERSAL, step=number) == [part]


@pytest.mark.parametrize(
    ("word", "step", "complaint"),
    [
        ("hypercube:n=3", 6, "draw: --step must be in 1..5, not 6"),
        (
            "hypercube:n=11",
            None,
            "hypercube_n11: routers must be at most 1024 to be drawn, not 2048",
        ),
        (
            "ccc:n=8",
            None,
            "ccc_n8_lc2: boxes of 40 steps must be at most 4096 to be drawn in one picture, not "
            "10240; --step draws one, --frames a file per step",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(word, step, complaint):
    with pytest.raises(ConfigurationError) as caught:
        draw_schedule(Network.from_word(word), REVERSAL, step=step)
    assert str(caught.value) == complaint
