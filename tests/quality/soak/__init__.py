"""Soak test: random networks and traffic for hours, in which no flit may be lost.

`random_networks` draws networks and traffic, `runs` simulates them, `arrivals` judges what the
nodes saw, `dispatch` decides which run begins next, and `__main__` is the command.
"""
