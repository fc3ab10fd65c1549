/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel types that bpf/ uses, each with only the fields that it uses. A full dump is not
 * needed: the loader relocates every access to the field's place in the running kernel (CO-RE).
 */
#ifndef IPCTRACE_VMLINUX_H
#define IPCTRACE_VMLINUX_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u8 u8;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };

/* include/uapi/linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_CLONE = 512, BPF_F_MMAPABLE = 1024 };
enum { BPF_F_USER_STACK = 256 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1, BPF_SK_STORAGE_GET_F_CREATE = 1 };
enum { BPF_F_TIMER_ABS = 1 };
struct bpf_timer {
	u64 opaque[2];
};

/* include/uapi/linux/time.h */
#define CLOCK_MONOTONIC 1

/* include/linux/sched.h */
#define PF_EXITING    0x00000004
#define PF_IO_WORKER  0x00000010
#define PF_KTHREAD    0x00200000
#define TASK_COMM_LEN 16

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	u32 cpu;
};

struct rt_rq {
	unsigned int rt_nr_running;
};

struct rq {
	struct rt_rq rt;
	u64 prev_steal_time_rq;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
};

struct sched_entity {
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
};

struct block_device {
	struct gendisk *bd_disk;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	u64 start_time_ns;
};

/* include/linux/blk_types.h: of `cmd_flags` */
enum { REQUEST_WRITES = 1, REQUEST_FLUSHES = 2, REQUEST_OPERATION = 0xff };

struct super_block {
	unsigned long s_magic;
	struct block_device *s_bdev;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
	struct hlist_head *f_ep;
};

/* A file in an epoll. */
struct epoll_event {
	u32 events;
};

struct epitem {
	struct eventpoll *ep;
	struct hlist_node fllink;
	struct epoll_event event;
};

struct eventfd_ctx {
	u64 count;
};

struct mq_attr {
	long mq_curmsgs;
};

/* On the stack of a thread that sleeps until a time: see timers.bpf.h. */
struct timerqueue_node {
	s64 expires;
};

struct hrtimer_clock_base {
	s64 offset;
};

struct hrtimer {
	struct timerqueue_node node;
	s64 _softexpires;
	struct hrtimer_clock_base *base;
	u8 state;
};

struct hrtimer_sleeper {
	struct task_struct *task;
};

struct timer_list {
	struct hlist_node entry;
	unsigned long expires;
};

struct process_timer {
	struct task_struct *task;
};

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct mm_struct {
	struct file *exe_file;
};

struct msg_msg {
	long m_type;
};

struct kern_ipc_perm {
	int id;
};

struct msg_queue {
	struct kern_ipc_perm q_perm;
	unsigned long q_qnum;
	struct list_head q_messages;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt;
};

struct ipc_ids {
	struct idr ipcs_idr;
};

struct ipc_namespace {
	struct ipc_ids ids[3];
};

struct nsproxy {
	struct ipc_namespace *ipc_ns;
};

