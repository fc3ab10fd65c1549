/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the process that names functions, asks it, and starts another one when it has ended. */
#include "stacks/namer.h"

#include "util/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void start(struct namer *namer)
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
		start(namer);
	return namer;
}

/* Returns its wait status. */
static int end(struct namer *namer)
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
		end(namer);
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

static bool send_request(const struct namer *namer, const struct image *image,
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
		if (!send_request(namer, image, sample, i) ||
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
		start(namer);
	if (!namer->pid)
		return NULL;
	if (ask(namer, image, sample))
		return &namer->frames;
	say_ended(namer, end(namer));
	return NULL;
}
