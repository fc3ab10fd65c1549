#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Records the recordings of this folder again, and the expected figures (expected.json). Needs root.
#
#	tests/replay/record.sh [PROGRAM]
#
# All but stream-request.ipct are of version 3, and show that it can still be read: keep some of them.
#
# Review the difference of expected.json before it is committed: decode.py works it out from the raw
# records and does not ask the program, but it cannot know what the kernel should have shown.

set -eu

program=$(realpath "${1:-build/ipctrace}")
cd "$(dirname "$0")"
cpu=$(($(nproc) - 1)) # where --cpus one runs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Recordings show the command line: it should not depend on where the program lies.
ln -s "$program" "$scratch/ipctrace"
PATH=$scratch:$PATH

record()
{
	file=$1
	shift
	ipctrace "$@" --warmup 5 --record "$file" >"$scratch/report"
}

record_link()
{
	record "$@" --clients 2 --messages 25 --policy other
}

# Until a spin of 3 ms has hit a message.
record_spinner()
{
	cc -O2 -o "$scratch/spinner" ../e2e/spinner.c
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$scratch/spinner" "$cpu" 3000000 5070000 2000 >"$scratch/spins" &
		spinner=$!
		record spinner.ipct --clients 5 --messages 40 --cpus one
		kill $spinner
		wait $spinner
		ipctrace report spinner.ipct -f json -o "$scratch/json"
		grep -A 3 '"class": "task"' "$scratch/json" | grep -q rt-spinner && return
	done
	echo "record.sh: no message was hit by the spinner in $try tries" >&2
	exit 1
}

record one-client.ipct --clients 1 --messages 50
record one-cpu.ipct --clients 5 --messages 100 --cpus one
record_spinner
record no-trace.ipct --clients 5 --messages 20 --no-trace
IPCTRACE_WITHOUT=sched_exit_tp record no-switch.ipct --clients 2 --messages 20
record sweep.ipct --clients 1-2 --messages 10

# Both directions of links, byte streams, what only the workload reports, and what has no stamps.
record_link stream-pingpong.ipct --transport uds-stream --pattern pingpong
record_link tcp-request.ipct --transport tcp --pattern request --reader epoll --handler sleep=50us
record_link tcp-connect.ipct --transport tcp --pattern connect
record_link udp-push.ipct --transport udp --period 1ms
record_link pipe-parts.ipct --transport pipe --pattern pingpong --size 300 --read-size 100
record_link fifo-flood.ipct --transport fifo --pattern flood --read-size 4096 --cpus one
record_link mqueue-pingpong.ipct --transport mqueue --pattern pingpong --threads
record_link sysv-request.ipct --transport sysv --pattern request
record_link shm-pingpong.ipct --transport shm --pattern pingpong
record_link signal-flood.ipct --transport signal-std --pattern flood --cpus one
record_link eventfd-rate.ipct --transport eventfd --pattern request --period 500us --handler spin=100us
# Receivers that meet their wake-up on the way to sleep, which is likely for real-time threads.
record uds-pingpong.ipct --pattern pingpong --clients 2 --messages 30
record eventfd-pingpong.ipct --transport eventfd --pattern pingpong --clients 2 --messages 30

record_link seqpacket-threads.ipct --transport uds-seqpacket --pattern request --threads --size 1
record_link tcp-flood.ipct --transport tcp6 --pattern flood --size 30000 --cpus one
record_link signal-push.ipct --transport signal --period 1ms
record_link kernel-push.ipct --transport kernel --period 1ms
record_link stream-request.ipct --transport uds-stream --pattern request
record_link no-trace-request.ipct --transport uds-stream --pattern request --no-trace
record_link no-trace-flood.ipct --transport pipe --pattern flood --no-trace

# As after a crash: the file ends within a block. Long enough for several of these.
record truncated.ipct --clients 3 --messages 300
size=$(stat -c %s truncated.ipct)
truncate -s $((size * 2 / 3)) truncated.ipct

PYTHONPATH=.. python3 -B decode.py ./*.ipct >"$scratch/expected"
mv "$scratch/expected" expected.json
ls -l ./*.ipct
