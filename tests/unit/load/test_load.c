/* SPDX-License-Identifier: BSD-2-Clause */
/* What else the machine does during a run works, is counted, and leaves no process and no file. */
#include "support/build.h"
#include "support/capture.h"

#include "load/kinds.h"
#include "load/load.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Found in the environment of all that a load has started here, and of nothing else. */
#define MARKER "IPCTRACE_TEST_LOAD"

static const struct caller as_we_are = {.is_other = false};

/* Where the commands of a test put what the test wants to know. */
static char folder[] = "/tmp/ipctrace-test-XXXXXX";

static void look_again(void)
{
	const struct timespec pause = {.tv_nsec = 5000000};

	nanosleep(&pause, NULL);
}

static struct load *start(const char *text)
{
	char why[512] = "";
	struct load *load = load__start(text, &as_we_are, why, sizeof(why));

	if (!load)
		fail_msg("%s", why);
	return load;
}

static void assert_alive(struct load *load)
{
	char why[512] = "";

	if (!load__alive(load, why, sizeof(why)))
		fail_msg("%s", why);
}

/* This process is a subreaper: whoever outlives a load's supervisor becomes its child. */
static void assert_no_process_left(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	assert_int_equal(pid, -1);
	assert_int_equal(errno, ECHILD);
}

static void stop(struct load *load)
{
	load__stop(load);
	assert_no_process_left();
}

/* Until it has ended by itself. */
static void end_await(struct load *load, char *why, size_t why_size)
{
	while (load__alive(load, why, why_size))
		look_again();
}

static void refuse(const char *text, const char *reason)
{
	char why[512] = "";

	assert_null(load__start(text, &as_we_are, why, sizeof(why)));
	assert_has(why, "cannot start the load: ");
	assert_has(why, text);
	assert_has(why, reason);
	assert_has_not(why, "\n");
	assert_no_process_left();
}

/* It is refused before anything is started, too. */
static void refuse_early(const char *text, const char *reason)
{
	char why[512] = "";

	refuse(text, reason);
	assert_ptr_equal(load_refuse(text, why, sizeof(why)), why);
	assert_has(why, reason);
}

static void nothing_is_no_load(void **state)
{
	(void)state;
	refuse_early("", "use launch, ftp, window, cpu, io, memory, or a command");
	refuse_early(" ", "it says nothing");
}

static int install_nothing(void **state)
{
	*state = strdup(getenv("PATH"));
	return setenv("PATH", folder, 1);
}

static int install_again(void **state)
{
	int err = setenv("PATH", *state, 1);

	free(*state);
	return err;
}

static void a_missing_program_is_named_with_its_package(void **state)
{
	static const struct {
		const char *load, *program, *package;
	} missing[] = {
		{"launch", "ls", "coreutils"},    {"ftp", "curl", "curl"},
		{"window", "Xvfb", "xvfb"},       {"cpu", "stress-ng", "stress-ng"},
		{"io", "stress-ng", "stress-ng"}, {"memory", "stress-ng", "stress-ng"},
	};
	char reason[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		snprintf(reason, sizeof(reason),
			 "%s is not installed: install the Debian package %s", missing[i].program,
			 missing[i].package);
		refuse_early(missing[i].load, reason);
	}
}

static void what_is_installed_is_not_refused(void **state)
{
	static const char *const loads[] = {"launch", "ftp",    "window", "cpu",
					    "io",     "memory", "true"};
	char why[512] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		if (load_refuse(loads[i], why, sizeof(why)))
			fail_msg("%s", why);
}

static void a_misspelt_load_is_a_command_that_does_not_exist(void **state)
{
	(void)state;
	refuse("lunch", "it ended with status 127 (/bin/sh: 1: lunch: not found): use launch,");
}

static void a_command_that_ends_at_once_is_no_load(void **state)
{
	(void)state;
	refuse("true", "it ended with status 0: use launch");
	refuse("kill -9 $$", "it was killed by signal 9");
	refuse("(sleep 20 & sleep 20 &) & exit 4", "it ended with status 4");
}

static void line_write(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	fputs("\n", file);
	fclose(file);
}

/* Begins to work, and does `end` as soon as it has: not after a time, which may be too short. */
static struct load *start_to_end(const char *end)
{
	char command[200];
	struct load *load;

	snprintf(command, sizeof(command), "until rm %s/end 2>/dev/null; do sleep 0.01; done; %s",
		 folder, end);
	load = start(command);
	assert_alive(load);
	line_write("end");
	return load;
}

static void a_load_that_ends_is_told_with_its_last_words(void **state)
{
	char why[512];
	struct load *load =
		start_to_end("echo much; printf '\\nfirst\\nla\\033st\\n\\n' >&2; exit 3");

	(void)state;
	end_await(load, why, sizeof(why));
	assert_has(why, "the load has ended by itself: until rm ");
	assert_has(why, ": it ended with status 3 (la st)");
	assert_has_not(why, "use launch");
	assert_false(load__alive(load, why, sizeof(why)));
	stop(load);
}

