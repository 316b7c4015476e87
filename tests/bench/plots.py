# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots as SVG: one figure a file, no script, colours that follow the reader's light or dark page."""

import html
import math

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #57606a }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .ours { fill: #1a7f64 } .other { fill: #8c959f } .rest { fill-opacity: .4 } .dot { fill: #1a7f64; fill-opacity: .45 }
  .line { stroke: #cf4a22; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
    .ours { fill: #3fb998 } .other { fill: #656c76 } .dot { fill: #3fb998; fill-opacity: .5 } .line { stroke: #f0825d }
  }"""


def svg(width, height, title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{html.escape(title)}"><style>{STYLE}</style>\n'
            f'<text class="title" x="16" y="26">{html.escape(title)}</text>\n{body}\n</svg>\n')


def signed(value):
    """To hundredths; nothing is +0.00, from whichever side."""
    return f"{round(value, 2) + 0.0:+.2f}"


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def bars(title, legend, rows, describe=duration):
    """rows: [(label, part of the value or None, value > 0 or None, text instead of a value, ours)]; the part is drawn solid, the
    rest of the value lightly; legend: (what the part is, what the value is). The scale is logarithmic."""
    width, left, right, top, step = 760, 250, 120, 82, 30
    values = [value for _, part, whole, _, _ in rows for value in (part, whole) if value]
    low = 10 ** math.floor(math.log10(min(values))) if values else 1
    high = 10 ** math.ceil(math.log10(max(values))) if values else 10
    high = high if high > low else low * 10
    height = top + step * len(rows) + 40

    def x(value):
        return left + (width - left - right) * (math.log10(max(value, low)) - math.log10(low)) / (math.log10(high) - math.log10(low))

    def bar(classes, y, to):
        return f'<rect class="{classes}" x="{left}" y="{y}" rx="2" height="20" width="{max(to - left, 2):.1f}"/>'

    parts, at = [], 16
    for classes, words in zip(("ours", "ours rest"), legend):
        parts.append(f'<rect class="{classes}" x="{at}" y="42" rx="2" width="12" height="12"/>'
                     f'<text class="quiet" x="{at + 18}" y="53">{html.escape(words)}</text>')
        at += 18 + 7 * len(words) + 22
    mark = low
    while mark <= high * 1.001:
        parts.append(f'<line class="grid" x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{top - 8}" y2="{height - 34}"/>'
                     f'<text class="quiet" x="{x(mark):.1f}" y="{height - 14}" text-anchor="middle">{describe(mark)}</text>')
        mark *= 10
    for i, (label, part, whole, text, ours) in enumerate(rows):
        y, classes = top + step * i, "ours" if ours else "other"
        parts.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end">{html.escape(label)}</text>')
        if whole:
            parts.append(bar(f"{classes} rest" if part else classes, y, x(whole)))
            if part:
                parts.append(bar(classes, y, x(part)))
            words = f"{describe(part)} of {describe(whole)}" if part else describe(whole)
            parts.append(f'<text x="{max(x(whole), left + 2) + 6:.1f}" y="{y + 15}">{words}</text>')
        else:
            parts.append(f'<text class="quiet" x="{left + 6}" y="{y + 15}">{html.escape(text)}</text>')
    return svg(width, height, title, "\n".join(parts))


def scatter(title, points, x_title, y_title, limit=None):
    """points: [(x, y)] in ns, both axes logarithmic; limit: a line at this y."""
    width, height, left, top, bottom = 760, 390, 80, 62, 56
    ends = []
    for axis in (0, 1):
        values = [max(point[axis], 1) for point in points] + ([limit] if axis == 1 and limit else [])
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        ends.append((low, high if high > low else low + 1))

    def x(value):
        return left + (width - left - 24) * (math.log10(max(value, 1)) - ends[0][0]) / (ends[0][1] - ends[0][0])

    def y(value):
        return height - bottom - (height - top - bottom) * (math.log10(max(value, 1)) - ends[1][0]) / (ends[1][1] - ends[1][0])

    parts = []
    for power in range(ends[0][0], ends[0][1] + 1):
        parts.append(f'<line class="grid" x1="{x(10 ** power):.1f}" x2="{x(10 ** power):.1f}" y1="{top}" y2="{height - bottom}"/>'
                     f'<text class="quiet" x="{x(10 ** power):.1f}" y="{height - bottom + 18}" text-anchor="middle">'
                     f'{duration(10 ** power)}</text>')
    for power in range(ends[1][0], ends[1][1] + 1):
        parts.append(f'<line class="grid" x1="{left}" x2="{width - 24}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}"/>'
                     f'<text class="quiet" x="{left - 8}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{duration(10 ** power)}</text>')
    if limit:
        parts.append(f'<line class="line" x1="{left}" x2="{width - 24}" y1="{y(limit):.1f}" y2="{y(limit):.1f}"/>')
    parts += [f'<circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5"/>' for a, b in points]
    parts.append(f'<text class="quiet" x="{(left + width - 24) / 2}" y="{height - 12}" text-anchor="middle">{html.escape(x_title)}</text>')
    parts.append(f'<text class="quiet" x="{left}" y="{top - 12}">{html.escape(y_title)}</text>')
    return svg(width, height, title, "\n".join(parts))
