#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the recordings of this folder anew, and what they must say (expected.json). Needs root.
#
#	tests/replay/record.sh [PROGRAM]
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

# As after a crash: the file ends within a record.
record truncated.ipct --clients 3 --messages 40
size=$(stat -c %s truncated.ipct)
truncate -s $((size * 2 / 3 / 8 * 8 + 4)) truncated.ipct

python3 -B decode.py ./*.ipct >expected.json
ls -l ./*.ipct
