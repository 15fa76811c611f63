"""Why mutants of routers with credits survive `make mutate`."""

from .mutants import at_cell

_ONE_INPUT_A_CHANNEL = (
    "each virtual channel of this output is taken by one input alone, so no other packet waits for"
    " it to be free"
)
_ONE_VALUE_ON_THE_LINK = (
    "has the value that it has in all packets there: nodes, and destinations over a link of level"
    " 1, differ in other digits; no router reads a copy's label where its class tells as much"
)
_DIGIT_3 = "takes a digit 3 for another: no destination has one, and a copy's label is not routed"
_RESOLVED = (
    "changes a bit of the destination in which it is the address of the router behind the link: no"
    " router reads it any more"
)
_NO_NINTH_FLIT = "counts flits beyond 8: a store gets no longer packet"
_ONE_ADDRESS = "is 0 anyway: the chain of a copy of class 1 has one address"
_NO_SUCH_DESTINATION = (
    "changes the turns of destinations that no packet has at this input: in the runs all nodes send"
    " to all, and a packet's turn depends on its destination alone"
)

OF_CREDITS: dict[str, dict[str, str]] = {
    "mesh_credits": {
        at_cell("const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$6612"): (
            "what comes from the left counts as of lane 1 too, where its turn is the same; a link"
            " without a flit carries address 0, which is another router's"
        ),
    },
    "wk_credits": {
        "const0 at Y[0] of $auto$simplemap.cc:157:simplemap_reduce$5413"
        " (output_digit0.goes_on[0])": _ONE_INPUT_A_CHANNEL,
        at_cell("const1 at R[0]", "$auto$ff.cc:337:slice$3743"): _ONE_INPUT_A_CHANNEL,
        "const0 at Q[0] of $auto$ff.cc:337:slice$3465"
        " (output_digit2.gate_1[9])": _ONE_VALUE_ON_THE_LINK,
        "const0 at Q[0] of $auto$ff.cc:337:slice$3448"
        " (output_digit0.gate_1[10])": _ONE_VALUE_ON_THE_LINK,
        "const0 at A[0] of $auto$simplemap.cc:106:simplemap_bitop$5569"
        " (output_digit1.gate_0[15])": _ONE_VALUE_ON_THE_LINK,
        "const0 at A[0] of $auto$simplemap.cc:106:simplemap_bitop$5566"
        " (output_digit1.gate_0[12])": _ONE_VALUE_ON_THE_LINK,
        at_cell("const0 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$4688"): _DIGIT_3,
        at_cell("const0 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$4034"): _DIGIT_3,
    },
    "stores_credits": {
        "inv at Q[0] of $auto$ff.cc:337:slice$6711 (output_dim0.gate_2[10])": _RESOLVED,
        "const1 at Q[0] of $auto$ff.cc:337:slice$6680 (output_dim0.gate_0[11])": _RESOLVED,
        "inv at D[0] of $auto$ff.cc:337:slice$6696 (input_dim1_flit[11])": _RESOLVED,
        at_cell("const1 at S[0]", "$auto$simplemap.cc:298:simplemap_mux$8288"): (
            "the place after a chain's last address is the total, of which this bit is that of the"
            " addresses left instead: of 3 left it is that of 6 or 7 in all"
        ),
        at_cell("const1 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$8079"): _NO_NINTH_FLIT,
        at_cell("const1 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$8082"): _NO_NINTH_FLIT,
        at_cell("inv at E[0]", "$auto$ff.cc:337:slice$7112"): (
            "the node's own address is loaded in all other cycles, so it is there before a packet"
        ),
        at_cell("inv at Y[0]", "$auto$simplemap.cc:106:simplemap_bitop$12801"): (
            "marks the first flit of a copy of class 0 as one of a chain: it goes to a node, which"
            " does not look"
        ),
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$12234"
        " (node_interface.store_1.difference[2])": _ONE_ADDRESS,
        "const0 at Q[0] of $auto$ff.cc:337:slice$7189 (node_interface.store_1.left[3])": (
            _ONE_ADDRESS
        ),
        at_cell("const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$11209"): (
            "no copy of class 2 ends over dimension 1: it goes to the third of 5 nodes or the"
            " fourth of 6 or 7, whose addresses differ from the sender's by 3 to 5"
        ),
    },
    "escapes_credits": {
        "const1 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$6087"
        " (input_dim2.buffer.route_vc0.searching[0])": _NO_SUCH_DESTINATION,
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$6092"
        " (input_dim2.buffer.route_vc0.term_0[0])": _NO_SUCH_DESTINATION,
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$5658"
        " (input_dim1.buffer.route_vc0.term_0[0])": _NO_SUCH_DESTINATION,
        at_cell(
            "const0 at A[0]", "$auto$simplemap.cc:227:simplemap_lognot$5691"
        ): _NO_SUCH_DESTINATION,
        at_cell(
            "const0 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$5662"
        ): _NO_SUCH_DESTINATION,
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$5688"
        " (input_dim1.buffer.route_vc0.top[1])": _NO_SUCH_DESTINATION,
        "const1 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$5337"
        " (input_dim0.buffer.route_vc0.inverted[1])": _NO_SUCH_DESTINATION,
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$5617"
        " (input_dim1.buffer.signature_data[3])": (
            "is 0 anyway: a flit that goes on can escape, and then this bit is not of its route"
        ),
        at_cell("const0 at R[0]", "$auto$ff.cc:337:slice$4782"): (
            "a flit might be offered after a reset of one cycle: those of the runs last for two,"
            " and in the second nothing is granted to be ejected"
        ),
    },
}
"""By target, by fault."""
