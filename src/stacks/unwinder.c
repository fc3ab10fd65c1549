/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes the mappings of a process, the registers and the copy of a stack to libdwfl. A copy ends
 * somewhere, and code made at run time has no call frame information: there the addresses that were
 * found by frame pointers continue the stack.
 *
 *	by call frame information    a  b  c  d  (the copy ends)
 *	by frame pointers            a     c  d  e  f
 *	together                     a  b  c  d  e  f
 *
 * A function without a frame pointer hides its caller, here b.
 */
#include "stacks/unwinder.h"

#include "util/log.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DWFL_FUNCTIONS(apply)                                                                      \
	apply(dwfl_addrmodule) apply(dwfl_attach_state) apply(dwfl_begin)                          \
		apply(dwfl_build_id_find_debuginfo) apply(dwfl_end) apply(dwfl_frame_pc)           \
			apply(dwfl_getmodules) apply(dwfl_getthread_frames) apply(dwfl_lineinfo)   \
				apply(dwfl_linux_proc_maps_report) apply(dwfl_module_addrinfo)     \
					apply(dwfl_module_getelf) apply(dwfl_module_getsrc)        \
						apply(dwfl_report_begin) apply(dwfl_report_end)    \
							apply(dwfl_thread_state_register_pc)       \
								apply(dwfl_thread_state_registers)

#define DWFL_POINTER(function) __typeof__(function) *function;

struct dwfl_library {
	DWFL_FUNCTIONS(DWFL_POINTER)
};

/* Finds the functions of libdw by their names. */

#define DWFL_NAME           "libdw.so.1"

#define DWFL_FIND(function) (library.function = dlsym(handle, #function)) &&

static struct dwfl_library library;

static bool unwinder_load(void)
{
	void *handle = dlopen(DWFL_NAME, RTLD_NOW | RTLD_LOCAL);

	return handle && DWFL_FUNCTIONS(DWFL_FIND) true;
}

/* NULL: it is not installed, or lacks a function. It stays loaded. */
static const struct dwfl_library *dwfl_library(void)
{
	static enum { UNTRIED, LOADED, MISSING } state;

	if (state == UNTRIED) {
		state = unwinder_load() ? LOADED : MISSING;
		if (state == MISSING)
			log_warning("functions of programs have no names: " DWFL_NAME ": it is not "
				    "installed, or too old: stacks show places in files: install "
				    "libdw1 (elfutils)");
	}
	return state == LOADED ? &library : NULL;
}

/* A sample has one thread. libdwfl wants a number for it. */
#define THREAD 1

struct unwinder {
	const struct dwfl_library *lib;
	const struct image *image;
	Dwfl *dwfl;
	bool has_state;

	/* Valid during unwinder__frames(). */
	const struct stack_sample *sample;
	struct user_frames *frames;
	bool is_beyond; /* something was not in the copy, which libdwfl takes as the end */
};

/* The file that is mapped from `base` on. libdwfl closes it. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	const struct image *image = *userdata;

	(void)module;
	(void)name;
	(void)file_name;
	(void)elf;
	return image ? image__open_file(image, base) : -1;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file_name, const char *debuglink, GElf_Word crc,
			  char **debuginfo)
{
	/* By build id, in /usr/lib/debug. The standard search would also ask servers. */
	return dwfl_library()->dwfl_build_id_find_debuginfo(module, userdata, name, base, file_name,
							    debuglink, crc, debuginfo);
}

static const Dwfl_Callbacks file_callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
};

static int set_image(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		     void *image)
{
	(void)module;
	(void)name;
	(void)base;
	*userdata = image;
	return DWARF_CB_OK;
}

