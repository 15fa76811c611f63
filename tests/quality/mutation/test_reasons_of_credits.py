from knotwork import Network
from quality.mutation.reasons import REASONS
from quality.mutation.reasons_of_credits import OF_CREDITS
from quality.mutation.targets import TARGETS


def test_the_reasons_are_of_routers_with_credits_and_are_told():
    nets = {target.name: Network.from_word(target.net) for target in TARGETS}
    assert OF_CREDITS and all(nets[name].has_credits for name in OF_CREDITS)
    assert OF_CREDITS.items() <= REASONS.items()
