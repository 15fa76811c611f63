"""Time and memory of work before it starts, and what a user allows.

`work` has the quantities and the limit, `networks` the estimates of the verbs of this package.
"""
