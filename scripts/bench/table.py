# SPDX-License-Identifier: BSD-2-Clause
"""The benchmark's arithmetic, and its tables."""

from measure import median_of

UNTRACED, NULL, NULL_LIGHT = "untraced", "null", "null light"
LIGHT = "ipctrace --level light"


def evaluate(runs):
    """
    {variant: figures} of one work. `runs` is a list of rounds, each {variant: ns per message}; ratio
    and added time are taken within a round, so that a drift of the machine falls on both alike.
    """
    result = {}
    for name in dict.fromkeys(name for one in runs for name in one):
        pairs = [(one[name], one[UNTRACED]) for one in runs if name in one and UNTRACED in one]
        if not pairs:
            continue
        figures = {"ns": median_of([traced for traced, _ in pairs]), "runs": len(pairs)}
        if name != UNTRACED:
            figures["ratio"] = median_of([traced / plain for traced, plain in pairs])
            figures["added_ns"] = median_of([traced - plain for traced, plain in pairs])
        result[name] = figures
    for name, figures in result.items():
        floor = floor_of(result, name)
        if "added_ns" in figures and name not in (NULL, NULL_LIGHT):
            figures["added_over_null"] = \
                figures["added_ns"]["median"] / floor if floor > 0 else None
    return result


def floor_of(result, name):
    """What empty programs at the same hooks add, at the median; 0: not known."""
    null = NULL_LIGHT if name == LIGHT else NULL
    return result.get(null, {}).get("added_ns", {}).get("median", 0)


def interval(of, scale, digits):
    """A median and its interval in a table."""
    low, median, high = (of[key] / scale for key in ("low", "median", "high"))
    return f"{median:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def cell_of(name, figures):
    """One figure of the table: what it takes untraced, and else how many times that."""
    if not figures:
        return "-"
    if name == UNTRACED:
        return f"{figures['ns']['median'] / 1e3:.2f} us"
    return f"×{interval(figures['ratio'], 1, 2)}"


def markdown(report):
    """Variants down, works across; then the added time of one message."""
    works = list(report["works"])
    lines = ["| | " + " | ".join(works) + " |", "|---" * (len(works) + 1) + "|"]
    for name in report["variants"]:
        cells = [cell_of(name, report["works"][work].get(name)) for work in works]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "Time added to one message (ns), and how many times that of empty programs at the "
              "same hooks:", "",
              "| | " + " | ".join(works) + " |", "|---" * (len(works) + 1) + "|"]
    for name in report["variants"]:
        if name == UNTRACED:
            continue
        lines.append(f"| {name} | " + " | ".join(
            added_of(report["works"][work].get(name)) for work in works) + " |")
    lines += [""] + [f"Not possible here: {name}: {why}" for name, why in
                     report["not_possible"].items()]
    return "\n".join(lines).rstrip() + "\n"


def added_of(figures):
    if not figures:
        return "-"
    text = interval(figures["added_ns"], 1, 0)
    over = figures.get("added_over_null")
    return text + (f", ×{over:.1f}" if over is not None else "")


def show(report):
    """The same for a terminal."""
    for work, variants in report["works"].items():
        print(f"\n{work:30}{'ns per message':28}{'÷ untraced':24}{'added ns':28}÷ null")
        for name in report["variants"]:
            figures = variants.get(name)
            if not figures:
                continue
            row = f"  {name:28}{interval(figures['ns'], 1, 0):28}"
            if "ratio" in figures:
                row += f"{interval(figures['ratio'], 1, 3):24}"
                row += f"{interval(figures['added_ns'], 1, 0):28}"
            over = figures.get("added_over_null")
            print((row + (f"{over:.1f}" if over is not None else "")).rstrip())
    for line in said_of_itself(report):
        print(line)
    for name, why in report["not_possible"].items():
        print(f"not possible here: {name}: {why}")


def said_of_itself(report):
    """What tracers say of what they have traced: of all rounds together."""
    lines = []
    for work, variants in report["said"].items():
        for name, counts in variants.items():
            words = [f"{counts[key]} {key}" for key in ("sent", "matched", "lost")
                     if key in counts]
            if counts.get("matched") and "bytes" in counts:
                words.append(f"{counts['bytes'] / counts['matched']:.1f} bytes per message")
            if words:
                lines.append(f"{work}: {name}: {', '.join(words)}")
    return lines
