#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Records the recordings of this folder again, which the tests show as pages. Needs root.
#
#	tests/page/record.sh [PROGRAM]
#
# Unlike those of tests/replay they have causes (level deep), several runs, and programs that talk.

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
	ipctrace "$@" --record "$file" -o "$scratch/report"
}

# Five clients, and another program that takes their CPU for 1.5 ms, again and again:
# not in step with their period.
cc -O2 -o "$scratch/spinner" ../e2e/spinner.c
"$scratch/spinner" "$cpu" 1500000 5300000 2000 >"$scratch/spins" &
spinner=$!
record run.ipct --clients 5 --messages 250 --warmup 5 --period 4ms --cpus one --level deep
kill $spinner

record sweep.ipct --clients 1-5 --messages 25 --warmup 5 --period 2ms
record experiment.ipct --experiment grame --transport uds --clients 1,2,4 --messages 20 --warmup 3 --period 2ms

cp talk.py "$scratch"
here=$PWD
cd "$scratch"
ipctrace attach --level deep --record attach.ipct -o report -- /usr/bin/python3 talk.py orders.sock 80
mv attach.ipct "$here"
cd "$here"
ls -l ./*.ipct
