/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for causes: what a thread waits for, and what made it wait. */
#include "report/words/explain/cause_words.h"

#include "model/transport_names.h"
#include "report/words/culprits.h"
#include "util/plain.h"

#include <string.h>
#include <time.h>

#define CUT "..."

/* Times that differ less are one. */
#define NEARLY_EQUAL 1.01

struct explain_row row_of_cause(const struct cause *cause)
{
	struct explain_row row = {
		.depth = cause->parent > 0,
		.part = cause->part,
		.cost = cause->cost,
		.role = cause->role,
		.from_interrupt = cause->from_interrupt,
		.call = cause->call,
		.reason = cause->reason,
		.spare_cpu = cause->spare_cpu,
		.asked_least_ns = cause->asked_ns,
		.asked_most_ns = cause->asked_ns,
		.failed = cause->failed,
		.by = cause->by,
	};

	memcpy(row.disk, cause->disk, sizeof(row.disk));
	memcpy(row.function, cause->function, sizeof(row.function));
	return row;
}

struct explain_row row_of_moment(const struct moment *moment)
{
	return (struct explain_row){
		.cost = moment->cost,
		.role = moment->role,
		.from_interrupt = moment->from_interrupt,
		.call = moment->call,
		.by = moment->by,
	};
}

const char *row_culprit(const struct explain_row *row, char words[CULPRIT_LEN])
{
	struct culprit culprit = {
		.class = row->by.class,
		.tid = row->by.tid,
		.pid = row->folded > 1 ? 0 : row->by.pid,
		.threads = row->folded > 1 ? row->folded : row->by.tid > 0,
		.is_named = row->by.comm[0],
	};

	blame_title(&row->by, culprit.title);
	return culprit_name(&culprit, words);
}

/* An interrupt that is not known has interrupted a thread that has nothing to do with it. */
static bool is_by_some_interrupt(const struct explain_row *row)
{
	return row->from_interrupt && row->by.kind == SLICE_TASK;
}

bool row_has_culprit(const struct explain_row *row)
{
	if (row->role == CAUSE_ITSELF || row->role == CAUSE_UNKNOWN)
		return false;
	return row->by.class != BLAME_UNKNOWN && !is_by_some_interrupt(row);
}

/* The parties of a part, in the words of its unit: what sends, and what receives. */
static const char *cause_words_party_of(const struct explanation *explanation,
					const struct explain_row *row, bool is_sender)
{
	const struct run_info *info = &explanation->info;
	bool server_sends = info->mode == MODE_RUN && spec_server_sends(&info->workload);
	bool is_round = explanation->unit == UNIT_ROUND;

	switch (row->part) {
	case PART_CONNECT:
		return "the client";
	case PART_REQUEST:
		return is_sender ? "the client" : "the server";
	case PART_RESPONSE:
		return is_sender ? "the server" : "the client";
	case PART_SERVICE:
	case PART_QUEUE:
		return "the server";
	default:
		if (is_sender)
			return server_sends ? "the server" : "the sender";
		if (server_sends)
			return is_round ? "the last client" : "the client";
		return is_round ? "the last receiver" : "the receiver";
	}
}

const char *row_subject(const struct explanation *explanation, const struct explain_row *row)
{
	return row->depth ? "it"
			  : cause_words_party_of(explanation, row, components[row->cost].of_sender);
}

/* A stopped thread is in no syscall that it sleeps in. */
static bool is_stopped(const struct explain_row *row)
{
	return row->cost == COST_STOPPED ||
	       (row->cost == COMPONENT_BLOCKED && row->call == CALL_STOPPED);
}

bool row_has_call(const struct explain_row *row)
{
	return row->call != CALL_UNKNOWN && row->call != CALL_OTHERS && row->call != CALL_OUTSIDE &&
	       row->call != CALL_STOPPED && components[row->cost].has_call;
}

/* " in futex"; empty: the syscall is not known. */
static const char *call_words(const struct run_info *info, const struct explain_row *row,
			      char words[NAME_LEN])
{
	words[0] = '\0';
	if (!row_has_call(row))
		return words;
	snprintf(words, NAME_LEN, " in %.*s", NAME_LEN - 5, SYSCALL(info->host.arch, row->call));
	return words;
}

/* "CPU 1", or `several` of several. */
static const char *cpu_words(uint32_t cpu, const char *several, char words[NAME_LEN])
{
	snprintf(words, NAME_LEN, "%s", several);
	if (cpu < BLAME_CPU_SEVERAL)
		snprintf(words, NAME_LEN, "CPU %u", cpu);
	return words;
}

