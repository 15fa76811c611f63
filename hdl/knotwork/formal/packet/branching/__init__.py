"""What proofs observe of input channels where packets branch.

There a broadcast stays in its buffer until each of its branches has read it. `memory` observes the
buffer's words, `ports` what the channel shows, `contents` what came, what is inside and what has
left, and `channel` puts them together. Nothing is claimed here.
"""
