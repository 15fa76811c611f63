"""Parts that options add to a router: what they may leave out, and where they come in."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from helpers.streams import run
from knotwork import Mesh, Network
from knotwork.gateware.packet import CreditRouter
from knotwork.gateware.packet.router_option import RouterOption

NETWORK = Network(Mesh(x=2, y=2), data_width=8)
KIND = NETWORK.router_kinds[0]


class Closed(RouterOption):
    """Option with a port, which lets no link give room, and says so."""

    def members(self):
        return {"is_closed": Out(1)}

    def grant(self, m, port, vc, taken, room):
        del m, port, vc
        return taken, room & 0

    def connect(self, m, router):
        m.d.comb += router.is_closed.eq(1)


def outside(options):
    """Ports of a router, and the cycles in which it sends a flit by a link, of 20."""
    router, seen = CreditRouter(NETWORK, KIND, options), []
    away = next(code for code in range(4) if code)

    async def testbench(ctx):
        ctx.set(router.inject.p.destination, away)
        ctx.set(router.inject.p.last, 1)
        ctx.set(router.inject.valid, 1)
        ctx.set(router.eject.ready, 1)
        for cycle in range(20):
            await ctx.tick()
            if any(ctx.get(link.valid) for link in router.o):
                seen.append(cycle)

    run(router, testbench)
    return dict(wiring.Signature(router.signature.members).members), seen


def test_an_option_without_steps_changes_nothing():
    assert outside([RouterOption()]) == outside([])
    assert outside([])[1]


def test_options_add_ports_and_come_between():
    ports, sent = outside([RouterOption(), Closed()])
    assert set(ports) - set(outside([])[0]) == {"is_closed"}
    assert sent == []
