"""Where nodes send their packets: a law per pattern, drawn from and reported in shares.

`law` says what a law is. `fixed`, `spread`, `measured` and `mixed` have the laws, and `registry`
finds the one that traffic asks for.
"""
