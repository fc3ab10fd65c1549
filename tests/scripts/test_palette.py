# SPDX-License-Identifier: BSD-2-Clause
"""
Colours of figures that can stand beside each other differ enough, for readers with a colour deficiency, too.

How much two colours differ is CIEDE2000, in which about 1 is the least that can be seen of two areas that touch
(Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula, 2005). What a reader without red or green cones sees is
simulated (Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009).
"""

import itertools
import math
import os
import re
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FOLDER = os.path.join(TOP, "src/report/figure")
COMPONENTS = os.path.join(TOP, "src/model/component.c")
# Every pair of a group differs by this much.
LEAST, LEAST_WITH_DEFICIENCY = 12, 8
# Linear RGB as it is seen.
VIEWS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1, 1.08883)
# Pairs of CIELAB colours and their difference, from table 1 of the paper.
PUBLISHED = (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 2.5, 0), (73, 25, -18), 27.1492),
             ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000), ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
             ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
             ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644))


def product(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(value):
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def lab(colour, view):
    """CIELAB of "#rrggbb"."""
    rgb = [linear(int(colour[at:at + 2], 16) / 255) for at in (1, 3, 5)]
    seen = [min(1, max(0, value)) for value in product(view, rgb)]
    ratios = [value / white for value, white in zip(product(TO_XYZ, seen), WHITE)]
    x, y, z = (ratio ** (1 / 3) if ratio > 216 / 24389 else (24389 / 27 * ratio + 16) / 116 for ratio in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def rotation(chroma):
    return math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))


def polar(a, b, factor):
    return math.hypot(a * factor, b), math.degrees(math.atan2(b, a * factor)) % 360


def difference(one, other):
    """CIEDE2000 of two CIELAB colours, with the names of the paper."""
    factor = 1 + 0.5 * (1 - rotation((math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2))
    (c1, h1), (c2, h2) = polar(*one[1:], factor), polar(*other[1:], factor)
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    lightness, chroma = (one[0] + other[0]) / 2 - 50, (c1 + c2) / 2
    t = 1 + sum(weight * math.cos(math.radians(times * hue + shift))
                for weight, times, shift in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63)))
    s_l = 1 + 0.015 * lightness ** 2 / math.sqrt(20 + lightness ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    l, c = (other[0] - one[0]) / s_l, (c2 - c1) / s_c
    h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / s_h
    blue = math.exp(-(((hue % 360 - 275) / 25) ** 2))
    return math.sqrt(l * l + c * c + h * h - math.sin(math.radians(60 * blue)) * 2 * rotation(chroma) * c * h)


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def classes():
    """{class: its own colour} of areas and lines. A rule for several classes is a shade of a property."""
    return dict(re.findall(r"^\.([\w-]+)\{(?:fill|stroke):(#[0-9a-f]{6})[;}]", text_of("figure.css"), re.MULTILINE))


def properties():
    """{"light": {property: colour}, "dark": …}: those without transparency."""
    light, dark = (dict(re.findall(r"--(\w+):(#[0-9a-f]{6})[;}]", rule.replace("#fff;", "#ffffff;"))) for rule in
                   re.findall(r"^:root(?:\[data-theme=dark\])?(\{.*\})$", text_of("figure.css"), re.MULTILINE))
    return {"light": light, "dark": dark}


def named(pattern, file="canvas.c", prefix=""):
    return [prefix + name for name in re.findall(pattern, text_of(file))]


class Palette(unittest.TestCase):
    def test_formula(self):
        """the difference of published pairs is the published one"""
        for one, other, published in PUBLISHED:
            self.assertAlmostEqual(difference(one, other), published, delta=0.00005)
            self.assertAlmostEqual(difference(other, one), published, delta=0.00005)

    def check(self, colours):
        for name, view in VIEWS.items():
            least = LEAST if name == "all cones" else LEAST_WITH_DEFICIENCY
            for (one, a), (other, b) in itertools.combinations(colours.items(), 2):
                found = difference(lab(a, view), lab(b, view))
                self.assertGreaterEqual(found, least, f"{one} {a} and {other} {b}, {name}")

    def test_areas(self):
        """components and culprits: a bar has all of them"""
        known, names = classes(), named(r'NAMED\("(\w+)"', COMPONENTS, "c-") + named(r'"(k\d)"')
        self.assertEqual(sorted(set(names)), sorted(name for name in known if re.match(r"c-|k\d", name)))
        self.assertGreater(len(set(names)), 20)
        self.check({name: known[name] for name in names})

    def test_lines(self):
        """series, which lines and dots have"""
        known = classes()
        series = {name: known[name] for name in named(r'"(s\d)"')}
        self.assertEqual(len(series), 8)
        self.check(series)

    def test_pairs(self):
        """slow and usual ones, on light and dark pages; the parts of chains"""
        known = classes()
        self.check({name: known[name] for name in ("on-way", "in-process")})
        for theme, colours in properties().items():
            self.assertEqual(len(colours), 6, theme)
            self.check({name: colours[name] for name in ("heat", "slow", "paper")})
            self.check({"usual": known["pair-base"], **{name: colours[name] for name in ("slow", "paper")}})


if __name__ == "__main__":
    tap.main()
