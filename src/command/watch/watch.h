/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the watch, which compares messages and calls with conditions while tracing goes on. A
 * message that fulfils the condition of --trigger or --slower-than makes the flight recorder write
 * a window, and the command of --on-slow run. One that fulfils that of --stop-at ends tracing.
 */
#pragma once

#include "analysis/analysis.h"
#include "command/watch/quantities.h"
#include "recording/recording.h"

struct watch;

/* All are borrowed. */
struct watch_spec {
	const struct run_info *info;
	const struct condition *trigger; /* NULL: none */
	const struct condition *stop;    /* NULL: none */
	uint64_t keep_ns;
	uint64_t count;                     /* tracing ends after so many windows; 0: never */
	const char *on_slow;                /* NULL: no command */
	struct recording_writer *recording; /* gets windows; NULL: none */
};

/* NULL: out of memory, or an error that was logged. */
struct watch *watch__new(const struct watch_spec *spec);
void watch__free(struct watch *watch);

/* The process in whose session is all of --on-slow; 0: there is none. */
uint32_t watch__keeper(const struct watch *watch);

/* Before the first record. The analysis gets the same records; it is borrowed. */
void watch__begin(struct watch *watch, const struct analysis *analysis);

/* Whether calls have to be passed on. */
bool watch__wants_calls(const struct watch *watch);

/* 0 or -ENOMEM. A message is `built` before its round is known; later it comes again. */
int watch__built(struct watch *watch, const struct message *message);
int watch__message(struct watch *watch, const struct message *message);
/* A call may come several times, with more of its answer. */
int watch__call(struct watch *watch, const struct call *call);

/* A record that the analysis has got. 0 or -ENOMEM. */
int watch__record(struct watch *watch, const struct record *record);

/* As flight__end_drain(). */
int watch__end_drain(struct watch *watch, uint64_t now_ns, uint64_t before_ns, uint64_t horizon_ns);

/* The analysis is finished, and the recording gets no more records. 0 or -ENOMEM. */
int watch__finish(struct watch *watch, uint64_t now_ns);

/* What ended tracing. */
enum watch_end { WATCH_GOES_ON, WATCH_STOPPED, WATCH_COUNTED };
enum watch_end watch__end(const struct watch *watch);

/* WATCH_STOPPED: what fulfilled the condition. */
const struct occasion *watch__stopped_by(const struct watch *watch);
