"""Plots as SVG, by hand: a few lines with logarithmic axes."""

import math
from html import escape

# Distinct to colour-blind eyes too; each subject keeps its colour in all plots.
COLOURS = {
    "s2sampler": "#d55e00",
    "max pass": "#666666",
    "full sort": "#000000",
    "llama.cpp": "#0072b2",
    "llama.cpp, apply only": "#56b4e9",
    "candle": "#009e73",
    "llm-samplers": "#cc79a7",
    "naive Rust": "#b8860b",
}
INK, GRID = "#222222", "#dddddd"


class Canvas:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="13" fill="{INK}" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]
        self.text(width / 2, 24, title, anchor="middle", size=15, weight="bold")

    def text(self, x, y, text, anchor="start", size=13, weight="normal", fill=INK, turn=None):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{fill}"{turned}>{escape(text)}</text>'
        )

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{dashed}/>'
        )

    def path(self, points, colour, width, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{listed}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-linejoin="round"{dashed}/>'
        )
        for x, y in points:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1}" fill="{colour}"/>')

    def svg(self):
        return "\n".join(self.parts) + "\n</svg>\n"


def duration(us):
    """A power of ten of microseconds, for an axis."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if us >= size:
            return f"{us / size:g} {unit}"
    return f"{us * 1e3:g} ns"


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def spread(wanted, gap):
    """Heights near the wanted ones, none closer to the next than `gap`."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [wanted[i] for i in order]
    for _ in range(200):
        for a in range(len(placed) - 1):
            overlap = gap - (placed[a + 1] - placed[a])
            if overlap > 0:
                placed[a] -= overlap / 2
                placed[a + 1] += overlap / 2
    return {i: y for i, y in zip(order, placed)}


def times(title, lines):
    """Time against the row's length; `lines` maps a subject to {length: microseconds}."""
    canvas = Canvas(820, 480, title)
    left, top, right, bottom = 80, 45, 640, 425
    lengths = sorted({n for line in lines.values() for n in line})
    low, high = decades([us for line in lines.values() for us in line.values()])
    x_low, x_high = math.log(lengths[0]), math.log(lengths[-1])

    def at(n, us):
        across = (math.log(n) - x_low) / (x_high - x_low)
        up = (math.log10(us) - low) / (high - low)
        return left + across * (right - left), bottom - up * (bottom - top)

    for decade in range(low, high + 1):
        y = at(lengths[0], 10.0**decade)[1]
        canvas.line(left, y, right, y)
        canvas.text(left - 8, y + 4, duration(10.0**decade), anchor="end")
    for n in lengths:
        x = at(n, 10.0**low)[0]
        canvas.line(x, top, x, bottom)
        # The last two stand close together.
        shift = {lengths[-1]: 12, lengths[-2]: -12}.get(n, 0)
        canvas.text(x + shift, bottom + 18, f"{n:,}", anchor="middle", size=12)
    canvas.text((left + right) / 2, bottom + 42, "logits in the row", anchor="middle")
    canvas.text(20, (top + bottom) / 2, "time for one draw", anchor="middle", turn=-90)

    names = list(lines)
    ends = [at(n, lines[name][n])[1] for name in names for n in [max(lines[name])]]
    labels = spread(ends, 17)
    for i, name in enumerate(names):
        own, colour = name == "s2sampler", COLOURS[name]
        points = [at(n, us) for n, us in sorted(lines[name].items())]
        canvas.path(points, colour, 3.5 if own else 1.8, "6 4" if name == "max pass" else "")
        canvas.line(points[-1][0] + 4, points[-1][1], right + 16, labels[i], colour, 0.8)
        label = {"max pass": "bare max pass"}.get(name, name)
        canvas.text(right + 20, labels[i] + 4, label, fill=colour, weight="bold" if own else "normal")
    return canvas.svg()
