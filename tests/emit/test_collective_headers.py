"""Headers for drivers of collectives: a C compiler and Python agree on what they say."""

import re
import shutil
import subprocess

import pytest
from helpers.emitted import verilog_of
from knotwork import Network
from knotwork.emit.collective_headers import collective_header_names, collective_headers
from knotwork.emit.package import network_files
from knotwork.routing.collectives import Collective
from knotwork.routing.messages import CollectiveMessages
from knotwork_soc import System
from knotwork_soc.emit import system_files

MAIN = """
#include <stdio.h>
#include "noc_collectives.h"
#include "noc_collectives.h"
int main(void) {
  for (uint32_t kind = 0; kind < 7; kind++)
    for (uint32_t operation = 0; operation < OPERATIONS; operation++)
      for (uint32_t part = 0; part < 2; part++)
        printf("%u ", noc_collective_tuser(kind, operation, part));
  printf("\\n");
  for (uint32_t user = 0; user < 1u << USER_BITS; user++)
    printf("%u %u %u %u ", noc_collective_part(user), noc_collective_kind(user),
           noc_collective_operation(user), noc_collective_fault(user));
  printf("\\n");
  for (uint32_t node = 0; node < NODES; node++) {
    uint32_t mask[NOC_COLLECTIVE_MASK_BEATS] = {0};
    mask[noc_collective_mask_beat(node)] |= 1u << noc_collective_mask_bit(node);
    for (uint32_t beat = 0; beat < NOC_COLLECTIVE_MASK_BEATS; beat++) printf("%u ", mask[beat]);
  }
  printf("\\n");
  PRINT_ORDERS
  return 0;
}
"""

ORDER = """
  for (uint32_t place = 0; place < NOC_{upper}_MEMBERS; place++)
    printf("%u ", (unsigned)noc_{name}_order[place]);
"""


@pytest.mark.parametrize("language", ["cc", "c++"])
@pytest.mark.parametrize(
    "operations", ["sum", "sum,min,signed_max", "xor,or", "and,or,max,min,sum"]
)
@pytest.mark.parametrize(
    "word", ["mesh x=4 y=4", "mesh x=3 y=2 groups=all/0-2/4,1", "torus x=4 y=10 data_width=32"]
)
def test_a_compiler_makes_the_same_of_them_as_python(tmp_path, language, operations, word):
    if shutil.which(language) is None:
        pytest.skip(f"there is no {language}")
    words = [*word.split(), "collectives=yes", f"operations={operations}", "name=noc"]
    network = Network.from_words(words)
    groups = network.collective_groups
    messages = CollectiveMessages(groups[0].tree.order, groups[0].form)
    for name, text in collective_headers("noc", network, "// made\n").items():
        (tmp_path / name).write_text(text)
    orders = "".join(ORDER.format(name=one.name, upper=one.name.upper()) for one in groups)
    main = tmp_path / ("main.c" if language == "cc" else "main.cpp")
    main.write_text(MAIN.replace("PRINT_ORDERS", orders))
    bits = messages.form.user_places["fault"][0] + 1
    count = len(messages.operations)
    sizes = {"OPERATIONS": count, "USER_BITS": bits, "NODES": network.topology.nodes}
    command = [language, "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += [f"-D{name}={value}" for name, value in sizes.items()]
    subprocess.run([*command, "-o", "main", main.name], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    users, fields, masks, order = (
        [int(number) for number in line.split()] for line in done.stdout.splitlines()
    )
    assert users == [
        messages.tuser(kind, operation, part=bool(part))
        for kind in Collective
        for operation in range(count)
        for part in range(2)
    ]
    names = ("part", "kind", "operation", "fault")
    assert fields == [
        messages.user_field(user, name) for user in range(1 << bits) for name in names
    ]
    beats = messages.form.mask_beats
    assert masks == [
        beat.tdata
        for node in range(network.topology.nodes)
        for beat in messages.multicast([node], [0])[:beats]
    ]
    assert order == [node for one in groups for node in one.tree.order]


def test_the_numbers_are_named_for_c_and_for_verilog():
    words = "mesh x=3 y=2 name=noc collectives=yes operations=sum,signed_max groups=all/0-2"
    network = Network.from_words(words.split())
    for_c, for_verilog = collective_headers("noc", network, "").values()
    found = dict(re.findall(r"^#define NOC_COLLECTIVE_(\w+) (0x[0-9a-f]+)u //", for_c, re.M))
    assert {name: int(value, 16) for name, value in found.items()} == {
        **{f"KIND_{kind.name}": kind for kind in Collective},
        "OPERATION_SUM": 0,
        "OPERATION_SIGNED_MAX": 1,
        "TUSER_PART_LOW": 0,
        "TUSER_PART_BITS": 1,
        "TUSER_KIND_LOW": 1,
        "TUSER_KIND_BITS": 3,
        "TUSER_OPERATION_LOW": 4,
        "TUSER_OPERATION_BITS": 1,
        "TUSER_FAULT_LOW": 5,
        "TUSER_FAULT_BITS": 1,
        "WIDTH": 32,
        "MASK_BEATS": 1,
    }
    assert "#define NOC_COLLECTIVE0_MEMBERS 0x6u // " in for_c
    assert "#define NOC_COLLECTIVE1_MEMBERS 0x3u // " in for_c
    verilog = re.findall(r"^`define (NOC_COLLECTIVE\w+) \d+'h([0-9a-f]+) // ", for_verilog, re.M)
    assert dict(verilog) == dict(re.findall(r"^#define (\w+) 0x([0-9a-f]+)u //", for_c, re.M))


def test_they_are_written_and_named_where_there_are_collectives():
    plain, _ = verilog_of("mesh:x=2,y=2")
    assert collective_header_names("noc", plain) == ()
    assert collective_headers("noc", plain, "") == {}
    words = "mesh x=2 y=2 collectives=yes name=noc"
    files = network_files(Network.from_words(words.split())).generated
    names = ["noc_collectives.h", "noc_collectives.vh"]
    assert all(name in files for name in names)
    assert all(f'"{name}"' in files["manifest.json"] for name in names)
    system = System.from_words([*words.split(), "node.0.bus=stream", "node.1.bus=stream"])
    of_system = system_files(system).generated
    assert of_system["noc_collectives.h"].split("#ifndef")[1] in files["noc_collectives.h"]
    assert '"noc_collectives.vh"' in of_system["manifest.json"]
