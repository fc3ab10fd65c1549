/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers the requests of a namer, by libdw. */
#include "stacks/namer_process.h"

#include "stacks/process_images.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The socket in this process, where all other inherited descriptors from here on are closed. */
#define SOCKET_FD (STDERR_FILENO + 1)

/* If memory is short, this process ends before the session does. */
#define OOM_SCORE      "1000"
#define OOM_SCORE_FILE "/proc/self/oom_score_adj"

bool namer_send(int socket, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return false;
		at += sent > 0 ? sent : 0;
		size -= sent > 0 ? sent : 0;
	}
	return true;
}

bool namer_receive(int socket, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		ssize_t got = recv(socket, at, size, MSG_WAITALL);

		if (!got || (got < 0 && errno != EINTR))
			return false;
		at += got > 0 ? got : 0;
		size -= got > 0 ? got : 0;
	}
	return true;
}

/*
 * ^C is for the session, which goes on and needs the names. It waits for this process, and may
 * itself yield its CPU to all others.
 */
static void become_namer(int socket)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	const struct sched_param param = {.sched_priority = 0};
	char comm[NAMER_COMM_LEN];
	int file;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(comm, sizeof(comm), NAMER_COMM_FORMAT, (unsigned int)getppid());
	prctl(PR_SET_NAME, comm);
	sched_setscheduler(0, SCHED_OTHER, &param);
	setpriority(PRIO_PROCESS, 0, 0);
	signals_default();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		signal(ends[i], SIG_IGN);
	if (socket != SOCKET_FD)
		dup3(socket, SOCKET_FD, O_CLOEXEC);
	close_range(SOCKET_FD + 1, UINT_MAX, 0);
	file = open(OOM_SCORE_FILE, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return;
	/* Without it, the choice is the kernel's. */
	if (write(file, OOM_SCORE, strlen(OOM_SCORE)) < 0)
		errno = 0;
	close(file);
}

/* NULL: the mappings are not known, or there is no memory. */
static struct process_image *image_of(struct process_images *images,
				      const struct stack_sample *sample, char *maps, size_t length)
{
	if (maps)
		return process_images__add_maps(images, sample, maps, length);
	return process_images__find(images, sample);
}

static bool answer(struct process_images *images, struct symbol_table *symbols,
		   struct process_image *image, const struct stack_sample *sample)
{
	static struct named_frames named;
	struct user_frames frames = {0};
	struct namer_answer head = {0};

	process_image__frames(image, sample, &frames);
	memset(&named, 0, sizeof(named));
	for (uint32_t i = 0; i < frames.cnt; i++) {
		uint32_t symbol = process_image__symbol(images, image, frames.address[i]);

		if (symbol)
			strncpy(named.text[i], symbol_table__text(symbols, symbol),
				SYMBOL_TEXT_LEN - 1);
	}
	head.cnt = frames.cnt;
	head.is_cut = frames.is_cut;
	return namer_send(SOCKET_FD, &head, sizeof(head)) &&
	       namer_send(SOCKET_FD, named.text, frames.cnt * sizeof(named.text[0]));
}

/* False: the session has ended. */
static bool serve(struct process_images *images, struct symbol_table *symbols)
{
	static struct stack_sample sample;
	const struct namer_answer needs_maps = {.needs_maps = true};
	struct namer_request request;
	struct process_image *image;
	char *maps = NULL;

	if (!namer_receive(SOCKET_FD, &request, sizeof(request)) ||
	    request.sample_bytes > sizeof(sample))
		return false;
	if (request.maps_bytes) {
		maps = malloc(request.maps_bytes + 1);
		if (!maps || !namer_receive(SOCKET_FD, maps, request.maps_bytes))
			return false;
		maps[request.maps_bytes] = '\0';
	}
	if (!namer_receive(SOCKET_FD, &sample, request.sample_bytes))
		return false;
	image = image_of(images, &sample, maps, request.maps_bytes);
	return image ? answer(images, symbols, image, &sample)
		     : !maps && namer_send(SOCKET_FD, &needs_maps, sizeof(needs_maps));
}

_Noreturn void namer_process_run(int socket)
{
	struct symbol_table *symbols;
	struct process_images *images;

	become_namer(socket);
	symbols = symbol_table__new();
	images = symbols ? process_images__new(symbols, true) : NULL;
	while (images && serve(images, symbols))
		;
	_exit(EXIT_FAILURE);
}
