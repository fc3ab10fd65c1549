/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the processes to attach to, among real ones. */
#include "support/build.h"
#include "support/capture.h"
#include "support/target_search.h"

#include "command/live/target/targets.h"
#include "util/read_file.h"

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Expects one line that contains all three. */
static void refuse(const struct attach_options *options, const char *thing, const char *value,
		   const char *remedy)
{
	struct targets targets = {0};
	struct capture err;

	assert_true(targets_search(&targets, options, &err) < 0);
	assert_one_line_with(err.text, thing);
	assert_has(err.text, value);
	assert_has(err.text, remedy);
	targets_free(&targets);
}

/* Starts a process that opens its file, reports that, and waits. It inherits `fd`. */
static pid_t start(const char *comm, int fd)
{
	int ready[2];
	char word;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, comm);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &word, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (fd >= 0)
		close(fd);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(pids_are_taken_once_each)
{
	pid_t pid = start("test-pids", -1), other = start("test-pids", -1);
	struct attach_options options = {.targets =
						 CHOICES(PID_OF(pid), PID_OF(other), PID_OF(pid))};
	struct targets targets;

	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 2);
	assert_true(targets_has(&targets, pid) && targets_has(&targets, other));
	targets_free(&targets);
	stop(pid);
	stop(other);
}

static void *tell_tid(void *tid)
{
	*(pid_t *)tid = gettid();
	for (;;)
		pause();
	return NULL;
}

TEST(a_pid_without_messages_of_its_own_is_refused)
{
	volatile pid_t tid = 0;
	uint32_t pid = getpid();
	struct attach_options options = {.targets = CHOICES(PID_OF(pid))};
	pthread_t thread;
	char text[32];

	snprintf(text, sizeof(text), "%u", pid);
	refuse(&options, "--pid", text, "itself");
	assert_int_equal(pthread_create(&thread, NULL, tell_tid, (void *)&tid), 0);
	while (!tid)
		usleep(1000);
	pid = options.targets.at[0].number = tid;
	snprintf(text, sizeof(text), "%u", pid);
	refuse(&options, "--pid", text, "a thread of process");
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

TEST(a_kernel_thread_and_a_zombie_are_told_apart)
{
	struct attach_options options = {.targets = CHOICES(PID_OF(2))};
	pid_t pid = start("test-zombie", -1);
	siginfo_t info;
	char comm[32];

	/* In a container, 2 is no kernel thread. */
	if (read_line("", "/proc/2/comm", comm, sizeof(comm)) && !strcmp(comm, "kthreadd"))
		refuse(&options, "--pid", "'2'", "kthreadd is a kernel thread");
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	options.targets.at[0].number = pid;
	refuse(&options, "--pid", "test-zombie has exited", "zombie");
	stop(pid);
}

TEST(a_pid_without_a_process_is_refused)
{
	uint32_t pid = start("test-gone", -1);
	struct attach_options options = {.targets = CHOICES(PID_OF(1), PID_OF(pid))};
	char text[32];

	stop(pid);
	snprintf(text, sizeof(text), "%u", pid);
	refuse(&options, "--pid", text, "no such process");
}

TEST(a_name_may_be_a_pattern)
{
	char first[16], second[16], pattern[16];
	struct attach_options options = {.targets = CHOICES(NAME_OF(COMM, pattern))};
	struct targets targets;
	pid_t one, two;

	/* The names differ from those of a test that runs in parallel. */
	snprintf(first, sizeof(first), "%x-one", getpid());
	snprintf(second, sizeof(second), "%x-two", getpid());
	snprintf(pattern, sizeof(pattern), "%x-*", getpid());
	one = start(first, -1);
	two = start(second, -1);
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 2);
	assert_true(targets_has(&targets, one) && targets_has(&targets, two));
	targets_free(&targets);
	options.targets.at[0].name = second;
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	assert_true(targets_has(&targets, two));
	targets_free(&targets);
	pattern[strlen(pattern) - 1] = '\0';
	options.targets.at[0].name = pattern;
	refuse(&options, "--comm", pattern, "ps -eo comm");
	stop(one);
	stop(two);
}

