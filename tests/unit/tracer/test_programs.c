/* SPDX-License-Identifier: BSD-2-Clause */
/* Which programs each kernel gets: a replacement for everything that it lacks, and never both. */
#include "support/build.h"

#include "tracer/programs.h"

static const struct tracer_spec all = {.transports = ~0u};

static bool needs(const char *name, struct kernel_traits traits)
{
	return program_is_needed(name, &all, &traits);
}

TEST(sockets_are_traced_by_events_or_by_syscalls)
{
	static const char *const events[] = {"on_unix_ready", "on_inet_ready", "on_send_length",
					     "on_recv_length", "on_copy_datagram"};
	static const char *const calls[] = {"on_socket_call_exit", "on_socket_copy",
					    "on_socket_consume", "on_tcp_probe"};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		assert_true(needs(events[i], (struct kernel_traits){}));
		assert_false(needs(events[i], (struct kernel_traits){.by_syscalls = true}));
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		assert_false(needs(calls[i], (struct kernel_traits){}));
		assert_true(needs(calls[i], (struct kernel_traits){.by_syscalls = true}));
	}
}

TEST(a_transport_has_only_its_own_programs)
{
	struct kernel_traits traits = {.by_syscalls = true};
	struct tracer_spec tcp = {.transports = TRANSPORTS_TCP},
			   pipes = {.transports = TRANSPORTS_PIPES};

	assert_true(program_is_needed("on_tcp_probe", &tcp, &traits));
	assert_false(program_is_needed("on_socket_consume", &tcp, &traits));
	assert_false(program_is_needed("on_net_dev_queue", &tcp, &traits));
	assert_false(program_is_needed("on_socket_call_exit", &pipes, &traits));
	assert_true(program_is_needed("on_sys_exit", &pipes, &traits));
}

TEST(unix_sockets_and_those_of_the_network_have_their_own)
{
	struct tracer_spec tcp = {.transports = TRANSPORTS_TCP},
			   local = {.transports = TRANSPORTS_UNIX};
	struct kernel_traits traits = {};

	assert_true(program_is_needed("on_unix_ready", &local, &traits));
	assert_false(program_is_needed("on_inet_ready", &local, &traits));
	assert_true(program_is_needed("on_inet_ready", &tcp, &traits));
	assert_false(program_is_needed("on_unix_ready", &tcp, &traits));
}

TEST(interrupts_have_nothing_for_unix_sockets)
{
	struct kernel_traits steady = {}, preempts = {.can_preempt = true};

	assert_true(program_misses_nothing("on_unix_ready", &steady));
	assert_false(program_misses_nothing("on_unix_ready", &preempts));
	assert_false(program_misses_nothing("on_unix_ready_twin", &preempts));
	assert_false(program_misses_nothing("on_inet_ready", &steady));
}

/* No program of another run does more for them, and an attach has them with its own. */
TEST(connections_of_a_run_have_programs_of_their_own)
{
	struct tracer_spec run = {.transports = ~0u, .connections = true},
			   light = {.transports = ~0u, .connections = true, .no_syscalls = true},
			   attach = {.transports = ~0u, .connections = true, .attach = true};
	struct kernel_traits traits = {.shows_states = true},
			     older = {.by_syscalls = true, .shows_states = true};

	assert_true(program_is_needed("on_listener_ready", &run, &traits));
	assert_true(program_is_needed("on_inet_state", &run, &traits));
	assert_false(needs("on_listener_ready", traits));
	assert_false(needs("on_inet_state", traits));
	assert_false(program_is_needed("on_listener_ready", &light, &traits));
	assert_false(program_is_needed("on_inet_state", &light, &traits));
	assert_false(program_is_needed("on_listener_ready", &attach, &traits));
	assert_true(program_is_needed("on_inet_state", &attach, &traits));
	assert_false(program_is_needed("on_listener_ready", &run, &older));
}

TEST(twins_are_for_kernels_that_preempt_programs)
{
	assert_true(program_is_twin("on_sys_exit_twin"));
	assert_false(program_is_twin("on_sys_exit"));
	assert_false(needs("on_sys_exit_twin", (struct kernel_traits){}));
	assert_true(needs("on_sys_exit_twin", (struct kernel_traits){.can_preempt = true}));
	assert_false(needs("on_unix_ready_twin",
			   (struct kernel_traits){.can_preempt = true, .by_syscalls = true}));
}

TEST(level_light_has_none_at_system_calls)
{
	static const char *const calls[] = {"on_sys_enter", "on_sys_exit", "on_sys_exit_third"};
	struct tracer_spec light = {
		.transports = TRANSPORTS_LIGHT, .attach = true, .no_syscalls = true};
	struct tracer_spec full = {.transports = TRANSPORTS_LIGHT, .attach = true};
	struct kernel_traits traits = {.can_preempt = true};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		assert_false(program_is_needed(calls[i], &light, &traits));
		assert_true(program_is_needed(calls[i], &full, &traits));
	}
	assert_true(program_is_needed("on_recv_length", &light, &traits));
	assert_true(program_is_needed("on_copy_datagram", &light, &traits));
	assert_false(program_is_needed("on_net_dev_queue", &light, &traits));
	assert_false(program_is_needed("on_kfree_skb", &light, &traits));
}

