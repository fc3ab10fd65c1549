# SPDX-License-Identifier: BSD-2-Clause
#
#   make            the program: build/ipctrace
#   make test       unit, replay and page tests: no root, no BPF
#   make check      these, and the end-to-end tests on the running kernel (root)
#   make bench      what tracing costs on this machine, by ipctrace and by others (root); a part of it
#                   with BENCH='--rounds 3 --works uds,pipe --variants null,ipctrace'
#   make fuzz       forges recordings for FUZZ_SECONDS=600, from FUZZ_SEED=1, and reports them with sanitizers: what
#                   breaks is kept in build-san/fuzz
#   make noise      the program that keeps the CPUs in interrupts: for scripts/maintain/beside
#   make services   attaches to services that people run, and compares with their clients (root); some
#                   of them with SERVICES='redis go-rpc'
#   make kernels    the program on other kernels, in virtual machines: all, or K=6.12-rt,host
#   make install    into prefix=/usr/local (PREFIX is the same) or sbindir=$(prefix)/sbin, below DESTDIR
#   make clean
#
# SAN=1 builds with address and undefined-behaviour sanitizers in a folder of its own. V=1 shows commands.
# CPPFLAGS, CFLAGS and LDFLAGS, given to make or in the environment, come after the flags below, and
# leave these in force. BPF programs are not compiled with them.

CLANG   ?= $(firstword $(foreach c,clang-14 clang,$(if $(shell command -v $(c)),$(c))) clang)
PROTOC_C ?= protoc-c
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PREFIX  ?= /usr/local
prefix   = $(PREFIX)
exec_prefix = $(prefix)
sbindir  = $(exec_prefix)/sbin
ARCH    ?= $(shell uname -m)
# As Linux and Debian call them.
override ARCH := $(patsubst arm64,aarch64,$(patsubst amd64,x86_64,$(ARCH)))
ifneq ($(ARCH),$(shell uname -m))
# Debian's cross compiler and its libraries, unless others are given.
ifeq ($(origin CC),default)
CC       = $(ARCH)-linux-gnu-gcc
endif
B       ?= build-$(ARCH)
endif
B       ?= build$(if $(SAN),-san)

WARNINGS = -Wall -Wextra
cppflags = -D_GNU_SOURCE -I. -Isrc -MMD -MP $(FORTIFY)
cflags   = -O3 -g -std=gnu11 $(WARNINGS) $(HARDENING)
ldflags  = -pie -Wl,-z,relro,-z,now $(LINK_HARDENING)

# A mistake that an attacker could use ends the program, or is of less use. What of this the compiler and its
# linker do not know is left out.
known      = $(shell $(CC) -Werror $(1) -c -x c -o /dev/null /dev/null 2>/dev/null && echo "$(strip $(1))")
known_link = $(shell echo 'int main(void) { return 0; }' | \
	$(CC) $(LDFLAGS) $(1) -Wl,--fatal-warnings -x c -o /dev/null - 2>/dev/null && echo "$(strip $(1))")
BRANCHES_x86_64  = -fcf-protection=full
BRANCHES_aarch64 = -mbranch-protection=standard
RETURNS_x86_64   = -Wl,-z,shstk
HARDENING := -fPIE $(foreach flag,-fstack-protector-strong -fstack-clash-protection $(BRANCHES_$(ARCH)),$(call known,$(flag)))
# Returns may be checked (SHSTK) though the C library's start-up code, as Debian 12's, is not marked for it: it
# returns like any other. Indirect branches (IBT) may only if that code is marked, too: the linker decides.
LINK_HARDENING := $(if $(RETURNS_$(ARCH)),$(call known_link,$(RETURNS_$(ARCH))))
ifneq ($(SAN),)
# clang's sanitizers find more than gcc's: for example an offset of zero bytes to NULL.
ifeq ($(origin CC),default)
CC       = $(CLANG)
endif
# The sanitizer watches the stack itself; with these options it reports the end of a cancelled thread as an error.
# libdw finds a line of the source by a table that clang leaves out.
HARDENING := -fPIE $(call known,-gdwarf-aranges)
# With -O3 these take twice as long to compile, and find no more.
cflags  += -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(filter -O0,$(CFLAGS)),)
# The C library checks lengths, if code is optimised; with 3 also those that are known only at run time.
FORTIFY := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(if $(call known,-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 \
	-include stdio.h),3,2)
endif
# The workload is optimised across its files: a thread that has slept in a call comes back to a CPU that has
# forgotten its callers, and each return of theirs is guessed wrong. The others gain little and take long.
LTO := $(if $(SAN),,$(call known,-flto=auto -ffat-lto-objects))
compile = $(CC) $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS)
link    = $(CC) $(cflags) $(1) $(CFLAGS) $(ldflags) $(LDFLAGS)
BPF_ARCH_x86_64  = x86
BPF_ARCH_aarch64 = arm64
# The folder with asm/unistd.h of that architecture.
UAPI      = $(patsubst %/asm/unistd.h,%,$(filter %/asm/unistd.h,$(shell $(CC) -M -include asm/unistd.h -x c /dev/null)))
BPF_FLAGS = -g -O2 -target bpf -mcpu=v3 -D__bpf__ -D__TARGET_ARCH_$(BPF_ARCH_$(ARCH)) \
	    $(WARNINGS) -Wno-unused-parameter -Ivmlinux -Ibpf -idirafter $(UAPI) -MMD -MP

