/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the names of the ways in which a send and its receive can be joined. Also holds the names
 * of the reasons why a message is in no statistic.
 */
#include "model/join_outcome.h"

const char *const match_names[NR_MATCHES] = {
	[MATCH_EXACT] = "exact",
	[MATCH_RESYNCED] = "resynced",
	[MATCH_AMBIGUOUS] = "ambiguous",
	[MATCH_APPROXIMATE] = "approximate",
};

const char *const incomplete_names[NR_INCOMPLETES] = {
	[INCOMPLETE_NOT_RECEIVED] = "not_received",
	[INCOMPLETE_NO_SEND] = "no_send",
	[INCOMPLETE_NO_STAMP] = "no_stamp",
	[INCOMPLETE_STAMP] = "stamp_mismatch",
	[INCOMPLETE_HISTORY] = "history_lost",
	[INCOMPLETE_NO_WAKEUP] = "no_wakeup",
	[INCOMPLETE_ORDER] = "order",
	[INCOMPLETE_OVERFLOW] = "overflow",
	[INCOMPLETE_NOT_RECORDED] = "not_recorded",
	[INCOMPLETE_NO_ARRIVAL] = "no_arrival",
	[INCOMPLETE_NOT_TRACED] = "not_traced",
	[INCOMPLETE_UNKNOWN_START] = "unknown_start",
	[INCOMPLETE_FORGOTTEN] = "forgotten",
};

const char *const incomplete_texts[NR_INCOMPLETES] = {
	[INCOMPLETE_NOT_RECEIVED] = "not received",
	[INCOMPLETE_NO_SEND] = "their send was not recorded",
	[INCOMPLETE_NO_STAMP] = "the client's own stamp is missing",
	[INCOMPLETE_STAMP] = "the client's stamp is of another round",
	[INCOMPLETE_HISTORY] = "part of the receiver's history was lost",
	[INCOMPLETE_NO_WAKEUP] = "the wakeup was not recorded",
	[INCOMPLETE_ORDER] = "instants out of order",
	[INCOMPLETE_OVERFLOW] = "there was no room for them",
	[INCOMPLETE_NOT_RECORDED] = "no record of them",
	[INCOMPLETE_NO_ARRIVAL] = "no record says when they became visible",
	[INCOMPLETE_NOT_TRACED] = "one end was not traced when its call began",
	[INCOMPLETE_UNKNOWN_START] = "what was in their channel before is not known",
	[INCOMPLETE_FORGOTTEN] = "too many threads or channels: they were forgotten",
};