static void waiting_clause(const struct explain_row *row, const char *subject,
			   char clause[CLAUSE_LEN])
{
	char cpu[NAME_LEN], culprit[CULPRIT_LEN];
	struct around waits = blame_classes[row->by.class].waits;
	bool has_group = row->by.comm[0];

	cpu_words(row->by.cpu, "a CPU", cpu);
	if (row->by.class == BLAME_THROTTLED)
		snprintf(clause, CLAUSE_LEN,
			 "%s is held back, because %s%.*s has used up its CPU quota", subject,
			 has_group ? "control group " : "its control group", RECORD_COMM_LEN,
			 has_group ? row->by.comm : "");
	else if (waits.before)
		snprintf(clause, CLAUSE_LEN, "%s %s%s%s", subject, waits.before, cpu, waits.after);
	else
		snprintf(clause, CLAUSE_LEN, "%s waits for %s behind %s", subject, cpu,
			 row_culprit(row, culprit));
}

static void sleeping_clause(const struct run_info *info, const struct explain_row *row,
			    const char *subject, char clause[CLAUSE_LEN])
{
	char call[NAME_LEN], culprit[CULPRIT_LEN];
	const char *by = row_has_culprit(row) ? row_culprit(row, culprit) : "an interrupt";

	call_words(info, row, call);
	if (row->cost == COMPONENT_WAKEUP)
		snprintf(clause, CLAUSE_LEN, "%s is asleep until the wakeup by %s reaches it",
			 subject, by);
	else if (is_stopped(row))
		snprintf(clause, CLAUSE_LEN, "%s is stopped by a signal until %s lets it go on",
			 subject, by);
	else
		snprintf(clause, CLAUSE_LEN, "%s sleeps%s until %s wakes it", subject, call, by);
}

/* What a thread does for a connection has words of its own. */
static const char *does_words(const struct explain_row *row)
{
	if (row->part == PART_CONNECT && row->cost == COST_ON_CPU)
		return "opens the connection on a CPU";
	if (row->part == PART_QUEUE && row->cost == COMPONENT_BUSY)
		return "runs other code before it accepts";
	if (row->part == PART_QUEUE && row->cost == COMPONENT_RECEIVE)
		return "is in its accept call";
	return components[is_stopped(row) ? COST_STOPPED : row->cost].does;
}

/* What a thread does in the component, without anything else to blame. */
static void own_clause(const struct run_info *info, const struct explain_row *row,
		       const char *subject, char clause[CLAUSE_LEN])
{
	const char *unknown = components[row->cost].unknown ?: ", and why is not known";
	char call[NAME_LEN];

	if (call_words(info, row, call)[0] && row->cost != COMPONENT_BLOCKED)
		snprintf(clause, CLAUSE_LEN, "%s is%s on a CPU%s", subject, call,
			 row->cost == COST_ON_CPU ? "" : " first");
	else
		snprintf(clause, CLAUSE_LEN, "%s %s%s%s", subject, does_words(row), call,
			 row->role == CAUSE_UNKNOWN ? unknown : "");
}

static void kept_clause(const struct run_info *info, const struct explain_row *row,
			const char *subject, char clause[CLAUSE_LEN])
{
	char culprit[CULPRIT_LEN], call[NAME_LEN];

	row_culprit(row, culprit);
	call_words(info, row, call);
	if (row->cost == COMPONENT_ROOM)
		snprintf(clause, CLAUSE_LEN, "%s waits for room in the channel to %s", subject,
			 culprit);
	else if (row->cost == COMPONENT_DISPATCH)
		snprintf(clause, CLAUSE_LEN, "%s sends to %s first%s%s", subject, culprit,
			 call[0] ? "," : "", call);
	else if (row->part == PART_REQUEST || row->part == PART_QUEUE)
		snprintf(clause, CLAUSE_LEN, "%s serves other calls of %s first%s%s", subject,
			 culprit, call[0] ? "," : "", call);
	else
		snprintf(clause, CLAUSE_LEN, "%s handles a message of %s first%s%s", subject,
			 culprit, call[0] ? "," : "", call);
}

/* " of 250.0 ms", or " of 1.0 ms to 250.0 ms"; empty: nothing was asked for, or it is not known. */
static const char *asked_words(const struct explain_row *row, char words[NAME_LEN])
{
	double least_ns = (double)row->asked_least_ns, most_ns = (double)row->asked_most_ns;

	words[0] = '\0';
	if (row->asked_most_ns && most_ns <= NEARLY_EQUAL * least_ns)
		snprintf(words, NAME_LEN, " of %s", SPAN(most_ns));
	else if (row->asked_most_ns)
		snprintf(words, NAME_LEN, " of %s to %s", SPAN(least_ns), SPAN(most_ns));
	return words;
}

