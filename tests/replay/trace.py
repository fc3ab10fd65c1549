# SPDX-License-Identifier: BSD-2-Clause
"""Reads files of `-f perfetto` with Perfetto's own definitions, and holds them against its rules.

`scripts/setup test` installs these definitions into build-python/. Shares no code with the program.
"""

import collections
import os
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(TOP, "build-python"))

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto  # noqa: E402

CLEARED = perfetto.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
NEEDED = perfetto.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
BEGIN = perfetto.TrackEvent.TYPE_SLICE_BEGIN
END = perfetto.TrackEvent.TYPE_SLICE_END
INSTANT = perfetto.TrackEvent.TYPE_INSTANT
COUNTER = perfetto.TrackEvent.TYPE_COUNTER

RUNNING = perfetto.GenericKernelTaskStateEvent.TASK_STATE_RUNNING
STATES = {RUNNING: "running", perfetto.GenericKernelTaskStateEvent.TASK_STATE_RUNNABLE: "runnable",
          perfetto.GenericKernelTaskStateEvent.TASK_STATE_INTERRUPTIBLE_SLEEP: "asleep",
          perfetto.GenericKernelTaskStateEvent.TASK_STATE_STOPPED: "stopped"}
NO_CPU = 4095  # where the state of a thread becomes unknown

State = collections.namedtuple("State", "tid name cpu begin end")
Event = collections.namedtuple("Event", "at kind name category notes value flows ends")


class Slice:
    """A stretch of time on a track, with those inside of it."""

    def __init__(self, event, track):
        self.begin, self.end = event.at, None
        self.name, self.category, self.notes = event.name, event.category, event.notes
        self.track = track
        self.children = []

    @property
    def length(self):
        return self.end - self.begin

    def all(self):
        yield self
        for child in self.children:
            yield from child.all()


class Sequence:
    """What packets of one sequence refer to by numbers."""

    def __init__(self):
        self.clock = self.last = None
        self.texts = collections.defaultdict(dict)

    def intern(self, data):
        for kind in ("event_categories", "event_names", "debug_annotation_names"):
            self.texts[kind].update({entry.iid: entry.name for entry in getattr(data, kind)})
        self.texts["values"].update(
            {entry.iid: entry.str.decode() for entry in data.debug_annotation_string_values})

    def note(self, note):
        """(name, value)"""
        name = note.name or self.texts["debug_annotation_names"][note.name_iid]
        if note.string_value_iid:
            return name, self.texts["values"][note.string_value_iid]
        return name, note.string_value if note.HasField("string_value") else note.uint_value

    def event(self, at, event):
        names, categories = self.texts["event_names"], self.texts["event_categories"]
        notes = [self.note(note) for note in event.debug_annotations]
        if len(dict(notes)) < len(notes):
            raise ValueError(f"two notes of one name: {notes}")
        return Event(at, event.type, event.name or (names[event.name_iid] if event.name_iid else None),
                     categories[event.category_iids[0]] if event.category_iids else None, dict(notes),
                     event.counter_value, list(event.flow_ids), list(event.terminating_flow_ids))


