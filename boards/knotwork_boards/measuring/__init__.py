"""What is measured of a network on a board: settings, traffic patterns and expected counts.

Pure Python, shared by the gateware of `selftest` and by whoever talks to a board. `settings` has
the patterns, the commands to a board and the words of its line; `expected` has the random numbers
and packets that the sources draw, and the words that a board must report of these packets.
"""
