/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps images in a hash table, which is in the order of use. Names each address once. */
#include "stacks/process_images.h"

#include "bpf/record_stacks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A process may map further libraries at any time. Its mappings are read again so often at most. */
#define REFRESHES_MAX 8

/* Addresses of one process that are remembered. */
#define ADDRESSES_MAX 65536

struct named_address {
	uint64_t address;
	uint32_t symbol;
	UT_hash_handle hh;
};

struct process_image {
	uint64_t id;               /* see struct stack_sample */
	struct image *image;       /* NULL: the process ended too early */
	struct unwinder *unwinder; /* NULL: see `is_open` */
	bool is_open;              /* its making was tried, or is not wanted */
	bool has_libdw;
	uint32_t refreshes;
	struct named_address *named; /* hash by address */
	UT_hash_handle hh;
};

struct process_images {
	struct symbol_table *symbols;
	bool has_libdw;
	struct process_image *image; /* hash by id; the least recently used comes first */
};

struct process_images *process_images__new(struct symbol_table *symbols, bool has_libdw)
{
	struct process_images *images = calloc(1, sizeof(*images));

	if (!images)
		return NULL;
	images->symbols = symbols;
	images->has_libdw = has_libdw;
	return images;
}

static void close_unwinder(struct process_image *image)
{
	unwinder__free(image->unwinder);
	image->unwinder = NULL;
	image->is_open = false;
}

static void free_image(struct process_image *image)
{
	struct named_address *named, *next;

	close_unwinder(image);
	image__free(image->image);
	HASH_ITER (hh, image->named, named, next) {
		HASH_DEL(image->named, named);
		free(named);
	}
	free(image);
}

static void process_images_forget(struct process_images *images, struct process_image *image)
{
	HASH_DEL(images->image, image);
	free_image(image);
}

void process_images__free(struct process_images *images)
{
	if (!images)
		return;
	while (images->image)
		process_images_forget(images, images->image);
	free(images);
}

bool process_images__is_full(const struct process_images *images)
{
	return HASH_COUNT(images->image) >= IMAGES_MAX;
}

/* Becomes the most recently used one. NULL: out of memory. */
static struct process_image *process_images_append(struct process_images *images,
						   struct process_image *image)
{
	HASH_ADD(hh, images->image, id, sizeof(image->id), image);
	if (image->hh.tbl)
		return image;
	free_image(image);
	return NULL;
}

/* Takes over `mappings`. */
static struct process_image *process_images_add(struct process_images *images,
						const struct stack_sample *sample,
						struct image *mappings)
{
	struct process_image *image;

	if (process_images__is_full(images))
		process_images_forget(images, images->image);
	image = calloc(1, sizeof(*image));
	if (!image) {
		image__free(mappings);
		return NULL;
	}
	image->id = sample->image;
	image->has_libdw = images->has_libdw;
	image->image = mappings;
	return process_images_append(images, image);
}

struct process_image *process_images__find(struct process_images *images,
					   const struct stack_sample *sample)
{
	uint64_t id = sample->image;
	struct process_image *image;

	HASH_FIND(hh, images->image, &id, sizeof(id), image);
	return image;
}

struct process_image *process_images__of(struct process_images *images,
					 const struct stack_sample *sample)
{
	struct process_image *image = process_images__find(images, sample);

	if (!image)
		return process_images_add(
			images, sample,
			tid_is_outside(sample->pid) ? NULL : image__new("/proc", sample->pid));
	/* This makes a new table if it is the only one, for which there may be no memory. */
	if (!image->hh.next)
		return image;
	HASH_DEL(images->image, image);
	return process_images_append(images, image);
}

struct process_image *process_images__add_maps(struct process_images *images,
					       const struct stack_sample *sample, char *maps,
					       size_t length)
{
	struct image *mappings = image__of_text("/proc", sample->pid, maps, length);

	return mappings ? process_images_add(images, sample, mappings) : NULL;
}

const struct image *process_image__image(const struct process_image *image)
{
	return image->image;
}

bool process_image__has_code(const struct process_image *image, uint64_t word)
{
	return image->image && image__has_code(image->image, word);
}

static struct unwinder *unwinder_of(struct process_image *image)
{
	if (!image->is_open && image->has_libdw)
		image->unwinder = unwinder__new(image->image);
	image->is_open = true;
	return image->unwinder;
}

bool process_image__refresh(struct process_image *image)
{
	if (!image->image || image->refreshes++ >= REFRESHES_MAX || image__refresh(image->image))
		return false;
	close_unwinder(image);
	return true;
}

void process_image__frames(struct process_image *image, const struct stack_sample *sample,
			   struct user_frames *frames)
{
	frames->cnt = 0;
	frames->is_cut = true;
	if (!image->image)
		return;
	unwinder__frames(unwinder_of(image), image->image, sample, frames);
	if (!frames->is_cut || !process_image__refresh(image))
		return;
	unwinder__frames(unwinder_of(image), image->image, sample, frames);
}

uint32_t process_image__symbol(struct process_images *images, struct process_image *image,
			       uint64_t address)
{
	struct named_address *named;
	char text[SYMBOL_TEXT_LEN];
	uint32_t symbol;

	HASH_FIND(hh, image->named, &address, sizeof(address), named);
	if (named)
		return named->symbol;
	if (HASH_COUNT(image->named) >= ADDRESSES_MAX)
		return 0;
	named = calloc(1, sizeof(*named));
	if (!named)
		return 0;
	named->address = address;
	if (unwinder__name(unwinder_of(image), image->image, address, text, sizeof(text)))
		named->symbol = symbol_table__number(images->symbols, text);
	symbol = named->symbol;
	HASH_ADD(hh, image->named, address, sizeof(address), named);
	if (!named->hh.tbl)
		free(named);
	return symbol;
}

/* Keeps the names of functions in a hash table and in an array. */

struct symbol {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

struct symbol_table {
	struct symbol *symbol; /* hash by text */
	const struct symbol *by_number[SYMBOLS_MAX + 1];
};

struct symbol_table *symbol_table__new(void)
{
	return calloc(1, sizeof(struct symbol_table));
}

void symbol_table__free(struct symbol_table *table)
{
	struct symbol *symbol, *next;

	if (!table)
		return;
	HASH_ITER (hh, table->symbol, symbol, next) {
		HASH_DEL(table->symbol, symbol);
		free(symbol);
	}
	free(table);
}

uint32_t symbol_table__number(struct symbol_table *table, const char *text)
{
	size_t length = strlen(text);
	struct symbol *symbol;

	HASH_FIND(hh, table->symbol, text, length, symbol);
	if (symbol)
		return symbol->number;
	if (HASH_COUNT(table->symbol) >= SYMBOLS_MAX)
		return 0;
	symbol = malloc(sizeof(*symbol) + length + 1);
	if (!symbol)
		return 0;
	memcpy(symbol->text, text, length + 1);
	symbol->number = HASH_COUNT(table->symbol) + 1;
	HASH_ADD_KEYPTR(hh, table->symbol, symbol->text, length, symbol);
	if (!symbol->hh.tbl) {
		free(symbol);
		return 0;
	}
	table->by_number[symbol->number] = symbol;
	return symbol->number;
}

uint32_t symbol_table__cnt(const struct symbol_table *table)
{
	return HASH_COUNT(table->symbol);
}

const char *symbol_table__text(const struct symbol_table *table, uint32_t number)
{
	return table->by_number[number]->text;
}