class Trace:
    """A whole file. Raises ValueError for what no reader has to accept."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.packets = perfetto.Trace.FromString(file.read()).packet
        self.tracks, self.clocks = {}, []
        self.events = collections.defaultdict(list)
        self.sequences = {}
        self.changes = collections.defaultdict(list)
        self.view = []
        for packet in self.packets:
            self.take(packet)
        self.slices = {uuid: self.slices_of(uuid) for uuid in list(self.events)}
        self.states = [state for tid, changes in self.changes.items() for state in self.states_of(tid, changes)]

    def take(self, packet):
        number = packet.trusted_packet_sequence_id
        if not number:
            raise ValueError("a packet without a sequence")
        if number not in self.sequences:
            if packet.sequence_flags != CLEARED:
                raise ValueError(f"sequence {number} begins in an unknown state")
            self.sequences[number] = Sequence()
        elif packet.sequence_flags != NEEDED:
            raise ValueError(f"sequence {number} has a packet with flags {packet.sequence_flags}")
        sequence = self.sequences[number]
        if packet.HasField("trace_packet_defaults"):
            sequence.clock = packet.trace_packet_defaults.timestamp_clock_id
        if packet.HasField("clock_snapshot"):
            self.clocks.append(packet.clock_snapshot)
        if packet.HasField("track_descriptor"):
            self.add_track(packet.track_descriptor)
        sequence.intern(packet.interned_data)
        if packet.HasField("track_event"):
            self.add_event(sequence, packet)
        if packet.HasField("generic_kernel_task_state_event"):
            self.check_instant(sequence, packet)
            change = packet.generic_kernel_task_state_event
            self.changes[change.tid].append((packet.timestamp, change.state, change.cpu))
        if packet.HasField("service_event"):
            self.check_instant(sequence, packet)
            self.view.append(packet.timestamp)

    def add_track(self, track):
        if track.uuid in self.tracks:
            raise ValueError(f"two tracks {track.uuid}")
        if track.parent_uuid and track.parent_uuid not in self.tracks:
            raise ValueError(f"track {track.uuid} comes before its parent")
        self.tracks[track.uuid] = track

    def check_instant(self, sequence, packet):
        if sequence.clock != perfetto.BUILTIN_CLOCK_MONOTONIC or packet.timestamp_clock_id:
            raise ValueError("an instant of another clock")
        if sequence.last is not None and packet.timestamp < sequence.last:
            raise ValueError("instants of a sequence do not rise")
        sequence.last = packet.timestamp

    def add_event(self, sequence, packet):
        at, event = packet.timestamp, packet.track_event
        self.check_instant(sequence, packet)
        if event.track_uuid not in self.tracks:
            raise ValueError("an event before its track")
        self.events[event.track_uuid].append(sequence.event(at, event))

    def slices_of(self, uuid):
        """Those that are inside of no other one. Events of one instant stay in the order of the file."""
        found, opened = [], []
        for event in sorted(self.events[uuid], key=lambda event: event.at):
            if event.kind == BEGIN:
                (opened[-1].children if opened else found).append(Slice(event, uuid))
                opened.append((opened[-1].children if opened else found)[-1])
            elif event.kind == END:
                if not opened:
                    raise ValueError(f"track {uuid}: an end without a begin")
                opened.pop().end = event.at
        if opened:
            raise ValueError(f"track {uuid}: slices without an end")
        return found

    @staticmethod
    def states_of(tid, changes):
        """Those of a thread that are known, and end. Changes of one instant stay in the order of the file."""
        changes = sorted(changes, key=lambda change: change[0])
        for (begin, state, cpu), (end, after, _) in zip(changes, changes[1:]):
            if tid and state == after == RUNNING and cpu != NO_CPU:
                raise ValueError(f"thread {tid} begins to run twice")
            if tid and end > begin and (state != RUNNING or cpu != NO_CPU):
                yield State(tid, STATES[state], cpu, begin, end)

    def path(self, uuid):
        """The names of a track and of those above it."""
        track = self.tracks[uuid]
        if track.HasField("thread"):
            return (f"pid {track.thread.pid}", f"tid {track.thread.tid}")
        if track.HasField("process"):
            return (f"pid {track.process.pid}",)
        return (*(self.path(track.parent_uuid) if track.parent_uuid else ()), track.name)

    def below(self, name):
        """The outermost slices of all tracks with this name above them, or which have it."""
        return [piece for uuid, slices in self.slices.items() if name in self.path(uuid) for piece in slices]

    def roots(self):
        return [track for track in self.tracks.values()
                if not track.parent_uuid and not track.HasField("process") and not track.HasField("thread")]

    def all_slices(self):
        return [inner for slices in self.slices.values() for outer in slices for inner in outer.all()]

    def all_events(self):
        return [(uuid, event) for uuid, events in self.events.items() for event in events]

    def texts(self):
        """Every text of the file."""
        for sequence in self.sequences.values():
            for texts in sequence.texts.values():
                yield from texts.values()
        for packet in self.packets:
            track, event = packet.track_descriptor, packet.track_event
            yield from (track.name, track.description, track.thread.thread_name, track.process.process_name,
                        event.name, *event.categories)
            for note in event.debug_annotations:
                yield from (note.name, note.string_value)
