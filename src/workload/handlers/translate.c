/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the handler "translate". The handler splits the request at blanks, and replaces each
 * word by its translation. Unknown words stay. The server of the published Colorado experiment
 * does the same.
 */
#include "workload/handler.h"
#include "util/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define FILE_SIZE_MAX (64U << 20)
#define BLANKS        " \t\r\n"

struct entry {
	const char *translation;
	size_t length;
	UT_hash_handle hh; /* by the word */
};

struct translate {
	char *text; /* the whole dictionary; words and translations point into it */
	struct entry *entries;
	struct entry *table; /* the entries as a hash table */
};

struct span {
	const char *text;
	size_t length;
};

static bool is_blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* Cuts the next part off `text` that is blank, or is not blank. */
static struct span span_cut(struct span *text, bool blank)
{
	struct span span = {.text = text->text};

	while (span.length < text->length && is_blank(text->text[span.length]) == blank)
		span.length++;
	text->text += span.length;
	text->length -= span.length;
	return span;
}

static struct span line_cut(struct span *text)
{
	const char *end = memchr(text->text, '\n', text->length);
	struct span line = {text->text, end ? (size_t)(end - text->text) : text->length};
	size_t cut = line.length + (end != NULL);

	text->text += cut;
	text->length -= cut;
	return line;
}

/*
 * The first translation of a word counts. 0, -EINVAL for a line without a translation, or -ENOMEM.
 */
static int entry_add(struct translate *translate, struct entry *entry, struct span line)
{
	struct span word = span_cut(&line, false);
	struct entry *known;

	span_cut(&line, true);
	while (line.length && is_blank(line.text[line.length - 1]))
		line.length--;
	if (!word.length || !line.length)
		return -EINVAL;
	HASH_FIND(hh, translate->table, word.text, word.length, known);
	if (known)
		return 0;
	entry->translation = line.text;
	entry->length = line.length;
	HASH_ADD_KEYPTR(hh, translate->table, word.text, word.length, entry);
	return entry->hh.tbl ? 0 : -ENOMEM;
}

static void translate_close(void *state)
{
	struct translate *translate = state;

	HASH_CLEAR(hh, translate->table);
	free(translate->entries);
	free(translate->text);
	free(translate);
}

static size_t lines_count(struct span text)
{
	size_t lines = 0;

	while (text.length) {
		line_cut(&text);
		lines++;
	}
	return lines;
}

/* Skips empty lines and lines that begin with #. `*number` is the line of a failure. */
static int entries_make(struct translate *translate, struct span text, size_t *number)
{
	translate->entries = calloc(lines_count(text) + 1, sizeof(*translate->entries));
	if (!translate->entries)
		return -ENOMEM;
	for (*number = 1; text.length; ++*number) {
		struct span line = line_cut(&text);
		int err;

		span_cut(&line, true);
		if (!line.length || *line.text == '#')
			continue;
		err = entry_add(translate, &translate->entries[*number - 1], line);
		if (err)
			return err;
	}
	return 0;
}

static int descriptor_read(int fd, char **text, size_t *length)
{
	struct stat status;
	ssize_t size;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if (status.st_size > FILE_SIZE_MAX)
		return -EFBIG;
	*text = malloc((size_t)status.st_size + 1);
	if (!*text)
		return -ENOMEM;
	for (*length = 0; *length < (size_t)status.st_size; *length += (size_t)size) {
		size = read(fd, *text + *length, (size_t)status.st_size - *length);
		if (size < 0 && errno == EINTR)
			size = 0;
		else if (size <= 0)
			return size ? -errno : 0;
	}
	return 0;
}

/* The caller frees `*text`, also after a failure. O_NONBLOCK: opening a FIFO must not block. */
static int translate_file_read(const char *path, char **text, size_t *length)
{
	bool was_used = rights_lower();
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err;

	rights_restore(was_used);
	if (fd < 0)
		return -errno;
	err = descriptor_read(fd, text, length);
	close(fd);
	return err;
}

/* NULL path: the built-in dictionary. `*line` is not 0 if a line of the file is wrong. */
static int translate_new(struct translate **made, const char *path, size_t *line)
{
	struct translate *translate = calloc(1, sizeof(*translate));
	struct span text = {dictionary_text, strlen(dictionary_text)};
	int err = translate ? 0 : -ENOMEM;

	*line = 0;
	if (!err && path)
		err = translate_file_read(path, &translate->text, &text.length);
	if (!err && path)
		text.text = translate->text;
	if (!err)
		err = entries_make(translate, text, line);
	if (!err)
		*made = translate;
	else if (translate)
		translate_close(translate);
	return err;
}

static const char *translate_refuse(const char *argument)
{
	static char why[160];
	struct translate *translate;
	size_t line;
	int err;

	if (!argument)
		return NULL;
	err = translate_new(&translate, argument, &line);
	if (!err) {
		translate_close(translate);
		return NULL;
	}
	if (err == -EINVAL && line)
		snprintf(why, sizeof(why),
			 "line %zu has no translation: write a word, a blank and its translation",
			 line);
	else if (err == -EINVAL)
		snprintf(why, sizeof(why),
			 "it is no plain file: give one with a word, a blank and "
			 "its translation in every line");
	else
		snprintf(why, sizeof(why), "%s: give a file that can be read, of at most %u MB",
			 strerror(-err), FILE_SIZE_MAX >> 20);
	return why;
}

static void *translate_open(const char *argument)
{
	struct translate *translate;
	size_t line;
	int err = translate_new(&translate, argument, &line);

	if (!err)
		return translate;
	errno = -err;
	return NULL;
}

/* In the experiment, a client introduces itself. */
static size_t translate_ask(uint32_t client, char *text, size_t size)
{
	char sentence[64];
	int length =
		snprintf(sentence, sizeof(sentence), "good morning server i am client %u", client);
	size_t asked = (size_t)length < size ? (size_t)length : size;

	if (asked)
		memcpy(text, sentence, asked);
	return asked;
}

static ssize_t translate_answer(void *state, const char *text, size_t size, char *answer,
				size_t answer_size)
{
	const struct translate *translate = state;
	struct span rest = {text, size};
	size_t length = 0;
	bool blank = true;

	while (rest.length && length < answer_size) {
		struct span part = span_cut(&rest, blank);
		size_t room = answer_size - length;
		const struct entry *entry = NULL;

		if (!blank)
			HASH_FIND(hh, translate->table, part.text, part.length, entry);
		if (entry)
			part = (struct span){entry->translation, entry->length};
		if (part.length > room)
			part.length = room;
		memcpy(answer + length, part.text, part.length);
		length += part.length;
		blank = !blank;
	}
	return (ssize_t)length;
}

const struct handler_ops translate_handler = {
	.name = "translate",
	.argument = "FILE",
	.summary = "translate each word with the dictionary FILE (default: English to German)",
	.lengthens = true,
	.refuse = translate_refuse,
	.open = translate_open,
	.ask = translate_ask,
	.answer = translate_answer,
	.close = translate_close,
};
