/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads libdw, the library of elfutils that unwinds stacks and names functions (libdwfl). It is
 * only loaded when stacks are wanted: with its own libraries it would make every start longer.
 */
#pragma once

#include <elfutils/libdwfl.h>

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

/* NULL: it is not installed, or lacks a function. It stays loaded. */
const struct dwfl_library *dwfl_library(void);
