# SPDX-License-Identifier: BSD-2-Clause
"""The closed sets of words in JSON. tests/replay/test_schemas.py holds them against the sources."""

COMPONENTS = ("dispatch", "send_path", "room", "wakeup", "runqueue", "switch", "busy", "blocked", "receive",
              "return")
COMPONENT_SAYS = {
    "dispatch": "from the stamp to the begin of the send call",
    "send_path": "the send call, until the receiver can see the message, less room",
    "room": "the sender, or its data, waits for room at the receiver",
    "wakeup": "the receiver sleeps until it is woken up",
    "runqueue": "the receiver is runnable and waits for a CPU",
    "switch": "the scheduler switches to the receiver",
    "busy": "the receiver runs, outside of the receive call of this message",
    "blocked": "the receiver sleeps for another reason",
    "receive": "the receiver is in its receive call",
    "return": "from the end of the receive call to the receiver's own clock reading",
}
# What a component of a call can be besides.
COSTS = COMPONENTS + ("on_cpu", "stopped", "unknown")
PATHS = ("slept", "runnable", "running", "blocked")
MATCHES = ("exact", "resynced", "ambiguous", "approximate")
CALL_MATCHES = ("exact", "fifo", "open_several")
INCOMPLETE = ("not_received", "no_send", "no_stamp", "stamp_mismatch", "history_lost", "no_wakeup", "order",
              "overflow", "not_recorded", "no_arrival", "not_traced", "unknown_start", "forgotten")
LOSSES = ("ring_full", "channels", "recursion", "stamps")
TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "udp", "pipe", "fifo", "shm", "mqueue", "sysv",
              "signal", "signal-std", "eventfd", "kernel", "tcp6", "udp6", "futex")
PATTERNS = ("push", "pingpong", "request", "connect", "flood")
POLICIES = ("rr", "fifo", "deadline", "other")
READERS = ("block", "poll", "epoll")
LEVELS = ("full", "light", "deep")
READER_POLICIES = ("idle", "other", "cpus")
MODES = ("run", "attach")
BLAME_CLASSES = ("server", "client", "task", "kthread", "irq", "softirq", "idle", "throttled", "unknown",
                 "ipctrace", "steal")
RELATIONS = ("target", "peer", "other")
CULPRIT_CLASSES = BLAME_CLASSES + ("itself", "others")
ROLES = ("itself", "unknown", "ran", "inside", "woke", "kept", "reader")
PARTS = ("request", "service", "response")
UNITS = ("message", "call", "round")
OUTCOMES = ("explained", "no_units", "too_few", "none_slow", "no_base")
ATTRIBUTES = ("cpu", "path", "channel", "client", "peer", "transport", "size", "place", "waker", "since",
              "migration")
STACK_STATES = ("slept", "ran", "left")
QUANTITIES = COMPONENTS + ("latency", "late", "first", "next", "last", "round_trip", "request", "service",
                           "response")
LEFT_REASONS = ("send_failed", "signal", "exit", "duration", "targets", "stop_at", "count")
ENDS = ("plan", "signal", "server_left", "clients_left", "duration", "targets_left", "stop_at", "count")
END_UNITS = ("rounds", "exchanges", "messages")
HEALTHS = ("fine", "unknown", "limited", "missing")
CONNECTION_STATES = ("open", "half_closed", "not_accepted", "peer_gone")
ATTACH_OPTIONS = ("--unix", "--port", "-p")

# Sets that many values are of, and the names of their definitions.
SHARED = {COMPONENTS: "component_name", COSTS: "cost_name", TRANSPORTS: "transport_name",
          BLAME_CLASSES: "blame_class", CULPRIT_CLASSES: "culprit_class", QUANTITIES: "quantity_name",
          PATHS: "path_name"}
