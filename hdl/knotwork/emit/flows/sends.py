"""A testbench in SystemVerilog that needs no library: packets between the nodes, judged."""

from collections.abc import Iterable

from ...network import Network
from ..ports import (
    CONFIG_PREFIX,
    eject_prefix,
    eject_widths,
    has_config,
    inject_prefix,
    inject_widths,
    refused_port,
)
from ..testbench import longest_beats
from ..verilog import header

SENDING = frozenset({"any_time", "rounds"})
"""`Routing.arrivals` of networks whose nodes may send to any node without a table."""

_TURNS = 16
"""Packets that a node sends."""

_TEXT = """\
// Every node sends {turns} packets, to one node after another, with pauses; each packet must
// arrive once, whole and at its node. Ends with $finish if so, and with $fatal at the first fault.
`timescale 1ns / 1ps
module {top};
  localparam integer NODES = {nodes};
  localparam integer TURNS = {turns};
  localparam integer WIDTH = {width};
  localparam integer ADDRESS = {address};
  localparam integer SHORTEST = {shortest};  // beats of a packet
  localparam integer LENGTHS = {lengths};
  localparam integer SOURCE = {source};  // whether m_axis_*_tid tells the source
  localparam integer PATIENCE = {patience};  // cycles in which something must arrive
  // By node, the last first: its address, the first node to which it may send, and how many.
  localparam [NODES*ADDRESS-1:0] ADDRESSES = {addresses};
  localparam [NODES*32-1:0] FIRSTS = {firsts};
  localparam [NODES*32-1:0] COUNTS = {counts};

  reg clk = 0, rst = 1;
  always #5 clk = !clk;

  // Unknown until the reset ends: nothing may be unknown after it.
  reg [NODES-1:0] s_tvalid, s_tlast, m_tready;
  reg [NODES*WIDTH-1:0] s_tdata;
  reg [NODES*ADDRESS-1:0] s_tdest;
  wire [NODES-1:0] s_tready, m_tvalid, m_tlast, refused;
  wire [NODES*WIDTH-1:0] m_tdata;
  wire [NODES*ADDRESS-1:0] m_tid;
{unknown}  {name} network (
{pins}
  );

  function automatic integer receiver(input integer node, input integer turn);
    receiver = FIRSTS[32*node +: 32] + (node + turn) % COUNTS[32*node +: 32];
  endfunction

  // A packet's beats, and each beat's data, follow from its source, its destination and its place.
  function automatic integer beats(input integer source, input integer destination);
    beats = SHORTEST + (SOURCE * source + destination) % LENGTHS;
  endfunction

  function automatic [WIDTH-1:0] data(
    input integer source, input integer destination, input integer beat
  );
    reg [63:0] mixed;
    mixed = (SOURCE * source + 1) * 64'h9E3779B97F4A7C15;
    mixed = (mixed ^ (destination + 1)) * 64'hBF58476D1CE4E5B9;
    mixed = (mixed ^ (beat + 1)) * 64'h94D049BB133111EB;
    data = {{((WIDTH + 63) / 64){{mixed ^ (mixed >> 32)}}}};
  endfunction

  integer node, from, to, length, cycle = 0, quiet = 0, arrived = 0;
  integer turn[0:NODES-1], sent[0:NODES-1], got[0:NODES-1];
  integer owed[0:NODES*NODES-1];  // packets, by source (or 0) and destination
  initial begin
    for (node = 0; node < NODES * NODES; node = node + 1) owed[node] = 0;
    for (node = 0; node < NODES; node = node + 1) begin
      turn[node] = 0;
      sent[node] = 0;
      got[node] = 0;
      for (to = 0; to < TURNS; to = to + 1)
        owed[SOURCE*node*NODES + receiver(node, to)] =
          owed[SOURCE*node*NODES + receiver(node, to)] + 1;
    end
  end

  always @(posedge clk) begin
    cycle = cycle + 1;
    rst <= cycle < 4;
    if (cycle == 4) begin
      s_tvalid <= 0;
      s_tlast <= 0;
      s_tdata <= 0;
      s_tdest <= 0;
      m_tready <= 0;
    end
    if (!rst && cycle > 4) begin
      if ((^{{s_tready, m_tvalid, refused}}) === 1'bx)
        $fatal(1, "cycle %0d: tready, tvalid or refused of some node is x", cycle);
      quiet = quiet + 1;
      for (node = 0; node < NODES; node = node + 1) begin
        if (refused[node]) $fatal(1, "cycle %0d: node %0d may send what it sent", cycle, node);
        // Source: a beat stays until it is taken; then comes the next one, or a pause.
        if (s_tready[node] || !s_tvalid[node]) begin
          s_tvalid[node] <= 0;
          if (turn[node] < TURNS && $urandom % 4 != 0) begin
            to = receiver(node, turn[node]);
            length = beats(node, to);
            s_tvalid[node] <= 1;
            s_tdata[WIDTH*node +: WIDTH] <= data(node, to, sent[node]);
            s_tdest[ADDRESS*node +: ADDRESS] <= ADDRESSES[ADDRESS*to +: ADDRESS];
            s_tlast[node] <= sent[node] + 1 == length;
            turn[node] = turn[node] + (sent[node] + 1 == length);
            sent[node] = sent[node] + 1 == length ? 0 : sent[node] + 1;
          end
        end
        // Sink: what arrives is what its source sent.
        m_tready[node] <= $urandom % 4 != 0;
        if (m_tvalid[node] && m_tready[node]) begin
          quiet = 0;
          from = 0;
          if (SOURCE != 0)
            while (from < NODES - 1 &&
                   ADDRESSES[ADDRESS*from +: ADDRESS] !== m_tid[ADDRESS*node +: ADDRESS])
              from = from + 1;
          if (owed[from*NODES + node] == 0)
            $fatal(1, "cycle %0d: node %0d is owed nothing by node %0d", cycle, node, from);
          if (m_tdata[WIDTH*node +: WIDTH] !== data(from, node, got[node]))
            $fatal(1, "cycle %0d: node %0d, beat %0d from node %0d: the data must be %0h, not %0h",
                   cycle, node, got[node], from, data(from, node, got[node]),
                   m_tdata[WIDTH*node +: WIDTH]);
          if (m_tlast[node] !== (got[node] + 1 == beats(from, node)))
            $fatal(1, "cycle %0d: node %0d, beat %0d from node %0d: tlast", cycle, node,
                   got[node], from);
          got[node] = m_tlast[node] ? 0 : got[node] + 1;
          if (m_tlast[node]) begin
            owed[from*NODES + node] = owed[from*NODES + node] - 1;
            arrived = arrived + 1;
          end
        end
      end
      if (arrived < NODES * TURNS && quiet == PATIENCE)
        $fatal(1, "cycle %0d: nothing came for %0d cycles, %0d packets are missing", cycle,
               PATIENCE, NODES * TURNS - arrived);
      if (arrived == NODES * TURNS && quiet == 100) begin
        $display("{top}: %0d packets arrived in %0d cycles", arrived, cycle);
        $finish;
      end
    end
  end
endmodule
"""


