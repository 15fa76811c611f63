"""Studio: a local page on which a user chooses a network, looks at it, sweeps it, downloads it.

`server` opens the port and answers requests of the studio's own page alone. All work is done by
other processes, to which `desk` sends requests, and which it ends in time: `helper` is such a
process. `requests` says what may be chosen and reads what a request names, `answers` says what the
page shows, and `sweeping` measures. The page's own scripts and styles are in ``page/``; the scripts
of the datasheet draw networks there.
"""
