/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the images of the processes that samples come from, and names the functions of their
 * stacks. The least recently used image is forgotten where there are too many.
 */
#pragma once

#include "bpf/stack_sample.h"
#include "stacks/unwinder.h"

#include <stdint.h>

#define SYMBOLS_MAX 65536

struct symbol_table;

struct symbol_table *symbol_table__new(void); /* NULL: out of memory */
void symbol_table__free(struct symbol_table *table);

/* The number of `text`, from 1. 0: there is no room for another one. */
uint32_t symbol_table__number(struct symbol_table *table, const char *text);

uint32_t symbol_table__cnt(const struct symbol_table *table);

/* The text of a number that was given out. */
const char *symbol_table__text(const struct symbol_table *table, uint32_t number);

#define IMAGES_MAX 256

struct process_image;
struct process_images;

/*
 * `symbols`, which is borrowed, numbers the names. Without `has_libdw`, stacks are unwound by frame
 * pointers only, and named by files. NULL: out of memory.
 */
struct process_images *process_images__new(struct symbol_table *symbols, bool has_libdw);
void process_images__free(struct process_images *images); /* NULL allowed */

/* Whether another image makes the oldest one disappear: pointers to it must not be used then. */
bool process_images__is_full(const struct process_images *images);

/* That of a sample's process, which is read now if it is new. NULL: out of memory. */
struct process_image *process_images__of(struct process_images *images,
					 const struct stack_sample *sample);

/* The same with mappings that another process has read, which are taken over. */
struct process_image *process_images__add_maps(struct process_images *images,
					       const struct stack_sample *sample, char *maps,
					       size_t length);

/* NULL: it is not among them. */
struct process_image *process_images__find(struct process_images *images,
					   const struct stack_sample *sample);

/* NULL: the process ended too early. */
const struct image *process_image__image(const struct process_image *image);

/* Whether this word of the process points to code. */
bool process_image__has_code(const struct process_image *image, uint64_t word);

/*
 * Reads the mappings again, as code may have been loaded since. False: they are as before, because
 * the process has ended, or they were read often.
 */
bool process_image__refresh(struct process_image *image);

/* Fills in the user stack of a sample of this process. */
void process_image__frames(struct process_image *image, const struct stack_sample *sample,
			   struct user_frames *frames);

/* The number of the name of a function; 0: not known. */
uint32_t process_image__symbol(struct process_images *images, struct process_image *image,
			       uint64_t address);
