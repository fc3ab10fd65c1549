/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says what usual units have in common beyond their rows: threads that they wake in vain, calls
 * that they make one after another, or a connection that they open.
 */
#include "report/words/explain/usual_remarks.h"

#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"

#define MOSTLY          0.5  /* of the usual time */
#define REPEATED        5    /* calls made in one call */
#define HERD            2    /* threads that find nothing */
#define HERD_MATTERS    0.15 /* of the usual time: their CPU time */
#define NEARLY_EACH     0.9  /* of the usual calls */
#define OPENING_MATTERS 0.2  /* of a usual call */
#define OPENING_FEW     0.1  /* the same, beside what the server does for it */

bool usual_repeats(const struct explanation *explanation)
{
	const struct explain_nested *nested = &explanation->usual_nested;

	return nested->are_apart && nested->calls >= REPEATED &&
	       nested->ns >= MOSTLY * explanation_view(explanation, WEIGHT_USUAL).all_ns;
}

/*
 * "In the service of a usual call (9.6 ms), the server makes 200 calls of 48.1 us to backend on
 * @b, one after another: 96 % of that time. " False: it makes few, or they take little of it.
 */
static bool add_repetition(struct paragraph *line, const struct explanation *explanation,
			   double usual_ns)
{
	const struct explain_nested *nested = &explanation->usual_nested;

	if (!usual_repeats(explanation))
		return false;
	paragraph_add(line,
		      "In the service of a usual call (%s), the server makes %.0f calls of %s ",
		      SPAN(usual_ns), nested->calls, SPAN(nested->ns / nested->calls));
	paragraph_add(line, "to %s%s, one after another: %s of that time.", nested->callee,
		      nested->has_others ? " and others" : "", PERCENT(nested->ns / usual_ns));
	return true;
}

/*
 * Whether the threads that each unit wakes in vain use the CPUs for much of its time, or are what
 * it waits for most. One alone is no herd.
 */
bool usual_is_in_vain(const struct explanation *explanation, const struct lead *first)
{
	const struct explain_vain *vain = &explanation->usual_vain;
	double usual_ns = explanation_view(explanation, WEIGHT_USUAL).all_ns;

	return vain->wakes >= HERD &&
	       (vain->cpu_ns >= HERD_MATTERS * usual_ns || first->row->reason == REASON_IN_VAIN);
}

/*
 * "Each call wakes 39 threads in vain (accept4 finds nothing), which takes 8.3 ms of CPU time; a
 * usual call takes 9.1 ms." False: it wakes few, or they take little time.
 */
static bool add_vain(struct paragraph *line, const struct explanation *explanation,
		     const struct lead *first)
{
	const struct explain_vain *vain = &explanation->usual_vain;
	const char *unit = unit_words(explanation->unit, false),
		   *arch = explanation->info.host.arch;

	if (!usual_is_in_vain(explanation, first))
		return false;
	paragraph_add(line, "Each %s wakes %.0f threads in %s", unit, vain->wakes,
		      vain->in_futex ? SYSCALL(arch, vain->call) : "vain");
	if (vain->in_futex)
		paragraph_add(line, ", which sleep there again without any other call");
	else
		paragraph_add(line, " (%s finds nothing)", SYSCALL(arch, vain->call));
	paragraph_add(line, ", which takes %s of CPU time; a usual %s takes %s.",
		      SPAN(vain->cpu_ns), unit,
		      SPAN(explanation_view(explanation, WEIGHT_USUAL).all_ns));
	return true;
}

/*
 * What the receiving thread did meanwhile says little: another one may accept, and start this one.
 *
 *	connect()      sent             accepted
 *	    |-- connect --|---- too late ---|
 */
bool usual_is_accepted_late(const struct explanation *explanation, const struct lead *first)
{
	const struct explain_opening *opening = &explanation->usual_opening;
	double usual_ns = explanation_view(explanation, WEIGHT_USUAL).all_ns;

	return lead_is_own_work(first) && first->row->cost == COMPONENT_BUSY &&
	       opening->share >= NEARLY_EACH &&
	       opening->ns - opening->connect_ns >= MOSTLY * usual_ns;
}

/* "Each call opens a connection, which waits 24.9 ms until it is accepted: 96 % of its time." */
static bool add_accepted_late(struct paragraph *line, const struct explanation *explanation,
			      const struct lead *first, double usual_ns)
{
	const struct explain_opening *opening = &explanation->usual_opening;
	double late_ns = opening->ns - opening->connect_ns;

	if (!usual_is_accepted_late(explanation, first))
		return false;
	paragraph_add(line,
		      "%s call opens a connection, which waits %s until it is accepted: %s of its "
		      "time (%s).",
		      opening->share < 1 ? "Nearly each" : "Each", SPAN(late_ns),
		      PERCENT(late_ns < usual_ns ? late_ns / usual_ns : 1), SPAN(usual_ns));
	return true;
}

/*
 * Whether nearly each call opens a connection, which takes much of its time; or some of it, if the
 * server does what it does for a new connection before it receives, such as to start a thread. A
 * wait with most of the time says more: a connection that a busy server accepts late takes long.
 */
bool usual_opens(const struct explanation *explanation, const struct lead *first)
{
	const struct explain_opening *opening = &explanation->usual_opening;
	const struct explain_row *row = first->row;
	double usual_ns = explanation_view(explanation, WEIGHT_USUAL).all_ns;
	bool prepares = row->part == PART_REQUEST && row->cost == COMPONENT_BUSY &&
			row->role == CAUSE_ITSELF;

	if (!lead_is_own_work(first) && first->ns >= MOSTLY * usual_ns)
		return false;
	return opening->share >= NEARLY_EACH &&
	       opening->ns >= (prepares ? OPENING_FEW : OPENING_MATTERS) * usual_ns;
}

/*
 * "Each call opens a connection: 41 % of its time (380.2 us)." False: few do, or it takes little
 * time.
 */
static bool add_opening(struct paragraph *line, const struct explanation *explanation,
			const struct lead *first, double usual_ns)
{
	const struct explain_opening *opening = &explanation->usual_opening;

	if (!usual_opens(explanation, first))
		return false;
	paragraph_add(line, "%s call opens a connection: %s of its time (%s).",
		      opening->share < 1 ? "Nearly each" : "Each",
		      PERCENT(opening->ns < usual_ns ? opening->ns / usual_ns : 1), SPAN(usual_ns));
	return true;
}

bool usual_remark(struct paragraph *line, const struct explanation *explanation,
		  const struct lead *first, double usual_ns)
{
	return add_vain(line, explanation, first) || add_repetition(line, explanation, usual_ns) ||
	       add_accepted_late(line, explanation, first, usual_ns) ||
	       add_opening(line, explanation, first, usual_ns);
}
