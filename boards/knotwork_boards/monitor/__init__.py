"""The monitor: lines of a board's self-test as they come, and commands to it.

`SerialLink` reads `WindowLine`s from a serial port and sends `commands` that users type. `Session`
joins the two, and `verb` displays it (`display`): live, as text or as JSON. `points` measures a
load sweep on a board; `knotwork_boards.simulated` is a board in a simulator.
"""
