# SPDX-License-Identifier: BSD-2-Clause
"""All ways to look at a recording: formats, figures, and selections, also such that leave nothing."""

FIGURES = ("heat-map", "bands", "slowest", "percentiles", "apart", "difference", "blame", "graph", "chains",
           "series", "over-clients", "over-size", "published", "runs")
UNITS = ("message", "call", "round")
NOTHING = (("--between", "80000s,86000s"), ("--channel", "4000000000"), ("--client", "65535"), ("--peer", "nobody"),
           ("--round", "4000000000"), ("--slowest", "1"), ("--slowest", "0.001%"), ("--message", "1/99999999"),
           ("--from", "80000s"), ("--to", "1ns"))
SOMETHING = (("--slowest", "5"), ("--slowest", "100%"), ("--between", "0s,20ms"), ("--client", "1"), ("--client", "1-2"),
             ("--channel", "1"), ("--round", "3-9"), ("--peer", "*"), ("--message", "1/3"),
             ("--from", "10ms"), ("--to", "50ms"))
SLOWER = (("--around", "20ms"), ("--slower-than", "1ns"), ("--slower-than", "50us"), ("--slower-than", "1000s"))
CALLS = ((),) * 20 + (("--calls", "fifo"), ("--server", "*"))  # refused for runs
AGAINST = ((), ("--against", "others"))
PLAIN = (("-f", "text"), ("-f", "text", "--brief"), ("-f", "text", "--published"), ("-f", "json"), ("-f", "hgrm"))
OF_MESSAGES = (("-f", "ndjson"), ("-f", "csv"), ("-f", "perfetto", "--max-size", "20MB"))
OF_UNITS = (("-f", "html"), *(("-f", "svg", "--figure", figure) for figure in FIGURES))
EXPLAIN = (("-f", "text"), ("-f", "text", "--brief"), ("-f", "json"))


def chosen(random):
    """A command at random, without the program and the recording."""
    if random.randrange(4) == 0:
        return ("explain", *random.choice(EXPLAIN), *units(random), *selection(random, SLOWER[1:]),
                *random.choice(CALLS), *random.choice(AGAINST))
    kind = random.randrange(4)
    if kind < 2:
        shown = random.choice((("-f", "json"), random.choice(PLAIN)))
        unit = units(random) if "hgrm" in shown else ()
        return ("report", *shown, *unit, *random.choice(CALLS))
    if kind == 2:
        return ("report", *random.choice(OF_MESSAGES), *selection(random, SLOWER), *random.choice(CALLS))
    return ("report", *random.choice((OF_UNITS[0], random.choice(OF_UNITS))), *units(random), *selection(random, ()),
            *random.choice(CALLS), *random.choice(AGAINST))


def units(random):
    return ("--unit", random.choice(UNITS)) if random.randrange(2) else ()


def selection(random, more):
    return random.choice(((), (), random.choice(SOMETHING + more), random.choice(NOTHING + more)))


def every():
    """Each format and figure with each selection."""
    for shown in PLAIN:
        yield ("report", *shown)
    for unit in UNITS:
        yield "report", "-f", "hgrm", "--unit", unit
    for shown in OF_MESSAGES:
        for select in ((), *SLOWER, *SOMETHING, *NOTHING):
            yield ("report", *shown, *select)
    for shown in OF_UNITS:
        for select in ((), *SOMETHING, *NOTHING):
            yield ("report", *shown, *select)
        for unit in UNITS:
            yield ("report", *shown, "--unit", unit)
    for shown in EXPLAIN:
        for select in ((), *SLOWER[1:], *SOMETHING, *NOTHING, *(("--unit", unit) for unit in UNITS)):
            yield ("explain", *shown, *select)
