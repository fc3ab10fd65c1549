/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identifies the channels and ends of unix sockets. unix_send.bpf.h and unix_receive.bpf.h count
 * the messages. A channel is a pair of sockets, the sender and the receiver. Messages of one
 * channel stay in order. The order of messages of two senders is unknown, because the order of
 * their sk_data_ready events may differ from the order in the queue. Positions count messages, or
 * the bytes of a stream.
 *
 *	sender:   sys_enter → [queue] → sk_data_ready(receiver) → sock_send_length(sender)
 *	receiver: sys_enter → [receive] → skb_copy_datagram_iovec(skb of the sender)
 *		  → sock_recv_length(receiver) → sys_exit
 *
 * The receiver is identified by its socket cookie. The sender is identified by the kernel address
 * of its struct sock, because the sender may have no cookie yet when its first message is
 * received. The kernel uses an address again only after all messages of the former sender are
 * received.
 *
 * In attach mode (tracing of programs that run already), a sender of datagrams or packets is
 * identified by its inode, because a later socket may have the same address. A closed sender has
 * no inode. Its messages count for the last known sender with its address. In run mode, the
 * project's own workload keeps its sockets open. The BPF programs then read no inodes, because an
 * inode costs three loads per message.
 *
 * A long write to a stream causes several sk_data_ready events. At the last event, all data of the
 * write are in the queue.
 */
#pragma once

#include "attach/peer.bpf.h"
#include "base/lookup.bpf.h"
#include "base/socket_id.bpf.h"

/*
 * The name of a unix socket is hashed into one word. On kernels before Linux 6.3, this word
 * identifies the receiver of a datagram. Two spellings of the same path give different words.
 */
#define UNIX_NAME_BYTES 112 /* sun_path and a NUL, in whole words */
#define UNIX_NAME_MAX   108

struct unix_name {
	u64 word[UNIX_NAME_BYTES / 8];
};

/* `length`: all of an abstract name, or a path up to its NUL. Not 0. */
static __always_inline u64 unix_name_word(const struct unix_name *name, u64 length)
{
	u64 word = length;

	for (int i = 0; i < UNIX_NAME_BYTES / 8; i++) {
		word = (word ^ name->word[i]) * 0x9e3779b97f4a7c15ULL;
		word ^= word >> 29;
	}
	return word | 1;
}

/* `address`: a struct sockaddr_un of `bytes` in user space. 0: it has no name. */
OUT_OF_LINE u64 unix_name_from_user(u64 address, u32 bytes)
{
	const char *path = ((struct sockaddr_un *)address)->sun_path;
	u64 length = bytes - sizeof(u16);
	struct unix_name name = {};
	char first = 0;

	if (!address || bytes <= sizeof(u16))
		return 0;
	if (length > UNIX_NAME_MAX)
		length = UNIX_NAME_MAX;
	bpf_probe_read_user(&first, sizeof(first), path);
	if (first)
		length = bpf_probe_read_user_str(&name, length + 1, path);
	else
		bpf_probe_read_user(&name, length, path);
	return unix_name_word(&name, length);
}

/* `sock`: the address of a socket. 0: it has no name. */
OUT_OF_LINE u64 unix_name_of(u64 sock)
{
	struct unix_address *addr = BPF_CORE_READ((struct unix_sock *)sock, addr);
	u64 length = addr ? (u32)BPF_CORE_READ(addr, len) - sizeof(u16) : 0;
	const char *path = (const char *)&addr->name[0].sun_path;
	struct unix_name name = {};
	char first = 0;

	if (!addr || !length)
		return 0;
	if (length > UNIX_NAME_MAX)
		length = UNIX_NAME_MAX;
	bpf_probe_read_kernel(&first, sizeof(first), path);
	if (first)
		length = bpf_probe_read_kernel_str(&name, length + 1, path);
	else
		bpf_probe_read_kernel(&name, length, path);
	return unix_name_word(&name, length);
}

static __always_inline void unix_note_name(u64 name, u64 address)
{
	bpf_map_update_elem(&unix_names, &name, &address, BPF_ANY);
}

static __always_inline u32 unix_transport(u16 type)
{
	return type == SOCK_STREAM      ? TRANSPORT_UDS_STREAM
	       : type == SOCK_SEQPACKET ? TRANSPORT_UDS_SEQPACKET
					: TRANSPORT_UDS;
}

/* `sender`: its cookie; 0: a receiver makes the channel, and need not know the cookie. */
static __always_inline struct channel_state *unix_channel(const struct channel_key *key, u16 type,
							  u64 sender)
{
	struct channel_state *known = channel_known(key);

	if (known)
		return known;
	channel_make(key, unix_transport(type), 0, sender, key->receiver);
	return channel_made(key);
}

/*
 * What both ends know the receiver by. Without socket events, the sender may know only the name
 * that the receiver has bound, see sockets_by_syscall.bpf.c.
 */
static __always_inline u64 unix_receiver(struct sock *sk)
{
	u64 name = 0;

	if (by_syscalls && BPF_CORE_READ(sk, sk_type) == SOCK_DGRAM)
		name = unix_name_of((u64)sk);
	return name ? name : socket_cookie(sk);
}

/* What both ends know the sender of a message by; 0: it was closed, see unix_owner(). */
static __always_inline u64 unix_sender(struct sock *sk)
{
	if (by_syscalls)
		return socket_cookie(sk);
	return attach ? UNTRUSTED(struct sock, sk)->sk_socket->file->f_inode->i_ino : (u64)sk;
}

static __always_inline u64 unix_owner(u64 address, u64 receiver)
{
	struct channel_key slot = {.sender = address, .receiver = receiver};
	u64 *known = bpf_map_lookup_elem(&unix_owners, &slot);

	return known ? *known : address;
}

/* The address of its peer; 0: none. */
static __always_inline u64 unix_peer(struct sock *sk)
{
	struct unix_sock *unix_sk = by_syscalls ? (struct unix_sock *)sk : bpf_skc_to_unix_sock(sk);

	return unix_sk ? (u64)SOCK_READ(UNTRUSTED(struct unix_sock, unix_sk), peer) : 0;
}

/*
 * Attach: an address is used again when every message of its former owner was received, because a
 * queued skb keeps its sender. Then the former owner's channel is deleted. Returns whether the
 * current owner had a channel before.
 */
static __always_inline bool unix_owns(u64 address, const struct channel_key *key)
{
	struct channel_key slot = {.sender = address, .receiver = key->receiver}, former = slot;
	u64 sender = key->sender, *known = bpf_map_lookup_elem(&unix_owners, &slot);

	if (known && *known == sender)
		return true;
	if (known) {
		former.sender = *known;
		bpf_map_delete_elem(&channels, &former);
	}
	bpf_map_update_elem(&unix_owners, &slot, &sender, BPF_ANY);
	return false;
}

/* Attach: counting begins anew, in another channel. NULL: no room. */
OUT_OF_LINE struct channel_state *unix_restart(const struct channel_key *key, u32 type, u64 sender)
{
	bpf_map_delete_elem(&channels, key);
	return unix_channel(key, type, sender);
}