struct pid_namespace {
	struct idr idr;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct rb_node {
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct posix_msg_tree_node {
	struct rb_node rb_node;
	struct list_head msg_list;
	int priority;
};

struct mqueue_inode_info {
	struct inode vfs_inode;
	struct rb_root msg_tree;
	struct mq_attr attr;
};

struct wait_queue_head {
	struct list_head head;
};

struct wait_queue_entry {
	void *private;
	struct list_head entry;
};

struct pipe_buffer {
	unsigned int len;
	unsigned int flags;
};

struct pipe_inode_info {
	unsigned int head;
	unsigned int tail;
	unsigned int ring_size;
	struct pipe_buffer *bufs;
};

struct io_cqe {
	s32 res;
};

struct io_kiocb {
	struct file *file;
	u8 opcode;
	struct io_cqe cqe;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct signal_struct {
	int nr_threads;
	struct pid *pids[4];
};

struct bpf_local_storage;

struct cpumask {
	unsigned long bits[1];
};

struct task_struct {
	struct thread_info thread_info;
	const struct cpumask *cpus_ptr;
	struct mm_struct *mm;
	unsigned long nvcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	struct bpf_local_storage *bpf_storage;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct files_struct *files;
	void *stack;
	struct nsproxy *nsproxy;
	struct sched_entity se;
	bool throttled;
	unsigned int flags;
	int prio;
	int normal_prio;
	unsigned int policy;
	unsigned int __state;
	int softirq_disable_cnt;
	unsigned long jobctl;
	u64 self_exec_id;
	int pid;
	int tgid;
	u64 start_time;
	char comm[TASK_COMM_LEN];
};

struct irqaction {
	const char *name;
};

typedef struct {
	s64 counter;
} atomic64_t;

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sk_buff_head {
	struct sk_buff *next;
	struct sk_buff *prev;
	u32 qlen;
};

struct sock;

struct sock_common {
	volatile unsigned char skc_state;
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	unsigned long skc_flags;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	atomic64_t skc_cookie;
};

struct socket {
	struct file *file;
	struct sock *sk;
};

struct socket_wq {
	struct wait_queue_head wait;
};

/* Sockets that listen on one port (SO_REUSEPORT). */
struct sock_reuseport {
	u16 num_socks;
	struct sock *socks[0];
};

typedef struct {
	int counter;
} atomic_t;

typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;

struct qdisc_skb_head {
	u32 qlen;
};

struct Qdisc {
	struct qdisc_skb_head q;
};

struct net_device {
	struct Qdisc *qdisc;
};

struct dst_entry {
	struct net_device *dev;
};

struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	struct {
		int owned;
	} sk_lock;
	u8 sk_shutdown;
	u16 sk_type;
	int sk_rcvlowat;
	u32 sk_pacing_status;
	int sk_rcvbuf;
	int sk_sndbuf;
	int sk_wmem_queued;
	refcount_t sk_wmem_alloc;
	struct dst_entry *sk_dst_cache;
	u32 sk_ack_backlog;
	u32 sk_max_ack_backlog;
	struct socket_wq *sk_wq;
	struct socket *sk_socket;
	struct sock_reuseport *sk_reuseport_cb;
	struct bpf_local_storage *sk_bpf_storage;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[0];
};

struct mutex {
	atomic64_t owner;
};

struct rt_mutex_base {
	struct task_struct *owner;
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
	struct mutex iolock;
	int inq_len;
};

struct unix_skb_parms {
	u32 consumed;
};

struct udp_sock {
	struct sk_buff_head reader_queue;
};

struct inet_sock {
	__be16 inet_sport;
};

struct minmax_sample {
	u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	u32 write_seq;
	u32 snd_una;
	u32 snd_wnd;
	u32 copied_seq;
	u32 rcv_nxt;
	u32 rcv_wup;
	u32 rcv_wnd;
	u32 snd_nxt;
	u32 snd_sml;
	u32 snd_cwnd;
	u32 mss_cache;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u8 nonagle : 4;
	u64 tcp_wstamp_ns;
	struct minmax rtt_min;
	u32 total_retrans;
	u32 retrans_stamp;
};

struct request_sock_queue {
	u8 rskq_defer_accept;
};

struct inet_connection_sock {
	struct request_sock_queue icsk_accept_queue;
};

struct request_sock {
	u8 num_retrans;
};

struct inet_request_sock {
	u16 acked : 1;
};

struct tcp_request_sock {
	u64 snt_synack;
	u32 rcv_isn;
};

struct bpf_ringbuf {
	struct {
	} spinlock;
};

struct bpf_ringbuf_map {
	struct bpf_ringbuf *rb;
};

/* Their numbers differ from kernel to kernel. */
enum skb_drop_reason {
	SKB_DROP_REASON_NOT_SPECIFIED = 2,
	SKB_DROP_REASON_NO_SOCKET,
	SKB_DROP_REASON_SOCKET_FILTER,
	SKB_DROP_REASON_SOCKET_RCVBUFF,
	SKB_DROP_REASON_UDP_CSUM,
	SKB_DROP_REASON_SKB_CSUM,
	SKB_DROP_REASON_NETFILTER_DROP,
	SKB_DROP_REASON_PROTO_MEM,
	SKB_DROP_REASON_QDISC_DROP,
	SKB_DROP_REASON_CPU_BACKLOG,
};

struct sk_buff {
	struct sk_buff *prev;
	struct sock *sk;
	u16 transport_header;
	u16 network_header;
	unsigned char *head;
	unsigned int len;
	char cb[48];
};

struct tcp_skb_cb {
	u32 seq;
	u32 end_seq;
};

/* Threads of one process, from Linux 6.7: see compat.bpf.h. */
struct bpf_iter_task {
	__u64 __opaque[3];
} __attribute__((aligned(8)));
enum { BPF_TASK_ITER_PROC_THREADS = 2 };

/* Arguments of iterator programs. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long ax;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
};
#else
struct pt_regs {
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
};
#endif

#pragma clang attribute pop

#endif
