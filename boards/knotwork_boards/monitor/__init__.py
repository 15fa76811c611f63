"""The monitor: lines of a board's self-test as they come, and commands to it.

`SerialLink` reads `WindowLine`s from a serial port and sends what `words` makes of typed commands.
`Session` joins the two, and `verb` shows it: live (`live`), as text (`tables`) or as JSON.
`points` measures a load sweep on a board, and `simulated` stands for a board that nobody has.
"""
