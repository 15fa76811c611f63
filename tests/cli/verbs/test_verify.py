"""Verb verify: what it refuses."""

import pytest
from knotwork.cli import main
from knotwork.formal import proofs as routers
from knotwork.parameters import ROUTER_PARAMETERS


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["lcan", "d=2", "u=2", "levels=2", "max_packet=65"],
            "lcan_d2_u2_levels2_interconnectcomplete_max_packet65: verify: it must have max_packet "
            "of at most 64: there are no proofs of others yet",
        ),
        (
            ["hypercube", "n=3", "multicast=yes"],
            "hypercube_n3_multicastyes: verify: it must have pipeline=2 with multicast units: "
            "there are no proofs of others yet",
        ),
        (
            ["hypercube", "n=2", "parity=yes"],
            "hypercube_n2_parityyes: verify: it must have pipeline=2 with parity: there are no "
            "proofs of others yet",
        ),
        (
            ["mesh", "x=2", "y=2", "classes=2"],
            "mesh_x2_y2_classes2_pipeline2: verify: it must have classes=1: there are no proofs of "
            "others yet",
        ),
        (
            ["moebius", "n=4", "routing=spr", "vc_scheme=escape"],
            "moebius_n4_twist0_spr_vc_schemeescape: verify: it "
            "must have pipeline=2 with escapes: there are no proofs of others yet",
        ),
        (
            ["moebius", "n=3", "routing=spr", "vc_scheme=escape", "pipeline=2", "counters=yes"],
            "moebius_n3_twist0_spr_vc_schemeescape_pipeline2_countersyes: verify: it "
            "must have no monitor with escapes: there are no proofs of others yet",
        ),
        (
            ["moebius", "n=3", "routing=spr", "vc_scheme=escape", "parity=yes", "pipeline=2"],
            "moebius_n3_twist0_spr_vc_schemeescape_pipeline2_parityyes: verify: it must have "
            "parity=no with escapes: there are no proofs of others yet",
        ),
        (
            ["hypercube", "n=2", "parity=yes", "pipeline=2", "buffer_depth=2"],
            "hypercube_n2_buffer_depth2_pipeline2_parityyes: verify: it must have "
            "buffer_depth of at least 4 with parity: there are no proofs of others yet",
        ),
        (
            ["mesh", "x=2", "y=2", "--router", "none"],
            "mesh_x2_y2: --router must be one of "
            "router_R_D, router_R_U, router_L_D, router_L_U, not 'none'",
        ),
        (
            ["mesh", "x=2", "y=2", "--router", "none", "--all"],
            "verify: there must be one of --router and --all, not both",
        ),
    ],
)
def test_what_has_no_proof_is_refused(words, message, capsys):
    assert main.run(["verify", *words]) == 2
    assert capsys.readouterr() == ("", f"knotwork: error: {message}\n")


def test_every_router_class_has_proofs():
    assert routers.PROOFS.keys() == ROUTER_PARAMETERS.keys()
