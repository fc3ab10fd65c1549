/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats names and arguments for `ipctrace list`. Escapes or quotes special bytes. */
#include "command/channels/end_words.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void address_text(const struct address *address, char *text, size_t size)
{
	char ip[INET6_ADDRSTRLEN] = "";

	if (address_is_v4(address)) {
		inet_ntop(AF_INET, address->ip + 12, ip, sizeof(ip));
		snprintf(text, size, "%s:%u", ip, address->port);
	} else {
		inet_ntop(AF_INET6, address->ip, ip, sizeof(ip));
		snprintf(text, size, "[%s]:%u", ip, address->port);
	}
}

/* The path, where it is known; else the name as it was bound. */
static const char *shown_name(const struct end *end, size_t *length)
{
	*length = end->path ? strlen(end->path) : end->name_len;
	return end->path ?: end->name;
}

/* A relative path can begin with '@' like an abstract name. */
static void bound_name(const struct end *end, char name[END_NAME_LEN])
{
	size_t shown_length;
	const char *shown = shown_name(end, &shown_length);
	bool is_path = shown_length && shown[0];
	int length = snprintf(name, END_NAME_LEN, "%s", is_path && shown[0] == '@' ? "./" : "");

	for (size_t i = 0; i < shown_length && length < END_NAME_LEN - 1; i++)
		name[length++] = shown[i] ?: '@';
	name[length] = '\0';
}

void end_name(const struct end *end, char name[END_NAME_LEN])
{
	name[0] = '\0';
	if (is_inet(end->transport))
		address_text(&end->inet.local, name, END_NAME_LEN);
	else if (end->name)
		bound_name(end, name);
}

void connection_name(const struct connection *connection, char name[END_NAME_LEN])
{
	const struct end *from = connection->from, *to = connection->to;

	name[0] = '\0';
	/* A listener on any address was reached under this one. */
	if (from && is_inet(from->transport)) {
		address_text(&from->inet.remote, name, END_NAME_LEN);
		return;
	}
	if (to)
		end_name(to, name);
	if (from && !name[0])
		end_name(from, name);
}

bool is_utf8(const char *text, size_t length)
{
	json_t *string = json_stringn(text, length);

	json_decref(string);
	return string != NULL;
}

/*
 * Whether the name can be an argument of attach, and a JSON string. A name with a byte 0 inside
 * cannot.
 */
static bool can_be_said(const struct end *end)
{
	size_t length, abstract;
	const char *name = shown_name(end, &length);

	abstract = length && !name[0];
	return length > abstract && name[0] != '@' &&
	       !memchr(name + abstract, 0, length - abstract) &&
	       is_utf8(name + abstract, length - abstract);
}

static void attach_to_owner(const struct end *end, struct attach_words *words)
{
	if (!end->holding.cnt)
		return;
	words->option = "-p";
	snprintf(words->value, sizeof(words->value), "%u", end->holding.first.pid);
}

void service_attach(const struct end *end, uint64_t own_network, struct attach_words *words)
{
	words->option = NULL;
	words->value[0] = '\0';
	if (end->network == own_network && is_inet(end->transport)) {
		words->option = "--port";
		snprintf(words->value, sizeof(words->value), "%u", end->inet.local.port);
	} else if (end->network == own_network && is_unix(end->transport) && end->name &&
		   can_be_said(end)) {
		words->option = "--unix";
		end_name(end, words->value);
	} else {
		attach_to_owner(end, words);
	}
}

void connection_attach(const struct connection *connection, uint64_t own_network,
		       struct attach_words *words)
{
	const struct end *to = connection->to;

	words->option = NULL;
	words->value[0] = '\0';
	if (to && (to->state == END_LISTENING || to->state == END_UNCONNECTED))
		service_attach(to, own_network, words);
	else if (to)
		attach_to_owner(to, words);
	if (!words->option && connection->from)
		attach_to_owner(connection->from, words);
}

static size_t escape_byte(unsigned char byte, char escaped[5])
{
	if (byte == '\\')
		strcpy(escaped, "\\\\");
	else if (byte >= ' ' && byte <= '~')
		sprintf(escaped, "%c", byte);
	else
		sprintf(escaped, "\\%03o", byte);
	return strlen(escaped);
}

void escape_text(const char *text, size_t length, char *escaped, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < length; i++) {
		char byte[5];
		size_t more = escape_byte(text[i], byte);

		if (at + more >= size)
			break;
		memcpy(escaped + at, byte, more);
		at += more;
	}
	escaped[at] = '\0';
}

static bool end_words_is_plain(const char *word)
{
	for (const char *c = word; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_@%+=:,./-", *c))
			return false;
	}
	return *word;
}

static bool is_printable(const char *word)
{
	for (const char *c = word; *c; c++) {
		if (*c < ' ' || *c > '~')
			return false;
	}
	return true;
}

/* Escapes the text between the quotes: $'...' knows \ooo and \', '...' knows no escapes. */
static void quote_bytes(const char *word, bool with_escapes, char *quoted, size_t size)
{
	size_t at = snprintf(quoted, size, "%s", with_escapes ? "$'" : "'");

	for (const char *c = word; *c; c++) {
		char byte[5] = {*c};
		size_t more = with_escapes ? escape_byte(*c, byte) : 1;

		if (*c == '\'')
			more = sprintf(byte, "%s", with_escapes ? "\\'" : "'\\''");
		if (at + more + sizeof("'") > size)
			break;
		memcpy(quoted + at, byte, more);
		at += more;
	}
	snprintf(quoted + at, size - at, "'");
}

void quote_word(const char *word, char *quoted, size_t size)
{
	if (end_words_is_plain(word))
		snprintf(quoted, size, "%s", word);
	else
		quote_bytes(word, !is_printable(word), quoted, size);
}
