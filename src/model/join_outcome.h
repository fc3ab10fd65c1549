/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the ways in which a send and its receive are joined, and the reasons why a message is in
 * no statistic.
 */
#pragma once

/* How a send and its receive were joined. */
enum match { MATCH_EXACT, MATCH_RESYNCED, MATCH_AMBIGUOUS, MATCH_APPROXIMATE, NR_MATCHES };

/* Why a message that was sent has no components. Such a message is in no statistic. */
enum incomplete {
	INCOMPLETE_NOT_RECEIVED, /* not received while tracing */
	INCOMPLETE_NO_SEND,      /* received, but the SEND record is missing */
	INCOMPLETE_NO_STAMP,     /* the stamp of the client is missing */
	INCOMPLETE_STAMP,        /* the stamp belongs to another round */
	INCOMPLETE_HISTORY,      /* changes of the receiver's state are missing */
	INCOMPLETE_NO_WAKEUP,    /* the receiver ran without a recorded wake-up */
	INCOMPLETE_ORDER,        /* the instants are out of order */
	INCOMPLETE_OVERFLOW, /* too many messages were open at once, or too many segments in one */
	INCOMPLETE_NOT_RECORDED,  /* it was sent, but has no record */
	INCOMPLETE_NO_ARRIVAL,    /* when the receiver could see the data is not recorded */
	INCOMPLETE_NOT_TRACED,    /* attach: tracing of one end began during its call */
	INCOMPLETE_UNKNOWN_START, /* attach: what the channel held before is not known */
	INCOMPLETE_FORGOTTEN,     /* attach: the thread of one end made room for others */
	NR_INCOMPLETES
};

extern const char *const match_names[NR_MATCHES];
extern const char *const incomplete_names[NR_INCOMPLETES]; /* in JSON */
extern const char *const incomplete_texts[NR_INCOMPLETES]; /* in the text report */