/* Starts a program that sleeps. */
static pid_t execute(char *const *argv)
{
	char comm[32], path[64];
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[0], argv);
		_exit(1);
	}
	assert_true(pid > 0);
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	do {
		usleep(1000);
		assert_true(read_line("", path, comm, sizeof(comm)));
	} while (!strncmp(comm, "test_targets", 12));
	return pid;
}

static void copy_file(const char *from, const char *to)
{
	char command[512];

	snprintf(command, sizeof(command), "cp %s %s && chmod +x %s", from, to, to);
	assert_int_equal(system(command), 0);
}

static void assert_found(const char *name, pid_t pid)
{
	struct attach_options options = {.targets = CHOICES(NAME_OF(COMM, name))};
	struct targets targets = targets_found(&options);

	assert_int_equal(targets.cnt, 1);
	assert_int_equal(targets.pid[0], pid);
	targets_free(&targets);
}

static void refuse_name(const char *name, const char *remedy)
{
	struct attach_options options = {.targets = CHOICES(NAME_OF(COMM, name))};

	refuse(&options, "--comm", name, remedy);
}

TEST(a_program_has_its_path_and_its_whole_name)
{
	char folder[] = "/tmp/ipctrace-test-XXXXXX", program[128], link[64], name[64];
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "a-name-beyond-15-bytes-%d", getpid());
	snprintf(program, sizeof(program), "%s/%s", folder, name);
	snprintf(link, sizeof(link), "%s/link", folder);
	copy_file("/bin/sleep", program);
	assert_int_equal(symlink(program, link), 0);
	pid = execute((char *[]){program, "100", NULL});
	assert_found(program, pid);
	assert_found(link, pid);
	assert_found(name, pid);
	name[strlen(name) - 1] = '*';
	assert_found(name, pid);
	refuse_name("/nonexistent/program", "no process executes");
	refuse_name("sleep 100000001", "pgrep -f 'sleep 100000001'");
	refuse_name("nosuch-x (pid 12)", "--pid 12");
	unlink(program); /* a program that was replaced has the same path */
	assert_found(program, pid);
	stop(pid);
	unlink(link);
	rmdir(folder);
}

TEST(a_script_has_the_name_that_reports_show)
{
	char folder[] = "/tmp/ipctrace-test-XXXXXX", script[64], name[128];
	pid_t pid;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/script-%d", folder, getpid());
	file = fopen(script, "we");
	assert_non_null(file);
	fprintf(file, "kill -STOP $$\n");
	assert_int_equal(fclose(file), 0);
	pid = execute((char *[]){"/bin/sh", script, NULL});
	snprintf(name, sizeof(name), "sh script-%d", getpid());
	assert_found(name, pid);
	snprintf(name, sizeof(name), "sh %s", script);
	assert_found(name, pid);
	assert_found(script, pid);
	stop(pid);
	unlink(script);
	rmdir(folder);
}

TEST(a_control_group_is_a_folder)
{
	char folder[] = "/tmp/ipctrace-test-XXXXXX", path[64];
	struct attach_options options = {.targets = CHOICES(NAME_OF(CGROUP, folder))};
	struct targets targets;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	refuse(&options, "--cgroup", folder, "cgroup.procs");
	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	refuse(&options, "--cgroup", folder, "no processes");
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "11\n12\n0\n12\n"); /* 0: from another PID namespace */
	assert_int_equal(fclose(file), 0);
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 2);
	assert_true(targets_has(&targets, 11) && targets_has(&targets, 12));
	targets_free(&targets);
	unlink(path);
	rmdir(folder);
}

