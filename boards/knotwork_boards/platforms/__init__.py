"""Boards that amaranth-boards lacks, or whose serial port it leaves to a connector."""
