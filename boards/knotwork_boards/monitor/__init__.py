"""The monitor: lines of a board's self-test as they come, and commands to it.

`session` has the serial port, from which it reads `WindowLine`s and to which it sends the
`commands` that users type; `verb` displays it (`display`): live, as text or as JSON. `points`
measures a load sweep on a board; `knotwork_boards.simulated` is a board in a simulator.
"""
