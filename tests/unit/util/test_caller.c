/* SPDX-License-Identifier: BSD-2-Clause */
/* The environment of the user that called sudo, as far as it can be found. */
#include "support/build.h"

#include "util/caller.h"

#include <stdlib.h>
#include <string.h>

#define ENVIRONMENT(...) ((char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static const struct account joe = {.name = "joe", .home = "/home/joe", .shell = "/bin/zsh"};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_within(char *const *environment, const char *variable)
{
	while (environment && *environment && *environment != variable)
		environment++;
	return environment && *environment;
}

/* In order, with a space after each. */
static void assert_environment(char *const *ours, char *const *theirs,
			       const struct account *account, const char *expected)
{
	char **environment = caller_environment(ours, theirs, account), text[512] = "";
	size_t cnt = 0;

	assert_non_null(environment);
	while (environment[cnt])
		cnt++;
	qsort(environment, cnt, sizeof(*environment), compare);
	for (size_t i = 0; i < cnt; i++) {
		strcat(strcat(text, environment[i]), " ");
		if (!is_within(ours, environment[i]) && !is_within(theirs, environment[i]))
			free(environment[i]); /* from the account */
	}
	assert_string_equal(text, expected);
	free(environment);
}

TEST(what_sudo_has_replaced_is_theirs_again)
{
	assert_environment(ENVIRONMENT("HOME=/root", "LOGNAME=root", "MAIL=/var/mail/root",
				       "PATH=/usr/sbin:/usr/bin", "SHELL=/bin/bash", "USER=root"),
			   ENVIRONMENT("HOME=/h", "LOGNAME=j", "MAIL=/m", "PATH=/h/bin:/bin",
				       "SHELL=/s", "USER=j"),
			   &joe, "HOME=/h LOGNAME=j MAIL=/m PATH=/h/bin:/bin SHELL=/s USER=j ");
}

TEST(what_sudo_has_removed_is_there_again)
{
	assert_environment(ENVIRONMENT("HOME=/root", "TERM=xterm"),
			   ENVIRONMENT("HOME=/h", "LOGNAME=j", "SHELL=/s", "USER=j", "TERM=xterm",
				       "LD_LIBRARY_PATH=/h/lib", "SSH_AUTH_SOCK=/tmp/x"),
			   &joe,
			   "HOME=/h LD_LIBRARY_PATH=/h/lib LOGNAME=j SHELL=/s "
			   "SSH_AUTH_SOCK=/tmp/x TERM=xterm USER=j ");
}

/* sudo NEW=1 CHANGED=2 ipctrace ... */
TEST(what_came_since_counts_more)
{
	assert_environment(
		ENVIRONMENT("NEW=1", "CHANGED=2", "HOME=/root"),
		ENVIRONMENT("CHANGED=1", "KEPT=1", "HOME=/h", "LOGNAME=j", "SHELL=/s", "USER=j"),
		&joe, "CHANGED=2 HOME=/h KEPT=1 LOGNAME=j NEW=1 SHELL=/s USER=j ");
}

TEST(what_sudo_has_added_is_not_taken_over)
{
	assert_environment(ENVIRONMENT("SUDO_UID=7", "SUDO_GID=7", "SUDO_USER=joe", "SUDO_UIDS=1",
				       "SUDO_COMMAND=/usr/bin/ipctrace", "SUDO_ASKPASS=/a"),
			   NULL, &(struct account){0}, "SUDO_ASKPASS=/a SUDO_UIDS=1 ");
}

/* Without a visible sudo process, passwd has the rest, except PATH. */
TEST(without_theirs_passwd_helps)
{
	assert_environment(
		ENVIRONMENT("HOME=/root", "LOGNAME=root", "MAIL=/var/mail/root", "USERNAME=root",
			    "PATH=/usr/sbin", "SHELL=/x", "A=1"),
		NULL, &joe,
		"A=1 HOME=/home/joe LOGNAME=joe PATH=/usr/sbin SHELL=/bin/zsh USER=joe ");
}

TEST(what_is_not_known_is_not_there)
{
	assert_environment(ENVIRONMENT("HOME=/root", "USER=root"), NULL,
			   &(struct account){.home = "/"}, "HOME=/ ");
	assert_environment(ENVIRONMENT("PATH=/bin"), ENVIRONMENT(), &(struct account){0},
			   "PATH=/bin ");
}

TEST(odd_variables_do_no_harm)
{
	assert_environment(ENVIRONMENT("=x", "alone"), ENVIRONMENT("=y", "HOMER=1", "alone="),
			   &(struct account){0}, "=x HOMER=1 alone ");
}
