"""Fields of a layout, as a manifest lists them."""

from amaranth.lib import data


def layout_fields(layout: data.StructLayout, prefix: str = "") -> dict[str, list[int]]:
    """Lowest bit and number of bits of each field, by name; of one inside another ``outer.inner``.

    Fields without bits are left out.
    """
    found: dict[str, list[int]] = {}
    for name, field in layout:
        place = [field.offset, field.width]
        inner = field.shape
        if isinstance(inner, data.StructLayout):
            for key, (offset, width) in layout_fields(inner, f"{prefix}{name}.").items():
                found[key] = [place[0] + offset, width]
        elif field.width:
            found[f"{prefix}{name}"] = place
    return found
