import shutil
import uuid

import pytest
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork_sim.rtl.driver import build_driver
from knotwork_sim.rtl.executable import build_executable, compiled_sources


def test_a_program_comes_with_the_header_that_it_includes():
    sources = compiled_sources("driver.cpp")
    assert [*sources] == ["driver.cpp", "ports.h"]
    assert '#include "ports.h"' in sources["driver.cpp"]


def test_verilators_library_is_compiled_once():
    build_driver(Network.from_word("hypercube:n=2"))
    sources = {
        "testbench.v": "module testbench; endmodule\n",
        "main.cpp": f"int main() {{}}  // {uuid.uuid4()}\n",  # of no build before
    }
    log = build_executable(sources, level="-O0").with_name("build.log")
    assert "main.cpp" in log.read_text() and "verilated.cpp" not in log.read_text()
    shutil.rmtree(log.parent)


def test_a_build_that_fails_names_its_log():
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: .*; see ") as error:
        build_executable({"testbench.v": f"modul {uuid.uuid4()}\n"})
    shutil.rmtree(str(error.value).rpartition("; see ")[2].removesuffix("/build.log"))
