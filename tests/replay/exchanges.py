# SPDX-License-Identifier: BSD-2-Clause
"""
The exchanges of the pattern connect, worked out from the records of a recording: the clock readings of the client
around its connection and its message, and the instants of that connection in the kernel.
"""

import collections

from replay import joins

UNIX = 1  # AF_UNIX

# Instants of one exchange in their order; `connected` and `returned`, the end of connect(), may be anywhere later.
Exchange = collections.namedtuple(
    "Exchange", "client index begun enter queued accepted stamp user closed connected returned")


def link_of(record):
    """What both ends of a connection have in common."""
    return (record["address"], record["ports"], 0 if record["family"] == UNIX else record["number"])


def connections_of(run):
    """{thread: [(connect, accept)]} of every connection that was accepted, in the order of connect()."""
    accepts = collections.defaultdict(list)
    for accept in run.of("accept"):
        accepts[link_of(accept)].append(accept)
    connections = collections.defaultdict(list)
    connects = sorted(run.of("connect"), key=lambda c: c["enter_ns"])
    # A link is used again: the accept call is the first one that ends after connect() has begun.
    for connect in connects:
        later = [a for a in accepts[link_of(connect)] if a["exit_ns"] > connect["enter_ns"]]
        if not connect["error"] and later:
            connections[connect["tid"]].append((connect, min(later, key=lambda a: a["exit_ns"])))
    return connections


def exchanges_of(run):
    """Every exchange of a client whose connection was recorded, the warm-up included."""
    roles, connections, exchanges = joins.Roles(run), connections_of(run), []
    tids = {client: tid for tid, client in roles.clients.items()}
    for stamp in run.of("stamp"):
        begun, connected, closed = stamp.words
        of_stamp = [(c, a) for c, a in connections[tids[stamp["client"]]] if begun <= c["enter_ns"] <= stamp["user_ns"]]
        if len(of_stamp) != 1:
            continue
        connect, accept = of_stamp[0]
        queued = connect["queued_ns"] if connect["family"] == UNIX else accept["queued_ns"]
        exchanges.append(Exchange(stamp["client"], stamp["index"], begun, connect["enter_ns"],
                                  min(queued, accept["exit_ns"]), accept["exit_ns"], stamp["stamp_ns"],
                                  stamp["user_ns"], closed, connected, connect["exit_ns"]))
    return exchanges
