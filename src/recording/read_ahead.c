/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread fills a ring of buffers, and the analysis empties the buffers. */
#include "recording/read_ahead.h"

#include "model/record_decode.h"
#include "recording/coder.h"
#include "util/log.h"
#include "util/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Small enough to stay in the caches, large enough that the threads seldom need the lock. */
#define PART_SIZE (128u << 10)
#define PARTS     4

/* Records, one after another. */
struct part {
	size_t size;
	_Alignas(8) unsigned char bytes[PART_SIZE + RECORD_SIZE_MAX];
};

struct read_ahead {
	struct recording_reader *reader; /* used by the thread only */
	pthread_t thread;

	pthread_mutex_t lock; /* protects the fields from `moved` to `stopped` */
	pthread_cond_t moved;
	uint64_t filled; /* number of parts filled so far: number n is part[n % PARTS] */
	uint64_t consumed;
	bool ended;   /* the thread fills no more parts */
	bool stopped; /* the thread should stop */

	struct part *current; /* the part that is read now; NULL: none */
	size_t at;            /* offset of the next record */
	struct part part[PARTS];
};

static bool wait_for_room(struct read_ahead *ahead)
{
	bool stopped;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->filled - ahead->consumed == PARTS && !ahead->stopped)
		pthread_cond_wait(&ahead->moved, &ahead->lock);
	stopped = ahead->stopped;
	pthread_mutex_unlock(&ahead->lock);
	return !stopped;
}

static void read_ahead_hand_over(struct read_ahead *ahead, bool ended)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->filled++;
	ahead->ended = ended;
	pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
}

/* Returns whether the run goes on after this part. */
static bool read_ahead_fill(struct recording_reader *reader, struct part *part)
{
	const struct record *record;

	for (part->size = 0; part->size < PART_SIZE; part->size += record_size(record)) {
		record = recording__read(reader);
		if (!record)
			return false;
		memcpy(part->bytes + part->size, record, record_size(record));
	}
	return true;
}

static void *read_parts(void *ctx)
{
	struct read_ahead *ahead = ctx;
	bool more = true;

	while (more && wait_for_room(ahead)) {
		more = read_ahead_fill(ahead->reader, &ahead->part[ahead->filled % PARTS]);
		read_ahead_hand_over(ahead, !more);
	}
	return NULL;
}

/* `err` is a positive errno. */
static void log_no_thread(int err)
{
	const char *what = "cannot read the recording: thread for reading ahead";

	if (memory_is_short())
		log_error("%s: %s", what, strerror(ENOMEM));
	else
		log_error("%s: %s: allow this user more processes (ulimit -u)", what,
			  strerror(err));
}

struct read_ahead *read_ahead__new(struct recording_reader *reader)
{
	struct read_ahead *ahead = calloc(1, sizeof(*ahead));
	int err;

	if (!ahead)
		return NULL;
	ahead->reader = reader;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->moved, NULL);
	err = pthread_create(&ahead->thread, NULL, read_parts, ahead);
	if (!err)
		return ahead;
	log_no_thread(err);
	free(ahead);
	return NULL;
}

/* The next part. NULL: the run has ended. */
static struct part *wait_for_part(struct read_ahead *ahead)
{
	bool is_there;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->filled == ahead->consumed && !ahead->ended)
		pthread_cond_wait(&ahead->moved, &ahead->lock);
	is_there = ahead->filled != ahead->consumed;
	pthread_mutex_unlock(&ahead->lock);
	return is_there ? &ahead->part[ahead->consumed % PARTS] : NULL;
}

static void give_back(struct read_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->consumed++;
	pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
}

const struct record *read_ahead__next(struct read_ahead *ahead)
{
	const struct record *record;

	while (!ahead->current || ahead->at == ahead->current->size) {
		if (ahead->current)
			give_back(ahead);
		ahead->current = wait_for_part(ahead);
		ahead->at = 0;
		if (!ahead->current)
			return NULL;
	}
	record = (const struct record *)(ahead->current->bytes + ahead->at);
	ahead->at += record_size(record);
	return record;
}

void read_ahead__free(struct read_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stopped = true;
	pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->moved);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
