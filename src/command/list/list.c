/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements `ipctrace list`. Collects open sockets, pipes and message queues, and writes the
 * list.
 */
#include "command/commands.h"
#include "command/list/list_view.h"
#include "command/list/proc.h"
#include "command/list/sources.h"
#include "command/output.h"
#include "util/log.h"
#include "util/pid_namespace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gathering {
	const struct list_options *options;
	struct owners owners;
	struct networks networks;
	struct proc_gaps gaps;
	struct channel_list *list;
};

/* -ENOENT and -EOPNOTSUPP: this kernel does not list such sockets. */
static int check_sockets(const char *what, int err)
{
	if (err == -ENOMEM || !err)
		return err;
	log_warning("the list is incomplete: no %s sockets: the kernel cannot list them: %s: use a "
		    "kernel with CONFIG_UNIX_DIAG, CONFIG_INET_DIAG and CONFIG_INET_UDP_DIAG",
		    what, strerror(-err));
	return 0;
}

static int add_sockets_of(struct gathering *gathering, int diag, uint64_t network)
{
	int err = check_sockets("unix", unix_sockets_add(diag, network, gathering->list));

	return err
		       ?: check_sockets("TCP and UDP",
					inet_sockets_add(diag, network, gathering->list));
}

/* A namespace that has vanished meanwhile is ignored. */
static int add_sockets(struct gathering *gathering, size_t i)
{
	uint64_t network = gathering->networks.network[i].inode;
	int diag = network_open_diag(&gathering->networks, i), err;

	if (diag < 0) {
		gathering->networks.unreached += diag != -ESRCH;
		return 0;
	}
	log_info("reading the sockets of a network namespace: net:[%llu]",
		 (unsigned long long)network);
	err = add_sockets_of(gathering, diag, network);
	close(diag);
	return err;
}

/* Whether all processes are visible: an end without a holder is then closed. */
static bool sees_all(const struct gathering *gathering)
{
	return !gathering->gaps.hidden && !gathering->gaps.within_namespace &&
	       !gathering->owners.refused;
}

static int add_all(struct gathering *gathering)
{
	int err = 0;

	for (size_t i = 0; !err && i < gathering->networks.cnt; i++)
		err = add_sockets(gathering, i);
	if (!err)
		err = pipes_add(&gathering->owners, sees_all(gathering), gathering->list);
	return err ?: channel_list__pair(gathering->list);
}

/* A security module can restrict root as well. */
static const char *remedy(void)
{
	return geteuid() ? "run as root" : "this machine forbids it, even to root";
}

/* Checks that the requested process exists and can be seen. */
static int check_filter(const struct gathering *gathering)
{
	unsigned int pid = gathering->owners.filter.pid;
	const char *comm = gathering->owners.filter.comm;

	if (gathering->gaps.hid_pid) {
		log_error("--pid: '%u': its descriptors are not visible: %s", pid, remedy());
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
	else
		log_error("--comm: '%s': no visible process has a matching name: see ps -e", comm);
	return -ESRCH;
}

static int gather(struct gathering *gathering)
{
	const struct list_options *options = gathering->options;
	int err;

	err = proc_read("/proc", options->pid, &gathering->owners, &gathering->networks,
			&gathering->gaps);
	if (err)
		return err;
	gathering->list = channel_list__new(gathering->networks.network[0].inode);
	if (!gathering->list)
		return -ENOMEM;
	err = add_all(gathering);
	if (err)
		return err;
	channel_list__set_owners(gathering->list, &gathering->owners);
	channel_list__filter(gathering->list, options->transports, options->pid || options->comm);
	return 0;
}

static uint64_t refused_of(const struct gathering *gathering)
{
	return gathering->list->refused + gathering->owners.refused;
}

static void warn_of_gaps(const struct gathering *gathering)
{
	unsigned long long hidden = gathering->gaps.hidden, refused = refused_of(gathering);
	unsigned long long unreached = gathering->networks.unreached;

	if (hidden)
		log_warning(
			"the list is incomplete: %llu process%s with invisible descriptors: their "
			"ends are shown as ?, and their pipes are missing: %s",
			hidden, hidden == 1 ? "" : "es", remedy());
	if (unreached)
		log_warning(
			"the list is incomplete: %llu network namespace%s cannot be entered: the "
			"sockets in there are missing: %s",
			unreached, unreached == 1 ? "" : "s", remedy());
	if (refused)
		log_warning("the list is incomplete: %llu sockets or descriptors are missing: "
			    "there are "
			    "more than ipctrace keeps: use --pid or --comm",
			    refused);
}

static int write_list(const struct gathering *gathering)
{
	const struct list_view view = {
		.list = gathering->list,
		.hidden = gathering->gaps.hidden,
		.within_namespace = gathering->gaps.within_namespace,
		.unreached = gathering->networks.unreached,
		.refused = refused_of(gathering),
	};

	return output_write(&gathering->options->output, "list", list_text, list_json, &view);
}

int list_run(const struct list_options *options)
{
	struct gathering gathering = {
		.options = options,
		.owners.filter = {.pid = options->pid, .comm = options->comm},
	};
	int err;

	if (pid_namespace_check("cannot list channels"))
		return EXIT_FAILURE;
	err = gather(&gathering);
	if (err)
		log_error("cannot list channels: open files of all processes in /proc: %s",
			  strerror(-err));
	else
		err = check_filter(&gathering);
	if (!err) {
		warn_of_gaps(&gathering);
		err = write_list(&gathering);
	}
	channel_list__free(gathering.list);
	owners_free(&gathering.owners);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
