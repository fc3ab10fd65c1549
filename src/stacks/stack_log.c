/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers stacks by their keys, keeps a sample of each until it is named, and writes the records.
 */
#include "stacks/stack_log.h"

#include "stacks/kallsyms.h"
#include "stacks/namer.h"
#include "stacks/process_images.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Different stacks. Further ones are counted. */
#define STACKS_MAX 32768

/*
 * So many samples, of up to 5 KB, wait for their names. More are named during the drains, which
 * takes the reader a CPU at a time when others want it.
 */
#define WAITING_MAX   4096
#define WAITING_MOST  (WAITING_MAX + WAITING_MAX / 4)
#define NAMED_AT_ONCE 16

#define KALLSYMS      "/proc/kallsyms"

/* Equal for equal stacks. */
struct key {
	uint64_t low;
	uint64_t high;
};

struct stack {
	struct key key;
	uint32_t number;
	UT_hash_handle hh;
};

/* The functions of a stack, as in a FRAMES record. */
struct named_stack {
	uint16_t kernel_cnt;
	uint16_t user_cnt;
	uint8_t flags;
	uint32_t symbol[];
};

struct waiting {
	struct waiting *next;
	struct process_image *image; /* NULL: there is no user stack */
	uint32_t number;
	struct stack_sample sample; /* only as much as it needs */
};

struct stack_log {
	struct stack *stack;                           /* hash by key */
	struct named_stack *by_number[STACKS_MAX + 1]; /* NULL: not named yet */
	struct waiting *first, **last;
	uint32_t waiting_cnt;
	struct symbol_table *symbols;
	struct process_images *images;
	struct namer *namer;
	struct kallsyms *kernel; /* NULL: see `has_tried` */
	bool has_tried;
	uint64_t taken;
	uint64_t unknown;
	uint64_t overfull;
};

struct stack_log *stack_log__new(void)
{
	struct stack_log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->last = &log->first;
	log->symbols = symbol_table__new();
	log->images = log->symbols ? process_images__new(log->symbols, false) : NULL;
	log->namer = log->images ? namer__new() : NULL;
	if (log->namer)
		return log;
	stack_log__free(log);
	return NULL;
}

void stack_log__free(struct stack_log *log)
{
	struct stack *stack, *next;
	struct waiting *waiting;

	if (!log)
		return;
	HASH_ITER (hh, log->stack, stack, next) {
		HASH_DEL(log->stack, stack);
		free(stack);
	}
	while ((waiting = log->first)) {
		log->first = waiting->next;
		free(waiting);
	}
	for (size_t i = 0; i <= STACKS_MAX; i++)
		free(log->by_number[i]);
	namer__free(log->namer);
	process_images__free(log->images);
	symbol_table__free(log->symbols);
	kallsyms__free(log->kernel);
	free(log);
}

/* Two products with different odd factors. */
static void key_add(struct key *key, uint64_t word)
{
	key->low = (key->low ^ word) * 0x9e3779b97f4a7c15ULL;
	key->low ^= key->low >> 29;
	key->high = (key->high + word) * 0xc2b2ae3d27d4eb4fULL;
	key->high ^= key->high >> 31;
}

/*
 * Return addresses are among the words that point to code. Others, which a function has left
 * behind, make more keys than there are stacks, but never too few.
 */
static void key_add_copy(struct key *key, const struct stack_sample *sample,
			 const struct process_image *image)
{
	uint64_t word;

	key_add(key, sample->reg[SAMPLE_REG_PC]);
	for (uint32_t at = 0; at < sample->copied; at += sizeof(word)) {
		memcpy(&word, sample->copy + at, sizeof(word));
		if (!process_image__has_code(image, word))
			continue;
		key_add(key, at);
		key_add(key, word);
	}
}

static struct key stack_log_key_of(const struct stack_sample *sample,
				   const struct process_image *image)
{
	struct key key = {.low = sample->kernel_cnt, .high = sample->kind};

	for (uint32_t i = 0; i < sample->kernel_cnt; i++)
		key_add(&key, sample->kernel[i]);
	if (!image)
		return key;
	key_add(&key, sample->image);
	for (uint32_t i = 0; i < sample->user_cnt; i++)
		key_add(&key, sample->user[i]);
	key_add_copy(&key, sample, image);
	return key;
}

static const char *kernel_name(struct stack_log *log, uint64_t address)
{
	if (!log->has_tried)
		log->kernel = kallsyms__new(KALLSYMS);
	if (!log->has_tried && !log->kernel)
		log_warning("functions of the kernel have no names: %s: %s: stacks lack them",
			    KALLSYMS, strerror(errno));
	log->has_tried = true;
	return log->kernel ? kallsyms__find(log->kernel, address) : NULL;
}

