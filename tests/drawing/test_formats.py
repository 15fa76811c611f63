import struct
import zlib

import numpy as np
import pytest
from knotwork import Network
from knotwork.drawing import formats
from knotwork.drawing.formats import KINDS, picture
from knotwork.drawing.svg import draw_network

SVG = draw_network(Network.from_word("moebius:n=3"), route=(1, 6))


def pixels(png):
    """Red, green and blue of each pixel of a PNG of 8 bits a channel, not interlaced."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data, width, height, channels = 8, b"", 0, 0, 0
    while place < len(png):
        size, kind = struct.unpack(">I4s", png[place : place + 8])
        chunk = png[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            channels = {2: 3, 6: 4}[colour]
            assert depth == 8
        data += chunk if kind == b"IDAT" else b""
        place += 12 + size
    return width, height, channels, zlib.decompress(data)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_drawing_gives_the_same_bytes(kind):
    assert picture(SVG, kind) == picture(SVG, kind)
    start = {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF-"}[kind]
    assert picture(SVG, kind).startswith(start)


def test_a_png_is_twice_as_large_as_the_drawing_and_shows_its_text():
    """A label is dark on white; without fonts there would be fewer dark pixels."""
    width, height, channels, rows = pixels(picture(SVG, "png"))
    size = SVG.partition('width="')[2].partition('"')[0]
    assert width == pytest.approx(2 * float(size), abs=2)
    assert len(rows) == height * (1 + channels * width)
    plain = SVG.replace("<text", "<desc").replace("</text", "</desc")
    with_text, without = (len(picture(each, "png")) for each in (SVG, plain))
    assert with_text > 1.2 * without
    assert np.frombuffer(rows, np.uint8).max() == 255


def test_a_png_has_no_more_pixels_than_fit_in_memory(monkeypatch):
    wide, high, _, _ = pixels(picture(SVG, "png"))
    monkeypatch.setattr(formats, "_MOST_PIXELS", 40_000)
    width, height, _, _ = pixels(picture(SVG, "png"))
    assert 39_000 < width * height < 41_000
    assert width / height == pytest.approx(wide / high, rel=0.02)


def test_a_pdf_embeds_the_fonts_of_its_text():
    data = picture(SVG, "pdf")
    assert b"DejaVuSans" in data
    assert b"DejaVuSansMono" in data
    assert b"Helvetica" not in data.replace(b"/BaseFont /Helvetica", b"")  # reportlab names one


def test_faint_lines_stay_faint_in_a_pdf():
    """Only what is not faint has opacity 1: a PDF says so in graphics states."""
    data = picture(SVG, "pdf")
    assert b"/CA .22" in data or b"/CA 0.22" in data
