"""Routers of the WK-recursive networks."""

from amaranth.hdl import Module

from ...topology import LOCAL
from ..parts.route import BranchComputation, TableRoute


class LabelBranch(BranchComputation):
    """Scratch."""

    def elaborate(self, platform):
        m = Module()
        t = self.network.topology
        own, level = int(t.digits[self.router, 0]), int(t.corner_levels[self.router])
        b = t.digit_bits
        flip = self.address[level * b : (level + 1) * b]
        port, vc = self.turns[0].input_port, self.turns[0].input_vc % self.network.routing.classes
        for k, turn in enumerate(self.turns):
            if turn.output_port == LOCAL:
                m.d.comb += self.select[k].eq(1)
            elif port in (LOCAL, 1 + own):
                m.d.comb += self.select[k].eq(1)
                m.d.comb += self.labels[k].eq(flip if turn.output_port == 1 + own else self.label)
            elif level > vc:
                m.d.comb += [self.select[k].eq(1), self.labels[k].eq(flip)]
            else:
                m.d.comb += [self.select[k].eq(self.label == flip), self.labels[k].eq(self.label)]
        return m


ROUTE_COMPUTATIONS = {"unicast": TableRoute, "shortest": TableRoute}

ESCAPE_COMPUTATIONS: dict = {}

BRANCH_COMPUTATIONS: dict = {"label": LabelBranch}
