/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the kernel's functions into an array that is sorted by address. */
#include "stacks/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No function is larger: an address further behind one belongs to no known function. */
#define FUNCTION_BYTES_MAX (1u << 20)

struct function {
	uint64_t address;
	const char *name; /* in `text` */
};

struct kallsyms {
	struct function *function;
	size_t cnt;
	char *text; /* the file */
};

/* "ffffffff81234560 t vfs_read", with a tab and "[module]" behind the functions of a module. */
static void kallsyms_add_line(struct kallsyms *symbols, char *line)
{
	char *at, *tab;
	uint64_t address = strtoull(line, &at, 16);

	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ' || !strchr("tTwW", at[1]))
		return;
	at += 3;
	if (!strncmp(at, "__pfx_", strlen("__pfx_")))
		return;
	tab = strchr(at, '\t');
	if (tab)
		*tab = ' ';
	symbols->function[symbols->cnt++] = (struct function){address, at};
}

/* A function may have several names: the first one in the file comes first. */
static int kallsyms_compare(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int read_all(struct kallsyms *symbols, FILE *file)
{
	size_t size = 0, lines = 1;
	bool is_read = getdelim(&symbols->text, &size, '\0', file) > 0;

	if (ferror(file))
		return -EIO;
	if (!is_read)
		return -EACCES;
	for (const char *at = symbols->text; (at = strchr(at, '\n')); at++)
		lines++;
	symbols->function = calloc(lines, sizeof(*symbols->function));
	if (!symbols->function)
		return -ENOMEM;
	for (char *line = symbols->text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		kallsyms_add_line(symbols, line);
	}
	if (!symbols->cnt)
		return -EACCES;
	qsort(symbols->function, symbols->cnt, sizeof(*symbols->function), kallsyms_compare);
	/* Hidden addresses are all zero. */
	return symbols->function[symbols->cnt - 1].address ? 0 : -EACCES;
}

struct kallsyms *kallsyms__new(const char *path)
{
	struct kallsyms *symbols = calloc(1, sizeof(*symbols));
	FILE *file = symbols ? fopen(path, "re") : NULL;
	int err = file ? read_all(symbols, file) : -errno;

	if (file)
		fclose(file);
	if (!err)
		return symbols;
	kallsyms__free(symbols);
	errno = -err;
	return NULL;
}

void kallsyms__free(struct kallsyms *symbols)
{
	if (!symbols)
		return;
	free(symbols->function);
	free(symbols->text);
	free(symbols);
}

const char *kallsyms__find(const struct kallsyms *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->cnt;
	const struct function *found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->function[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &symbols->function[low - 1];
	if (address - found->address >= FUNCTION_BYTES_MAX)
		return NULL;
	while (found > symbols->function && found[-1].address == found->address)
		found--;
	return found->name;
}

/*
 * A program that takes the stack of the current thread is on it, and what has called the program.
 */
static const char *const of_programs[] = {"bpf_", "__bpf_", "__traceiter_", NULL};

/* Where an interrupt begins, on x86-64 and on arm64, in the names of all kernels from 5.10 on. */
static const char *const entries[] = {
	"asm_sysvec_", "asm_common_interrupt", "el1h_64_irq", "el0t_64_irq", "el1_irq", "el0_irq",
	NULL};

static bool kernel_frames_begins_with_any(const char *name, const char *const *begin)
{
	for (; name && *begin; begin++) {
		if (!strncmp(name, *begin, strlen(*begin)))
			return true;
	}
	return false;
}

/* Several functions of arm64 stand for one entry: the outermost counts. 0: there is no entry. */
static uint16_t end_of_entry(const char *const *name, uint16_t cnt)
{
	uint16_t i = 0;

	while (i < cnt && !kernel_frames_begins_with_any(name[i], entries))
		i++;
	if (i == cnt)
		return 0;
	while (i < cnt && kernel_frames_begins_with_any(name[i], entries))
		i++;
	return i;
}

uint16_t frames_of_tracing(const char *const *name, uint16_t cnt, enum stack_kind kind)
{
	uint16_t from = kind == STACK_RAN ? end_of_entry(name, cnt) : 0;

	while (from < cnt && kernel_frames_begins_with_any(name[from], of_programs))
		from++;
	return from;
}