def sends_name(network: Network) -> str:
    """Module of the testbench."""
    return network.module_name("tb")


def sends_testbench(network: Network) -> str:
    """SystemVerilog of the testbench; Icarus (``-g2012``) and Verilator (``--timing``) run it."""
    topology = network.topology
    nodes = range(topology.nodes)
    receivers = [topology.receivers(node) for node in nodes]
    shortest, longest = longest_beats(network)
    has_source = "tid" in eject_widths(network)
    text = _TEXT.format(
        top=sends_name(network),
        name=network.name,
        nodes=topology.nodes,
        turns=_TURNS,
        width=network.hardware.data_width,
        address=topology.address_width,
        shortest=shortest,
        lengths=longest - shortest + 1,
        source=int(has_source),
        patience=100_000,
        addresses=_constants(map(topology.address, nodes), topology.address_width),
        firsts=_constants((each[0] for each in receivers), 32),
        counts=_constants(map(len, receivers), 32),
        unknown="" if has_source else "  assign m_tid = 0;\n",
        pins=",\n".join(f"    {pin}" for pin in _pins(network)),
    )
    return header(network, "//") + text


def _constants(values: Iterable[int], width: int) -> str:
    """Numbers side by side, the first lowest."""
    parts = [f"{width}'d{value}" for value in values][::-1]
    lines = [", ".join(parts[at : at + 8]) for at in range(0, len(parts), 8)]
    return "{\n    " + ",\n    ".join(lines) + "\n  }"


def _pins(network: Network) -> Iterable[str]:
    yield ".clk(clk)"
    yield ".rst(rst)"
    if has_config(network):
        yield f".{CONFIG_PREFIX}_tvalid(1'b0)"
    for node in range(network.topology.nodes):
        yield f".{refused_port(network, node)}(refused[{node}])"
        for prefix, side, widths, back in (
            (inject_prefix(network, node), "s", inject_widths(network), "tready"),
            (eject_prefix(network, node), "m", eject_widths(network), "tready"),
        ):
            yield f".{prefix}_tvalid({side}_tvalid[{node}])"
            yield f".{prefix}_{back}({side}_{back}[{node}])"
            for name, width in widths.items():
                yield f".{prefix}_{name}({_wire(side, name, width, node)})"


def _wire(side: str, name: str, width: int, node: int) -> str:
    """Wires of a signal of a node; of `tuser` none, as a packet to one node has 0 there."""
    if name == "tuser":
        return f"{width}'d0" if side == "s" else ""
    at = f"{node}" if name == "tlast" else f"{node}*{width} +: {width}"
    return f"{side}_{name}[{at}]"
