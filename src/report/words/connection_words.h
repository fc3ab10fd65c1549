/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sentences on connections. Each function adds to a paragraph, and
 * adds nothing if there is nothing to say.
 */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/*
 * One sentence without a full stop, if connections are a problem for certain: they waited because
 * the accept queue of a listener was full, or many calls of connect() failed. "7 connects waited
 * 1.0 to 3.1 s: the accept queue of server (pid 12) was full (backlog 1)". Waits of up to
 * `usual_ns` are no problem, as calls take as long.
 */
void connection_verdict_words(struct paragraph *line, const struct summary *summary,
			      uint64_t usual_ns);

/*
 * "No message was seen, but 995 connections: from connect() to accept() they take 120.3 us on
 * average (p99 345.0 us); the largest part (94 %) is queue. Add --explain for the cause." There is
 * at least one.
 */
void connection_only_words(struct paragraph *line, const struct summary *summary);

/* "995 accepted, 331/s; 2 segments of handshakes were sent again" */
void connection_count_words(struct paragraph *line, const struct summary *summary);

/*
 * "620 on 620 new connections, 1.0 each; from connect() to the first answer: 380.2 us on average,
 * of which a connection takes 41 % until it is open"
 */
void connection_call_words(struct paragraph *line, const struct summary *summary);

/* "12 of 40 calls failed: 10 with ECONNREFUSED, 2 with ETIMEDOUT" */
void connection_failure_words(struct paragraph *line, const struct summary *summary);

/* "server (pid 12) on port 8080: backlog 16; at most 3 waited when one was accepted" */
void listener_words(struct paragraph *line, const struct summary *summary,
		    const struct listener_summary *listener);

/* "in the queue, the accepting thread had the CPU for 3 % of the time, and slept for 97 %" */
void listener_queue_words(struct paragraph *line, const struct summary *summary,
			  const struct listener_summary *listener);
