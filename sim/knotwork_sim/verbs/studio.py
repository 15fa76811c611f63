"""`studio`: a local page on which one chooses a network and takes its files."""

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import IntegerType, NumberType, as_json, chosen_limit, work_limit
from knotwork.errors import ConfigurationError


@verb(
    examples=[
        "studio",
        "studio --port 8737 --no-browser",
        "studio --limit 5min,4GB --idle 3600",
    ],
    writes="The address of the page, which only browsers on this machine reach. No file: the "
    "browser downloads the files.",
)
@click.option(
    "--port", type=IntegerType(1, 65535), help="Port of 127.0.0.1 [a free one].", metavar="PORT"
)
@click.option(
    "--no-browser", "is_quiet", is_flag=True, help="Print the address without opening a browser."
)
@click.option(
    "--idle",
    type=NumberType(),
    metavar="SECONDS",
    help="End after this long without a request [never]; an open page sends one every minute.",
)
@work_limit
@as_json
def studio(*, port: int | None, is_quiet: bool, idle: float | None, as_json: bool) -> None:
    """Choose a network on a local web page, and download its files.

    The page is served at 127.0.0.1, for this machine only, and answers only requests with the token
    of its address. Ctrl-C ends it.
    """
    if idle is not None and idle <= 0:
        raise ConfigurationError(f"studio: --idle must be seconds above 0, not {idle:g}")
    from ..studio.server import open_browser, open_port, serve

    def report_address(address: str) -> None:
        opened = not is_quiet and open_browser(address)
        if as_json:
            output.print_json({"address": address, "browser": opened})
        else:
            missing = "" if is_quiet or opened else "  (no browser was found: open it in one)"
            click.echo(f"{address}{missing}")

    serve(open_port(port or 0), limit=chosen_limit(), started=report_address, idle=idle)
