/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contains the JSON Schemas of docs/schemas, for `ipctrace report --schema NAME`. The Makefile
 * knows that this object depends on these files. scripts/maintain/schemas writes them.
 */
#include "report/schema.h"

#include <string.h>

/* Declares `symbol`, the text of a file that ends with NUL. Paths begin where make runs. */
#define TEXT_OF_FILE(symbol, path)                                                                 \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" path "\"\n.byte 0\n"              \
		".popsection\n");                                                                  \
	extern const char symbol[] __attribute__((visibility("hidden")))

TEXT_OF_FILE(schema_summary, "docs/schemas/summary.json");
TEXT_OF_FILE(schema_sweep, "docs/schemas/sweep.json");
TEXT_OF_FILE(schema_messages, "docs/schemas/messages.json");
TEXT_OF_FILE(schema_explain, "docs/schemas/explain.json");
TEXT_OF_FILE(schema_explain_sweep, "docs/schemas/explain_sweep.json");
TEXT_OF_FILE(schema_list, "docs/schemas/list.json");
TEXT_OF_FILE(schema_doctor, "docs/schemas/doctor.json");

static const struct {
	const char *name;
	const char *text;
} schemas[] = {
	{"summary", schema_summary},
	{"sweep", schema_sweep},
	{"messages", schema_messages},
	{"explain", schema_explain},
	{"explain_sweep", schema_explain_sweep},
	{"list", schema_list},
	{"doctor", schema_doctor},
};

#define SCHEMA_CNT (sizeof(schemas) / sizeof(schemas[0]))

const char *schema_find(const char *name)
{
	for (size_t i = 0; i < SCHEMA_CNT; i++) {
		if (!strcmp(schemas[i].name, name))
			return schemas[i].text;
	}
	return NULL;
}

const char *schema_name_at(size_t i)
{
	return i < SCHEMA_CNT ? schemas[i].name : NULL;
}
