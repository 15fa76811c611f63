import re
import shutil
import uuid
from pathlib import Path

import pytest
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork_sim.rtl.driver import build_driver
from knotwork_sim.rtl.executable import build_executable, compiled_sources


def test_a_program_comes_with_its_headers_and_a_build_that_fails_names_its_log():
    sources = compiled_sources("driver.cpp")
    assert [*sources] == ["driver.cpp", "ports.h"]
    assert '#include "ports.h"' in sources["driver.cpp"]
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: .*; see ") as error:
        build_executable({"testbench.v": f"modul {uuid.uuid4()}\n"})
    Path(str(error.value).rpartition("; see ")[2]).unlink()


def test_verilators_library_is_compiled_once():
    build_driver(Network.from_word("hypercube:n=2"))
    sources = {
        "testbench.v": "module testbench; endmodule\n",
        "main.cpp": f"int main() {{}}  // {uuid.uuid4()}\n",  # of no build before
    }
    log = build_executable(sources, level="-O0").with_name("build.log")
    assert "main.cpp" in log.read_text() and "verilated.cpp" not in log.read_text()
    shutil.rmtree(log.parent)


PART = """
module part (input clk, output reg [7:0] count);
  always @(posedge clk) count <= count + 1;
endmodule
module testbench (input clk, output [7:0] a, output [7:0] b);
  part first (.clk(clk), .count(a));
  part second (.clk(clk), .count(b));
endmodule
"""


def test_no_two_processes_write_the_files_of_a_block():
    # Verilator's makefile has one rule for two files of a block: a parallel Make runs it twice.
    sources = {
        "testbench.v": PART,
        "main.cpp": f"int main() {{}}  // {uuid.uuid4()}\n",
    }
    log = build_executable(sources, level="-O0", blocks=["part"]).with_name("build.log")
    written = re.findall(r"bin/verilator -f \S*made/Vpart__hierMkArgs.f", log.read_text())
    assert len(written) == 1
    shutil.rmtree(log.parent)
