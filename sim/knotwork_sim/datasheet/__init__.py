"""Datasheets: networks as one page that needs no other file and sends no request.

`document` makes the page. `header` says what a network is, `tables` gather what commands tell of
it, `drawn` its picture, `routes` the ways of its packets, `plays` what is carried out in steps,
`ports` what a design connects, `curve` latency under load, `running` the network that runs there.
The page's own scripts and styles are in ``page/``.
"""
