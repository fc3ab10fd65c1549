/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists of PIDs: of --pid, and those that the shell makes of `-p $(pidof NAME)`. */
#include "cli/target_list.h"

#include "util/log.h"
#include "util/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS   " \t\r\n"
#define WORD_LEN 32

static int target_list_append(struct target_list *list, struct target_choice choice)
{
	struct target_choice *at = reallocarray(list->at, list->cnt + 1, sizeof(*at));

	if (!at)
		return ENOMEM;
	list->at = at;
	list->at[list->cnt++] = choice;
	return 0;
}

int target_list_add_name(struct target_list *list, enum target_kind kind, const char *name)
{
	return target_list_append(list, (struct target_choice){.kind = kind, .name = name});
}

int target_list_add_number(struct target_list *list, enum target_kind kind, uint32_t number)
{
	return target_list_append(list, (struct target_choice){.kind = kind, .number = number});
}

bool target_list_has(const struct target_list *list, enum target_kind kind)
{
	for (size_t i = 0; i < list->cnt; i++) {
		if (list->at[i].kind == kind)
			return true;
	}
	return false;
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

static int parse_pid(struct target_list *list, const char *text, const char *word)
{
	char why[PARSE_WHY_LEN];
	uint64_t pid;

	if (!parse_number(word, 1, PID_LARGEST, &pid, why))
		return target_list_add_number(list, TARGET_PID, pid);
	log_error("--pid: '%s': its part %s: separate PIDs by commas or blanks, as in -p "
		  "812,813, or use --comm for a name",
		  text, why);
	return EINVAL;
}

int target_list_add_pids(struct target_list *list, const char *text)
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

int set_pids(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	return target_list_add_pids(to, arg);
}

int set_comm(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	return target_list_add_name(to, TARGET_COMM, arg);
}

bool is_pid_word(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

void target_list_free(struct target_list *list)
{
	free(list->at);
	*list = (struct target_list){0};
}
