"""Boards: the self-test, the table of boards, the flow to a bitstream, and the monitor."""