static void the_last_of_many_words_is_told(void **state)
{
	char why[512];
	struct load *load = start_to_end("seq 9999 >&2; exit 1");

	(void)state;
	end_await(load, why, sizeof(why));
	assert_has(why, "(9999)");
	stop(load);
}

static void last_words_without_an_end_are_cut(void **state)
{
	char why[512];
	struct load *load = start_to_end("head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 1");

	(void)state;
	end_await(load, why, sizeof(why));
	assert_has(why, "(xxxx");
	assert_has(why, "xxxx)");
	stop(load);
}

static void no_load_is_stopped_without_effect(void **state)
{
	(void)state;
	load__stop(NULL);
}

/* The first line of the file `name` in the folder, once it is there. */
static void line_await(const char *name, char *line, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (line[0] = '\0'; !strchr(line, '\n'); look_again()) {
		file = fopen(path, "r");
		if (!file)
			continue;
		if (!fgets(line, size, file))
			line[0] = '\0';
		fclose(file);
	}
	unlink(path);
}

/* Starts `format` with the folder for its %s, stops it when the file "line" is there. */
static void line_of(const char *format, char *line, int size)
{
	char command[200];
	struct load *load;

	snprintf(command, sizeof(command), format, folder);
	load = start(command);
	line_await("line", line, size);
	stop(load);
}

static void a_load_inherits_neither_policy_nor_signals(void **state)
{
	const struct sched_param param = {.sched_priority = 0};
	sigset_t blocked;
	char line[64];

	(void)state;
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

static void a_load_inherits_no_descriptors(void **state)
{
	int fd = dup(STDIN_FILENO);
	char line[64];

	(void)state;
	line_of("echo $(ls /proc/self/fd) > %s/line; sleep 20", line, sizeof(line));
	assert_string_equal(line, "0 1 2 3\n");
	close(fd);
}

static void a_load_is_in_a_session_of_its_own(void **state)
{
	char line[64];

	(void)state;
	line_of("cut -d ' ' -f 6 /proc/self/stat > %s/line; sleep 20", line, sizeof(line));
	assert_int_not_equal(atoi(line), 0);
	assert_int_not_equal(atoi(line), getsid(0));
}

/* Only root can become somebody else; for others that is an error with its reason. */
static void a_load_runs_as_the_user_it_is_given(void **state)
{
	const struct caller other = {.is_other = true, .uid = 65534, .gid = 65534};
	char command[200], why[512] = "", line[64];
	struct load *load;

	(void)state;
	snprintf(command, sizeof(command), "chmod 777 %s", folder);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "echo $(id -u) $(id -G) > %s/line; sleep 20", folder);
	load = load__start(command, &other, why, sizeof(why));
	if (geteuid() == 0) {
		assert_non_null(load);
		line_await("line", line, sizeof(line));
		assert_string_equal(line, "65534 65534\n");
		stop(load);
	} else {
		assert_null(load);
		assert_has(why, "Operation not permitted");
	}
}

static void a_stop_ends_those_who_do_not_want_to(void **state)
{
	char command[200], line[64];
	struct load *load;

	(void)state;
	snprintf(command, sizeof(command),
		 "trap '' TERM; setsid sleep 20 & (sleep 20 & sh -c 'kill -STOP $$' &) & "
		 "setsid sh -c 'trap \"\" TERM; echo > %s/line; sleep 20; sleep 20'; sleep 20",
		 folder);
	load = start(command);
	line_await("line", line, sizeof(line));
	stop(load);
}

static void a_stop_lets_those_who_want_to_clean_up(void **state)
{
	char command[200], line[64];
	struct load *load;

	(void)state;
	snprintf(command, sizeof(command),
		 "cd %s; trap 'echo clean > line; exit' TERM; echo > up; "
		 "while :; do sleep 0.05; done",
		 folder);
	load = start(command);
	line_await("up", line, sizeof(line));
	stop(load);
	line_await("line", line, sizeof(line));
	assert_string_equal(line, "clean\n");
}

static void a_stop_removes_the_private_folder_and_nothing_else(void **state)
{
	char command[200], line[64], kept[64];

	(void)state;
	snprintf(kept, sizeof(kept), "%s/kept", folder);
	fclose(fopen(kept, "w"));
	snprintf(command, sizeof(command),
		 "cd $TMPDIR; mkdir -p a/b; echo > a/b/c; ln -s %s a/out; echo $TMPDIR > %%s/line; "
		 "sleep 20",
		 folder);
	line_of(command, line, sizeof(line));
	line[strcspn(line, "\n")] = '\0';
	assert_has(line, "/tmp/ipctrace-load-");
	assert_int_equal(access(line, F_OK), -1);
	assert_int_equal(unlink(kept), 0);
}

