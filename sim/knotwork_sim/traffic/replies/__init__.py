"""Replies to packets: which there are, how a node tells its requests, and what they say of time.

`table` adds the replies to the packets of a run. `receiver` finds, beat by beat, which flow's reply
a node owes. `times` works out afterwards when each reply was created.
"""
