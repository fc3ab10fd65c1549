/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include "log.h"

#include <stdio.h>
#include <unistd.h>

/* A run that is over sooner needs no progress line. */
#define QUIET_NS 1000000000ULL

void progress_begin(struct progress *progress, uint64_t now_ns)
{
	*progress = (struct progress){.start_ns = now_ns};
}

void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total,
		   unsigned int cell, unsigned int cells)
{
	uint64_t passed_ns = now_ns - progress->start_ns;
	char which[48] = "";

	if (passed_ns < QUIET_NS || !done || done > total || log_get_level() < LOG_WARNING ||
	    !isatty(STDERR_FILENO))
		return;
	if (cells > 1)
		snprintf(which, sizeof(which), "run %u of %u, ", cell, cells);
	fprintf(stderr, "\r\033[Kipctrace: %sround %llu of %llu, %.0f s left", which,
		(unsigned long long)done, (unsigned long long)total,
		(double)passed_ns / done * (total - done) / 1e9);
	progress->shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
