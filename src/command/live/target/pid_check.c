/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says what a PID is that cannot be traced. A user may have it from a container, where processes
 * have other numbers: then the process that is meant has this number in a namespace below.
 */
#include "command/live/target/pid_check.h"

#include "util/log.h"
#include "util/read_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD_LEN  64
#define WORDS_LEN 512
#define NAMED_MAX 3 /* further ones are only counted */

static bool read_status(pid_t pid, const char *words, char *rest, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return read_field("", path, words, rest, size);
}

/* NSpid lists the number in each namespace, from that of /proc down to the innermost. */
static bool has_number_inside(pid_t pid, pid_t number)
{
	char numbers[FILE_LINE_LEN], *last;

	if (!read_status(pid, "NSpid:", numbers, sizeof(numbers)))
		return false;
	last = strrchr(numbers, '\t');
	return last && atoi(last) == number;
}

static size_t add_named(pid_t pid, size_t cnt, char *words, size_t length)
{
	char name[WORD_LEN];

	if (cnt >= NAMED_MAX || !read_status(pid, "Name:", name, sizeof(name)))
		return 0;
	return snprintf(words + length, WORDS_LEN - length, "%s%s (pid %d)",
			cnt ? ", " : ": inside a container it is the number of ", name, pid);
}

/* ": inside a container it is the number of postgres (pid 8123)". Empty: of none. */
static void words_inside(pid_t number, char words[WORDS_LEN])
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t length = 0, cnt = 0;

	words[0] = '\0';
	while (proc && (entry = readdir(proc))) {
		pid_t pid = isdigit(entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid && has_number_inside(pid, number))
			length += add_named(pid, cnt++, words, length);
	}
	if (proc)
		closedir(proc);
	if (cnt > NAMED_MAX)
		snprintf(words + length, WORDS_LEN - length, " and %zu more", cnt - NAMED_MAX);
}

static void refuse(pid_t pid, const char *what, const char *remedy)
{
	char inside[WORDS_LEN];

	words_inside(pid, inside);
	log_error("--pid: '%d': %s%s: %s", pid, what, inside,
		  inside[0] ? "use the number that it has here" : remedy);
}

/* A kernel thread has no memory of its own, like a zombie, which has lost it. */
static void refuse_without_memory(pid_t pid)
{
	char state[WORD_LEN] = "", name[WORD_LEN] = "?", what[3 * WORD_LEN];

	read_status(pid, "State:", state, sizeof(state));
	read_status(pid, "Name:", name, sizeof(name));
	if (state[0] == 'Z')
		snprintf(what, sizeof(what), "%s has exited and waits for its parent (a zombie)",
			 name);
	else
		snprintf(what, sizeof(what), "%s is a kernel thread, which makes no syscalls",
			 name);
	refuse(pid, what, "name a running process, see ps -e");
}

int pid_check(pid_t pid)
{
	unsigned int process = 0;
	char word[WORD_LEN];

	if (read_status(pid, "Tgid:", word, sizeof(word)))
		process = strtoul(word, NULL, 10);
	if (!process)
		refuse(pid, "there is no such process", "see ps -e");
	else if (process != (unsigned int)pid)
		log_error("--pid: '%d': this is a thread of process %u: use --pid %u", pid, process,
			  process);
	else if (pid == getpid())
		log_error("--pid: '%d': this is ipctrace itself, which is not traced: name another",
			  pid);
	else if (!read_status(pid, "VmSize:", word, sizeof(word)))
		refuse_without_memory(pid);
	else
		return 0;
	return -ESRCH;
}
