/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a record has a known type and is long enough for its type. */
#include "model/record_decode.h"

#include <errno.h>
#include <string.h>

static const unsigned char fewest_words[NR_RECORD_TYPES] = {
#define RECORD(number, TYPE, type, name, bytes, ...) [RECORD_##TYPE] = (bytes) / 8,
#include "bpf/record_list.h"
};

static const char *const names[NR_RECORD_TYPES] = {
#define RECORD(number, TYPE, type, name, ...) [RECORD_##TYPE] = (name),
#include "bpf/record_list.h"
};

const char *record_name(unsigned int type)
{
	return type < NR_RECORD_TYPES && names[type] ? names[type] : "unknown";
}

ssize_t record_check(const struct record *record, size_t available)
{
	if (available < sizeof(*record))
		return 0;
	if (record->type >= NR_RECORD_TYPES || !fewest_words[record->type] ||
	    record->words < fewest_words[record->type])
		return -EINVAL;
	return record_size(record) <= available ? (ssize_t)record_size(record) : 0;
}

/* A shorter one is read as well, as a longer one is cut. */
void record_text(const struct record *record, size_t from, char text[PATH_TEXT_LEN])
{
	size_t size = record_size(record) - from;

	size = size < PATH_TEXT_LEN - 1 ? size : PATH_TEXT_LEN - 1;
	memcpy(text, (const char *)record + from, size);
	text[size] = '\0';
}

const uint64_t *receive_changes(const struct record_receive *receive, size_t *cnt)
{
	*cnt = receive->head.words - RECORD_WORDS(*receive);
	return (const uint64_t *)(receive + 1);
}

const uint64_t *changes_changes(const struct record_changes *changes, size_t *cnt)
{
	*cnt = changes->head.words - RECORD_WORDS(*changes);
	return (const uint64_t *)(changes + 1);
}
