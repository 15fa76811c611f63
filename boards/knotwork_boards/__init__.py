"""Self-test, boards, the flow to a bitstream."""
