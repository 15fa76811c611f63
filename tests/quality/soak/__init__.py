"""Soak test: random networks and traffic for hours, in which no flit may be lost.

`random_networks` draws networks and traffic, `runs` decides which run begins next and simulates it,
`arrivals` judges what the nodes saw, and `__main__` is the command.
"""