/* Returns the number of functions. */
static uint16_t name_kernel(struct stack_log *log, const struct stack_sample *sample,
			    uint32_t *symbol)
{
	const char *name[SAMPLE_KERNEL_MAX] = {0};
	uint16_t cnt = sample->kernel_cnt, from;

	for (uint16_t i = 0; i < cnt; i++)
		name[i] = kernel_name(log, sample->kernel[i] - 1);
	from = frames_of_tracing(name, cnt, sample->kind);
	for (uint16_t i = from; i < cnt; i++) {
		symbol[i - from] = name[i] ? symbol_table__number(log->symbols, name[i]) : 0;
		log->unknown += !symbol[i - from];
	}
	return cnt - from;
}

/* Returns the number of functions. */
static uint16_t name_user(struct stack_log *log, const struct waiting *waiting, uint32_t *symbol,
			  bool *is_cut)
{
	const struct image *image = waiting->image ? process_image__image(waiting->image) : NULL;
	const struct named_frames *named =
		image ? namer__frames(log->namer, image, &waiting->sample) : NULL;
	struct user_frames frames = {0};
	uint32_t cnt;

	/* The namer has read the mappings again, and the keys need them, too. */
	if (named && named->is_cut)
		process_image__refresh(waiting->image);
	if (!named && waiting->image)
		process_image__frames(waiting->image, &waiting->sample, &frames);
	cnt = named ? named->cnt : frames.cnt;
	for (uint32_t i = 0; i < cnt; i++) {
		if (!named)
			symbol[i] = process_image__symbol(log->images, waiting->image,
							  frames.address[i]);
		else
			symbol[i] = named->text[i][0]
					    ? symbol_table__number(log->symbols, named->text[i])
					    : 0;
		log->unknown += !symbol[i];
	}
	*is_cut = named ? named->is_cut : frames.is_cut;
	return cnt;
}

static void name_stack(struct stack_log *log, const struct waiting *waiting)
{
	uint32_t symbol[SAMPLE_KERNEL_MAX + USER_FRAMES_MAX];
	uint16_t kernel_cnt = name_kernel(log, &waiting->sample, symbol), user_cnt;
	struct named_stack *named;
	bool is_cut;

	user_cnt = name_user(log, waiting, symbol + kernel_cnt, &is_cut);
	named = malloc(sizeof(*named) + (kernel_cnt + user_cnt) * sizeof(symbol[0]));
	if (!named)
		return;
	*named = (struct named_stack){
		.kernel_cnt = kernel_cnt,
		.user_cnt = user_cnt,
		.flags = (waiting->sample.kernel_cnt == SAMPLE_KERNEL_MAX ? FRAMES_KERNEL_CUT : 0) |
			 (is_cut ? FRAMES_USER_CUT : 0),
	};
	memcpy(named->symbol, symbol, (kernel_cnt + user_cnt) * sizeof(symbol[0]));
	log->by_number[waiting->number] = named;
}

/* The one that waits for longest. */
static void name_first(struct stack_log *log)
{
	struct waiting *waiting = log->first;

	name_stack(log, waiting);
	log->first = waiting->next;
	if (!log->first)
		log->last = &log->first;
	log->waiting_cnt--;
	free(waiting);
}

/* What lies behind the last word that points to code is no caller's frame. */
static uint32_t needed_bytes(const struct stack_sample *sample, const struct process_image *image)
{
	uint32_t size = image ? sample->copied : 0;
	uint64_t word;

	for (; size; size -= sizeof(word)) {
		memcpy(&word, sample->copy + size - sizeof(word), sizeof(word));
		if (process_image__has_code(image, word))
			break;
	}
	return size;
}

static int stack_log_keep(struct stack_log *log, const struct stack_sample *sample,
			  struct process_image *image, uint32_t number)
{
	uint32_t copied = needed_bytes(sample, image);
	size_t size = offsetof(struct stack_sample, copy) + copied;
	struct waiting *waiting = calloc(1, offsetof(struct waiting, sample) + size);

	if (!waiting)
		return -ENOMEM;
	if (log->waiting_cnt >= WAITING_MOST)
		name_first(log);
	memcpy(&waiting->sample, sample, size);
	waiting->sample.copied = copied;
	waiting->image = image;
	waiting->number = number;
	*log->last = waiting;
	log->last = &waiting->next;
	log->waiting_cnt++;
	return 0;
}

