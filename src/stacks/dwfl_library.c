/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions of libdw by their names. */
#include "stacks/dwfl_library.h"

#include "util/log.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define DWFL_NAME           "libdw.so.1"

#define DWFL_FIND(function) (library.function = dlsym(handle, #function)) &&

static struct dwfl_library library;

static bool load(void)
{
	void *handle = dlopen(DWFL_NAME, RTLD_NOW | RTLD_LOCAL);

	return handle && DWFL_FUNCTIONS(DWFL_FIND) true;
}

const struct dwfl_library *dwfl_library(void)
{
	static enum { UNTRIED, LOADED, MISSING } state;

	if (state == UNTRIED) {
		state = load() ? LOADED : MISSING;
		if (state == MISSING)
			log_warning("functions of programs have no names: " DWFL_NAME ": it is not "
				    "installed, or too old: stacks show places in files: install "
				    "libdw1 (elfutils)");
	}
	return state == LOADED ? &library : NULL;
}