/* " fcntl has failed (EAGAIN)", or " a call has failed" if there are several. */
static const char *failed_words(const struct run_info *info, const struct explain_row *row,
				char words[CULPRIT_LEN])
{
	const char *error = strerrorname_np((int)row->failed.error);

	snprintf(words, CULPRIT_LEN, " a call has failed");
	if (row->failed.error && error)
		snprintf(words, CULPRIT_LEN, " %.24s has failed (%.16s)",
			 SYSCALL(info->host.arch, row->failed.number), error);
	return words;
}

/* " until hog lets it go on"; empty: what ends it is not known. */
static const char *ending_words(const struct explain_row *row, char words[CULPRIT_LEN])
{
	char culprit[CULPRIT_LEN];

	words[0] = '\0';
	if (row_has_culprit(row))
		snprintf(words, CULPRIT_LEN, " until %.*s lets it go on", CULPRIT_LEN - 24,
			 row_culprit(row, culprit));
	return words;
}

/*
 * These wait for one rwsem only, that of a program's memory map, with all that a compiler may put
 * into them (Linux 5.19 to 6.18).
 */
static bool is_for_memory_map(const struct explain_row *row)
{
	static const char *const functions[] = {
		"do_user_addr_fault",
		"do_page_fault",
		"lock_mm_and_find_vma",
		"get_mmap_lock_carefully",
		"upgrade_mmap_lock_carefully",
		"mmap_read_lock",
		"mmap_read_lock_killable",
		"mmap_write_lock",
		"mmap_write_lock_killable",
		"vm_mmap_pgoff",
		"__vm_munmap",
		"madvise_lock",
	};

	if (row->reason != REASON_KERNEL_RWSEM)
		return false;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(row->function, functions[i]))
			return true;
	}
	return false;
}

/* " in pipe_write"; empty: not known. */
static const char *function_words(const struct explain_row *row, char words[CULPRIT_LEN])
{
	words[0] = '\0';
	if (row->function[0])
		snprintf(words, CULPRIT_LEN, " in %s%s", row->function,
			 is_for_memory_map(row) ? " (mmap_lock)" : "");
	return words;
}

/* Puts the words for the letter of a reason's text in. */
static const char *reason_part(const struct run_info *info, const struct explain_row *row,
			       char letter, char words[CULPRIT_LEN])
{
	switch (letter) {
	case 'c':
		return call_words(info, row, words);
	case 't':
		return asked_words(row, words);
	case 'e':
		return failed_words(info, row, words);
	case 'f':
		return function_words(row, words);
	case 'u':
		return ending_words(row, words);
	case 'd':
		snprintf(words, CULPRIT_LEN, "%s", row->disk[0] ? row->disk : "a disk");
		return words;
	case 'p':
		return cpu_words(row->by.cpu, "a CPU", words);
	case 'i':
		return cpu_words(row->spare_cpu, "another CPU", words);
	default:
		return row_culprit(row, words);
	}
}

/* No space or comma comes first. */
static void reason_expand(const struct run_info *info, const struct explain_row *row,
			  const char *text, char words[CLAUSE_LEN])
{
	char part[CULPRIT_LEN];
	const char *added;
	size_t length = 0;

	for (; *text && length < CLAUSE_LEN - 1; text++) {
		if (*text != '%') {
			if (length || (*text != ' ' && *text != ','))
				words[length++] = *text;
			continue;
		}
		added = reason_part(info, row, *++text, part);
		length += snprintf(words + length, CLAUSE_LEN - length, "%s",
				   added + (!length && added[0] == ' '));
	}
	words[length < CLAUSE_LEN ? length : CLAUSE_LEN - 1] = '\0';
}

static void reason_clause(const struct run_info *info, const struct explain_row *row,
			  const char *subject, char clause[CLAUSE_LEN])
{
	const struct cause_reason_info *reason = &cause_reasons[row->reason];
	char does[CLAUSE_LEN];

	reason_expand(info, row, reason->does, does);
	snprintf(clause, CLAUSE_LEN, "%s %.*s", reason->subject ?: subject, CLAUSE_LEN - NAME_LEN,
		 does);
}

