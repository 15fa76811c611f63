"""What `check` tells of channels and their dependencies."""


def test_check_of_paths_found_at_the_source(answer, refusal):
    report = answer("check moebius n=4 routing=approx_spr", status=1)
    assert report["channels"] == 4 * 16
    assert report["cycle"]
    assert answer("check moebius n=2 routing=approx_spr")["deadlock_free"] is True
    for n, nodes in ((10, 1024), (13, 8192)):
        assert refusal(f"check moebius n={n} routing=approx_spr") == (
            f"moebius: nodes must be at most 512 to walk all pairs with routing=approx_spr, "
            f"not {nodes}"
        )


def test_check_of_a_network_without_deadlock(answer, run):
    report = answer("check moebius n=7 twist=0 routing=dfr virtual_channels=1")
    assert report["deadlock_free"] is True
    assert report["channels"] == 7 * 128
    assert report["virtual_channels"] == 1
    assert report["cycle"] is None
    assert report["dependencies"] > 0
    assert "acyclic" in report["reason"]
    assert run("check hypercube n=3")[0] == 0
