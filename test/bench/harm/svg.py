# SPDX-License-Identifier: Apache-2.0
"""How is a panel with axes drawn as SVG?"""

from math import log10
from xml.sax.saxutils import escape


def text(x, y, words, anchor="start", extra=""):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>'
        f"{escape(str(words))}</text>"
    )


def line(x1, y1, x2, y2, colour, extra=""):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}"{extra}/>'
    )


def rect(x, y, width, height, colour, extra=""):
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colour}"{extra}/>'
    )


def document(width, height, parts):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">\n'
        + rect(0, 0, width, height, "white")
        + "\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


class Linear:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, value):
        return (value - self.low) / (self.high - self.low)


class Log:
    """From `low` > 0; what is less is drawn there."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, value):
        value = min(max(value, self.low), self.high)
        return log10(value / self.low) / log10(self.high / self.low)


class SignedLog:
    """Linear up to `small` on both sides of zero, logarithmic up to `large`."""

    def __init__(self, small, large):
        self.small, self.large = small, large

    def _size(self, value):
        value = min(abs(value), self.large)
        if value <= self.small:
            return value / self.small
        return 1 + log10(value / self.small)

    def __call__(self, value):
        whole = 1 + log10(self.large / self.small)
        return 0.5 + (self._size(value) / whole / 2) * (1 if value >= 0 else -1)


class Panel:
    """A box in which points of data have places."""

    def __init__(self, box, x_scale, y_scale, title):
        self.left, self.top, self.width, self.height = box
        self._x, self._y = x_scale, y_scale
        bold = ' font-weight="bold"'
        self.parts = [text(self.left, self.top - 10, title, extra=bold)]

    def x(self, value):
        return self.left + self._x(value) * self.width

    def y(self, value):
        return self.top + (1 - self._y(value)) * self.height

    def x_ticks(self, values, label):
        bottom = self.top + self.height
        for value in values:
            x = self.x(value)
            self.parts.append(line(x, self.top, x, bottom, "#e6e6e6"))
            self.parts.append(text(x, bottom + 16, f"{value:g}", "middle"))
        middle = self.left + self.width / 2
        self.parts.append(text(middle, bottom + 34, label, "middle", ' fill="#555"'))

    def y_ticks(self, values, form="{:g}"):
        right = self.left + self.width
        for value in values:
            y = self.y(value)
            self.parts.append(line(self.left, y, right, y, "#e6e6e6"))
            self.parts.append(text(self.left - 6, y + 4, form.format(value), "end"))

    def curve(self, points, colour, width=2, extra=""):
        if points:
            places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
            self.parts.append(
                f'<polyline points="{places}" fill="none" stroke="{colour}" '
                f'stroke-width="{width}" stroke-linejoin="round"{extra}/>'
            )

    def band(self, lower, upper, colour):
        """Between two curves over the same x."""
        edge = upper + lower[::-1]
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in edge)
        self.parts.append(f'<polygon points="{places}" fill="{colour}"/>')
