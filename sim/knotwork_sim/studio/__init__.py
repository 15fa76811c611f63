"""Studio: a local page on which a user chooses a network, looks at it, sweeps it, downloads it.

`serve` opens the port and ends, `server` answers requests of the studio's own page alone. All work
is done by other processes, which `desk` sends requests to and ends in time: `helper` is such a
process. `requests` says what may be chosen and reads what a request names, `answers` says what the
page shows, and `sweeping` measures. The page's own scripts and styles are in ``page/``; the scripts
of the datasheet draw networks there.
"""
