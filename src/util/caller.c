/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the user that called sudo, by SUDO_UID and SUDO_GID. Combines the environments of the sudo
 * process and of this process into that of this user, and switches a child process to the user.
 */
#include "util/caller.h"

#include "util/log.h"
#include "util/rights.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most processes between sudo and this program. */
#define ANCESTORS_MAX 64

/* The most variables. More than any user has; the merge compares each with all others. */
#define ENVIRONMENT_CNT_MAX (1 << 14)

/* Variables that sudo replaces. */
static const char *const replaced[] = {"HOME",  "LOGNAME", "MAIL",    "PATH",
				       "SHELL", "USER",    "USERNAME"};

/* Variables that sudo adds. */
static const char *const added[] = {"SUDO_COMMAND", "SUDO_GID", "SUDO_HOME",
				    "SUDO_TTY",     "SUDO_UID", "SUDO_USER"};

#define CNT(array) (sizeof(array) / sizeof((array)[0]))

/* The length of "NAME" in "NAME=value". */
static size_t caller_environment_name_length(const char *variable)
{
	return strcspn(variable, "=");
}

static bool caller_environment_is_one_of(const char *variable, const char *const *names, size_t cnt)
{
	size_t length = caller_environment_name_length(variable);

	for (size_t i = 0; i < cnt; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], variable, length))
			return true;
	return false;
}

/* The entry of the variable with this name, or the NULL at the end. */
static char **caller_environment_find(char **environment, const char *variable)
{
	size_t length = caller_environment_name_length(variable);

	while (*environment && (caller_environment_name_length(*environment) != length ||
				memcmp(*environment, variable, length)))
		environment++;
	return environment;
}

static size_t caller_environment_count(char *const *environment)
{
	size_t cnt = 0;

	while (environment && environment[cnt])
		cnt++;
	return cnt;
}

/* The array has zeros behind its end, so that it still ends with NULL. */
static void caller_environment_set(char **environment, const char *variable)
{
	*caller_environment_find(environment, variable) = (char *)variable;
}

static bool set_default(char **environment, const char *name, const char *value)
{
	char *variable;

	if (!value || *caller_environment_find(environment, name))
		return true;
	if (asprintf(&variable, "%s=%s", name, value) < 0)
		return false;
	caller_environment_set(environment, variable);
	return true;
}

char **caller_environment(char *const *ours, char *const *theirs, const struct account *account)
{
	size_t room = caller_environment_count(ours) + caller_environment_count(theirs) +
		      CNT(replaced) + 1;
	char **environment = calloc(room, sizeof(*environment));

	if (!environment)
		return NULL;
	for (; theirs && *theirs; theirs++)
		caller_environment_set(environment, *theirs);
	for (; *ours; ours++) {
		bool is_wanted =
			!strncmp(*ours, "PATH=", strlen("PATH="))
				? !*caller_environment_find(environment, *ours)
				: !caller_environment_is_one_of(*ours, replaced, CNT(replaced)) &&
					  !caller_environment_is_one_of(*ours, added, CNT(added));

		if (is_wanted)
			caller_environment_set(environment, *ours);
	}
	if (set_default(environment, "HOME", account->home) &&
	    set_default(environment, "LOGNAME", account->name) &&
	    set_default(environment, "SHELL", account->shell) &&
	    set_default(environment, "USER", account->name))
		return environment;
	free(environment);
	return NULL;
}

struct process {
	char name[16];
	pid_t parent;
	uid_t uid; /* real user id */
	uid_t effective;
};

static bool process_read(pid_t pid, struct process *process)
{
	char path[32], line[128];
	int found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		found += sscanf(line, "Name: %15[^\n]", process->name);
		found += sscanf(line, "PPid: %d", &process->parent);
		found += sscanf(line, "Uid: %u %u", &process->uid, &process->effective);
	}
	if (file)
		fclose(file);
	return found == 4;
}

/*
 * sudo can be two processes, a parent and its child. The parent is the one that the user started.
 * 0: none.
 */
static pid_t sudo_find(uid_t uid)
{
	pid_t pid = getppid(), sudo = 0;
	struct process process;

	for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++, pid = process.parent) {
		if (!process_read(pid, &process))
			return 0;
		/* A name alone is no proof: any process can be called sudo. */
		if (!strcmp(process.name, "sudo") && !process.effective)
			sudo = pid;
		else if (sudo)
			return process.uid == uid ? sudo : 0;
	}
	return 0;
}