void row_clause(const struct run_info *info, const struct explain_row *row, const char *subject,
		char clause[CLAUSE_LEN])
{
	char culprit[CULPRIT_LEN];

	if (row->reason) {
		reason_clause(info, row, subject, clause);
		return;
	}
	switch (row->role) {
	case CAUSE_RAN:
		waiting_clause(row, subject, clause);
		break;
	case CAUSE_INSIDE: /* some of the time of a component that is not a wait */
		snprintf(clause, CLAUSE_LEN, "%s is interrupted by %s%s%s", subject,
			 row_culprit(row, culprit), row->cost < NR_COMPONENTS ? " in " : "",
			 row->cost < NR_COMPONENTS ? components[row->cost].title : "");
		break;
	case CAUSE_WOKE:
		sleeping_clause(info, row, subject, clause);
		break;
	case CAUSE_KEPT:
	case CAUSE_READER:
		kept_clause(info, row, subject, clause);
		break;
	default:
		own_clause(info, row, subject, clause);
	}
}

const char *row_component(const struct explain_row *row, char title[NAME_LEN])
{
	const char *part = cause_part_names[row->part];

	snprintf(title, NAME_LEN, "%s%s%s", part ?: "", part ? ": " : "",
		 components[row->cost].title);
	return title;
}

/* The words around the culprit in a label. */
static struct around cause_words_around_of(const struct explain_row *row)
{
	switch (row->role) {
	case CAUSE_RAN:
		if (row->by.class == BLAME_THROTTLED || row->by.class == BLAME_IDLE)
			return (struct around){"", ""};
		return (struct around){"behind ", ""};
	case CAUSE_INSIDE:
		return (struct around){blame_classes[row->by.class].is_interrupt ? "interrupted by "
										 : "taken by ",
				       ""};
	case CAUSE_WOKE:
		return (struct around){is_stopped(row) ? "stopped until " : "until ",
				       is_stopped(row) ? " lets it go on" : " wakes it"};
	case CAUSE_KEPT:
		return (struct around){
			row->cost == COMPONENT_DISPATCH ? "sending to " : "a message of ", ""};
	default:
		return (struct around){"the reader ", ""};
	}
}

/* How much of a label is left out. */
enum brevity { IN_FULL, WITHOUT_REMARKS, WITHOUT_CALL, NR_BREVITIES };

static const char *cause_words_name_of(const struct explain_row *row, enum brevity brevity,
				       char culprit[CULPRIT_LEN])
{
	if (is_by_some_interrupt(row))
		return "an interrupt";
	if (row->role == CAUSE_RAN && row->by.class == BLAME_THROTTLED) {
		snprintf(culprit, CULPRIT_LEN, "CPU quota of %s",
			 row->by.comm[0] ? row->by.comm : "its control group");
		return culprit;
	}
	return brevity && row->by.comm[0] ? row->by.comm : row_culprit(row, culprit);
}

static void cause_words_label_of(const struct run_info *info, const struct explain_row *row,
				 enum brevity brevity, char label[CLAUSE_LEN])
{
	char call[NAME_LEN], culprit[CULPRIT_LEN];
	struct around around = cause_words_around_of(row);
	bool has_call = call_words(info, row, call)[0] && brevity < WITHOUT_CALL;

	if (row->reason)
		reason_expand(info, row, cause_reasons[row->reason].label, label);
	else if (row->role == CAUSE_ITSELF)
		snprintf(label, CLAUSE_LEN, "%s", call[0] ? call + 1 : "itself");
	else if (row->role == CAUSE_UNKNOWN)
		snprintf(label, CLAUSE_LEN, "%s%snot known", call[0] ? call + 1 : "",
			 call[0] ? ", " : "");
	else
		snprintf(label, CLAUSE_LEN, "%s%s%s%s%s", has_call ? call + 1 : "",
			 !has_call                 ? ""
			 : row->role == CAUSE_KEPT ? ": "
						   : " ",
			 around.before, cause_words_name_of(row, brevity, culprit),
			 brevity ? "" : around.after);
}

void label_cut(const char *text, int width, char label[CLAUSE_LEN])
{
	bool is_cut = plain_columns(text) > width;
	size_t fits = is_cut ? plain_fit(text, width - (int)strlen(CUT)) : strlen(text);

	snprintf(label, CLAUSE_LEN, "%.*s%s", (int)fits, text, is_cut ? CUT : "");
}

void row_label(const struct run_info *info, const struct explain_row *row, int width,
	       char label[CLAUSE_LEN])
{
	char whole[CLAUSE_LEN];

	for (enum brevity brevity = IN_FULL; brevity < NR_BREVITIES; brevity++) {
		cause_words_label_of(info, row, brevity, whole);
		if (plain_columns(whole) <= width)
			break;
	}
	snprintf(label, CLAUSE_LEN, "%s", whole);
}

