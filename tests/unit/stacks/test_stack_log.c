/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples become records: numbers of stacks while tracing goes on, and names at its end. */
#include "support/build.h"
#include "support/capture.h"

#include "stacks/stack_log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define RECORDS_MAX 4096

/* What was put. */
static struct {
	struct record_stack stack[RECORDS_MAX];
	uint32_t stack_cnt;
	char *frames[RECORDS_MAX]; /* by number: "kernel;kernel|user;user" of symbol numbers */
	uint8_t flags[RECORDS_MAX];
	char symbol[RECORDS_MAX][SYMBOL_TEXT_LEN];
	struct record_stacks stacks;
} seen;

static void see_frames(const struct record_frames *frames)
{
	const uint32_t *symbol = (const void *)(frames + 1);
	char text[4096] = "";

	for (int i = 0; i < frames->kernel_cnt + frames->user_cnt; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u",
			 i == frames->kernel_cnt ? "|" : ";", symbol[i]);
	free(seen.frames[frames->stack]);
	seen.frames[frames->stack] = strdup(text);
	seen.flags[frames->stack] = frames->head.flags;
}

static int put(void *ctx, const struct record *record)
{
	const struct record_symbol *symbol = (const void *)record;

	switch (record->type) {
	case RECORD_STACK:
		seen.stack[seen.stack_cnt++] = *(const struct record_stack *)record;
		return 0;
	case RECORD_FRAMES:
		see_frames((const void *)record);
		return 0;
	case RECORD_SYMBOL:
		snprintf(seen.symbol[symbol->symbol], SYMBOL_TEXT_LEN, "%.*s", (int)symbol->length,
			 (const char *)(symbol + 1));
		return 0;
	default:
		assert_int_equal(record->type, RECORD_STACKS);
		seen.stacks = *(const struct record_stacks *)record;
		return 0;
	}
}

static int make(void **state)
{
	memset(&seen, 0, sizeof(seen));
	*state = stack_log__new();
	return *state ? 0 : -1;
}

static int remove_all(void **state)
{
	for (size_t i = 0; i < RECORDS_MAX; i++)
		free(seen.frames[i]);
	stack_log__free(*state);
	return 0;
}

EACH_TEST(make, remove_all)

static struct stack_sample *kernel_sample(uint64_t from_ns, uint64_t address)
{
	static struct stack_sample sample;

	sample = (struct stack_sample){
		.from_ns = from_ns,
		.to_ns = from_ns + 5,
		.tid = 7,
		.pid = 6,
		.cpu = 1,
		.kind = STACK_BLOCKED,
		.kernel_cnt = 2,
		.kernel = {address, address + 0x1000},
	};
	return &sample;
}

static void add(struct stack_log *log, const struct stack_sample *sample)
{
	assert_int_equal(stack_log__sample(log, sample, put, NULL), 0);
	stack_log__drained(log);
}

static void finish(struct stack_log *log)
{
	const uint64_t count[NR_SAMPLE_COUNTS] = {
		[SAMPLES_TAKEN] = 9, [SAMPLES_LOST] = 3, [SAMPLES_NO_ROOM] = 2};

	assert_int_equal(stack_log__finish(log, 100, count, put, NULL), 0);
}

TEST(equal_stacks_have_one_number)
{
	add(*state, kernel_sample(10, 0x1000));
	add(*state, kernel_sample(20, 0x2000));
	add(*state, kernel_sample(30, 0x1000));
	assert_int_equal(seen.stack_cnt, 3);
	assert_int_equal(seen.stack[0].stack, 1);
	assert_int_equal(seen.stack[1].stack, 2);
	assert_int_equal(seen.stack[2].stack, 1);
	assert_int_equal(seen.stack[1].from_ns, 20);
	assert_int_equal(seen.stack[1].to_ns, 25);
	assert_int_equal(seen.stack[1].head.tid, 7);
	assert_int_equal(seen.stack[1].head.cpu, 1);
	finish(*state);
	assert_non_null(seen.frames[1]);
	assert_non_null(seen.frames[2]);
	assert_null(seen.frames[3]);
}

/* The functions of an interrupt are cut off the one and not the other. */
TEST(the_kind_of_a_stack_is_a_part_of_it)
{
	struct stack_sample *sample = kernel_sample(10, 0x1000);

	add(*state, sample);
	sample->kind = STACK_RAN;
	add(*state, sample);
	assert_int_not_equal(seen.stack[0].stack, seen.stack[1].stack);
}

