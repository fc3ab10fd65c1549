/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists all handlers, and finds a handler by name. */
#include "util/word_list.h"
#include "workload/handler.h"

#include <stdio.h>
#include <string.h>

const struct handler_ops *const handlers[] = {
	&echo_handler, &translate_handler, &spin_handler, &sleep_handler, &exec_handler, NULL,
};

void handler_label(const struct handler_ops *handler, char label[HANDLER_LABEL_LEN])
{
	if (!handler->argument)
		snprintf(label, HANDLER_LABEL_LEN, "%s", handler->name);
	else if (!handler->refuse(NULL))
		snprintf(label, HANDLER_LABEL_LEN, "%s[=%s]", handler->name, handler->argument);
	else
		snprintf(label, HANDLER_LABEL_LEN, "%s=%s", handler->name, handler->argument);
}

static const char *handler_names(void)
{
	static char names[128];
	struct word_list list = {.text = names, .size = sizeof(names)};
	char label[HANDLER_LABEL_LEN];

	for (size_t i = 0; handlers[i]; i++) {
		handler_label(handlers[i], label);
		word_list_add(&list, "%s", label);
	}
	return names;
}

const struct handler_ops *handler_find(const char *text, const char **argument, char *why,
				       size_t why_size)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);
	const struct handler_ops *handler = NULL;
	const char *reason;

	for (size_t i = 0; handlers[i]; i++)
		if (strlen(handlers[i]->name) == length && !memcmp(handlers[i]->name, text, length))
			handler = handlers[i];
	*argument = equals ? equals + 1 : NULL;
	if (!handler) {
		snprintf(why, why_size, "unknown value: use one of %s", handler_names());
		return NULL;
	}
	if (*argument && !handler->argument) {
		snprintf(why, why_size, "this handler has no argument: use %s alone",
			 handler->name);
		return NULL;
	}
	reason = handler->refuse ? handler->refuse(*argument) : NULL;
	if (reason) {
		snprintf(why, why_size, "%s", reason);
		return NULL;
	}
	return handler;
}
