"""What is measured of a network on a board: settings, patterns, random numbers and expected counts.

Pure Python. The gateware of `selftest` and whoever talks to a board share it. `settings` has the
commands to a board and the words of its line, `patterns` the destinations, `random_words` the
numbers that the sources draw, `drawn` the packets that follow from them, and `expected` the words
that a board must tell of a run of these packets.
"""