TEST(losses_and_unknown_functions_are_counted)
{
	/* Nothing of the kernel is there. */
	add(*state, kernel_sample(10, 0x1000));
	finish(*state);
	assert_string_equal(seen.frames[1], ";0;0");
	assert_int_equal(seen.stacks.over_ns, 100);
	assert_int_equal(seen.stacks.taken, 1);
	assert_int_equal(seen.stacks.lost, 3);
	assert_int_equal(seen.stacks.no_room, 2);
	assert_int_equal(seen.stacks.unknown, 2);
	assert_int_equal(seen.stacks.overfull, 0);
}

TEST(many_stacks_are_named_on_the_way_and_too_many_are_counted)
{
	enum { MANY = 40000, ROOM = 32768 };
	struct stack_log *log = *state;

	for (uint32_t i = 0; i < MANY; i++) {
		seen.stack_cnt = 0;
		add(log, kernel_sample(i, 0x1000 + i * 16));
		assert_int_equal(seen.stack_cnt, i < ROOM);
	}
	add(log, kernel_sample(MANY, 0x1000));
	assert_int_equal(seen.stack[0].stack, 1);
}

/* Word by word: a sanitizer allows no reads between variables. */
static __attribute__((no_sanitize("address"))) void copy_stack(struct stack_sample *sample,
							       uint64_t sp)
{
	sample->copied = SAMPLE_COPY_MAX;
	for (size_t at = 0; at < SAMPLE_COPY_MAX; at += sizeof(uint64_t))
		*(volatile uint64_t *)(sample->copy + at) = *(const volatile uint64_t *)(sp + at);
}

/* The stack of this thread, as a program of the kernel would take it. */
static __attribute__((noinline)) void take_own(struct stack_sample *sample)
{
	ucontext_t here;
	uint64_t sp;

	assert_int_equal(getcontext(&here), 0);
	*sample = (struct stack_sample){.pid = getpid(), .tid = getpid(), .image = 1};
#if defined(__x86_64__)
	const greg_t *reg = here.uc_mcontext.gregs;
	const int order[] = {REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP, REG_RBX,
			     REG_R11, REG_R10, REG_R9,  REG_R8,  REG_RAX, REG_RCX,
			     REG_RDX, REG_RSI, REG_RDI, REG_RAX, REG_RIP};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		sample->reg[i] = reg[order[i]];
	sample->reg[17] = 0x33;
	sp = sample->reg[SAMPLE_REG_SP] = reg[REG_RSP];
#else
	memcpy(sample->reg, here.uc_mcontext.regs, sizeof(here.uc_mcontext.regs));
	sp = sample->reg[SAMPLE_REG_SP] = here.uc_mcontext.sp;
	sample->reg[SAMPLE_REG_PC] = here.uc_mcontext.pc;
#endif
	copy_stack(sample, sp);
}

static __attribute__((noinline)) void inner_function(struct stack_sample *sample)
{
	take_own(sample);
	__asm__ volatile("");
}

static __attribute__((noinline)) void outer_function(struct stack_sample *sample)
{
	inner_function(sample);
	__asm__ volatile("");
}

/* The names of the user stack, as far as this source reaches. */
static void assert_names(const char *frames, const char *const *name, size_t cnt)
{
	const char *at = strchr(frames, '|');

	for (size_t i = 0; i < cnt; i++) {
		uint32_t symbol;

		assert_non_null(at);
		symbol = strtoul(at + 1, NULL, 10);
		assert_memory_equal(seen.symbol[symbol], name[i], strlen(name[i]));
		assert_non_null(strstr(seen.symbol[symbol], " (test_stack_log.c:"));
		at = strpbrk(at + 1, ";");
	}
}

TEST(a_user_stack_is_unwound_and_named)
{
	static const char *const name[] = {"take_own", "inner_function", "outer_function",
					   "a_user_stack_is_unwound_and_named"};
	struct stack_sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	outer_function(sample);
	add(*state, sample);
	finish(*state);
	assert_int_equal(seen.stack[0].stack, 1);
	assert_names(seen.frames[1], name, ARRAY_SIZE(name));
	free(sample);
}

/* Where the return address into this function is in the copy. */
static uint32_t place_of_return(const struct stack_sample *sample, uint64_t function)
{
	uint64_t word;

	for (uint32_t at = 0; at < sample->copied; at += sizeof(word)) {
		memcpy(&word, sample->copy + at, sizeof(word));
		if (word > function && word < function + 64)
			return at;
	}
	fail();
	return 0;
}

/* The callers are known by frame pointers. */
static void assert_goes_on(struct stack_log *log, uint32_t copied)
{
	static const char *const name[] = {"take_own", "inner_function", "copy_stack"};
	struct stack_sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	outer_function(sample);
	sample->copied = copied;
	if (!copied) {
		sample->copied = SAMPLE_COPY_MAX;
		sample->copied = place_of_return(sample, (uint64_t)inner_function);
	}
	sample->user_cnt = 3;
	sample->user[0] = sample->reg[SAMPLE_REG_PC];
	sample->user[1] = (uint64_t)inner_function + 1;
	sample->user[2] = (uint64_t)copy_stack + 1;
	add(log, sample);
	finish(log);
	assert_names(seen.frames[1], name, ARRAY_SIZE(name));
	free(sample);
}