# These know libbpf, or call what does. All other sources link into the unit tests, without libbpf.
TRACED = src/main.c src/command/doctor/doctor.c src/transport/kernel.c $(sort $(wildcard src/command/live/*.c)) \
	 $(filter-out src/tracer/programs.c,$(sort $(wildcard src/tracer/*.c)))
PLAIN  = $(filter-out $(TRACED),$(shell find src -name '*.c' | sort))
# What the processes of a run execute.
WORK   = $(filter src/workload/% src/load/% src/transport/%,$(PLAIN))
UNIT   = $(shell find tests/unit -name 'test_*.c' | sort)
# Programs at one tracepoint run in this order. The variables come first, see ipctrace_%.skel.h.
BPF    = bpf/base/settings.bpf.c bpf/probes/survey.bpf.c bpf/probes/irq.bpf.c bpf/probes/pid_namespace.bpf.c bpf/probes/stacks.bpf.c \
	 bpf/probes/sched.bpf.c bpf/probes/sleeps.bpf.c bpf/probes/wakers.bpf.c bpf/probes/kernel_locks.bpf.c bpf/probes/timers.bpf.c bpf/probes/idle.bpf.c bpf/probes/sockets.bpf.c bpf/probes/sockets_by_syscall.bpf.c bpf/probes/tcp.bpf.c bpf/probes/calls.bpf.c bpf/probes/disks.bpf.c bpf/probes/reclaim.bpf.c bpf/probes/dirty.bpf.c bpf/probes/syscalls.bpf.c bpf/probes/connections.bpf.c bpf/probes/uring.bpf.c

objects = $(patsubst %.c,$(B)/%.o,$(1))

# The code of the messages of --format perfetto.
MESSAGES = $(B)/src/report/perfetto/trace.pb-c.o
# The unit tests link everything that works without libbpf, and their helpers.
HELPERS = $(filter-out $(UNIT),$(shell find tests/unit -name '*.c' | sort))
LIBS    = -ljansson -lseccomp -lzstd -lprotobuf-c -lm -lpthread

ifeq ($(V),)
Q   = @
say = @printf '  %-8s %s\n' $(1) $(2)
endif

.PHONY: all unit-tests test check fuzz noise kernels bench bench-workload services install clean
.SECONDARY:
.DELETE_ON_ERROR:

all: $(B)/ipctrace

# First what takes longest: the BPF programs, which the tracer includes.
$(B)/ipctrace: $(B)/src/tracer/tracer.o $(call objects,$(PLAIN) $(TRACED)) $(MESSAGES)
	$(call say,LINK,$@)
	$(Q)$(call link,$(LTO)) -o $@ $(call objects,$(PLAIN) $(TRACED)) $(MESSAGES) -lbpf -lz $(LIBS)

$(call objects,$(WORK)): cflags += $(LTO)
$(B)/src/tracer/tracer.o: cppflags += -I$(B)
$(B)/src/tracer/tracer.o: $(B)/ipctrace.skel.h $(B)/ipctrace_by_syscalls.skel.h $(B)/ipctrace_legacy.skel.h
$(B)/src/transport/kernel.o: cppflags += -I$(B)
$(B)/src/transport/kernel.o: $(B)/tick.skel.h
# It contains these files.

$(B)/%.o: %.c Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(compile) -c -o $@ $<

$(MESSAGES:.o=.c) $(MESSAGES:.o=.h) &: src/report/perfetto/trace.proto
	$(call say,PROTO,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(PROTOC_C) -Isrc --c_out=$(B)/src $<

$(MESSAGES): $(MESSAGES:.o=.c) $(MESSAGES:.o=.h)
	$(call say,CC,$<)
	$(Q)$(compile) -I$(B)/src -c -o $@ $<

$(B)/src/report/perfetto/packets.o: cppflags += -I$(B)/src
$(B)/src/report/perfetto/packets.o: | $(MESSAGES:.o=.h)

$(B)/%.bpf.o: %.bpf.c
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -c -o $@ $<

# All as one: bpftool 7.1 cannot link objects that call the same function of the kernel.
$(B)/ipctrace.bpf.c: bpf Makefile
	$(Q)mkdir -p $(@D)
	$(Q)printf '#include "%s"\n' $(BPF) > $@

$(B)/ipctrace.bpf.o: $(B)/ipctrace.bpf.c
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_FLAGS) -I. -c -o $@ $<

# For older kernels, see bpf/kernel/variant.bpf.h.
$(B)/ipctrace_by_syscalls.bpf.o: VARIANT = -DBY_SYSCALLS
$(B)/ipctrace_legacy.bpf.o: VARIANT = -DBY_SYSCALLS -DLEGACY

$(B)/ipctrace_%.bpf.o: $(B)/ipctrace.bpf.c
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_FLAGS) $(VARIANT) -I. -c -o $@ $<

# Their variables have to lie where those of the first do: the loader sets them by its skeleton.
variables = sed -n '/__\(rodata\|bss\) {/,/}/{/{/!p}' $(1)

$(B)/ipctrace_%.skel.h: $(B)/ipctrace_%.bpf.o $(B)/ipctrace.skel.h
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name ipctrace_$*_bpf > $@
	$(Q)[ "$$($(call variables,$@))" = "$$($(call variables,$(B)/ipctrace.skel.h))" ] || \
		{ echo "$@: its variables differ from those of ipctrace.skel.h" >&2; exit 1; }

$(B)/ipctrace.skel.h: $(B)/ipctrace.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name ipctrace_bpf > $@

# Programs of its own, which are loaded only for the kernel transport.
$(B)/tick.skel.h: $(B)/bpf/tick/tick.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name tick_bpf > $@

# Keeps the CPUs in interrupts, for scripts/maintain/beside.
$(B)/tests/noise/interrupts.skel.h: $(B)/tests/noise/interrupts.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name interrupts_bpf > $@

$(B)/tests/noise/interrupts.o: CPPFLAGS += -I$(B)/tests/noise
$(B)/tests/noise/interrupts.o: $(B)/tests/noise/interrupts.skel.h

$(B)/tests/noise/interrupts: $(B)/tests/noise/interrupts.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lbpf -lz

noise: $(B)/tests/noise/interrupts

# Style sheets and scripts of pages, as string literals: without comments and indentation.
literal = sed -e 's/^[ \t]*//' -e '/^\/\*.*\*\/$$/d' -e '/^\/\*/,/\*\/$$/d' -e '/^\/\//d' -e '/^$$/d' \
	-e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/'

$(B)/%.inc: % Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(literal) $< > $@

$(call objects,src/report/figure/figures.c src/report/html/document.c): cppflags += -I$(B)/src
$(call objects,src/report/figure/figures.c): $(B)/src/report/figure/figure.css.inc
$(call objects,src/report/html/document.c): $(B)/src/report/html/page.css.inc $(B)/src/report/html/page.js.inc

tests = $(patsubst %.c,$(B)/%,$(UNIT))
# The code of the tests themselves: -O1 compiles faster, and few tests use the state that cmocka passes. The code
# under test is the program's own objects.
$(call objects,$(UNIT) $(HELPERS)): cppflags += -Itests/unit
$(call objects,$(UNIT) $(HELPERS)): cflags += -O1 -Wno-unused-parameter
$(call objects,$(filter tests/unit/bpf/%,$(UNIT))): cppflags += -Ibpf
FILES_READ_BACK = $(addprefix $(B)/tests/unit/report/perfetto/,test_packets.o test_thread_states.o)
$(FILES_READ_BACK): cppflags += -I$(B)/src
$(FILES_READ_BACK): | $(MESSAGES:.o=.h)
$(call objects,$(filter tests/unit/bpf/%,$(UNIT))): cflags += -O3

# A test links only the members that it needs. So the rule links all members once, without libbpf: a source that
# needs libbpf, or a part of the program that knows libbpf, fails here.
$(B)/tests/unit/code.a: $(call objects,$(PLAIN) $(HELPERS)) $(MESSAGES)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
	$(Q)$(call link,-fno-lto) -o $@.all -Wl,--whole-archive $@ -Wl,--no-whole-archive -lz -lcmocka $(LIBS)

$(tests): %: %.o $(B)/tests/unit/code.a
	$(call say,LINK,$@)
	$(Q)$(call link,-fno-lto) -o $@ $^ -lz -lcmocka $(LIBS)

unit-tests: $(tests)

test: $(B)/ipctrace $(tests)
	$(Q)tests/run $(B) unit replay $(if $(SAN),,page scripts)

check: $(B)/ipctrace $(tests)
	$(Q)tests/run $(if $(ALONE_AFTER),--alone-after $(ALONE_AFTER)) $(B) unit replay page scripts e2e

fuzz:
	$(Q)$(MAKE) SAN=1
	$(Q)tests/fuzz/hunt.py build-san --seconds $(or $(FUZZ_SECONDS),600) --seed $(or $(FUZZ_SEED),1)

kernels: $(B)/ipctrace
	$(Q)scripts/maintain/kernels $(B)/ipctrace $(if $(K),-k $(K))

bench: $(B)/ipctrace
	$(Q)scripts/setup bench
	$(Q)scripts/bench/tracers $(B)/ipctrace $(BENCH)

bench-workload: $(B)/ipctrace
	$(Q)scripts/bench/workload $(B)/ipctrace

services: $(B)/ipctrace
	$(Q)scripts/setup services
	$(Q)scripts/services/compare --program $(B)/ipctrace $(or $(SERVICES),--write)

install: $(B)/ipctrace
	install -D -m 755 $(B)/ipctrace "$(DESTDIR)$(sbindir)/ipctrace"

clean:
	rm -rf build build-san build-aarch64

-include $(shell find $(B) -name '*.d' 2>/dev/null)
