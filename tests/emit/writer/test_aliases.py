"""Nets that are only other names stand once."""

from knotwork.emit.modules import module_verilog

from .toy import shell

TEXT = module_verilog(shell(), "toy")


def test_the_ports_of_a_memory_are_what_drives_them():
    for name in ("into", "out_of_addr", "words_addr"):
        assert name not in TEXT
    assert "words[place]" in TEXT


def test_what_a_pin_alone_reads_stands_at_the_pin():
    assert "inner_i;" not in TEXT
