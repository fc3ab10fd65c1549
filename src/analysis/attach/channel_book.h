/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the list of channels in the report: names, senders, receivers, and statistics. At most
 * CHANNEL_BOOK_MAX have their own entry. All others share that of their service, or "other".
 */
#pragma once

#include "analysis/attach/threads.h"
#include "model/summary.h"

#define CHANNEL_BOOK_MAX 1024

/* Entries for all channels of one service, from clients of one name, that have no entry. */
#define CHANNEL_BOOK_GROUPS_MAX 256
_Static_assert(CHANNEL_BOOK_MAX + CHANNEL_BOOK_GROUPS_MAX < SUMMARY_CHANNELS_MAX, "channels");

/* Names that are remembered for channels without a line of their own: the youngest. */
#define CHANNEL_BOOK_NAMES_MAX 16384

/* Relative names of sockets whose paths are known. */
#define CHANNEL_BOOK_PATHS_MAX 16

struct channel_book;

struct channel_book *channel_book__new(void); /* NULL: out of memory */
void channel_book__free(struct channel_book *book);

/* Before the addresses that it explains. 0. */
int channel_book__path(struct channel_book *book, const struct record_path *record);

/* Both: 0 or -ENOMEM. `naming`: of the processes of sender and receiver. */
int channel_book__address(struct channel_book *book, const struct record_address *address);
int channel_book__message(struct channel_book *book, const struct message *message,
			  const struct end_summary *sender, const struct end_summary *receiver,
			  const struct naming *naming);

/* Where to add what the receiver of this channel did. Borrowed until the next call. */
struct loop_time *channel_book__loop(struct channel_book *book, uint32_t channel);

/*
 * Whether it has to be known which ends of this channel are targets, as its name is relative, or
 * was replaced. Then channel_book__targets() takes them, as bits of ADDRESS_OF_.
 */
bool channel_book__guesses(const struct channel_book *book, uint32_t channel);
void channel_book__targets(struct channel_book *book, uint32_t channel, uint32_t ends);

/*
 * The address or name of the receiving end; empty: not known. Borrowed until the next call.
 */
const char *channel_book__receiver(const struct channel_book *book, uint32_t channel);

/* The service that this channel leads to: "nginx on 127.0.0.1:80". */
void channel_book__service(const struct channel_book *book, uint32_t channel,
			   char name[SERVICE_NAME_LEN]);

/* The same for two channels that lead to a service of one name. */
uint64_t channel_book__service_id(const struct channel_book *book, uint32_t channel);

/* A datagram of this channel was dropped. */
void channel_book__dropped(struct channel_book *book, uint32_t channel);

/* Counts a call whose request went over this channel. */
void channel_book__call(struct channel_book *book, uint32_t channel);

/*
 * Before channel_book__finish(): the largest latency so far, and the receiver of that message;
 * `receiver` is empty if that is not known. 0: no message has come.
 */
uint64_t channel_book__slowest(const struct channel_book *book, struct end_summary *receiver);

/* Fills in summary->channel, which the summary owns. 0 or -ENOMEM. */
int channel_book__finish(struct channel_book *book, struct summary *summary);
