/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel functions belong to tracing, and which to the thread. */
#include "support/build.h"

#include "stacks/kallsyms.h"

#define NAMES(...)                                                                                 \
	(const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))

/* As on Linux 6.18. */
TEST(programs_are_on_top_of_a_thread_that_leaves_its_cpu)
{
	assert_int_equal(
		frames_of_tracing(NAMES("bpf_get_stack_raw_tp",
					"bpf_prog_b59f17_on_stack_switch [bpf]", "bpf_trace_run4",
					"__traceiter_sched_switch", "__schedule", "schedule"),
				  STACK_LEFT),
		4);
	assert_int_equal(frames_of_tracing(NAMES("__schedule", "schedule"), STACK_LEFT), 0);
	assert_int_equal(frames_of_tracing(NULL, 0, STACK_LEFT), 0);
}

/* A thread may itself be in a function of BPF. */
TEST(only_the_innermost_functions_are_cut)
{
	assert_int_equal(frames_of_tracing(NAMES("bpf_trace_run4", "__schedule", "bpf_map_free"),
					   STACK_LEFT),
			 1);
	assert_int_equal(frames_of_tracing(NAMES(NULL, "bpf_trace_run4"), STACK_BLOCKED), 0);
}

TEST(the_interrupt_of_a_tick_is_not_the_threads)
{
	assert_int_equal(
		frames_of_tracing(
			NAMES("bpf_trace_run2", "__hrtimer_run_queues", "hrtimer_interrupt",
			      "__sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt",
			      "asm_sysvec_apic_timer_interrupt", "copy_user_generic", "vfs_read"),
			STACK_RAN),
		6);
	assert_int_equal(frames_of_tracing(NAMES("bpf_trace_run2", "__hrtimer_run_queues",
						 "asm_sysvec_apic_timer_interrupt"),
					   STACK_RAN),
			 3);
	assert_int_equal(frames_of_tracing(NAMES("gic_handle_irq", "el1_interrupt",
						 "el1h_64_irq_handler", "el1h_64_irq", "vfs_read"),
					   STACK_RAN),
			 4);
}

/* The thread ran in the kernel, and was in no interrupt: a timer of a thread (PREEMPT_RT). */
TEST(without_an_interrupt_only_programs_are_cut)
{
	assert_int_equal(
		frames_of_tracing(NAMES("bpf_trace_run2", "__hrtimer_run_queues", "ktimers_sched"),
				  STACK_RAN),
		1);
}
