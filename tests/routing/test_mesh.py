from knotwork import Mesh, Network


def test_along_the_row_and_then_the_column():
    network = Network(Mesh(x=4, y=3))
    assert network.routing.path(8, 3) == [8, 9, 10, 11, 7, 3]
    assert network.routing.path(3, 8) == [3, 2, 1, 0, 4, 8]
    assert network.routing.virtual_channels == 1
    assert network.deadlock_report.deadlock_free
