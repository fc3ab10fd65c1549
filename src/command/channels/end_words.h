/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that name the entries of `ipctrace list`. Also declares functions that find
 * the arguments with which `ipctrace attach` traces an entry.
 */
#pragma once

#include "command/channels/channel_list.h"

/* The longest name is the path of a FIFO. */
#define END_NAME_LEN 4200

/*
 * "/run/a socket", "@abstract", "127.0.0.1:80", "[::1]:80". A byte 0 becomes '@'; other bytes are
 * unchanged. Empty: no name.
 */
void end_name(const struct end *end, char name[END_NAME_LEN]);

/* The name of the server's end. Empty: neither end has a name. */
void connection_name(const struct connection *connection, char name[END_NAME_LEN]);

/* The arguments that trace an end. `option` NULL: it cannot be traced. */
struct attach_words {
	const char *option; /* "--unix", "--port" or "-p" */
	char value[END_NAME_LEN];
};

/*
 * For an end that accepts connections or datagrams: its name, if it is in the network namespace of
 * this process; in another one the name can be another socket. Otherwise the pid of a holder.
 */
void service_attach(const struct end *end, uint64_t own_network, struct attach_words *words);

/* The arguments for a connection: by the server's end, or by the only holder that is known. */
void connection_attach(const struct connection *connection, uint64_t own_network,
		       struct attach_words *words);

/* Copies `text` with \ooo for all bytes except printable ASCII, and \\ for a backslash. */
void escape_text(const char *text, size_t length, char *escaped, size_t size);

bool is_utf8(const char *text, size_t length);

/* Quotes a word for a shell: for bash, ksh and zsh if it needs escapes, else for any. */
void quote_word(const char *word, char *quoted, size_t size);