TEST(a_full_queue_is_traced_where_a_drop_does_not_show_its_socket)
{
	struct tracer_spec attach = {.transports = TRANSPORTS_UDP, .attach = true};
	struct tracer_spec run = {.transports = TRANSPORTS_UDP};
	struct kernel_traits old = {.shows_failed_queue = true, .drop_arguments = 3};
	struct kernel_traits newer = {.shows_failed_queue = true, .drop_arguments = 4};
	struct kernel_traits silent = {.drop_arguments = 3};

	assert_true(program_is_needed("on_udp_fail", &attach, &old));
	assert_false(program_is_needed("on_udp_fail", &attach, &newer));
	assert_false(program_is_needed("on_udp_fail", &attach, &silent));
	assert_false(program_is_needed("on_udp_fail", &run, &old));
}

TEST(locks_of_the_kernel_are_for_level_deep)
{
	struct tracer_spec full = {.transports = TRANSPORTS_LIGHT, .attach = true};
	struct tracer_spec deep = {.transports = TRANSPORTS_LIGHT, .attach = true, .deep = true};
	struct kernel_traits shows = {.shows_locks = true}, silent = {};

	assert_true(program_is_needed("on_lock_begin", &deep, &shows));
	assert_true(program_is_needed("on_lock_end", &deep, &shows));
	assert_false(program_is_needed("on_lock_end", &deep, &silent));
	assert_false(program_is_needed("on_lock_begin", &full, &shows));
	assert_true(program_misses_nothing("on_lock_begin", &shows));
}

TEST(io_uring_on_pipes_is_traced_where_the_kernel_shows_it)
{
	struct tracer_spec pipes = {.transports = TRANSPORTS_PIPES, .attach = true};
	struct tracer_spec sockets = {.transports = TRANSPORTS_LIGHT, .attach = true};
	struct tracer_spec run = {.transports = TRANSPORTS_PIPES};
	struct kernel_traits tells = {.shows_uring = true}, silent = {};

	assert_true(program_is_needed("on_uring_complete", &pipes, &tells));
	assert_false(program_is_needed("on_uring_complete", &pipes, &silent));
	assert_false(program_is_needed("on_uring_complete", &sockets, &tells));
	assert_false(program_is_needed("on_uring_complete", &run, &tells));
}

TEST(a_switch_has_one_program)
{
	static const char *const names[] = {"on_sched_switch", "on_sched_switch_state_second",
					    "on_sched_switch_without_state"};

	for (int has = 0; has < 3; has++) {
		for (int i = 0; i < 3; i++)
			assert_int_equal(
				needs(names[i], (struct kernel_traits){.switch_state = has}),
				i == has);
	}
}

TEST(stacks_have_programs_of_their_own)
{
	static const char *const names[] = {"on_stack_switch", "on_stack_switch_state_second",
					    "on_stack_switch_without_state"};
	struct tracer_spec asked = {.transports = ~0u, .stacks_ns = 1};
	struct kernel_traits shows = {.shows_stacks = true}, silent = {};

	for (int has = 0; has < 3; has++) {
		shows.switch_state = has;
		for (int i = 0; i < 3; i++)
			assert_int_equal(program_is_needed(names[i], &asked, &shows), i == has);
	}
	assert_true(program_is_needed("on_stack_wakeup", &asked, &shows));
	assert_false(program_is_needed("on_stack_wakeup", &asked, &silent));
	assert_false(program_is_needed("on_stack_wakeup", &all, &shows));
	assert_false(program_is_needed("on_stack_switch", &all, &shows));
	assert_true(program_misses_nothing("on_stack_switch", &shows));
	assert_false(program_misses_nothing("on_sched_switch", &shows));
}

TEST(wakeups_show_data_that_has_no_event_of_its_own)
{
	struct tracer_spec tick = {.transports = 1u << TRANSPORT_UDS, .ticks = true};
	struct kernel_traits events = {}, calls = {.by_syscalls = true};

	assert_false(programs_waking_shows_data(&tick, &events));
	assert_false(program_is_needed("on_sched_waking", &tick, &events));
	assert_true(programs_waking_shows_data(&tick, &calls));
	assert_true(program_is_needed("on_sched_waking", &tick, &calls));
}

TEST(a_pid_namespace_has_to_be_found_where_there_is_one)
{
	assert_false(needs("find_pid_ns", (struct kernel_traits){}));
	assert_true(needs("find_pid_ns", (struct kernel_traits){.in_pid_ns = true}));
}
