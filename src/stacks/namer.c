/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the process that names functions, asks it, and starts another one when it has ended. */
#include "stacks/namer.h"

#include "bpf/record_stacks.h"
#include "stacks/process_images.h"
#include "stacks/unwinder.h"
#include "util/log.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The mappings follow, and then the sample. */
struct namer_request {
	uint32_t maps_bytes; /* 0: the process should have them */
	uint32_t sample_bytes;
};

/* The texts of the frames follow. */
struct namer_answer {
	bool needs_maps; /* the request must be sent again with the mappings */
	bool is_cut;
	uint32_t cnt;
};

/* Answers the requests of a namer, by libdw. */

/* The socket in this process, where all other inherited descriptors from here on are closed. */
#define SOCKET_FD (STDERR_FILENO + 1)

/* If memory is short, this process ends before the session does. */
#define OOM_SCORE      "1000"
#define OOM_SCORE_FILE "/proc/self/oom_score_adj"

/* False: the other end is closed. */
static bool namer_send(int socket, const void *bytes, size_t size)
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

static bool namer_receive(int socket, void *bytes, size_t size)
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

static bool namer_answer(struct process_images *images, struct symbol_table *symbols,
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
static bool namer_serve(struct process_images *images, struct symbol_table *symbols)
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
	image = maps ? process_images__add_maps(images, &sample, maps, request.maps_bytes)
		     : process_images__find(images, &sample);
	return image ? namer_answer(images, symbols, image, &sample)
		     : !maps && namer_send(SOCKET_FD, &needs_maps, sizeof(needs_maps));
}

/* In the new process: answers until the other end of the socket is closed. */
static _Noreturn void namer_process_run(int socket)
{
	struct symbol_table *symbols;
	struct process_images *images;

	become_namer(socket);
	symbols = symbol_table__new();
	images = symbols ? process_images__new(symbols, true) : NULL;
	while (images && namer_serve(images, symbols))
		;
	_exit(EXIT_FAILURE);
}

/* What has ended one process may end the next one, too. */
#define STARTS_MAX 4

struct namer {
	pid_t pid; /* 0: none */
	int socket;
	int starts;
	bool has_logged;
	struct named_frames frames;
};

static void say_not_started(struct namer *namer)
{
	if (!namer->has_logged)
		log_warning("functions of programs have no names: a process that finds them cannot "
			    "be started: %s: their stacks show places in files: allow more "
			    "processes and open files (ulimit -u, ulimit -n)",
			    strerror(errno));
	namer->has_logged = true;
}

static void namer_start(struct namer *namer)
{
	int ends[2];

	namer->starts++;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		say_not_started(namer);
		return;
	}
	namer->pid = fork();
	if (!namer->pid)
		namer_process_run(ends[1]);
	close(ends[1]);
	if (namer->pid > 0) {
		namer->socket = ends[0];
		return;
	}
	say_not_started(namer);
	namer->pid = 0;
	close(ends[0]);
}

struct namer *namer__new(void)
{
	struct namer *namer = calloc(1, sizeof(*namer));

	if (namer)
		namer_start(namer);
	return namer;
}

/* Returns its wait status. */
static int namer_end(struct namer *namer)
{
	int status = 0;

	close(namer->socket);
	kill(namer->pid, SIGKILL);
	while (waitpid(namer->pid, &status, 0) < 0 && errno == EINTR)
		;
	namer->pid = 0;
	return status;
}

void namer__free(struct namer *namer)
{
	if (namer && namer->pid)
		namer_end(namer);
	free(namer);
}

/* The files of the programs are mapped: what cannot be read of them raises SIGBUS. */
static const char *what_to_do(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS
		       ? "a file was shortened meanwhile, or cannot be read: see dmesg"
		       : "give it more memory (ulimit -v)";
}

static void say_ended(struct namer *namer, int status)
{
	bool is_killed = WIFSIGNALED(status);

	if (!namer->has_logged)
		log_warning("some functions of programs have no names: the process that finds them "
			    "has ended (%s %d): their stacks show places in files: %s",
			    is_killed ? "signal" : "status",
			    is_killed ? WTERMSIG(status) : WEXITSTATUS(status), what_to_do(status));
	namer->has_logged = true;
}

static bool namer_send_request(const struct namer *namer, const struct image *image,
			       const struct stack_sample *sample, bool has_maps)
{
	struct namer_request request = {.sample_bytes = offsetof(struct stack_sample, copy) +
							sample->copied};
	size_t length;
	const char *maps = image__text(image, &length);

	request.maps_bytes = has_maps ? length : 0;
	return namer_send(namer->socket, &request, sizeof(request)) &&
	       namer_send(namer->socket, maps, request.maps_bytes) &&
	       namer_send(namer->socket, sample, request.sample_bytes);
}

static bool receive_frames(struct namer *namer, const struct namer_answer *answer)
{
	struct named_frames *frames = &namer->frames;

	frames->cnt = answer->cnt;
	frames->is_cut = answer->is_cut;
	if (answer->cnt > USER_FRAMES_MAX ||
	    !namer_receive(namer->socket, frames->text, answer->cnt * sizeof(frames->text[0])))
		return false;
	for (uint32_t i = 0; i < frames->cnt; i++)
		frames->text[i][SYMBOL_TEXT_LEN - 1] = '\0';
	return true;
}

static bool ask(struct namer *namer, const struct image *image, const struct stack_sample *sample)
{
	struct namer_answer answer = {.needs_maps = true};

	for (int i = 0; i < 2 && answer.needs_maps; i++) {
		if (!namer_send_request(namer, image, sample, i) ||
		    !namer_receive(namer->socket, &answer, sizeof(answer)))
			return false;
	}
	return !answer.needs_maps && receive_frames(namer, &answer);
}

/* A sample that has ended one process is not shown to another one. */
const struct named_frames *namer__frames(struct namer *namer, const struct image *image,
					 const struct stack_sample *sample)
{
	if (!namer->pid && namer->starts < STARTS_MAX)
		namer_start(namer);
	if (!namer->pid)
		return NULL;
	if (ask(namer, image, sample))
		return &namer->frames;
	say_ended(namer, namer_end(namer));
	return NULL;
}
