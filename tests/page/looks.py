# SPDX-License-Identifier: BSD-2-Clause
"""
What a page of chromium.py looks like: text on text, cut text, what is wider than the window, colours that are
hard to read, colours of one grey, figures without marks or names. Every function returns sentences about what is wrong.
"""

import base64
import os

from page import chromium

HERE = os.path.dirname(os.path.abspath(__file__))
CONTRAST_MIN = 4.5  # WCAG 2.1, level AA


def script(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def ask(page, function):
    return page.evaluate(f"({script('looks.js')}).{function}()")


def overlaps(page):
    return ask(page, "overlaps")


def cuts(page):
    return ask(page, "cuts")


def wides(page):
    return ask(page, "wides")


def empties(page):
    return ask(page, "empties")


def nameless(page):
    return ask(page, "nameless")


def greys(page):
    return ask(page, "greys")


def figures(page):
    """The names of the figures that are visible."""
    return ask(page, "figures")


def contrasts(page, helper, least=CONTRAST_MIN):
    """Texts whose contrast is too low. `helper` is another page, an empty one."""
    texts = ask(page, "inks")
    ask(page, "hideText")
    wrong = []
    end = 0
    for top, picture in page.tiles():
        begin, end = end, top + chromium.TILE
        there = [text for text in texts if begin <= text["y"] + text["height"] / 2 < end]
        for text in helper.ask(script("contrast.js"), base64.b64encode(picture).decode(), top, there):
            if text["ratio"] is not None and text["ratio"] < least:
                wrong.append(f"{text['place']}: \"{text['text']}\" has a contrast of {text['ratio']:.2f}")
    ask(page, "showText")
    return wrong
