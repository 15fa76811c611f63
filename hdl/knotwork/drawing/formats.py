"""A drawing as PNG or PDF, made from its SVG with the fonts that Matplotlib brings."""

import io
import math
from pathlib import Path
from xml.etree import ElementTree as ET

KINDS = ("svg", "png", "pdf")
"""Kinds of pictures."""

_ZOOM = 2.0  # pixels of a PNG per pixel of the SVG, in each direction ...
_MOST_PIXELS = 100e6  # ... as long as the PNG has no more of them: four bytes each while it is made

_FONTS = {
    "DejaVuSans.ttf": ("DejaVu Sans", "normal"),
    "DejaVuSans-Bold.ttf": ("DejaVu Sans", "bold"),
    "DejaVuSansMono.ttf": ("DejaVu Sans Mono", "normal"),
    "DejaVuSansMono-Bold.ttf": ("DejaVu Sans Mono", "bold"),
}
"""Files of the fonts in which networks are drawn: family and weight."""

_NAMESPACE = "http://www.w3.org/2000/svg"


def picture(svg: str, kind: str) -> bytes:
    """Drawing in one of `KINDS`; the same bytes for the same drawing.

    Parameters
    ----------
    svg : str
        What `svg.draw_network` returns.
    """
    return {"svg": str.encode, "png": _png, "pdf": _pdf}[kind](svg)


def _font_folder() -> Path:
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf"


def _png(svg: str) -> bytes:
    import resvg_py

    # The system's fonts are left out: they would make the bytes depend on the machine.
    files = [str(_font_folder() / name) for name in _FONTS]
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, font_files=files, skip_system_fonts=True, zoom=_zoom(svg)
    )
    return bytes(drawn)


def _zoom(svg: str) -> float:
    root = ET.fromstring(svg)
    area = float(root.get("width", "1")) * float(root.get("height", "1"))
    return min(_ZOOM, math.sqrt(_MOST_PIXELS / area))


def _pdf(svg: str) -> bytes:
    from reportlab import rl_config
    from reportlab.graphics import renderPDF
    from svglib.fonts import register_font
    from svglib.svglib import svg2rlg

    for name, (family, weight) in _FONTS.items():
        register_font(family, str(_font_folder() / name), weight=weight)
    rl_config.invariant = 1  # no date in the file
    drawing, data = svg2rlg(io.BytesIO(_plain(svg))), io.BytesIO()
    assert drawing is not None
    renderPDF.drawToFile(drawing, data, autoSize=1)
    return data.getvalue()


def _plain(svg: str) -> bytes:
    """SVG for svglib, which reads no ``opacity`` and one font of a list."""
    ET.register_namespace("", _NAMESPACE)
    root = ET.fromstring(svg)
    for element in root.iter():
        opacity = element.attrib.pop("opacity", None)
        if opacity is not None:
            element.set("stroke-opacity", opacity)
            element.set("fill-opacity", opacity)
        fonts = element.get("font-family")
        if fonts is not None:
            element.set("font-family", fonts.partition(",")[0].strip("'\""))
    return ET.tostring(root, encoding="utf-8")
