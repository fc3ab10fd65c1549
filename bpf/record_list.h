/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists every type of record, for files that define what they need of it and include this one:
 *
 *	RECORD(number, TYPE, type, "name", bytes, fields)
 *
 * enum record_type has RECORD_TYPE, and struct record_type has the contents. Recordings contain the
 * number, the name and the fields, in this order: add at the end, never renumber. Bytes are the
 * fewest of such a record: tail words may follow. ANY() is a field in which every value is
 * possible: positions, identities, texts. Bytes outside of fields are 0.
 */

/* clang-format off */
/* kernel: one message left its sender */
RECORD(1, SEND, send, "send", 40,
       FIELD(send, channel) FIELD(send, bytes) ANY(send, position) FIELD(send, send_ns)
       FIELD(send, queued_ns))
/* kernel: one message reached its receiver, with the receiver's states */
RECORD(2, RECEIVE, receive, "receive", 48,
       FIELD(receive, channel) FIELD(receive, bytes) ANY(receive, position)
       FIELD(receive, enter_ns) FIELD(receive, exit_ns) ANY(receive, first))
/* kernel: what ran on a CPU that a traced thread waited for */
RECORD(3, SLICE, slice, "slice", 32,
       FIELD(slice, kind) FIELD(slice, seq) FIELD(slice, start_ns) FIELD(slice, end_ns))
/* kernel: a channel id and the sockets behind it */
RECORD(4, CHANNEL, channel, "channel", 32,
       FIELD(channel, channel) FIELD(channel, transport) ANY(channel, sender)
       ANY(channel, receiver))
/* kernel: the name of a thread or an interrupt */
RECORD(5, NAME, name, "name", 48,
       FIELD(name, kind) FIELD(name, flags) FIELD(name, policy) FIELD(name, priority)
       FIELD(name, since_ns) ANY(name, comm))
/* workload: which thread is the server, which are the clients */
RECORD(6, ROLE, role, "role", 32,
       FIELD(role, role) FIELD(role, client) ANY(role, comm))
/* workload: one round as the server saw it */
RECORD(7, TICK, tick, "tick", 40,
       FIELD(tick, round) FIELD(tick, due_ns) FIELD(tick, stamp_ns) FIELD(tick, sent)
       FIELD(tick, skipped))
/* workload: one message as its client's own clock saw it */
RECORD(8, STAMP, stamp, "stamp", 56,
       FIELD(stamp, client) FIELD(stamp, to_server) FIELD(stamp, index) FIELD(stamp, round)
       FIELD(stamp, stamp_ns) FIELD(stamp, user_ns) FIELD(stamp, due_ns))
/* workload: a client that was dropped or died before its last message */
RECORD(9, LEFT, left, "left", 32,
       FIELD(left, client) FIELD(left, reason) FIELD(left, round) FIELD(left, detail))
/* tracer: every record of an event before this instant is above */
RECORD(10, WATERMARK, watermark, "watermark", 16,
       ANY(watermark, before_ns))
/* tracer: losses and cost, the last record of a complete run */
RECORD(11, END, end, "end", 56,
       FIELD(end, loss) FIELD(end, bpf_ns) FIELD(end, bpf_messages))
/* kernel: changes of state for which no RECEIVE came in time */
RECORD(12, CHANGES, changes, "changes", 24,
       FIELD(changes, base_ns) ANY(changes, first))
/* kernel: data reached its receiver after its send call had returned */
RECORD(13, ARRIVAL, arrival, "arrival", 32,
       FIELD(arrival, channel) ANY(arrival, end) FIELD(arrival, at_ns))
/* workload: totals of one direction of a link, at its end */
RECORD(14, TRAFFIC, traffic, "traffic", 80,
       FIELD(traffic, client) FIELD(traffic, to_server) FIELD(traffic, sent)
       FIELD(traffic, received) FIELD(traffic, corrupt) FIELD(traffic, bytes)
       FIELD(traffic, first_ns) FIELD(traffic, last_ns) FIELD(traffic, wakes_sent)
       FIELD(traffic, wakes_delivered))
/* session: work of a load beside the workload */
RECORD(15, LOAD, load, "load", 24,
       FIELD(load, count) FIELD(load, ended))
