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

/* Checks that the requested process exists and can be seen. */
static int check_filter(const struct gathering *gathering)
{
	unsigned int pid = gathering->owners.filter.pid;
	const char *comm = gathering->owners.filter.comm;

	if (gathering->gaps.hid_pid) {
		log_error("--pid: '%u': its descriptors are not visible: %s", pid, sight_remedy());
		return -EACCES;
	}
	if ((!pid && !comm) || gathering->owners.met_filter)
		return 0;
	if (pid && comm)
		log_error("--pid: '%u': its name does not match --comm '%s', or it has exited: see "
			  "ps -e",
			  pid, comm);
	else if (pid)
		log_error("--pid: '%u': there is no such process: see ps -e", pid);
	else if (gathering->gaps.hidden && sight_missing())
		log_error("--comm: '%s': no process with visible descriptors has a matching name: "
			  "see ps -e, and %s",
			  comm, sight_remedy());
	else
		log_error("--comm: '%s': no visible process has a matching name: see ps -e", comm);
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
	const struct list_view view = {
		.list = gathering->list,
		.hidden = gathering->gaps.hidden,
		.within_namespace = gathering->gaps.within_namespace,
		.unreached = gathering->networks.unreached,
		.refused = refused_of(gathering),
	};

	return output_write(&options->output, "list", list_text, list_json, &view);
}

int list_run(const struct list_options *options)
{
	struct gathering gathering = {
		.owners.filter = {.pid = options->pid, .comm = options->comm},
	};
	int err;

	if (pid_namespace_check("cannot list channels"))
		return EXIT_FAILURE;
	err = gathering_read(&gathering);
	if (err)
		log_error("cannot list channels: open files of all processes in /proc: %s",
			  strerror(-err));
	else
		err = check_filter(&gathering);
	if (!err) {
		channel_list__filter(gathering.list, options->transports,
				     options->pid || options->comm);
		warn_of_gaps(&gathering);
		rights_drop();
		err = write_list(&gathering, options);
	}
	gathering_free(&gathering);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
