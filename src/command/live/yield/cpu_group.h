/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a control group that ipctrace makes for itself alone. SCHED_IDLE orders only the
 * threads within a control group. Between groups, the kernel divides a CPU by the weights of the
 * groups. The own group lies directly below the root of the hierarchy with the cpu controller, and
 * has the least weight, so that groups with services and sessions go first. Without this
 * controller, there is no own group, and sched_autogroup of the own session is the only group.
 *
 * The parameter `root` is a prefix for every path. `root` is "" except in tests.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct cpu_group;

/*
 * Makes the group, named after the calling thread `tid`, and moves this thread there; with cgroup
 * v2, where threads of a process stay together, all of its threads. Removes groups that earlier,
 * killed programs left behind. The group has its full weight. NULL: there is no cpu controller, or
 * its folder cannot be changed.
 */
struct cpu_group *cpu_group__join(const char *root, pid_t tid);

/*
 * Gives the group the least weight (cpu.idle, from Linux 5.15, or cpu.weight or cpu.shares), or the
 * largest one. The default would not do: on Linux 6.18, a group that was idle got no CPU for
 * seconds with it, next to groups whose threads sleep and wake all the time. False: the kernel
 * refuses it.
 */
bool cpu_group__set_idle(struct cpu_group *group, bool idle);

/* By the same thread: moves it back, and removes the group. `group` may be NULL. */
void cpu_group__leave(struct cpu_group *group);
