/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends and connections in words: as people know them, and as `ipctrace attach` takes them. */
#ifndef IPCTRACE_COMMAND_LIST_END_WORDS_H
#define IPCTRACE_COMMAND_LIST_END_WORDS_H

#include "command/list/channel_list.h"

/* The longest is the path of a FIFO. */
#define END_NAME_LEN 4200

/*
 * "/run/a socket", "@abstract", "127.0.0.1:80", "[::1]:80"; a byte that is 0 as '@'. Other bytes
 * are as they are. Empty: it has no name.
 */
void end_name(const struct end *end, char name[END_NAME_LEN]);

/* What the ends are known by: that of the server; "" if neither has a name. */
void connection_name(const struct connection *connection, char name[END_NAME_LEN]);

/* The argument that traces it; `option` is NULL if none can. */
struct attach_words {
	const char *option; /* "--unix", "--port" or "-p" */
	char value[END_NAME_LEN];
};

/*
 * Of one that others connect or send to. By name only in our own network namespace: in another
 * one, the name may be another socket's here. Else by who holds it.
 */
void service_attach(const struct end *end, uint64_t own_network, struct attach_words *words);

/* By who holds its server's end, or the only one that is known. */
void connection_attach(const struct connection *connection, uint64_t own_network,
		       struct attach_words *words);

/* `text` with every byte that is no printable ASCII, and every backslash, as \ooo or \\. */
void escape_text(const char *text, size_t length, char *escaped, size_t size);

bool is_utf8(const char *text, size_t length);

/* As one word of a shell's line: bash, ksh and zsh where it takes escapes, else any. */
void quote_word(const char *word, char *quoted, size_t size);

#endif