static bool report_files(struct unwinder *unwinder)
{
	const struct dwfl_library *lib = unwinder->lib;
	FILE *maps = image__maps(unwinder->image);
	bool ok;

	if (!maps)
		return false;
	lib->dwfl_report_begin(unwinder->dwfl);
	ok = !lib->dwfl_linux_proc_maps_report(unwinder->dwfl, maps);
	ok = !lib->dwfl_report_end(unwinder->dwfl, NULL, NULL) && ok;
	fclose(maps);
	lib->dwfl_getmodules(unwinder->dwfl, set_image, (void *)unwinder->image, 0);
	return ok;
}

static pid_t next_thread(Dwfl *dwfl, void *ctx, void **thread)
{
	bool is_first = !*thread;

	(void)dwfl;
	*thread = ctx;
	return is_first ? THREAD : 0;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *ctx)
{
	struct unwinder *unwinder = ctx;
	const struct stack_sample *sample = unwinder->sample;
	uint64_t at = address - sample->reg[SAMPLE_REG_SP];

	(void)dwfl;
	if (sample->copied < sizeof(*word) || at > sample->copied - sizeof(*word)) {
		unwinder->is_beyond = true;
		return false;
	}
	memcpy(word, sample->copy + at, sizeof(*word));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
	const struct unwinder *unwinder = ctx;
	const u64 *reg = unwinder->sample->reg;

#if defined(__x86_64__)
	/* Where the registers are in struct pt_regs, in the order of DWARF. */
	static const unsigned char place[] = {10, 12, 11, 5, 13, 14, 4, 19, 9,
					      8,  7,  6,  3, 2,  1,  0, 16};
	Dwarf_Word word[sizeof(place)];

	for (size_t i = 0; i < sizeof(place); i++)
		word[i] = reg[place[i]];
	return unwinder->lib->dwfl_thread_state_registers(thread, 0, sizeof(place), word);
#else
	Dwarf_Word word[SAMPLE_REG_SP + 1];

	for (size_t i = 0; i <= SAMPLE_REG_SP; i++)
		word[i] = reg[i];
	unwinder->lib->dwfl_thread_state_register_pc(thread, reg[SAMPLE_REG_PC]);
	return unwinder->lib->dwfl_thread_state_registers(thread, 0, SAMPLE_REG_SP + 1, word);
#endif
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

struct unwinder *unwinder__new(const struct image *image)
{
	const struct dwfl_library *lib = dwfl_library();
	struct unwinder *unwinder = lib ? calloc(1, sizeof(*unwinder)) : NULL;

	if (!unwinder)
		return NULL;
	unwinder->lib = lib;
	unwinder->image = image;
	unwinder->dwfl = lib->dwfl_begin(&file_callbacks);
	if (unwinder->dwfl && report_files(unwinder)) {
		unwinder->has_state = lib->dwfl_attach_state(unwinder->dwfl, NULL, THREAD,
							     &thread_callbacks, unwinder);
		return unwinder;
	}
	unwinder__free(unwinder);
	return NULL;
}

void unwinder__free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	if (unwinder->dwfl)
		unwinder->lib->dwfl_end(unwinder->dwfl);
	free(unwinder);
}

static int add_frame(Dwfl_Frame *frame, void *ctx)
{
	struct unwinder *unwinder = ctx;
	struct user_frames *frames = unwinder->frames;
	Dwarf_Addr address;
	bool is_exact;

	if (!unwinder->lib->dwfl_frame_pc(frame, &address, &is_exact))
		return DWARF_CB_ABORT;
	address -= !is_exact;
	if (frames->cnt >= USER_FRAMES_MAX || !image__has_code(unwinder->image, address))
		return DWARF_CB_ABORT;
	frames->address[frames->cnt++] = address;
	return DWARF_CB_OK;
}

/* A program of 32 bits has another form of stack. */
static bool can_unwind(const struct unwinder *unwinder, const struct stack_sample *sample)
{
#if defined(__x86_64__)
	enum { CS = 17, CS_64_BITS = 0x33 };

	if (sample->reg[CS] != CS_64_BITS)
		return false;
#endif
	return unwinder && unwinder->has_state && sample->copied;
}