/* The supervisor ends by itself: this process waits for it as for all its orphans. */
static void a_killed_program_leaves_nothing(void **state)
{
	char command[200], line[64];
	pid_t program;

	(void)state;
	snprintf(command, sizeof(command), "setsid sleep 300 & echo $TMPDIR > %s/line; sleep 300",
		 folder);
	program = fork();
	if (program == 0) {
		start(command);
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

/* What `name` is in the environment that a process was started with. */
static bool environment_find(const char *pid, const char *name, char *value, size_t size)
{
	char path[64], *text = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	file = fopen(path, "r");
	while (file && !found && getdelim(&text, &room, '\0', file) > 0) {
		found = !strncmp(text, name, strlen(name)) && text[strlen(name)] == '=';
		if (found)
			snprintf(value, size, "%s", text + strlen(name) + 1);
	}
	free(text);
	if (file)
		fclose(file);
	return found;
}

static bool is_ours(const char *pid)
{
	char marker[16];

	return isdigit((unsigned char)*pid) &&
	       environment_find(pid, MARKER, marker, sizeof(marker)) && atoi(marker) == getpid();
}

/* What `name` is for some process that the present load has started. */
static void program_environment_find(const char *name, char *value, size_t size)
{
	struct dirent *entry;

	for (value[0] = '\0'; !value[0]; look_again()) {
		DIR *processes = opendir("/proc");

		while ((entry = readdir(processes)))
			if (is_ours(entry->d_name) &&
			    environment_find(entry->d_name, name, value, size))
				break;
		closedir(processes);
	}
}

/* Works as soon as it is started, goes on working, and leaves nothing. */
static void check_load(const char *name, bool counts)
{
	struct load *load = start(name);
	uint64_t count = load__count(load);
	char path[128];

	assert_int_equal(count > 0, counts);
	program_environment_find("TMPDIR", path, sizeof(path));
	assert_has(path, "/tmp/ipctrace-load-");
	assert_int_equal(access(path, F_OK), 0);
	while (counts && load__count(load) < count + 3) {
		assert_alive(load);
		look_again();
	}
	assert_alive(load);
	stop(load);
	assert_int_equal(access(path, F_OK), -1);
}

static void launch_launches(void **state)
{
	(void)state;
	check_load("launch", true);
}

static void ftp_fetches(void **state)
{
	(void)state;
	check_load("ftp", true);
}

static void window_moves(void **state)
{
	(void)state;
	check_load("window", true);
}

static void the_x_server_makes_no_file(void **state)
{
	struct load *load = start("window");
	char display[16], path[64];

	(void)state;
	program_environment_find("DISPLAY", display, sizeof(display));
	assert_int_equal(display[0], ':');
	snprintf(path, sizeof(path), "/tmp/.X11-unix/X%s", display + 1);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "/tmp/.X%s-lock", display + 1);
	assert_int_equal(access(path, F_OK), -1);
	stop(load);
}

static void cpu_io_and_memory_are_kept_busy(void **state)
{
	(void)state;
	check_load("cpu", false);
	check_load("io", false);
	check_load("memory", false);
}

static void two_loads_do_not_disturb_each_other(void **state)
{
	struct load *first = start("ftp");
	struct load *second = start("ftp");
	uint64_t count;

	(void)state;
	load__stop(first);
	count = load__count(second);
	while (load__count(second) < count + 2) {
		assert_alive(second);
		look_again();
	}
	stop(second);
}

static int prepare(void **state)
{
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv(MARKER, pid, 1);
	unsetenv("TMPDIR");
	unsetenv("DISPLAY");
	return prctl(PR_SET_CHILD_SUBREAPER, 1) || !mkdtemp(folder);
}

static int clean_up(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_no_load),
		cmocka_unit_test_setup_teardown(a_missing_program_is_named_with_its_package,
						install_nothing, install_again),
		cmocka_unit_test(what_is_installed_is_not_refused),
		cmocka_unit_test(a_misspelt_load_is_a_command_that_does_not_exist),
		cmocka_unit_test(a_command_that_ends_at_once_is_no_load),
		cmocka_unit_test(a_load_that_ends_is_told_with_its_last_words),
		cmocka_unit_test(the_last_of_many_words_is_told),
		cmocka_unit_test(last_words_without_an_end_are_cut),
		cmocka_unit_test(no_load_is_stopped_without_effect),
		cmocka_unit_test(a_load_inherits_neither_policy_nor_signals),
		cmocka_unit_test(a_load_inherits_no_descriptors),
		cmocka_unit_test(a_load_is_in_a_session_of_its_own),
		cmocka_unit_test(a_load_runs_as_the_user_it_is_given),
		cmocka_unit_test(a_stop_ends_those_who_do_not_want_to),
		cmocka_unit_test(a_stop_lets_those_who_want_to_clean_up),
		cmocka_unit_test(a_stop_removes_the_private_folder_and_nothing_else),
		cmocka_unit_test(a_killed_program_leaves_nothing),
		cmocka_unit_test(launch_launches),
		cmocka_unit_test(ftp_fetches),
		cmocka_unit_test(window_moves),
		cmocka_unit_test(the_x_server_makes_no_file),
		cmocka_unit_test(cpu_io_and_memory_are_kept_busy),
		cmocka_unit_test(two_loads_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
