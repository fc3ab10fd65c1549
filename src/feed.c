/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"

#include <time.h>

uint64_t feed_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int feed_put(void *ctx, const struct record *record)
{
	struct feed *feed = ctx;

	if (feed->recording && recording__write(feed->recording, record))
		feed->recording_failed = true;
	return analysis__record(feed->analysis, record);
}

/*
 *	       previous drain          this drain
 *	------------|-----------------------|------------> time
 *	  settled   |  may still be on its way to us
 *
 * A record reaches the ring buffer a moment after the instant that it is about; what happened
 * before the previous drain began has arrived by now.
 */
void feed_begin(struct feed *feed)
{
	feed->settled_ns = feed->drained_ns;
	if (feed->trace)
		feed->settled_ns = trace__settled_ns(feed->trace, feed->settled_ns);
	feed->drained_ns = feed_now_ns();
}

int feed_end(struct feed *feed)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = feed->settled_ns,
	};
	int err = feed->trace ? trace__drain(feed->trace, feed_put, feed) : 0;

	return err < 0 ? err : feed_put(feed, &watermark.head);
}