static void unwind(struct unwinder *unwinder, const struct stack_sample *sample,
		   struct user_frames *frames)
{
	int err;

	unwinder->sample = sample;
	unwinder->frames = frames;
	unwinder->is_beyond = false;
	err = unwinder->lib->dwfl_getthread_frames(unwinder->dwfl, THREAD, add_frame, unwinder);
	frames->is_cut = err || unwinder->is_beyond;
}

/* What frame pointers show from frame `i` on. Without them, its word may be any number. */
static void append_by_pointers(const struct image *image, const struct stack_sample *sample,
			       uint32_t i, struct user_frames *frames)
{
	for (; i < sample->user_cnt; i++) {
		uint64_t address = sample->user[i] - (i > 0);

		if (frames->cnt >= USER_FRAMES_MAX || !image__has_code(image, address))
			break;
		frames->address[frames->cnt++] = address;
	}
	frames->is_cut = i < sample->user_cnt || sample->user_cnt == SAMPLE_USER_MAX;
}

/* The frame by pointers that follows the last one that was unwound; 0: it is not among them. */
static uint32_t find_next(const struct stack_sample *sample, const struct user_frames *frames)
{
	for (uint32_t i = 1; frames->cnt && i < sample->user_cnt; i++) {
		if (sample->user[i] - 1 == frames->address[frames->cnt - 1])
			return i + 1;
	}
	return 0;
}

void unwinder__frames(struct unwinder *unwinder, const struct image *image,
		      const struct stack_sample *sample, struct user_frames *frames)
{
	uint32_t next;

	frames->cnt = 0;
	frames->is_cut = true;
	if (can_unwind(unwinder, sample))
		unwind(unwinder, sample, frames);
	if (!frames->is_cut)
		return;
	next = find_next(sample, frames);
	if (frames->cnt <= 1)
		frames->cnt = next = 0;
	if (next || !frames->cnt)
		append_by_pointers(image, sample, next, frames);
}

/* " (server.c:120)"; nothing without debug information. */
static void append_line(const struct unwinder *unwinder, Dwfl_Module *module, uint64_t address,
			char *text, size_t size)
{
	Dwfl_Line *line = unwinder->lib->dwfl_module_getsrc(module, address);
	const char *path, *slash;
	int number = 0;

	path = line ? unwinder->lib->dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!path || number <= 0)
		return;
	slash = strrchr(path, '/');
	snprintf(text + strlen(text), size - strlen(text), " (%s:%d)", slash ? slash + 1 : path,
		 number);
}

/* A symbol that ends before the address is that of another function. */
static bool name_by_symbol(const struct unwinder *unwinder, Dwfl_Module *module, uint64_t address,
			   char *text, size_t size)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = unwinder->lib->dwfl_module_addrinfo(module, address, &offset, &symbol,
							       NULL, NULL, NULL);

	if (!name || (symbol.st_size && offset >= symbol.st_size))
		return false;
	/* Without its version, as in "nanosleep@@GLIBC_2.2.5". */
	snprintf(text, size, "%.*s", (int)strcspn(name, "@"), name);
	append_line(unwinder, module, address, text, size);
	return true;
}

bool unwinder__name(struct unwinder *unwinder, const struct image *image, uint64_t address,
		    char *text, size_t size)
{
	Dwfl_Module *module =
		unwinder ? unwinder->lib->dwfl_addrmodule(unwinder->dwfl, address) : NULL;
	GElf_Addr bias = image__file_begin(image, address);
	bool has_file = bias;

	if (module && name_by_symbol(unwinder, module, address, text, size))
		return true;
	image__file_name(image, address, text, size);
	if (!*text)
		return false;
	/* A program at a fixed address has the bias 0. Without libdw, none is known to be. */
	if (module)
		unwinder->lib->dwfl_module_getelf(module, &bias);
	if (has_file)
		snprintf(text + strlen(text), size - strlen(text), "+0x%llx",
			 (unsigned long long)(address - bias));
	return true;
}