/* kernel: a traced thread and its process (attach) */
RECORD(16, THREAD, thread, "thread", 24,
       FIELD(thread, pid) FIELD(thread, is_peer) FIELD(thread, since_ns))
/* kernel: names and addresses of the ends of a channel (attach) */
RECORD(17, ADDRESS, address, "address", 144,
       FIELD(address, channel) FIELD(address, family) FIELD(address, length)
       FIELD(address, sender_port) FIELD(address, receiver_port) FIELD(address, named)
       ANY(address, inode) ANY(address, text))
/* kernel: what was in a channel when its counting began (attach) */
RECORD(18, BASELINE, baseline, "start", 24,
       FIELD(baseline, channel) FIELD(baseline, is_new) ANY(baseline, leftover))
/* tracer: sends that begin later are not recorded (attach) */
RECORD(19, STOP, stop, "stop", 16,
       FIELD(stop, at_ns))
/* session: how much tracing changes the latency */
RECORD(20, OBSERVER_EFFECT, observer_effect, "effect", 40,
       FIELD(observer_effect, pairs) FIELD(observer_effect, ratio) FIELD(observer_effect, low)
       FIELD(observer_effect, high))
/* session: a part of the statistics of all, beside windows of records */
RECORD(21, SUMMARY, summary, "kept", 16,
       FIELD(summary, kind) FIELD(summary, left))
/* kernel: a send without a SEND (attach) */
RECORD(22, BESIDE, beside, "beside", 32,
       FIELD(beside, channel) FIELD(beside, from_ns) FIELD(beside, until_ns))
/* kernel: a thread gets no CPU in the middle of a call (attach) */
RECORD(23, STARVING, starving, "starving", 32,
       FIELD(starving, at_queue) FIELD(starving, from_ns) FIELD(starving, until_ns))
/* kernel: the process of a thread that a NAME names */
RECORD(24, PROCESS, process, "process", 40,
       FIELD(process, since_ns) FIELD(process, pid) ANY(process, comm))
/* session: how the reader of records got its CPU */
RECORD(25, READER, reader, "reader", 32,
       FIELD(reader, policy) FIELD(reader, start_ns) FIELD(reader, hurried_ns))
/* kernel: a thread woke another one of its process (attach) */
RECORD(26, WAKEUP, wakeup, "wakeup", 24,
       FIELD(wakeup, woken) FIELD(wakeup, at_ns))
/* session: where a target's socket with a relative name is (attach) */
RECORD(27, PATH, path, "path", 128,
       FIELD(path, length) ANY(path, name))
/* session: which channels there were when tracing ended (attach) */
RECORD(28, FOUND, found, "found", 48,
       FIELD(found, targets) FIELD(found, connections) FIELD(found, services)
       FIELD(found, elsewhere) FIELD(found, transport) FIELD(found, pid) ANY(found, comm))
/* session: what the interpreter in a traced process executes (attach) */
RECORD(29, SCRIPT, script, "script", 112,
       ANY(script, text))
/* session: for how long the host took a CPU away while tracing */
RECORD(30, STEAL, steal, "steal", 24,
       FIELD(steal, steal_ns) FIELD(steal, span_ns))
/* kernel: what woke a traced thread (level deep) */
RECORD(31, WAKER, waker, "waker", 32,
       FIELD(waker, woken) FIELD(waker, number) FIELD(waker, at_ns) FIELD(waker, wake_ns))
/* kernel: a CPU left idle for a traced thread (level deep) */
RECORD(32, IDLE, idle, "idle", 32,
       FIELD(idle, idle_ns) FIELD(idle, left_ns) FIELD(idle, switch_ns))
/* session: the control group of a throttled thread (level deep) */
RECORD(33, GROUP, group, "group", 120,
       FIELD(group, since_ns) ANY(group, text))
/* session: these four are in model/window_records.h */
RECORD(34, WINDOW, window, "window", 24,
       FIELD(window, from_ns) FIELD(window, begun_ns))
