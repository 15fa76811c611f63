"""Router that counts credits under proof, and its environment."""

from typing import TypeVar

from amaranth.hdl import Cat, Value

from ...network import Network, RouterKind
from .credit_channel import CreditChannel, guarded
from .ports import Front, OutputPort, Receiver
from .router_harness import LENGTH_BITS, InputVc, RouterHarness
from .rule_turns import legal_turns
from .special_channels import CopyChannel, CopyFront, WaysChannel, WaysFront

Channel = TypeVar("Channel", bound=CreditChannel)


class CreditHarness(RouterHarness):
    """Harness of any router of a kind whose links carry credits.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    fronts : dict of int to Front
        Fronts of the input ports.
    queued : dict of (int, int) to CreditChannel
        Input channels by port and virtual channel.
    copying : dict of (int, int) to CopyChannel
        Those of them whose packets may be copied.
    choosing : dict of (int, int) to WaysChannel
        Those of them whose packets have several ways.
    outputs : dict of int to OutputPort
        Outputs by port.
    receivers : dict of (int, int) to Receiver
        What is behind the links, by output port and virtual channel.
    any_length : Value
        Length of the longest packet, in flits.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        depths = [network.depth_at(kind.router, port) for port in kind.ports]
        # Yices dies of models with such a memory of another depth than a power of two.
        self.keeps_memories = all(depth & (depth - 1) == 0 for depth in depths)
        self.fronts = {port: self._front(port) for port in kind.ports if kind.input_vcs(port)}
        self.outputs = {
            port: OutputPort(self, network, kind, port, self.fronts)
            for port in kind.ports
            if kind.output_vcs(port)
        }
        self.queued: dict[InputVc, CreditChannel] = {}
        self.copying: dict[InputVc, CopyChannel] = {}
        self.choosing: dict[InputVc, WaysChannel] = {}
        for port, front in self.fronts.items():
            for vc in front.vcs:
                self.channels[port, vc] = self.queued[port, vc] = self._channel(front, vc)
        self.receivers = {
            (port, vc): Receiver(self, network, kind, port, vc)
            for port, output in self.outputs.items()
            if not output.is_local
            for vc in output.vcs
        }
        self.any_length = self.any_constant(LENGTH_BITS)
        self._rule = legal_turns(network, kind)
        self._assume_neighbours()

    def _front(self, port: int) -> Front:
        """Front of an input port, by whether packets are copied there, or choose."""
        if self.network.routing.escape_class is not None:
            return WaysFront(self, self.network, self.kind, port)
        copies = any(self.kind.branches(port, vc) for vc in self.kind.input_vcs(port))
        return (CopyFront if copies else Front)(self, self.network, self.kind, port)

    def _channel(self, front: Front, vc: int) -> CreditChannel:
        """Input channel, by whether its packets are copied, or choose."""
        place = self, self.network, self.kind, vc
        if isinstance(front, CopyFront) and self.kind.branches(front.port, vc):
            grants = self._grants_to(front)
            channel = self._channel_type(CopyChannel)(*place, front=front, granted=grants)
            self.copying[front.port, vc] = channel
            return channel
        granted = self.granted(front)
        if isinstance(front, WaysFront):
            channel = self._channel_type(WaysChannel)(*place, front=front, granted=granted)
            if channel.ways > 1:
                self.choosing[front.port, vc] = channel
            return channel
        return self._channel_type(CreditChannel)(*place, front=front, granted=granted)

    def _channel_type(self, channel: type[Channel]) -> type[Channel]:
        """Type of channel, by whether there is parity."""
        return guarded(channel) if self.network.has_parity else channel

    def _grants_to(self, front: Front) -> Value:
        """Outputs of a front that are granted to it, a bit each."""
        grants = Cat(self.outputs[port].grants(front) for port in front.outputs)
        return self.named(grants, f"grants_{front.name}")

    def granted(self, front: Front) -> Value:
        """Whether the flit at a front leaves."""
        return self.named(front.leaves(self._grants_to(front)), f"granted_{front.name}")

    def eligible(self, front: Front) -> Value:
        """Whether the flit at a front could cross."""
        outputs = [self.outputs[port] for port in front.outputs]
        return Cat(output.eligible[output.fronts.index(front)] for output in outputs).any()

    def reaches(self, front: Front, output: OutputPort) -> bool:
        """Whether flits turn from an input to an output at some router."""
        return any(
            self.can_happen(turn)
            for turn in self.kind.turns
            if (turn.input_port, turn.output_port) == (front.port, output.port)
        )

    def rivals(self, front: Front, output: OutputPort) -> int:
        """Other inputs from which flits turn to the same output at some router."""
        here = self._router_codes(front, output)
        others = [one for one in output.fronts if one is not front]
        return sum(bool(here & self._router_codes(one, output)) for one in others)

    def _router_codes(self, front: Front, output: OutputPort) -> set[int]:
        """Codes of the routers at which flits turn from an input to an output."""
        return {
            address
            for turn, codes in self._rule.items()
            if (turn.input_port, turn.output_port) == (front.port, output.port)
            for address, _ in codes
        }

    def _assume_neighbours(self) -> None:
        """Assume those of any router, and that they keep to the rule of credits.

        They send none without a credit, as `credits` shows of this router, and return none for a
        flit that they were not sent.
        """
        super()._assume_neighbours()
        for channel in self.queued.values():
            if not channel.is_local:
                self.assume(
                    ~channel.arrives | channel.credit | (channel.outstanding < channel.depth)
                )
        for receiver in self.receivers.values():
            self.assume(~receiver.credit | receiver.sent | (receiver.outstanding != 0))