TEST(a_unix_socket_is_its_holders)
{
	char name[64] = "";
	struct attach_options options = {.targets = CHOICES(NAME_OF(UNIX, name))};
	struct targets targets;
	pid_t pid;

	snprintf(name, sizeof(name), "@ipctrace-test-%d", getpid());
	refuse(&options, "--unix", name, "no such socket");
	name[0] = '\0';
	pid = start("test-unix", unix_listener_at(name, 1 + strlen(name + 1)));
	name[0] = '@';
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	assert_true(targets_has(&targets, pid));
	targets_free(&targets);
	name[strlen(name) - 1] = '\0'; /* a part of the name does not match */
	refuse(&options, "--unix", name, "no such socket");
	stop(pid);
}

static int inet_socket(int type, uint32_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, type, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (void *)&address, length), 0);
	assert_int_equal(getsockname(fd, (void *)&address, &length), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

TEST(a_port_is_its_listeners)
{
	struct attach_options options = {.targets = CHOICES(PORT_OF(0))};
	uint32_t *port = &options.targets.at[0].number;
	struct targets targets;
	pid_t pid;
	int fd;

	fd = inet_socket(SOCK_STREAM, port);
	refuse(&options, "--port", "", "no such socket"); /* it does not listen yet */
	assert_int_equal(listen(fd, 1), 0);
	pid = start("test-port", fd);
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	assert_true(targets_has(&targets, pid));
	targets_free(&targets);
	stop(pid);
	pid = start("test-udp", inet_socket(SOCK_DGRAM, port));
	targets = targets_found(&options);
	assert_true(targets_has(&targets, pid));
	targets_free(&targets);
	stop(pid);
}

/* A process that several options name is one target, and none of these options is in vain. */
TEST(options_add_up)
{
	char name[32], socket_name[64], first[16], second[16];
	struct target_choice none = NAME_OF(COMM, "ipctrace-none");
	struct attach_options options;
	struct targets targets;
	pid_t one, two;
	uint32_t port;

	snprintf(first, sizeof(first), "%x-1st", getpid());
	snprintf(second, sizeof(second), "%x-2nd", getpid());
	snprintf(name, sizeof(name), "%x-[12]*", getpid());
	snprintf(socket_name, sizeof(socket_name), "@ipctrace-add-%d", getpid());
	one = start(first, inet_socket(SOCK_DGRAM, &port));
	socket_name[0] = '\0';
	two = start(second, unix_listener_at(socket_name, 1 + strlen(socket_name + 1)));
	socket_name[0] = '@';
	options = (struct attach_options){
		.targets = CHOICES(NAME_OF(COMM, second), NAME_OF(COMM, first), NAME_OF(COMM, name),
				   PORT_OF(port), NAME_OF(UNIX, socket_name), PID_OF(one))};
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 2);
	assert_int_equal(targets.pid[0], two); /* in the order of the options */
	assert_int_equal(targets.pid[1], one);
	targets_free(&targets);
	options.targets.at[1] = none;
	refuse(&options, "--comm", none.name, "no process");
	stop(one);
	stop(two);
}

TEST(targets_live_until_the_last_one_ends)
{
	pid_t one = start("test-one", -1), two = start("test-two", -1);
	struct targets targets = {0};

	assert_int_equal(targets_add(&targets, one), 0);
	assert_int_equal(targets_add(&targets, two), 0);
	assert_int_equal(targets_watch(&targets), 0);
	assert_true(targets_running(&targets));
	stop(one);
	assert_true(targets_running(&targets));
	stop(two);
	assert_false(targets_running(&targets));
	targets_free(&targets);
}

TEST(the_first_target_is_named)
{
	pid_t pid = start("test-named", -1);
	struct targets targets = {0};
	char text[64], expected[64];

	targets_add(&targets, pid);
	targets_text(&targets, text, sizeof(text));
	snprintf(expected, sizeof(expected), "test-named (pid %d)", pid);
	assert_string_equal(text, expected);
	targets_add(&targets, getpid());
	targets_add(&targets, 1);
	targets_text(&targets, text, sizeof(text));
	assert_has(text, expected);
	assert_has(text, "2 more");
	targets_text(&targets, text, 8); /* text that does not fit is cut */
	assert_string_equal(text, "test-na");
	targets_free(&targets);
	stop(pid);
}
