import pytest
from knotwork import Hypercube, Network
from knotwork_boards.selftest.batch.checker import BatchChecker
from knotwork_boards.selftest.packet_format import PacketFormat

OWN = 2
SOURCES = [3, 0, 2, 1] * 4


@pytest.fixture(params=[1, 3, 16])
def words(request):
    return request.param


@pytest.fixture(params=[8, 32])
def form(request, words):
    keys = {"data_width": request.param, "words": words}
    return PacketFormat(Network(Hypercube(n=2), routing="lc1", **keys))


@pytest.fixture
def packet(form, words, beats_of):
    """Maker of the packet (source, beats, lasts, flags) of a batch; it is sound by default."""

    def make(batch, *, source=None, destination=OWN, flags=(), flip=None):
        source = SOURCES[batch // 2 % len(SOURCES)] if source is None else source
        sequence = batch % (1 << form.sequence_width)
        width = (words - 1).bit_length()
        beats = beats_of(form, source, destination, sequence, words, beat_width=width)
        if flip is not None:
            beats[flip[0]] ^= 1 << flip[1]
        raised = [0] * words
        for beat, flag in flags:
            raised[beat] |= flag
        return source, beats, [0] * (words - 1) + [1], raised

    return make


@pytest.fixture
def judge(judge, form, words):
    """Verdict on each packet."""
    keys = {"format": form, "words": words, "address": OWN, "sources": SOURCES}
    return lambda packets: judge(BatchChecker(**keys), packets)


def test_the_packets_of_all_batches_are_good_across_the_wrap(judge, form, words, packet):
    count = (1 << form.sequence_width) + 7
    assert judge([packet(batch) for batch in range(count)]) == [set()] * count


def test_any_flipped_bit_is_corruption_and_the_next_packet_good(judge, form, words, packet):
    beats = {0, words // 2, words - 1}
    flips = [(beat, place) for beat in sorted(beats) for place in range(form.data_width)]
    packets = [packet(batch, flip=flip) for batch, flip in enumerate(flips)]
    assert judge([*packets, packet(len(flips))]) == [{"corrupted"}] * len(flips) + [set()]


def test_a_wrong_source_is_corruption(judge, packet):
    _, *rest = packet(0)
    assert judge([(SOURCES[0] ^ 1, *rest), packet(1)]) == [{"corrupted"}, set()]


def test_a_packet_too_long_or_too_short_is_corruption(judge, words, packet):
    source, beats, lasts, flags = packet(0)
    wrong = [(source, [*beats, beats[-1]], [0] * words + [1], [*flags, 0])]
    wrong.append((source, beats * 2, ([0] * words + lasts), flags * 2))
    if words > 1:
        wrong.append((source, beats[:-1], [*lasts[:-2], 1], flags[:-1]))
        wrong.append((source, beats[:1], [1], [0]))
    good = packet(len(wrong))
    assert judge([*wrong, good]) == [{"corrupted"}] * len(wrong) + [set()]


@pytest.mark.parametrize("words", [3, 16], indirect=True)
def test_beats_out_of_place_or_of_another_packet_are_corruption(judge, packet):
    source, beats, *rest = packet(0)
    exchanged = [beats[1], beats[0], *beats[2:]]
    last_two = [*beats[:-2], beats[-1], beats[-2]]
    foreign = [*beats[:-1], packet(1)[1][-1]]
    wrong = [(source, data, *rest) for data in (exchanged, last_two, foreign)]
    assert judge([*wrong, packet(3)]) == [{"corrupted"}] * 3 + [set()]


def test_a_packet_of_another_node_is_misrouted(judge, packet):
    packets = [packet(0), packet(1, destination=OWN ^ 1), packet(2)]
    assert judge(packets) == [set(), {"misrouted"}, set()]


def test_a_packet_from_another_node_than_the_permutation_says_is_misrouted(judge, packet):
    wrong = [packet(0, source=source) for source in range(4) if source != SOURCES[0]]
    for one in wrong:
        assert judge([one, packet(1)]) == [{"misrouted"}, set()]


@pytest.mark.parametrize("flag", [1, 2, 4, 8])
def test_a_flag_with_any_beat_is_misrouting(judge, words, packet, flag):
    places = sorted({0, words // 2, words - 1})
    packets = [packet(batch, flags=[(place, flag)]) for batch, place in enumerate(places)]
    assert judge([*packets, packet(len(places))]) == [{"misrouted"}] * len(places) + [set()]


def test_corruption_is_told_before_misrouting(judge, packet):
    assert judge([packet(0, flags=[(0, 1)], flip=(0, 5)), packet(1)]) == [{"corrupted"}, set()]


def test_a_packet_of_an_earlier_batch_is_duplicated(judge, packet):
    packets = [packet(0), packet(0), packet(1), packet(2), packet(2), packet(1), packet(3)]
    dup = {"duplicated"}
    assert judge(packets) == [set(), dup, set(), set(), dup, dup, set()]


def test_a_packet_of_a_later_batch_skips_those_between(judge, packet):
    packets = [packet(0), packet(2), packet(3), packet(5), packet(6)]
    assert judge(packets) == [set(), {"skipped"}, set(), {"skipped"}, set()]


def test_a_window_begins_with_batch_0(judge, packet):
    packets = [packet(0), packet(1), {"start": 1}, packet(0), packet(1), packet(2)]
    assert judge(packets) == [set()] * 5
