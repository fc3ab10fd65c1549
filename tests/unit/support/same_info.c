/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two descriptions of a run, field by field. */
#include "support/same_info.h"

#include "support/build.h"

void assert_same_workload(const struct workload_spec *got, const struct workload_spec *spec)
{
	assert_string_equal(got->transport, spec->transport);
	assert_string_equal(got->pattern, spec->pattern);
	assert_int_equal(got->clients, spec->clients);
	assert_int_equal(got->messages, spec->messages);
	assert_int_equal(got->warmup, spec->warmup);
	assert_int_equal(got->period_ns, spec->period_ns);
	assert_int_equal(got->size, spec->size);
	assert_int_equal(got->sched_policy, spec->sched_policy);
	assert_int_equal(got->server_priority, spec->server_priority);
	assert_int_equal(got->client_priority, spec->client_priority);
	assert_int_equal(got->cpu_affinity, spec->cpu_affinity);
	assert_string_equal(got->server_cpus, spec->server_cpus);
	assert_string_equal(got->client_cpus, spec->client_cpus);
	assert_string_equal(got->handler, spec->handler);
	assert_string_equal(got->load, spec->load);
	assert_int_equal(got->threads, spec->threads);
	assert_int_equal(got->reader, spec->reader);
	assert_int_equal(got->read_size, spec->read_size);
	assert_int_equal(got->run, spec->run);
}

void assert_same_info(const struct run_info *got, const struct run_info *info)
{
	assert_string_equal(got->version, info->version);
	assert_string_equal(got->command_line, info->command_line);
	assert_string_equal(got->host.kernel, info->host.kernel);
	assert_string_equal(got->host.arch, info->host.arch);
	assert_int_equal(got->host.cpus, info->host.cpus);
	assert_string_equal(got->host.preemption, info->host.preemption);
	assert_string_equal(got->host.clocksource, info->host.clocksource);
	assert_string_equal(got->host.virtual_machine, info->host.virtual_machine);
	assert_same_workload(&got->workload, &info->workload);
	assert_int_equal(got->traced, info->traced);
	assert_int_equal(got->shows_switch, info->shows_switch);
	assert_int_equal(got->shows_room, info->shows_room);
	assert_int_equal(got->calls_in_turn, info->calls_in_turn);
	assert_string_equal(got->server, info->server);
	assert_string_equal(got->client, info->client);
	assert_int_equal(got->level, info->level);
	assert_string_equal(got->experiment, info->experiment);
	assert_int_equal(got->begin.unix_ns, info->begin.unix_ns);
	assert_int_equal(got->begin.ns, info->begin.ns);
	assert_int_equal(got->begin.utc_offset_s, info->begin.utc_offset_s);
	assert_int_equal(got->untraced.cnt, info->untraced.cnt);
	for (uint32_t i = 0; i < untraced_named(&info->untraced); i++) {
		assert_int_equal(got->untraced.named[i].pid, info->untraced.named[i].pid);
		assert_string_equal(got->untraced.named[i].comm, info->untraced.named[i].comm);
	}
}