RECORD(35, TRIGGER, trigger, "trigger", 48,
       FIELD(trigger, channel) FIELD(trigger, quantity) FIELD(trigger, position)
       FIELD(trigger, from_ns) FIELD(trigger, at_ns) FIELD(trigger, value_ns))
RECORD(36, NUMBER, number, "number", 32,
       FIELD(number, channel) ANY(number, position) FIELD(number, number))
RECORD(37, CONNECTION, connection, "connection", 40,
       ANY(connection, low) ANY(connection, high) FIELD(connection, from_low)
       FIELD(connection, from_high) FIELD(connection, client) FIELD(connection, basis))
/* kernel: the host took a CPU from a traced thread (level deep) */
RECORD(38, STOLEN, stolen, "stolen", 32,
       FIELD(stolen, from_ns) FIELD(stolen, to_ns) FIELD(stolen, stolen_ns))
/* session: a thread had this stack: record_stacks.h */
RECORD(39, STACK, stack, "stack", 32,
       FIELD(stack, from_ns) FIELD(stack, to_ns) FIELD(stack, kind) FIELD(stack, stack))
/* session: the functions of a stack */
RECORD(40, FRAMES, frames, "frames", 16,
       FIELD(frames, stack) FIELD(frames, kernel_cnt) FIELD(frames, user_cnt))
/* session: the name of a function */
RECORD(41, SYMBOL, symbol, "symbol", 16,
       FIELD(symbol, symbol) FIELD(symbol, length))
/* session: how many stacks were taken and lost */
RECORD(42, STACKS, stacks, "stacks", 56,
       FIELD(stacks, over_ns) FIELD(stacks, taken) FIELD(stacks, lost) FIELD(stacks, no_room)
       FIELD(stacks, unknown) FIELD(stacks, overfull))
/* kernel: like WAKEUP, out of a futex call */
RECORD(44, FUTEX_WAKEUP, wakeup, "futex_wakeup", 24,
       FIELD(wakeup, woken) FIELD(wakeup, place) FIELD(wakeup, at_ns))
/* workload: how often it has waited for room for records */
RECORD(43, PAUSES, pauses, "pauses", 24,
       FIELD(pauses, count) FIELD(pauses, ns))
/* kernel: a thread slept until its own timeout (level deep) */
RECORD(45, TIMEOUT, timeout, "timeout", 40,
       FIELD(timeout, wake_ns) FIELD(timeout, started_ns) FIELD(timeout, asked_ns)
       FIELD(timeout, slack_ns))
/* kernel: connect() has returned: this one and the next are in record_connections.h */
RECORD(46, CONNECT, connect, "connect", 72,
       FIELD(connect, family) FIELD(connect, port) FIELD(connect, error)
       FIELD(connect, enter_ns) FIELD(connect, exit_ns) FIELD(connect, queued_ns)
       ANY(connect, address) ANY(connect, ports) ANY(connect, number) ANY(connect, listener)
       FIELD(connect, retransmits))
/* kernel: accept() has returned a new socket */
RECORD(47, ACCEPT, accept, "accept", 72,
       FIELD(accept, family) FIELD(accept, port) FIELD(accept, waiting)
       FIELD(accept, enter_ns) FIELD(accept, exit_ns) FIELD(accept, queued_ns)
       ANY(accept, address) ANY(accept, ports) ANY(accept, number) ANY(accept, listener)
       FIELD(accept, retransmits) FIELD(accept, backlog))
/* kernel: TCP sent data again */
RECORD(48, RETRANSMIT, retransmit, "retransmit", 32,
       FIELD(retransmit, channel) ANY(retransmit, position) FIELD(retransmit, at_ns))
/* kernel: a traced thread was in one system call for long (level deep) */
RECORD(50, CALL, call, "call", 32,
       FIELD(call, number) FIELD(call, enter_ns) FIELD(call, exit_ns))
/* kernel: a traced thread made many short system calls of one number (level deep) */
RECORD(51, CALLS, calls, "calls", 40,
       FIELD(calls, number) FIELD(calls, cnt) FIELD(calls, from_ns) FIELD(calls, to_ns)
       FIELD(calls, ns))
