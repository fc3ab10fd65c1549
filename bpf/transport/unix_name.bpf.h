/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes the name of a unix socket into one word. On kernels before Linux 6.3, this word
 * identifies the receiver of a datagram. Two spellings of the same path give different words.
 */
#pragma once

#include "base/lookup.bpf.h"

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
