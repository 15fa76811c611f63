"""How far apart colours look, to people with and without colour blindness.

References
----------
G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for simulation
of color vision deficiency", IEEE Trans. Visualization and Computer Graphics 15(6), 2009.
"""

from itertools import combinations

from coloraide import Color

VISIONS = {
    "normal": lambda colour: colour,
    **{
        name: lambda colour, name=name: colour.filter(name, 1, method="machado").clip()
        for name in ("protan", "deutan", "tritan")
    },
}
"""What each kind of vision makes of a colour."""


def nearest(colours, vision):
    """Distance, by CIE 1976 L*a*b*, of the two colours that are most alike, and those two."""
    seen = [(colour, VISIONS[vision](Color(colour))) for colour in colours]
    return min(
        (one.delta_e(other, method="76"), first, second)
        for (first, one), (second, other) in combinations(seen, 2)
    )


def contrast(one, other):
    """Contrast of two colours by WCAG 2, 1..21."""
    return Color(one).contrast(other, method="wcag21")
