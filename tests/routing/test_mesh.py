from knotwork import Mesh, Network


def test_along_the_row_and_then_the_column():
    network = Network(Mesh(x=4, y=3))
    assert network.routing.path(8, 3) == [8, 9, 10, 11, 7, 3]
    assert network.routing.path(3, 8) == [3, 2, 1, 0, 4, 8]
    assert network.routing.virtual_channels == 1
    assert network.deadlock_report.deadlock_free


def test_through_the_layers_at_last():
    network = Network(Mesh(x=3, y=2, z=2))
    assert network.routing.path(0, 11) == [0, 1, 2, 5, 11]
    assert network.routing.path(11, 0) == [11, 10, 9, 6, 0]
    assert network.deadlock_report.deadlock_free
