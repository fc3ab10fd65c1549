/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up the processes of a message, and the names of processes. */
#include "analysis/attach_chains.h"

#include "analysis/attach/attach_state.h"
#include "analysis/attach/chains/chains.h"

#include <string.h>

/* For chains__new(). */
static struct end_summary attach_chains_on_end(void *ctx, uint32_t tid, uint64_t at_ns)
{
	const struct analysis *a = ctx;
	const struct record_name *name = names__find(a->names, SLICE_TASK, tid, at_ns);
	struct end_summary end = {.tid = tid, .pid = threads__pid(a->attach->threads, tid, at_ns)};
	const struct record_process *process;

	if (name)
		memcpy(end.comm, name->comm, sizeof(end.comm));
	process = names__process(a->names, tid, at_ns);
	if (process)
		memcpy(end.comm, process->comm, sizeof(end.comm));
	return end;
}

struct chains *attach_chains_new(struct analysis *a)
{
	return chains__new(attach_chains_on_end, a);
}

int attach_chains_message(struct analysis *a, const struct joined *joined)
{
	const struct record_send *send = &joined->send;
	const struct record_receive *receive = &joined->receive;
	struct timeline line = timelines__of(a->history.timelines, send->head.tid);
	struct chain_message message = {
		.channel = send->channel,
		.transport = channels__transport(a->channels, send->channel),
		.sender_tid = send->head.tid,
		.receiver_tid = receive->head.tid,
		.send_ns = send->send_ns ? send->send_ns : send->queued_ns,
		.recv_ns = receive->exit_ns,
		.has_target = attach_state__concerns(a->attach, joined),
	};

	if (joined->is_ambiguous || message.send_ns > message.recv_ns)
		return 0;
	message.sender_pid = threads__pid(a->attach->threads, message.sender_tid, message.send_ns);
	message.receiver_pid =
		threads__pid(a->attach->threads, message.receiver_tid, message.recv_ns);
	return chains__message(a->attach->chains, &message, &line);
}
