/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements `ipctrace list`. Collects open sockets, pipes and message queues, and writes the
 * list.
 */
#include "command/channels/gathering.h"
#include "command/commands.h"
#include "command/list/list_view.h"
#include "command/output.h"
#include "command/sight.h"
#include "util/log.h"
#include "util/pid_namespace.h"
#include "util/rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void warn_of_sockets(const char *what, int err)
{
	if (err)
		log_warning(
			"the list is incomplete: no %s sockets: the kernel cannot list them: %s: "
			"use a kernel with CONFIG_UNIX_DIAG, CONFIG_INET_DIAG and "
			"CONFIG_INET_UDP_DIAG",
			what, strerror(-err));
}

/* To enter a namespace. A security module can restrict root as well. */
static const char *network_remedy(void)
{
	return geteuid() ? "run as root" : "this machine forbids it, even to root";
}

static void filter_free(const struct owner_filter *filter)
{
	free((pid_t *)filter->pids);
	free(filter->pid_met);
	free((const char **)filter->comms);
	free(filter->comm_met);
}

/* What --pid and --comm name. 0 or -ENOMEM; filter_free() follows in any case. */
static int filter_of(const struct target_list *list, struct owner_filter *filter)
{
	pid_t *pids = calloc(list->cnt + 1, sizeof(*pids));
	const char **comms = calloc(list->cnt + 1, sizeof(*comms));

	*filter = (struct owner_filter){.pids = pids,
					.comms = comms,
					.pid_met = calloc(list->cnt + 1, sizeof(bool)),
					.comm_met = calloc(list->cnt + 1, sizeof(bool))};
	if (!pids || !comms || !filter->pid_met || !filter->comm_met)
		return -ENOMEM;
	for (size_t i = 0; i < list->cnt; i++) {
		if (list->at[i].kind == TARGET_PID)
			pids[filter->pid_cnt++] = (pid_t)list->at[i].number;
		else
			comms[filter->comm_cnt++] = list->at[i].name;
	}
	return 0;
}

static int refuse_name(const struct gathering *gathering, const char *comm)
{
	if (gathering->gaps.hidden && sight_missing())
		log_error("--comm: '%s': no process with visible descriptors has a matching name: "
			  "see ps -e, and %s",
			  comm, sight_remedy());
	else
		log_error("--comm: '%s': no visible process has a matching name: see ps -e", comm);
	return -ESRCH;
}

/* Checks that the requested processes exist and can be seen. */
static int check_filter(const struct gathering *gathering)
{
	const struct owner_filter *filter = &gathering->owners.filter;

	if (gathering->gaps.hid_pid) {
		log_error("--pid: '%u': its descriptors are not visible: %s",
			  gathering->gaps.hid_pid, sight_remedy());
		return -EACCES;
	}
	for (size_t i = 0; i < filter->pid_cnt; i++) {
		if (filter->pid_met[i])
			continue;
		log_error("--pid: '%d': there is no such process: see ps -e", filter->pids[i]);
		return -ESRCH;
	}
	for (size_t i = 0; i < filter->comm_cnt; i++) {
		if (!filter->comm_met[i])
			return refuse_name(gathering, filter->comms[i]);
	}
	if ((!filter->pid_cnt && !filter->comm_cnt) || gathering->owners.met_filter)
		return 0;
	log_error("--pid: '%d': its name does not match --comm '%s', or it has exited: see "
		  "ps -e",
		  filter->pids[0], filter->comm_cnt ? filter->comms[0] : "*");
	return -ESRCH;
}

static uint64_t refused_of(const struct gathering *gathering)
{
	return gathering->list->refused + gathering->owners.refused;
}

static void warn_of_gaps(const struct gathering *gathering)
{
	unsigned long long hidden = gathering->gaps.hidden, refused = refused_of(gathering);
	unsigned long long unreached = gathering->networks.unreached;

	warn_of_sockets("unix", gathering->unix_error);
	warn_of_sockets("TCP and UDP", gathering->inet_error);
	if (hidden)
		log_warning(
			"the list is incomplete: %llu process%s with invisible descriptors: their "
			"ends are shown as ?, and their pipes are missing: %s",
			hidden, hidden == 1 ? "" : "es", sight_remedy());
	if (unreached)
		log_warning(
			"the list is incomplete: %llu network namespace%s cannot be entered: the "
			"sockets in there are missing: %s",
			unreached, unreached == 1 ? "" : "s", network_remedy());
	if (refused)
		log_warning("the list is incomplete: %llu sockets or descriptors are missing: "
			    "there are "
			    "more than ipctrace keeps: use --pid or --comm",
			    refused);
}

static int write_list(const struct gathering *gathering, const struct list_options *options)
{
	struct list_order order;
	const struct list_view view = {
		.list = gathering->list,
		.order = &order,
		.filtered = options->processes.cnt || options->transports,
		.hidden = gathering->gaps.hidden,
		.within_namespace = gathering->gaps.within_namespace,
		.unreached = gathering->networks.unreached,
		.refused = refused_of(gathering),
	};
	int err = list_order_make(gathering->list, (uint32_t)getpid(), &order);

	if (err)
		log_error("cannot list channels: their order: %s", strerror(-err));
	else
		err = output_write(&options->output, "list", list_text, list_json, &view);
	list_order_free(&order);
	return err;
}

static int list_list(struct gathering *gathering, const struct list_options *options)
{
	int err = gathering_read(gathering);

	if (err) {
		log_error("cannot list channels: open files of all processes in /proc: %s",
			  strerror(-err));
		return err;
	}
	err = check_filter(gathering);
	if (err)
		return err;
	channel_list__filter(gathering->list, options->transports, options->processes.cnt);
	warn_of_gaps(gathering);
	rights_drop();
	return write_list(gathering, options);
}

int list_run(const struct list_options *options)
{
	struct gathering gathering = {0};
	int err;

	if (pid_namespace_check("cannot list channels"))
		return EXIT_FAILURE;
	err = filter_of(&options->processes, &gathering.owners.filter);
	if (err)
		log_error("cannot list channels: --pid and --comm: %s", strerror(-err));
	else
		err = list_list(&gathering, options);
	filter_free(&gathering.owners.filter);
	gathering_free(&gathering);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
