/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emits ADDRESS records, which hold the name or the addresses of one channel. A channel is one
 * direction of a socket, pipe or queue.
 */
#pragma once

#include "base/channel.bpf.h"
#include "base/inet.bpf.h"
#include "base/socket.bpf.h"
#include "base/socket_id.bpf.h"

#define INET6_BYTES 16

static __always_inline void address_begin(struct record_address *record, u32 channel, u16 family)
{
	record->head = record_head(RECORD_ADDRESS, sizeof(*record), bpf_get_smp_processor_id(),
				   first_user_tid());
	record->channel = channel;
	record->family = family;
}

/* A path, or an abstract name; an accepted socket has its listener's. False: it has none. */
static __always_inline bool address_of_unix(struct record_address *record, u64 sock)
{
	struct unix_address *addr = BPF_CORE_READ((struct unix_sock *)sock, addr);
	u32 length = addr ? BPF_CORE_READ(addr, len) - sizeof(u16) : 0;

	if (!addr || !length)
		return false;
	if (length > ADDRESS_TEXT_LEN)
		length = ADDRESS_TEXT_LEN;
	record->length = length;
	bpf_probe_read_kernel(record->text, length, &addr->name[0].sun_path);
	return true;
}

/* `sender`, `receiver`: addresses of sockets. `flags`: ADDRESS_TO_TARGET, or 0. */
OUT_OF_LINE void address_emit_unix(u32 channel, u64 sender, u64 receiver, u32 flags)
{
	struct record_address record = {};

	address_begin(&record, channel, AF_UNIX);
	record.named = flags;
	record.inode = inode_of((struct sock *)sender);
	if (address_of_unix(&record, sender))
		record.named |= ADDRESS_OF_SENDER;
	if (address_of_unix(&record, receiver))
		record.named |= ADDRESS_OF_RECEIVER;
	emit(&record, sizeof(record));
}

static __always_inline u32 named_by_port(u32 sender_port, u32 receiver_port)
{
	u32 named = 0;

	if (bpf_map_lookup_elem(&ports, &sender_port))
		named |= ADDRESS_OF_SENDER;
	if (bpf_map_lookup_elem(&ports, &receiver_port))
		named |= ADDRESS_OF_RECEIVER;
	return named;
}

/* `is_sender`: the channel leads from `sk` to its peer. `flags` as above. */
OUT_OF_LINE void address_emit_inet(u32 channel, struct sock *sk, bool is_sender, u32 flags)
{
	struct sock_common *common = &sk->__sk_common;
	u16 port = BPF_CORE_READ(common, skc_num);
	u16 peer_port = __builtin_bswap16(BPF_CORE_READ(common, skc_dport));
	u32 here = is_sender ? 0 : INET6_BYTES, there = is_sender ? INET6_BYTES : 0;
	struct record_address record = {};

	address_begin(&record, channel, is_ip4(common) ? AF_INET : AF_INET6);
	record.length = record.family == AF_INET ? 4 : INET6_BYTES;
	record.sender_port = is_sender ? port : peer_port;
	record.receiver_port = is_sender ? peer_port : port;
	record.named = named_by_port(record.sender_port, record.receiver_port) | flags;
	if (record.family == AF_INET) {
		*(u32 *)(record.text + here) = BPF_CORE_READ(common, skc_rcv_saddr);
		*(u32 *)(record.text + there) = BPF_CORE_READ(common, skc_daddr);
	} else {
		BPF_CORE_READ_INTO((struct in6_addr *)(record.text + here), common,
				   skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)(record.text + there), common, skc_v6_daddr);
	}
	emit(&record, sizeof(record));
}

/* A pipe, a FIFO, a queue: the file's name in its directory, if any. `flags` as above. */
OUT_OF_LINE void address_emit_file(u32 channel, struct file *file, u32 flags)
{
	struct record_address record = {};
	long length;

	address_begin(&record, channel, 0);
	record.named = flags;
	record.inode = BPF_CORE_READ(file, f_inode, i_ino);
	length = bpf_probe_read_kernel_str(record.text, sizeof(record.text),
					   BPF_CORE_READ(file, f_path.dentry, d_name.name));
	record.length = length > 0 ? length - 1 : 0;
	emit(&record, sizeof(record));
}
