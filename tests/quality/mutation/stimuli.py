"""What a testbench of mutants does to options: reads a monitor, and flips bits of flits."""

import re

from knotwork.emit.ports import MONITOR_PREFIX, link_members, monitor_ports
from knotwork.monitoring import WORD, network_registers
from knotwork.network import Network

PUBLIC = "/* verilator public_flat_rw */"

# Memories of flits and of turns beside them, and the skid buffers of nodes.
_STORES = re.compile(
    r"^(  reg \[\d+:0\] \\?(?:\S*\.)?(?:ram|turns|turns_twin|skid\.kept) *(?:\[\d+:\d+\])?)(.*;)$",
    re.MULTILINE,
)

_READER = """
  // Reads all registers in turn, and writes to `control` now and then.
  reg [{last}:0] monitor_place = 0;
  reg [11:0] monitor_since = 0;
  reg [{high}:0] monitor_words [0:{count}];
  initial begin
{words}
  end
  wire monitor_taken, monitor_writes;
  assign monitor_writes = &monitor_since[8:0];
  always @(posedge clk) begin
    monitor_since <= rst ? 0 : monitor_since + 1;
    if (rst) monitor_place <= 0;
    else if (monitor_taken) monitor_place <= monitor_place == {count} ? 0 : monitor_place + 1;
  end
"""


def flit_width(network: Network) -> int:
    """Bits of a flit on a link, of which one can flip; 0 without parity, which alone bears it."""
    return link_members(network)["flit"][0] if network.has_parity else 0


def monitor_width(network: Network) -> int:
    """Bits that the testbench shows of a monitor."""
    return sum(monitor_ports(network)[1].values())


def with_upsets(network: Network, name: str, sources: dict[str, str]) -> tuple[dict[str, str], int]:
    """Verilog of a network and its testbench in which bits can flip; in how many links they can.

    The links are those into the routers of one kind, the buffers those inside: a flip elsewhere
    seldom comes to the mutants.
    """
    if not network.has_parity:
        return sources, 0
    width, links = flit_width(network), 0

    def flipped(found: re.Match[str]) -> str:
        nonlocal links
        links += 1
        return f"({found[1]} ^ (upset_link == 16'd{links} ? {width}'d1 << upset_bit : {width}'d0))"

    def entered(found: re.Match[str]) -> str:
        return re.sub(r"(?<=_i_flit)\((link_\w+_flit)\)", flipped, found[0])

    text = sources[f"{network.name}.v"]
    text = re.sub(rf"^  {name} \w+ \($.*?^  \);$", entered, text, flags=re.MULTILINE | re.DOTALL)
    module = re.compile(rf"^module {name} ?\(.*?^endmodule$", re.MULTILINE | re.DOTALL)
    text = module.sub(lambda found: _STORES.sub(rf"\1 {PUBLIC}\2", found[0]), text)
    wrapper = sources["testbench.v"]
    for port, bits in {"upset_link": 16, "upset_bit": 8}.items():
        head = f"module {network.name} (\n"
        text = text.replace(head, f"{head}  input [{bits - 1}:0] {port},\n", 1)
        wrapper = _with_port(wrapper, f"input [{bits - 1}:0] {port}", f".{port}({port})")
    return {f"{network.name}.v": text, "testbench.v": wrapper}, links


def with_reader(network: Network, wrapper: str) -> str:
    """Testbench that reads the network's monitor, if it has one, and shows all its answers."""
    into, out = monitor_ports(network)
    if not into:
        return wrapper
    registers = network_registers(network)
    places = [*registers.registers.values()]
    places += [a.offset + WORD * n for a in registers.arrays.values() for n in range(a.count)]
    high = registers.address_width - 1
    words = "\n".join(f"    monitor_words[{n}] = {place};" for n, place in enumerate(places))
    body = _READER.format(
        last=len(places).bit_length(), high=high, count=len(places) - 1, words=words
    )
    given = {
        "awaddr": f"{high + 1}'d{registers.registers['control']}",
        "awvalid": "monitor_writes",
        "wvalid": "monitor_writes",
        # The watchdog forgets each time, the counters begin again every eighth.
        "wdata": "{30'd0, 1'b1, &monitor_since}",
        "wstrb": "4'hf",
        "araddr": "monitor_words[monitor_place]",
        "arvalid": "1'b1",
        "rready": "1'b1",
        "bready": "1'b1",
    }
    pins = [f".{MONITOR_PREFIX}_{name}({value})" for name, value in given.items()]
    place, bits = 0, {}
    for name, width in out.items():
        bits[name] = f"monitor_out[{place} +: {width}]"
        pins.append(f".{name}({bits[name]})")
        place += width
    body += f"  assign monitor_taken = {bits[f'{MONITOR_PREFIX}_arready']};\n"
    wrapper = wrapper.replace(");\n", f");\n{body}", 1)
    return _with_port(wrapper, f"output [{place - 1}:0] monitor_out", ",\n    ".join(pins))


def _with_port(wrapper: str, port: str, pins: str) -> str:
    """Testbench with one more port, and the network with more pins."""
    wrapper = wrapper.replace("  input clk", f"  {port} {PUBLIC},\n  input clk", 1)
    return wrapper.replace("    .clk(clk)", f"    {pins},\n    .clk(clk)", 1)
