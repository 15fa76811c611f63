from amaranth_boards import tang_nano_9k
from knotwork_boards.platforms.tang_nano_20k import TangNano20kPlatform


def test_it_drives_its_leds_low_and_keeps_its_line_high_as_its_smaller_sister_does():
    large, small = TangNano20kPlatform(), tang_nano_9k.TangNano9kPlatform()
    for number in range(6):
        assert (
            large.lookup("led", number).ios[0].invert == small.lookup("led", number).ios[0].invert
        )
    assert large.lookup("uart").attrs == small.lookup("uart").attrs
    assert large.default_clk_frequency == small.default_clk_frequency == 27e6
    assert large.parse_part() is None  # Amaranth's check of the part's name
