/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/syscall_name.h"

#include <stdio.h>
#include <string.h>

/* Of system calls that a thread may sleep in. */
static const struct {
	int x86_64, aarch64; /* -1: there is none */
	const char *name;
} calls[] = {
	{0, 63, "read"},
	{1, 64, "write"},
	{2, -1, "open"},
	{3, 57, "close"},
	{4, -1, "stat"},
	{5, 80, "fstat"},
	{6, -1, "lstat"},
	{7, -1, "poll"},
	{9, 222, "mmap"},
	{10, 226, "mprotect"},
	{11, 215, "munmap"},
	{12, 214, "brk"},
	{16, 29, "ioctl"},
	{17, 67, "pread64"},
	{18, 68, "pwrite64"},
	{19, 65, "readv"},
	{20, 66, "writev"},
	{23, -1, "select"},
	{26, 227, "msync"},
	{28, 233, "madvise"},
	{34, -1, "pause"},
	{35, 101, "nanosleep"},
	{40, 71, "sendfile"},
	{42, 203, "connect"},
	{43, 202, "accept"},
	{44, 206, "sendto"},
	{45, 207, "recvfrom"},
	{46, 211, "sendmsg"},
	{47, 212, "recvmsg"},
	{48, 210, "shutdown"},
	{56, 220, "clone"},
	{57, -1, "fork"},
	{58, -1, "vfork"},
	{59, 221, "execve"},
	{60, 93, "exit"},
	{61, 260, "wait4"},
	{65, 193, "semop"},
	{69, 189, "msgsnd"},
	{70, 188, "msgrcv"},
	{72, 25, "fcntl"},
	{73, 32, "flock"},
	{74, 82, "fsync"},
	{75, 83, "fdatasync"},
	{76, 45, "truncate"},
	{77, 46, "ftruncate"},
	{78, -1, "getdents"},
	{82, -1, "rename"},
	{83, -1, "mkdir"},
	{84, -1, "rmdir"},
	{85, -1, "creat"},
	{86, -1, "link"},
	{87, -1, "unlink"},
	{88, -1, "symlink"},
	{89, -1, "readlink"},
	{90, -1, "chmod"},
	{128, 137, "rt_sigtimedwait"},
	{130, 133, "rt_sigsuspend"},
	{162, 81, "sync"},
	{165, 40, "mount"},
	{166, 39, "umount2"},
	{202, 98, "futex"},
	{208, 4, "io_getevents"},
	{217, 61, "getdents64"},
	{219, 128, "restart_syscall"},
	{220, 192, "semtimedop"},
	{230, 115, "clock_nanosleep"},
	{231, 94, "exit_group"},
	{232, -1, "epoll_wait"},
	{242, 182, "mq_timedsend"},
	{243, 183, "mq_timedreceive"},
	{247, 95, "waitid"},
	{257, 56, "openat"},
	{258, 34, "mkdirat"},
	{262, 79, "newfstatat"},
	{263, 35, "unlinkat"},
	{264, 38, "renameat"},
	{270, 72, "pselect6"},
	{271, 73, "ppoll"},
	{275, 76, "splice"},
	{276, 77, "tee"},
	{277, 84, "sync_file_range"},
	{278, 75, "vmsplice"},
	{281, 22, "epoll_pwait"},
	{285, 47, "fallocate"},
	{288, 242, "accept4"},
	{295, 69, "preadv"},
	{296, 70, "pwritev"},
	{299, 243, "recvmmsg"},
	{306, 267, "syncfs"},
	{307, 269, "sendmmsg"},
	{310, 270, "process_vm_readv"},
	{311, 271, "process_vm_writev"},
	{316, 276, "renameat2"},
	{318, 278, "getrandom"},
	{322, 281, "execveat"},
	{324, 283, "membarrier"},
	{325, 284, "mlock2"},
	{326, 285, "copy_file_range"},
	{327, 286, "preadv2"},
	{328, 287, "pwritev2"},
	{332, 291, "statx"},
	{333, 292, "io_pgetevents"},
	{426, 426, "io_uring_enter"},
	{435, 435, "clone3"},
	{437, 437, "openat2"},
	{441, 441, "epoll_pwait2"},
	{449, 449, "futex_waitv"},
	{454, 454, "futex_wake"},
	{455, 455, "futex_wait"},
	{456, 456, "futex_requeue"},
};

static const char *name_of(const char *arch, int call)
{
	bool x86_64 = !strcmp(arch, "x86_64"), aarch64 = !strcmp(arch, "aarch64");

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if ((x86_64 && calls[i].x86_64 == call) || (aarch64 && calls[i].aarch64 == call))
			return calls[i].name;
	}
	return NULL;
}

void call_name(const char *arch, uint16_t call, char name[NAME_LEN])
{
	const char *known = call == CALL_OUTSIDE   ? "no call"
			    : call == CALL_UNKNOWN ? "unknown"
			    : call == CALL_OTHERS  ? "others"
						   : name_of(arch, call);

	if (known)
		snprintf(name, NAME_LEN, "%s", known);
	else
		snprintf(name, NAME_LEN, "call %u", call);
}
