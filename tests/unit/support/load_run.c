/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and stops loads. */
#include "support/load_run.h"
#include "support/build.h"

#include "util/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HUNG_MS_MAX 120000

const struct caller load_as_we_are = {.is_other = false};

char load_folder[] = "/tmp/ipctrace-test-XXXXXX";

void load_pause(void)
{
	const struct timespec pause = {.tv_nsec = 5000000};

	nanosleep(&pause, NULL);
}

struct load *load_start(const char *text)
{
	char why[LOAD_WHY_LEN] = "";
	struct load *load = load__start(text, &load_as_we_are, why);

	if (!load)
		fail_msg("%s", why);
	return load;
}

void load_assert_alive(struct load *load)
{
	char why[LOAD_WHY_LEN] = "";

	if (!load__alive(load, why))
		fail_msg("%s", why);
}

void load_assert_no_process_left(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	assert_int_equal(pid, -1);
	assert_int_equal(errno, ECHILD);
}

/*
 * While other programs keep the disk busy, a process of the load may hang in the kernel for longer
 * than load__stop() waits: its supervisor goes on waiting for it.
 */
static void wait_for_hung(void)
{
	const int64_t until_ms = clock_now_ms() + HUNG_MS_MAX;

	while (waitpid(-1, NULL, WNOHANG) != -1 && clock_now_ms() < until_ms)
		load_pause();
}

void load_stop(struct load *load)
{
	const int64_t gives_up_ms = clock_now_ms() + LOAD_STOP_MS_MAX;

	load__stop(load);
	if (clock_now_ms() >= gives_up_ms)
		wait_for_hung();
	load_assert_no_process_left();
}

int load_prepare(void **state)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv(LOAD_MARKER, pid, 1);
	unsetenv("TMPDIR");
	unsetenv("DISPLAY");
	return prctl(PR_SET_CHILD_SUBREAPER, 1) || !mkdtemp(load_folder);
}

int load_clean_up(void **state)
{
	return rmdir(load_folder);
}