/* kernel: a traced thread was woken and found nothing (level deep) */
RECORD(52, FUTILE, futile, "futile", 40,
       FIELD(futile, from_ns) FIELD(futile, to_ns) FIELD(futile, cpu_ns)
       FIELD(futile, number) FIELD(futile, waker))
/* kernel: a CPU was idle while a traced thread waited for another one (level deep) */
RECORD(53, SPARE, spare, "spare", 40,
       FIELD(spare, cpu) FIELD(spare, is_allowed) FIELD(spare, from_ns) FIELD(spare, to_ns)
       FIELD(spare, idle_ns))
/* kernel: a connection has to wait in its handshake (attach): record_connections.h */
RECORD(54, HANDSHAKE, handshake, "handshake", 72,
       FIELD(handshake, family) FIELD(handshake, port) FIELD(handshake, retransmits)
       FIELD(handshake, began_ns) FIELD(handshake, at_ns) ANY(handshake, socket)
       ANY(handshake, address) ANY(handshake, ports) ANY(handshake, number)
       ANY(handshake, listener) FIELD(handshake, waiting) FIELD(handshake, backlog))
/* kernel: what a traced thread waits for is another thing than before (level deep) */
RECORD(56, WATCH, watch, "watch", 32,
       FIELD(watch, number) FIELD(watch, program) FIELD(watch, at_ns) ANY(watch, what))
/* kernel: a datagram was dropped while it was sent (attach): record_drop.h */
RECORD(61, DROP, drop, "drop", 40,
       FIELD(drop, channel) FIELD(drop, reason) FIELD(drop, position) FIELD(drop, at_ns)
       FIELD(drop, buffer_bytes))
/* kernel: a thread sleeps in a send call, as its own send buffer is full (level deep) */
RECORD(62, OWN_ROOM, own_room, "own_room", 24,
       FIELD(own_room, at_ns) FIELD(own_room, buffer_bytes))
/* kernel: a thread waited for a lock of the kernel (level deep) */
RECORD(63, KERNEL_LOCK, kernel_lock, "kernel_lock", 32,
       FIELD(kernel_lock, kind) FIELD(kernel_lock, number) FIELD(kernel_lock, from_ns)
       FIELD(kernel_lock, to_ns))
/* kernel: a traced thread has had page faults (level deep) */
RECORD(58, FAULTS, faults, "faults", 32,
       FIELD(faults, minor) FIELD(faults, major) FIELD(faults, from_ns) FIELD(faults, to_ns))
/* kernel: a traced thread freed memory itself (level deep) */
RECORD(59, RECLAIM, reclaim, "reclaim", 24,
       FIELD(reclaim, from_ns) FIELD(reclaim, to_ns))
/* kernel: a traced thread waited for a disk; what the disk did meanwhile (level deep) */
RECORD(60, DISK, disk, "disk", 48,
       FIELD(disk, disk) FIELD(disk, bytes) FIELD(disk, from_ns) FIELD(disk, to_ns)
       ANY(disk, name))
/* kernel: calls of a traced thread for messages have failed (level deep) */
RECORD(57, FAILED, failed, "failed", 56,
       FIELD(failed, number) FIELD(failed, cnt) FIELD(failed, from_ns) FIELD(failed, to_ns)
       FIELD(failed, ns) ANY(failed, inode) FIELD(failed, family) FIELD(failed, port)
       FIELD(failed, peer_port))
/* kernel: a traced thread uses what several threads wait for (level deep) */
RECORD(64, SHARED, shared, "shared", 48,
       FIELD(shared, channel) FIELD(shared, program) FIELD(shared, at_ns) ANY(shared, listener)
       ANY(shared, group) ANY(shared, epoll))
/* kernel: a traced thread is held back, as too many pages are dirty (level deep) */
RECORD(65, DIRTY, dirty, "dirty", 16, FIELD(dirty, at_ns))
/* tracer: a thread that slept when tracing began or ended (attach): record_asleep.h */
RECORD(66, ASLEEP, asleep, "asleep", 72,
       FIELD(asleep, pid) FIELD(asleep, number) FIELD(asleep, at_ns) FIELD(asleep, since_ns)
       FIELD(asleep, transport) FIELD(asleep, other) ANY(asleep, comm) ANY(asleep, other_comm))

#undef RECORD
