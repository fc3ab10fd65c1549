/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: POSIX message queues as the kernel keeps them: by priority, in a tree of lists. */
#pragma once

#include "transport/mqueue_lists.bpf.h"

/* The tree is balanced, and has at most as many priorities as the queue has messages. */
#define POSIX_LEVELS_MAX 16

/* Number of messages of a priority in the queue with this inode. */
OUT_OF_LINE s64 mqueue_posix_waiting(struct queue_sample *sample, u64 inode, s32 priority)
{
	struct mqueue_inode_info *queue =
		(struct mqueue_inode_info *)(inode - bpf_core_field_offset(struct mqueue_inode_info,
									   vfs_inode));
	struct rb_node *node;

	if (!BPF_CORE_READ(queue, attr.mq_curmsgs))
		return 0;
	node = BPF_CORE_READ(queue, msg_tree.rb_node);
	for (int i = 0; i < POSIX_LEVELS_MAX && node; i++) {
		struct posix_msg_tree_node *leaf =
			(struct posix_msg_tree_node *)((u64)node -
						       bpf_core_field_offset(
							       struct posix_msg_tree_node,
							       rb_node));
		s32 own = BPF_CORE_READ(leaf, priority);

		if (own == priority)
			return list_waiting(sample, (u64)&leaf->msg_list, priority);
		/* The order of msg_insert() in ipc/mqueue.c. */
		node = priority < own ? BPF_CORE_READ(node, rb_left)
				      : BPF_CORE_READ(node, rb_right);
	}
	return node ? WAITING_UNKNOWN : 0;
}