/* 0: there is no room. */
static uint32_t stack_log_number_of(struct stack_log *log, const struct stack_sample *sample,
				    struct process_image *image)
{
	struct key key = stack_log_key_of(sample, image);
	struct stack *stack;
	uint32_t number;

	HASH_FIND(hh, log->stack, &key, sizeof(key), stack);
	if (stack)
		return stack->number;
	if (HASH_COUNT(log->stack) >= STACKS_MAX)
		return 0;
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return 0;
	stack->key = key;
	number = stack->number = HASH_COUNT(log->stack) + 1;
	HASH_ADD(hh, log->stack, key, sizeof(key), stack);
	if (!stack->hh.tbl) {
		free(stack);
		return 0;
	}
	if (!stack_log_keep(log, sample, image, number))
		return number;
	HASH_DEL(log->stack, stack);
	free(stack);
	return 0;
}

int stack_log__sample(struct stack_log *log, const struct stack_sample *sample, record_put_fn *put,
		      void *ctx)
{
	struct record_stack record = {
		.head = {.type = RECORD_STACK,
			 .words = RECORD_WORDS(record),
			 .cpu = sample->cpu,
			 .tid = sample->tid},
		.from_ns = sample->from_ns,
		.to_ns = sample->to_ns,
		.kind = sample->kind,
	};
	struct process_image *image = NULL;

	log->taken++;
	if (sample->user_cnt || sample->copied) {
		while (process_images__is_full(log->images) && log->first)
			name_first(log);
		image = process_images__of(log->images, sample);
	}
	record.stack = stack_log_number_of(log, sample, image);
	if (record.stack)
		return put(ctx, &record.head);
	log->overfull++;
	return 0;
}

void stack_log__drained(struct stack_log *log)
{
	for (int i = 0; i < NAMED_AT_ONCE && log->waiting_cnt > WAITING_MAX; i++)
		name_first(log);
}

static int put_frames(const struct named_stack *named, uint32_t number, record_put_fn *put,
		      void *ctx)
{
	struct {
		struct record_frames frames;
		uint32_t symbol[SAMPLE_KERNEL_MAX + USER_FRAMES_MAX];
	} record = {
		.frames = {.stack = number,
			   .kernel_cnt = named->kernel_cnt,
			   .user_cnt = named->user_cnt},
	};
	size_t cnt = named->kernel_cnt + named->user_cnt;

	record.frames.head.type = RECORD_FRAMES;
	record.frames.head.words = RECORD_WORDS(record.frames) + (cnt + 1) / 2;
	record.frames.head.flags = named->flags;
	memcpy(record.symbol, named->symbol, cnt * sizeof(record.symbol[0]));
	return put(ctx, &record.frames.head);
}

static int put_symbol(const char *text, uint32_t number, record_put_fn *put, void *ctx)
{
	struct {
		struct record_symbol symbol;
		char text[SYMBOL_TEXT_LEN];
	} record = {.symbol = {.symbol = number, .length = strnlen(text, SYMBOL_TEXT_LEN - 1)}};

	record.symbol.head.type = RECORD_SYMBOL;
	record.symbol.head.words = RECORD_WORDS(record.symbol) + (record.symbol.length + 7) / 8;
	memcpy(record.text, text, record.symbol.length);
	return put(ctx, &record.symbol.head);
}

static int put_names(struct stack_log *log, record_put_fn *put, void *ctx)
{
	int err = 0;

	for (uint32_t i = 1; i <= STACKS_MAX && !err; i++) {
		if (log->by_number[i])
			err = put_frames(log->by_number[i], i, put, ctx);
	}
	for (uint32_t i = 1; i <= symbol_table__cnt(log->symbols) && !err; i++)
		err = put_symbol(symbol_table__text(log->symbols, i), i, put, ctx);
	return err;
}

int stack_log__finish(struct stack_log *log, uint64_t over_ns, const uint64_t *count,
		      record_put_fn *put, void *ctx)
{
	struct record_stacks stacks = {
		.head = {.type = RECORD_STACKS, .words = RECORD_WORDS(stacks)}};
	int err;

	while (log->first)
		name_first(log);
	/* It shares the memory of the rings, which the session gives back next. */
	namer__free(log->namer);
	log->namer = NULL;
	err = put_names(log, put, ctx);
	stacks.over_ns = over_ns;
	stacks.taken = log->taken;
	stacks.lost = count[SAMPLES_LOST];
	stacks.no_room = count[SAMPLES_NO_ROOM];
	stacks.unknown = log->unknown;
	stacks.overfull = log->overfull;
	return err ? err : put(ctx, &stacks.head);
}
