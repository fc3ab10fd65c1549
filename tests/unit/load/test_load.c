/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load starts, is refused or ends by itself with its reason, and leaves no process and no file.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/load_run.h"
#include "load/kind.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits until the load has ended by itself. */
static void end_await(struct load *load, char *why)
{
	while (load__alive(load, why))
		load_pause();
}

static void refuse(const char *text, const char *reason)
{
	char why[LOAD_WHY_LEN] = "";

	assert_null(load__start(text, &load_as_we_are, why));
	assert_has(why, "cannot start the load: ");
	assert_has(why, text);
	assert_has(why, reason);
	assert_has_not(why, "\n");
	load_assert_no_process_left();
}

/* The load is also refused before anything is started. */
static void refuse_early(const char *text, const char *reason)
{
	char why[LOAD_WHY_LEN] = "";

	refuse(text, reason);
	assert_true(load_refuse(text, why));
	assert_has(why, reason);
}

TEST(nothing_is_no_load)
{
	refuse_early("", "use one of launch, ftp, window, cpu, io, memory, or a command");
	refuse_early(" ", "the name is empty");
}

static int install_nothing(void **state)
{
	*state = strdup(getenv("PATH"));
	return setenv("PATH", load_folder, 1);
}

static int install_again(void **state)
{
	int err = setenv("PATH", *state, 1);

	free(*state);
	return err;
}

TEST_WITH(a_missing_program_is_named_with_its_package, install_nothing, install_again)
{
	static const struct {
		const char *load, *program, *package;
	} missing[] = {
		{"launch", "ls", "coreutils"},    {"ftp", "curl", "curl"},
		{"window", "Xvfb", "xvfb"},       {"cpu", "stress-ng", "stress-ng"},
		{"io", "stress-ng", "stress-ng"}, {"memory", "stress-ng", "stress-ng"},
	};
	char reason[128];

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		snprintf(reason, sizeof(reason),
			 "%s is not installed: install the Debian package %s", missing[i].program,
			 missing[i].package);
		refuse_early(missing[i].load, reason);
	}
}

TEST(what_is_installed_is_not_refused)
{
	static const char *const loads[] = {"launch", "ftp",    "window", "cpu",
					    "io",     "memory", "true"};
	char why[LOAD_WHY_LEN] = "";

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		if (load_refuse(loads[i], why))
			fail_msg("%s", why);
}

TEST(a_misspelt_load_is_a_command_that_does_not_exist)
{
	refuse("lunch",
	       "it ended with status 127 (/bin/sh: 1: lunch: not found): use one of launch,");
}

TEST(a_command_that_ends_at_once_is_no_load)
{
	refuse("true", "it ended with status 0: use one of launch");
	refuse("kill -9 $$", "it was killed by signal 9");
	refuse("(sleep 20 & sleep 20 &) & exit 4", "it ended with status 4");
}

static void line_write(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", load_folder, name);
	file = fopen(path, "w");
	fputs("\n", file);
	fclose(file);
}

/*
 * Starts a load that works, and then lets it run `end`. A file triggers that, because a delay could
 * be too short.
 */
static struct load *start_to_end(const char *end)
{
	char command[200];
	struct load *load;

	snprintf(command, sizeof(command), "until rm %s/end 2>/dev/null; do sleep 0.01; done; %s",
		 load_folder, end);
	load = load_start(command);
	load_assert_alive(load);
	line_write("end");
	return load;
}

TEST(a_load_that_ends_is_reported_with_its_last_line)
{
	char why[LOAD_WHY_LEN];
	struct load *load =
		start_to_end("echo much; printf '\\nfirst\\nla\\033st\\n\\n' >&2; exit 3");

	end_await(load, why);
	assert_has(why, "the load has ended by itself: 'until rm ");
	assert_has(why, ": it ended with status 3 (la st)");
	assert_has_not(why, "use one of launch");
	assert_false(load__alive(load, why));
	load_stop(load);
}

TEST(the_last_of_many_lines_is_reported)
{
	char why[LOAD_WHY_LEN];
	struct load *load = start_to_end("seq 9999 >&2; exit 1");

	end_await(load, why);
	assert_has(why, "(9999)");
	load_stop(load);
}

TEST(a_last_line_without_an_end_is_cut)
{
	char why[LOAD_WHY_LEN];
	struct load *load = start_to_end("head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 1");

	end_await(load, why);
	assert_has(why, "(xxxx");
	assert_has(why, "xxxx)");
	load_stop(load);
}

TEST(no_load_is_stopped_without_effect)
{
	load__stop(NULL);
}

/* Waits for the first line of the file `name` in the folder. */
static void line_await(const char *name, char *line, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", load_folder, name);
	for (line[0] = '\0'; !strchr(line, '\n'); load_pause()) {
		file = fopen(path, "r");
		if (!file)
			continue;
		if (!fgets(line, size, file))
			line[0] = '\0';
		fclose(file);
	}
	unlink(path);
}

