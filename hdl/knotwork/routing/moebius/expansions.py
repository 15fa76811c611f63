"""Expansions of address differences, and the paths that a source finds with them.

A dimension-i link of a Möbius cube changes the address by the term e_i (bit i alone, plain) or E_i
(bits i to 0, twisted). A path's terms XOR to the difference of its ends: an expansion of it.

References
----------
D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 2, as corrected: a plain link is
taken from the far end where the next term is one dimension *lower* (figures 2.3 and 2.9 have it one
higher), and spr goes on as spr (figure 2.9 goes on as approxSpr), else paths are not shortest.

In dimension 0 both kinds are one link, and the thesis does not say where it counts as E_0. Here it
does where bit 1 of the address is 1, as in every other dimension: by that reading spr gives the
next routers that figures 2.11 and 2.12 print. The reading does not change the length of a path.
"""

from typing import NamedTuple

from ...topology.moebius import Moebius


class Term(NamedTuple):
    """Change of address by one link; in dimension 0 both kinds are one, written twisted."""

    dimension: int
    twisted: bool

    def __str__(self) -> str:
        """As the thesis writes it: ``e2``, or ``E2`` for a twisted link."""
        return f"{'E' if self.twisted else 'e'}{self.dimension}"

    @property
    def mask(self) -> int:
        """Bits that change."""
        return (2 << self.dimension) - 1 if self.twisted else 1 << self.dimension

    def fits(self, cube: Moebius, router: int) -> bool:
        """Whether the link of `router` in this dimension is of this kind."""
        kind = (router | cube.twist << cube.n) >> (self.dimension + 1) & 1
        return self.twisted == bool(kind)

    def is_crossable(self, cube: Moebius, router: int) -> bool:
        """Whether the link of `router` in this dimension makes this change."""
        return self.dimension == 0 or self.fits(cube, router)


def minimal_expansion(difference: int) -> list[Term]:
    """Fewest terms that XOR to `difference`, the highest dimension first.

    Adjacent ones ask for a twisted link, a one followed by a zero for a plain one (section 2.1).
    """
    terms = []
    while difference:
        top = difference.bit_length() - 1
        twisted = top == 0 or difference >> (top - 1) & 1 == 1
        terms.append(Term(top, twisted))
        difference ^= terms[-1].mask
    return terms


def with_other_top(terms: list[Term]) -> list[Term] | None:
    """Expansion of equal length with the other kind of link in the top dimension, or None.

    There is one where plain terms follow two dimensions apart up to a twisted one: all of them move
    up by one dimension and become plain (lemmas 4 and 5).
    """
    top, below = terms[0], terms[0].dimension
    for count, term in enumerate(terms[1:], start=1):
        below -= 2
        if term.dimension != below:
            return None
        if term.twisted:
            moved = [Term(raised.dimension + 1, False) for raised in terms[1 : count + 1]]
            return [Term(top.dimension, not top.twisted), *moved, *terms[count + 1 :]]
    return None


def approx_spr(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the path that approxSpr finds, both ends included; not always a shortest one.

    Figure 2.3: one minimal expansion is kept, and a link that does not exist is replaced by two.
    """
    return _find_path(cube, source, destination, swap=False)


def spr(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the shortest path that the set-based spr finds, both ends included.

    Figure 2.9: before a link is replaced by two, `with_other_top` is tried.
    """
    return _find_path(cube, source, destination, swap=True)


def _find_path(cube: Moebius, source: int, destination: int, *, swap: bool) -> list[int]:
    """Path from both ends: `head` grows from the source, `tail` back from the destination."""
    head, tail = [source], [destination]
    terms = minimal_expansion(source ^ destination)
    while terms:
        top, router = terms[0], head[-1]
        if not top.is_crossable(cube, router):
            swapped = with_other_top(terms) if swap else None
            other = [Term(top.dimension, not top.twisted), Term(top.dimension - 1, True)]
            terms = swapped or other + terms[1:]
        elif top.twisted:
            # What is below may be crossed before or after the twisted link, in the kind that fits.
            term = next((term for term in terms[1:] if term.fits(cube, router)), top)
            terms.remove(term)
            head.append(router ^ term.mask)
        else:
            terms.pop(0)
            if terms and terms[0].dimension == top.dimension - 1 and terms[0].fits(cube, router):
                tail.append(tail[-1] ^ top.mask)  # crossing it now would take the next link away
            else:
                head.append(router ^ top.mask)
    return head + tail[-2::-1]  # the ends have met in one router


def highest_first(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the shortest path with the highest dimension at each hop, both ends included.

    The thesis's experimental rsa has no algorithm there, only the tables in figures 2.13 and 2.14.
    This is the rule that they follow.
    """
    path = [source]
    while path[-1] != destination:
        router, top = path[-1], (path[-1] ^ destination).bit_length()
        left = distance(cube, router, destination)
        links = cube.neighbours[router, top:0:-1].tolist()  # port i + 1 is dimension i
        path.append(next(near for near in links if distance(cube, near, destination) < left))
    return path


def distance(cube: Moebius, source: int, destination: int) -> int:
    """Hops of a shortest path, by formula (section 2.4).

    Once a twisted link is used, each term below may be of either kind, and the rest costs just its
    minimal expansion; a plain link frees the dimension under it alone.
    """
    difference, hops = source ^ destination, 0
    while difference:
        top = difference.bit_length() - 1
        if Term(top, True).is_crossable(cube, source):  # in dimension 0 nothing is left
            return hops + 1 + _free_weight(difference, top)
        difference ^= 1 << top
        hops += 1
        if difference >> (top - 1):
            if not _is_next_plain(difference, top - 1):
                return hops + 1 + _free_weight(difference, top - 1)
            difference ^= 1 << (top - 1)
            hops += 1
    return hops


def _free_weight(difference: int, dimension: int) -> int:
    """Terms below a twisted link of `dimension`, where their kinds are free."""
    below = (1 << dimension) - 1
    return len(minimal_expansion(~difference & below))


def _is_next_plain(difference: int, dimension: int) -> bool:
    """Whether the term after a plain one, one dimension below it, is best plain too.

    The bits below it decide, in pairs from the top: 01 leaves it open, 00 means yes, others mean
    no. A single last bit means yes if it is 0; if no bits are left, the answer is no.
    """
    while dimension >= 2:
        pair = difference >> (dimension - 2) & 3
        if pair != 1:
            return pair == 0
        dimension -= 2
    return dimension == 1 and not difference & 1