TEST(frame_pointers_go_on_where_the_copy_ends)
{
	assert_goes_on(*state, 8);
}

/* Only the return address is missing, which libdw takes for the end of the stack. */
TEST(a_copy_that_ends_before_a_caller_is_not_the_end)
{
	assert_goes_on(*state, 0);
}

TEST(what_frame_pointers_make_up_is_left_out)
{
	struct stack_sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	outer_function(sample);
	sample->copied = 8;
	sample->user_cnt = 3;
	sample->user[0] = (uint64_t)outer_function;
	sample->user[1] = 12345;
	sample->user[2] = (uint64_t)inner_function;
	add(*state, sample);
	finish(*state);
	assert_string_equal(seen.frames[1], "|1");
	assert_int_equal(seen.flags[1], FRAMES_USER_CUT);
	free(sample);
}

TEST(a_process_that_has_ended_has_only_a_kernel_stack)
{
	struct stack_sample *sample = kernel_sample(10, 0x1000);

	sample->pid = 1u << 22;
	sample->user_cnt = 1;
	sample->user[0] = (uint64_t)outer_function;
	add(*state, sample);
	finish(*state);
	assert_string_equal(seen.frames[1], ";0;0");
	assert_int_equal(seen.flags[1], FRAMES_USER_CUT);
}

/* The process that names functions. */
static pid_t namer_pid(void)
{
	char path[64];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", gettid());
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	return pid;
}

/* Adds the stack of this thread, with a kernel stack that makes it differ from others. */
static void add_own(struct stack_log *log, uint64_t kernel)
{
	struct stack_sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	outer_function(sample);
	sample->kernel[0] = kernel;
	sample->kernel_cnt = 1;
	sample->user[0] = sample->reg[SAMPLE_REG_PC];
	sample->user_cnt = 1;
	add(log, sample);
	free(sample);
}

static void check_namer_ends(void **state, int signal, const char *said, const char *to_do)
{
	struct capture err;

	add_own(*state, 0x1000);
	add_own(*state, 0x2000);
	kill(namer_pid(), signal);
	capture_begin(&err, STDERR_FILENO);
	finish(*state);
	capture_end(&err);
	assert_has(err.text, "some functions of programs have no names: ");
	assert_has(err.text, said);
	assert_has(err.text, to_do);
	assert_int_equal(seen.stack_cnt, 2);
	/* The first one is named by its file, and the second one by another process. */
	assert_string_equal(seen.frames[1], ";0|1");
	assert_non_null(strstr(seen.symbol[1], "test_stack_log+0x"));
	assert_memory_equal(seen.symbol[2], "take_own (", strlen("take_own ("));
	assert_int_equal(seen.stacks.taken, 2);
}

TEST(the_end_of_what_names_functions_costs_one_stack_its_names)
{
	check_namer_ends(state, SIGKILL, "(signal 9)", "more memory (ulimit -v)");
}

/* The process that names functions must not have the handler of this program. */
static int make_for_sigbus(void **state)
{
	signal(SIGBUS, SIG_DFL);
	return make(state);
}

TEST_WITH(a_file_that_cannot_be_read_costs_one_stack_its_names, make_for_sigbus, remove_all)
{
	check_namer_ends(state, SIGBUS, "(signal 7)", "cannot be read: see dmesg");
}

/* A recording knows it by that, also where other ipctraces name functions. */
TEST(its_name_says_for_whom_it_names_functions)
{
	char path[64], expected[NAMER_COMM_LEN + 1], comm[NAMER_COMM_LEN + 1] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", namer_pid());
	snprintf(expected, sizeof(expected), NAMER_COMM_FORMAT "\n", (unsigned int)getpid());
	/* It takes its name after it has started. */
	for (int waited_ms = 0; strcmp(comm, expected) && waited_ms < 60000; waited_ms++) {
		FILE *file = fopen(path, "re");

		assert_non_null(file);
		assert_non_null(fgets(comm, sizeof(comm), file));
		fclose(file);
		usleep(1000);
	}
	assert_string_equal(comm, expected);
}

TEST_WITH(no_process_is_left, NULL, NULL)
{
	struct stack_log *log = stack_log__new();
	pid_t pid = namer_pid();

	assert_int_equal(kill(pid, 0), 0);
	stack_log__free(log);
	assert_int_equal(kill(pid, 0), -1);
}