/* Starts `format`, with the folder for its %s, and stops it when the file "line" is there. */
static void line_of(const char *format, char *line, int size)
{
	char command[200];
	struct load *load;

	snprintf(command, sizeof(command), format, load_folder);
	load = load_start(command);
	line_await("line", line, size);
	load_stop(load);
}

TEST(a_load_inherits_neither_policy_nor_signals)
{
	const struct sched_param param = {.sched_priority = 0};
	sigset_t blocked;
	char line[64];

	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	line_of("cut -d ' ' -f 41 /proc/self/stat > %s/line; sleep 20", line, sizeof(line));
	assert_string_equal(line, "0\n");
	line_of("grep -Ec 'Sig(Blk|Ign):.0+$' /proc/self/status > %s/line; sleep 20", line,
		sizeof(line));
	assert_string_equal(line, "2\n");
	sched_setscheduler(0, SCHED_OTHER, &param);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

TEST(a_load_inherits_no_descriptors)
{
	int fd = dup(STDIN_FILENO);
	char line[64];

	line_of("echo $(ls /proc/self/fd) > %s/line; sleep 20", line, sizeof(line));
	assert_string_equal(line, "0 1 2 3\n");
	close(fd);
}

TEST(a_load_is_in_a_session_of_its_own)
{
	char line[64];

	line_of("cut -d ' ' -f 6 /proc/self/stat > %s/line; sleep 20", line, sizeof(line));
	assert_int_not_equal(atoi(line), 0);
	assert_int_not_equal(atoi(line), getsid(0));
}

/* Only root can become another user. Other users get an error with its reason. */
TEST(a_load_runs_as_the_user_it_is_given)
{
	const struct caller other = {.is_other = true, .uid = 65534, .gid = 65534};
	char command[200], why[LOAD_WHY_LEN] = "", line[64];
	struct load *load;

	snprintf(command, sizeof(command), "chmod 777 %s", load_folder);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "echo $(id -u) $(id -G) > %s/line; sleep 20",
		 load_folder);
	load = load__start(command, &other, why);
	if (geteuid() == 0) {
		assert_non_null(load);
		line_await("line", line, sizeof(line));
		assert_string_equal(line, "65534 65534\n");
		load_stop(load);
	} else {
		assert_null(load);
		assert_has(why, "Operation not permitted");
	}
}

TEST(a_stop_ends_a_load_that_ignores_it)
{
	char command[200], line[64];
	struct load *load;

	snprintf(command, sizeof(command),
		 "trap '' TERM; setsid sleep 20 & (sleep 20 & sh -c 'kill -STOP $$' &) & "
		 "setsid sh -c 'trap \"\" TERM; echo > %s/line; sleep 20; sleep 20'; sleep 20",
		 load_folder);
	load = load_start(command);
	line_await("line", line, sizeof(line));
	load_stop(load);
}

TEST(a_stop_lets_a_load_clean_up)
{
	char command[200], line[64];
	struct load *load;

	snprintf(command, sizeof(command),
		 "cd %s; trap 'echo clean > line; exit' TERM; echo > up; "
		 "while :; do sleep 0.05; done",
		 load_folder);
	load = load_start(command);
	line_await("up", line, sizeof(line));
	load_stop(load);
	line_await("line", line, sizeof(line));
	assert_string_equal(line, "clean\n");
}

TEST(a_stop_removes_the_private_folder_and_nothing_else)
{
	char command[200], line[64], kept[64];

	snprintf(kept, sizeof(kept), "%s/kept", load_folder);
	fclose(fopen(kept, "w"));
	snprintf(command, sizeof(command),
		 "cd $TMPDIR; mkdir -p a/b; echo > a/b/c; ln -s %s a/out; echo $TMPDIR > %%s/line; "
		 "sleep 20",
		 load_folder);
	line_of(command, line, sizeof(line));
	line[strcspn(line, "\n")] = '\0';
	assert_has(line, "/tmp/ipctrace-load-");
	assert_int_equal(access(line, F_OK), -1);
	assert_int_equal(unlink(kept), 0);
}

/* The supervisor ends by itself. This process waits for it as for all its orphans. */
TEST(a_killed_program_leaves_nothing)
{
	char command[200], line[64];
	pid_t program;

	snprintf(command, sizeof(command), "setsid sleep 300 & echo $TMPDIR > %s/line; sleep 300",
		 load_folder);
	program = fork();
	if (program == 0) {
		load_start(command);
		line_write("started");
		pause();
	}
	line_await("started", line, sizeof(line));
	line_await("line", line, sizeof(line));
	line[strcspn(line, "\n")] = '\0';
	kill(program, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(access(line, F_OK), -1);
}

ALL_TESTS(load_prepare, load_clean_up)