/* Its strings live as long as the program. */
static char **environment_read(FILE *file)
{
	char **environment = NULL, *variable = NULL;
	size_t cnt = 0, size = 0;

	while (cnt < ENVIRONMENT_CNT_MAX && getdelim(&variable, &size, '\0', file) > 0) {
		char **more = realloc(environment, (cnt + 2) * sizeof(*environment));

		if (!more)
			break;
		environment = more;
		environment[cnt++] = variable;
		environment[cnt] = NULL;
		variable = NULL;
		size = 0;
	}
	free(variable);
	return environment;
}

/* The environment that user `uid` called sudo with. NULL: no ancestor is such a sudo. */
static char **caller_environment_of_sudo(uid_t uid)
{
	pid_t sudo = sudo_find(uid);
	char **environment;
	char path[32];
	FILE *file;

	if (!sudo)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", sudo);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	environment = environment_read(file);
	fclose(file);
	return environment;
}

/* To the kernel (uid_t)-1 means "leave unchanged", so it is no id. */
#define ID_MAX (UINT_MAX - 1)

/* More groups than the kernel allows for a process. */
#define GROUPS_MAX (1 << 17)

/* Digits alone: strtoul() also reads blanks and a sign, which sudo never writes. */
static int id_parse(const char *variable, unsigned int *id)
{
	const char *text = getenv(variable) ?: "";
	bool is_number = *text && !text[strspn(text, "0123456789")];
	unsigned long value;

	errno = 0;
	value = strtoul(text, NULL, 10);
	if (!is_number || errno || value > ID_MAX) {
		log_error("cannot find the user that called sudo: %s='%s': no user or group "
			  "id: run with sudo, or unset SUDO_UID and SUDO_GID",
			  variable, text);
		return -EINVAL;
	}
	*id = (unsigned int)value;
	return 0;
}

/*
 * Several names can share a number; sudo reports the name that was used. NULL: there is no entry.
 */
static const struct passwd *entry_find(uid_t uid)
{
	const char *name = getenv("SUDO_USER");
	const struct passwd *entry = name ? getpwnam(name) : NULL;

	return entry && entry->pw_uid == uid ? entry : getpwuid(uid);
}

static int groups_find(struct caller *caller, const char *name)
{
	for (int room = 64; room <= GROUPS_MAX; room *= 2) {
		gid_t *group = realloc(caller->group, room * sizeof(*group));
		int cnt = room;

		if (!group)
			return -ENOMEM;
		caller->group = group;
		if (getgrouplist(name, caller->gid, group, &cnt) < 0)
			continue;
		caller->group_cnt = cnt;
		return 0;
	}
	return -E2BIG;
}

/* A user without an entry has no supplementary groups, and the home directory of login(1). */
static int caller_describe(struct caller *caller)
{
	const struct passwd *entry = entry_find(caller->uid);
	struct account account = {.name = getenv("SUDO_USER"), .home = "/", .shell = "/bin/sh"};
	char **theirs = caller_environment_of_sudo(caller->uid);
	int err = 0;

	if (entry)
		account = (struct account){
			.name = entry->pw_name,
			.home = entry->pw_dir,
			.shell = *entry->pw_shell ? entry->pw_shell : "/bin/sh",
		};
	caller->environment = caller_environment(environ, theirs, &account);
	free(theirs);
	if (!caller->environment)
		err = -ENOMEM;
	if (!err && entry)
		err = groups_find(caller, account.name);
	if (err)
		log_error("cannot find the user that called sudo: user %u: %s: end other programs",
			  caller->uid, strerror(-err));
	return err;
}

static int util_caller_find(struct caller *caller)
{
	int err;

	if (geteuid() != 0 || !(getenv("SUDO_UID") || getenv("SUDO_GID")))
		return 0;
	err = id_parse("SUDO_UID", &caller->uid);
	if (!err)
		err = id_parse("SUDO_GID", &caller->gid);
	if (err || !caller->uid)
		return err;
	caller->is_other = true;
	return caller_describe(caller);
}

const struct caller *caller_find(void)
{
	static struct caller caller;
	static bool is_found;

	if (!is_found && util_caller_find(&caller))
		return NULL;
	is_found = true;
	return &caller;
}

int caller_become(const struct caller *caller)
{
	if (!caller->is_other) {
		rights_drop();
		return 0;
	}
	/* Groups first: changing them needs root. */
	if (setgroups(caller->group_cnt, caller->group) || setgid(caller->gid) ||
	    setuid(caller->uid))
		return -errno;
	/* The change of user leaves the inheritable capabilities. */
	rights_drop();
	if (caller->environment)
		environ = caller->environment;
	return 0;
}
