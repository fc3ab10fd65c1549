/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists of PIDs, for --pid and for the words that the shell makes of `-p $(pidof NAME)`. */
#include "cli/pid_list.h"

#include "util/log.h"
#include "util/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS   " \t\r\n"
#define WORD_LEN 32

static int append(struct pid_list *list, uint32_t pid)
{
	uint32_t *pids = reallocarray(list->pid, list->cnt + 1, sizeof(*pids));

	if (!pids)
		return ENOMEM;
	list->pid = pids;
	list->pid[list->cnt++] = pid;
	return 0;
}

static int refuse_gap(const char *text)
{
	if (!text[strspn(text, BLANKS)])
		log_error("--pid: '%s' has no PID: check that the program runs, and name it as in "
			  "-p 812",
			  text);
	else
		log_error("--pid: '%s': a PID is missing beside a comma: separate PIDs by one "
			  "comma or by blanks, as in -p 812,813",
			  text);
	return EINVAL;
}

static int parse_pid(struct pid_list *list, const char *text, const char *word)
{
	char why[PARSE_WHY_LEN];
	uint64_t pid;

	if (!parse_number(word, 1, PID_LARGEST, &pid, why))
		return append(list, pid);
	log_error("--pid: '%s': its part %s: separate PIDs by commas or blanks, as in -p "
		  "812,813, or use --comm for a name",
		  text, why);
	return EINVAL;
}

int pid_list_parse(struct pid_list *list, const char *text)
{
	const char *at = text;
	char word[WORD_LEN];
	bool has_comma;
	size_t length;
	int err;

	do {
		at += strspn(at, BLANKS);
		length = strcspn(at, "," BLANKS);
		if (!length)
			return refuse_gap(text);
		/* A word that is cut off is still beyond PID_LARGEST, or still not a number. */
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		err = parse_pid(list, text, word);
		at += length;
		at += strspn(at, BLANKS);
		has_comma = *at == ',';
		at += has_comma;
	} while (!err && (*at || has_comma));
	return err;
}

bool pid_list_word(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

void pid_list_free(struct pid_list *list)
{
	free(list->pid);
	*list = (struct pid_list){0};
}