void culprit_label(const struct run_info *info, const struct explain_row *row, int width,
		   char label[CLAUSE_LEN])
{
	const char *title = components[row->cost].title;
	char words[CLAUSE_LEN];

	if (row->is_rest) {
		snprintf(label, CLAUSE_LEN, "others");
	} else if (row->depth && row->role == CAUSE_ITSELF) {
		snprintf(label, CLAUSE_LEN, "%s", title);
	} else if (row->depth) {
		row_label(info, row, width - 2 - (int)strlen(title), words);
		snprintf(label, CLAUSE_LEN, "%s: %.*s", title, CLAUSE_LEN - NAME_LEN, words);
	} else {
		row_label(info, row, width, label);
	}
}

const char *span_text(double ns, char text[SPAN_LEN])
{
	double size = ns < 0 ? -ns : ns;

	if (size < 1e7)
		snprintf(text, SPAN_LEN, "%.1f us", ns / 1e3);
	else if (size < 1e9)
		snprintf(text, SPAN_LEN, "%.1f ms", ns / 1e6);
	else
		snprintf(text, SPAN_LEN, "%.3f s", ns / 1e9);
	return text;
}

static void add_party(struct paragraph *line, const struct party *party, const char *process,
		      uint32_t pid)
{
	const char *name = party->comm[0] ? party->comm : process[0] ? process : "?";

	paragraph_add(line, "%.*s (%.20s", RECORD_COMM_LEN, name, pid ? PID(pid) : TID(party->tid));
	if (pid && pid != party->tid)
		paragraph_add(line, ", %.20s", TID(party->tid));
	paragraph_add(line, ") on CPU %u", party->cpu);
}

void unit_identity(struct paragraph *line, const struct unit *unit)
{
	const char *transport = transport_id_name(unit->transport);

	if (unit->kind == UNIT_CONNECTION) {
		paragraph_add(line, "connection %llu over %s", (unsigned long long)unit->number,
			      transport);
		return;
	}
	if (unit->kind == UNIT_CALL)
		paragraph_add(line, "call %llu, request ", (unsigned long long)unit->number);
	else if (unit->kind == UNIT_ROUND)
		paragraph_add(line, "last ");
	paragraph_add(line, "message %u/%llu", unit->channel, (unsigned long long)unit->position);
	if (transport)
		paragraph_add(line, " over %s", transport);
	paragraph_add(line, ", %u byte%s", unit->bytes, plural(unit->bytes));
	if (unit->has_round)
		paragraph_add(line, ", round %llu, client %u", (unsigned long long)unit->round,
			      unit->client);
	if (unit->has_round && unit->place)
		paragraph_add(line, ", place %u", unit->place);
	if (unit->is_ambiguous)
		paragraph_add(line, "; ambiguous");
}

void unit_parties(struct paragraph *line, const struct unit *unit)
{
	add_party(line, &unit->sender, unit->sender_process, unit->sender_pid);
	paragraph_add(line, " to ");
	add_party(line, &unit->receiver, unit->receiver_process, unit->receiver_pid);
}

static bool has_begin(const struct run_info *info, uint64_t ns)
{
	return info->begin.ns && ns >= info->begin.ns;
}

/* "06:24:44.214"; empty: not known. */
static void wall_clock(const struct begin *begin, uint64_t ns, char text[INSTANT_LEN])
{
	uint64_t unix_ns = begin->unix_ns + (ns - begin->ns);
	time_t seconds = (time_t)(unix_ns / 1000000000) + begin->utc_offset_s;
	struct tm time;
	size_t length;

	text[0] = '\0';
	if (!begin->unix_ns || !gmtime_r(&seconds, &time))
		return;
	length = strftime(text, INSTANT_LEN, "%H:%M:%S", &time);
	snprintf(text + length, INSTANT_LEN - length, ".%03u",
		 (unsigned int)(unix_ns / 1000000 % 1000));
}

const char *instant_words(const struct run_info *info, uint64_t ns, char text[INSTANT_LEN])
{
	char wall[INSTANT_LEN];

	if (!has_begin(info, ns)) {
		snprintf(text, INSTANT_LEN, "%.6f s", (double)ns / 1e9);
		return text;
	}
	wall_clock(&info->begin, ns, wall);
	snprintf(text, INSTANT_LEN, "%.16s%s%.3f s%s", wall, wall[0] ? " (" : "",
		 (double)(ns - info->begin.ns) / 1e9, wall[0] ? ")" : "");
	return text;
}
