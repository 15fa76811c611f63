"""Lines of a drawing: links straight where clear of nodes, else bowed; places of badges on them."""

import numpy as np

_BOWS = (0, 0.03, -0.03, 0.06, -0.06, 0.1, -0.1, 0.14, -0.14, 0.19, -0.19, 0.25, -0.25, 0.31, -0.31)
_SAMPLES = np.linspace(0.0, 1.0, 33)
_BESIDE = 2.5  # between a badge and what it must not cover
_DOUBLE = 0.1  # bow of either of two links of the same nodes, as a share of their length
_BUNDLE = 0.2  # bow of the first and the last of several


def control_points(places: np.ndarray, ends: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Control point of each link's quadratic curve; on the straight line where that is clear.

    Parameters
    ----------
    places : ndarray
        Positions of the nodes, (nodes, 2).
    ends : ndarray
        Two nodes of each link, (links, 2).
    room : ndarray
        Half width and half height that a line must keep from a node's middle; for all nodes, or
        for each, (nodes, 2).

    Returns
    -------
    ndarray
        (links, 2). A link that no bow frees takes the one that keeps farthest off.
    """
    first, last = places[ends[:, 0]], places[ends[:, 1]]
    middle, along = (first + last) / 2, last - first
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    own = _doubled(ends)
    points = middle + across * own[:, None]
    room = np.broadcast_to(room, places.shape)
    for link in range(len(ends)):
        shape = (first[link], middle[link], last[link], across[link])
        others, rooms = (np.delete(of_all, ends[link], axis=0) for of_all in (places, room))
        points[link] = _clear_point(shape, others, rooms, own[link])
    return points


def fitting(places: np.ndarray, room: np.ndarray) -> float:
    """Least scale by which nodes, each with this half width and half height, do not overlap."""
    scale = 0.0
    for node in range(1, len(places)):
        apart = np.abs(places[:node] - places[node])
        with np.errstate(divide="ignore"):
            scale = max(scale, ((room[:node] + room[node]) / apart).min(axis=1).max())
    return float(scale)


def closest(places: np.ndarray) -> float:
    """Distance of the nearest two nodes; 1 where there is one node only."""
    nearest = [
        np.hypot(*(places[node + 1 :] - places[node]).T).min() for node in range(len(places) - 1)
    ]
    return float(min(nearest, default=1.0))


def clearances(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Distance of each straight link from the nearest node that is not its own."""
    least = np.full(len(ends), np.inf)
    for link, (a, b) in enumerate(ends):
        along = places[b] - places[a]
        others = np.delete(places, (a, b), axis=0) - places[a]
        if len(others):
            share = np.clip(others @ along / (along @ along), 0, 1)
            least[link] = np.hypot(*(others - share[:, None] * along).T).min()
    return least


def _clear_point(
    shape: tuple[np.ndarray, ...], others: np.ndarray, room: np.ndarray, own: float
) -> np.ndarray:
    first, middle, last, across = shape
    best, farthest = middle, -1.0
    for bow in _BOWS:
        control = middle + across * (own + bow)
        low = np.minimum(np.minimum(first, last), control) - room
        high = np.maximum(np.maximum(first, last), control) + room
        is_near = ((others > low) & (others < high)).all(axis=1)
        if not is_near.any():
            return control
        curve = curve_points(first, control, last, _SAMPLES)
        between = (curve[:, None, :] - others[None, is_near, :]) / room[is_near]
        distance = np.hypot(*between.transpose(2, 0, 1))
        if distance.min() >= 1:
            return control
        if distance.min() > farthest + 1e-6:
            best, farthest = control, distance.min()
    return best


def curve_points(
    first: np.ndarray, control: np.ndarray, last: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Points of a quadratic curve where its parameter, 0..1, is `at`."""
    t = np.asarray(at)[:, None]
    return (1 - t) ** 2 * first + 2 * t * (1 - t) * control + t**2 * last


def moved_aside(points: tuple[np.ndarray, ...], by: float) -> tuple[np.ndarray, ...]:
    """First, control and last point of a curve, `by` to the right of its direction."""
    along = points[-1] - points[0]
    aside = np.array([-along[1], along[0]]) * by / np.hypot(*along)
    return tuple(point + aside for point in points)


def badge_places(
    curves: list[np.ndarray],
    halves: np.ndarray,
    nodes: np.ndarray,
    half: np.ndarray,
    shares: list[tuple[float, ...]],
) -> np.ndarray:
    """Point of each curve where its badge covers no node; and no other badge or curve if it can.

    Parameters
    ----------
    curves : list of ndarray
        Points of each curve.
    halves : ndarray
        Half width and half height of each badge, (curves, 2).
    nodes : ndarray
        Positions of the nodes, (nodes, 2).
    half : ndarray
        Half width and half height of a node; for all nodes, or for each, (nodes, 2).
    shares : list of tuple of float
        Where each badge may be, as shares of its curve, the best first.
    """
    lows = np.array([curve.min(axis=0) for curve in curves])
    highs = np.array([curve.max(axis=0) for curve in curves])
    places = np.empty((len(curves), 2))

    def crowding(number: int, place: np.ndarray) -> tuple[bool, bool, int]:
        room = halves[number] + _BESIDE
        near = np.nonzero(((lows - room < place) & (place < highs + room)).all(axis=1))[0]
        met = sum(_covers(place, room, curves[other]) for other in near if other != number)
        taken = _covers(place, room + halves[:number], places[:number])
        return _covers(place, room + half, nodes), taken, met

    for number, curve in enumerate(curves):
        points = [curve[round(share * (len(curve) - 1))] for share in shares[number]]
        places[number] = min(points, key=lambda place: crowding(number, place))
    return places


def _covers(place: np.ndarray, room: np.ndarray, points: np.ndarray) -> bool:
    return bool((np.abs(points - place) <= room).all(axis=1).any())


def _doubled(ends: np.ndarray) -> np.ndarray:
    """Bows that part links between the same two nodes; 0 for a link that is alone."""
    pairs = np.sort(ends, axis=1)
    _, pair, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    pair = pair.ravel()
    bows = np.zeros(len(ends))
    for double in np.nonzero(count > 1)[0]:
        links = np.nonzero(pair == double)[0]
        widest = (len(links) - 1) / 2
        spread = (np.arange(len(links)) - widest) * min(2 * _DOUBLE, _BUNDLE / widest)
        # The two ends may come in either order; a bow's side follows them.
        bows[links] = np.where(ends[links, 0] == pairs[links, 0], spread, -spread)
    return bows
