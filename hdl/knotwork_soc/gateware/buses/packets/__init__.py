"""Bursts as packets: their layout, beats as flits, and what sends and receives them."""
