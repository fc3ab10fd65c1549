/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws one unit to scale: what its two threads did, its messages as arrows between them, and what
 * ran on the CPUs meanwhile.
 *
 *	              request                      | service | response
 *	18.3 ms       |=|::::::::::::::::::::::::|=|#########|=|
 *	redis-cli     |#|---------- waits for the response --|#|
 *	client           \________________________   ________/
 *	redis-server  ---|::::::: waits for CPU 0:|##########|----
 *	CPU 0         |            hog            | redis-server
 *	CPU 1         | redis-cli                            | redis-cli
 *	              0              10 ms
 */
#include "report/figure/axis.h"
#include "report/figure/culprit.h"
#include "report/figure/lanes.h"
#include "report/figure/legend.h"
#include "report/figure/pieces.h"
#include "report/words/explain/cause_words.h"

#include <math.h>
#include <string.h>

#define WIDE_LABEL    150
#define NARROW_LABEL  92
#define PARTS_HEIGHT  15
#define TIME_HEIGHT   16
#define THREAD_HEIGHT 22
#define ARROWS_HEIGHT 22
#define CPU_HEIGHT    15
#define CPU_STEP      18
#define STRIP         3 /* the lower part of a CPU's lane, for interrupts: a thread's name stays */
#define GAP           8
#define AXIS_NUMBERS  24  /* the height of the axis, which has no title */
#define LEAST_WIDTH   0.5 /* narrower marks are not to be seen */
#define CPU_LEAST     1.5 /* the same on a CPU: interrupts would part what they interrupt */
#define TOUCHING      1   /* marks of one kind that are nearer are one */
#define CPU_TOUCHING  2.5
#define ARROW_LENGTH  7
#define ARROW_HALF    3

struct scale_drawing {
	const struct canvas *canvas;
	const struct picture *picture;
	struct lanes *lanes;
	struct axis time;
	struct legend legend;
	bool has_cost[NR_COSTS];
	bool has_culprit[CULPRIT_CLASSES + 1];
	bool has_sleep;
};

static double instant_x(const struct scale_drawing *drawing, uint64_t ns)
{
	return scale_place(&drawing->time.scale,
			   (double)ns - (double)drawing->lanes->unit->from_ns);
}

/* Several moments of one kind that touch. */
struct mark {
	double from;
	double to;
	const struct moment *moment; /* the first one */
	uint64_t ns;
	bool is_mixed; /* they have several culprits */
};

static bool to_scale_applies(const struct illustration *illustration)
{
	struct lanes lanes;

	return to_scale_has(illustration, 0) && lanes_of(illustration, 0, &lanes);
}

static void to_scale_describe(const struct illustration *illustration, struct paragraph *words)
{
	to_scale_words(illustration, 0, words);
}

/* A sleep in which the thread waits for this unit, so that it takes no time from it. */
static bool waits_for_unit(const struct scale_drawing *drawing, const struct moment *moment)
{
	const struct unit *unit = drawing->lanes->unit;

	return moment->cost == COMPONENT_BLOCKED &&
	       (moment->tid == unit->sender.tid || moment->from_ns <= unit->from_ns ||
		moment->from_ns >= unit->to_ns);
}

static const char *lane_words(const struct scale_drawing *drawing, const struct moment *moment,
			      char words[LABEL_LEN])
{
	const struct unit *unit = drawing->lanes->unit;

	if (moment->cost == COMPONENT_RUNQUEUE && moment->cpu < BLAME_CPU_SEVERAL)
		return text_format(words, "waits for CPU %u", moment->cpu);
	if (moment->cost == COMPONENT_RUNQUEUE)
		return "waits for a CPU";
	if (moment->cost == COST_ON_CPU)
		return "runs";
	if (unit->kind == UNIT_CALL && moment->tid == unit->sender.tid &&
	    moment->from_ns >= unit->from_ns && waits_for_unit(drawing, moment))
		return "waits for the response";
	return moment->cost == COMPONENT_BLOCKED ? "asleep" : components[moment->cost].title;
}

/* The longest label that has room. */
static void put_inside(const struct canvas *canvas, const char *class, const struct mark *mark,
		       double y, const char *longer, const char *shorter)
{
	double width = mark->to - mark->from - 6;
	const char *text = label_width(longer, FONT_SMALL) <= width ? longer : shorter;

	if (label_width(text, FONT_SMALL) <= width)
		label_draw(canvas, class, (mark->from + mark->to) / 2, y, ANCHOR_MIDDLE, text);
}

static void draw_thread_mark(struct scale_drawing *drawing, const struct mark *mark, double y)
{
	const struct canvas *canvas = drawing->canvas;
	const struct moment *moment = mark->moment;
	const char *class = cost_class(moment->cost);
	double middle = y + THREAD_HEIGHT / 2.0;
	char words[LABEL_LEN], label[CLAUSE_LEN];
	struct explain_row row = row_of_moment(moment);

	if (waits_for_unit(drawing, moment)) {
		drawing->has_sleep = true;
		line_draw(canvas, "sleep", mark->from, middle, mark->to, middle);
		put_inside(canvas, "soft halo", mark, middle + 4,
			   lane_words(drawing, moment, words), "asleep");
		return;
	}
	drawing->has_cost[moment->cost] |= mark->to - mark->from >= CPU_LEAST;
	rect_open(canvas, TEXT("fill %s", class), mark->from, y,
		  fmax(mark->to - mark->from, LEAST_WIDTH), THREAD_HEIGHT);
	markup_attr(canvas->markup, "data-cost", components[moment->cost].name);
	/* Which moments are one mark depends on the width. */
	if (!canvas->is_narrow)
		data_count(canvas, "ns", mark->ns);
	row_label(&drawing->picture->info, &row, CLAUSE_LEN - 1, label);
	if (mark->is_mixed || moment->cost == COST_ON_CPU)
		label[0] = '\0';
	if (!canvas->is_narrow)
		tooltip_draw(canvas, "%s%s%s: %s", lane_words(drawing, moment, words),
			     label[0] ? ", " : "", label, NS_TEXT((double)mark->ns));
	markup_close(canvas->markup);
	put_inside(canvas, TEXT("on on-%s %s", class, class), mark, middle + 4,
		   lane_words(drawing, moment, words), "");
}

/* Whether two moments of a thread look the same. */
static bool looks_same(const struct scale_drawing *drawing, const struct moment *a,
		       const struct moment *b)
{
	return a->cost == b->cost && waits_for_unit(drawing, a) == waits_for_unit(drawing, b) &&
	       (a->cost != COMPONENT_RUNQUEUE || a->cpu == b->cpu);
}

static void draw_thread(struct scale_drawing *drawing, uint32_t tid, double y)
{
	struct mark mark = {0};
	uint64_t from_ns, to_ns;

	for (uint32_t i = 0; i < drawing->lanes->moment_cnt; i++) {
		const struct moment *moment = &drawing->lanes->moment[i];
		double from, to;

		if (moment->tid != tid || !lanes_clip(drawing->lanes, moment, &from_ns, &to_ns))
			continue;
		from = instant_x(drawing, from_ns);
		to = instant_x(drawing, to_ns);
		if (mark.moment && looks_same(drawing, mark.moment, moment) &&
		    from - mark.to < TOUCHING) {
			mark.is_mixed |= !culprit_is_same(&mark.moment->by, &moment->by);
			mark.to = fmax(to, mark.to);
			mark.ns += to_ns - from_ns;
			continue;
		}
		if (mark.moment)
			draw_thread_mark(drawing, &mark, y);
		mark = (struct mark){from, to, moment, to_ns - from_ns, false};
	}
	if (mark.moment)
		draw_thread_mark(drawing, &mark, y);
}

/* What a CPU had: the name of the thread, and its class. */
static const char *occupant(struct scale_drawing *drawing, const struct moment *moment,
			    char title[NAME_LEN], const char **brief)
{
	const struct unit *unit = drawing->lanes->unit;
	uint32_t place;

	if (moment->cost == COST_ON_CPU) {
		*brief = moment->tid == unit->receiver.tid ? unit->receiver.comm
			 : moment->tid == unit->sender.tid ? unit->sender.comm
							   : "";
		snprintf(title, NAME_LEN, "%.*s", RECORD_COMM_LEN, *brief);
		drawing->has_cost[COST_ON_CPU] = true;
		return cost_class(COST_ON_CPU);
	}
	blame_title(&moment->by, title);
	*brief = moment->by.comm;
	place = culprit_place(drawing->picture, &moment->by);
	place = place <= CULPRIT_CLASSES ? place : 0;
	drawing->has_culprit[place] = true;
	return culprit_class(place);
}

static void draw_cpu_mark(struct scale_drawing *drawing, const struct mark *mark, double y)
{
	const struct canvas *canvas = drawing->canvas;
	char title[NAME_LEN];
	const char *brief, *class;
	bool is_strip;

	if (mark->to - mark->from < LEAST_WIDTH || mark->moment->by.class == BLAME_IDLE)
		return;
	class = occupant(drawing, mark->moment, title, &brief);
	is_strip = mark->moment->cost != COST_ON_CPU && mark->moment->by.kind != SLICE_TASK;
	rect_open(canvas, TEXT("fill %s", class), mark->from, is_strip ? y + CPU_HEIGHT - STRIP : y,
		  mark->to - mark->from, is_strip ? STRIP : CPU_HEIGHT);
	if (!canvas->is_narrow) {
		data_text(canvas, "by", brief);
		data_count(canvas, "ns", mark->ns);
		tooltip_draw(canvas, "%s on CPU %u: %s", title, mark->moment->cpu,
			     NS_TEXT((double)mark->ns));
	}
	markup_close(canvas->markup);
	if (!is_strip)
		put_inside(canvas, TEXT("on on-%s %s", class, class), mark,
			   y + CPU_HEIGHT / 2.0 + 3, title, brief);
}

static bool ran_same(const struct moment *a, const struct moment *b)
{
	if (a->cost == COST_ON_CPU || b->cost == COST_ON_CPU)
		return a->cost == b->cost && a->tid == b->tid;
	return a->by.class == b->by.class && a->by.kind == b->by.kind &&
	       !strcmp(a->by.comm, b->by.comm);
}

/* Interrupts that are too short to be seen do not part what they interrupted. */
static void draw_cpu(struct scale_drawing *drawing, uint32_t cpu, double y)
{
	struct mark mark = {0};
	uint64_t from_ns, to_ns;

	for (uint32_t i = 0; i < drawing->lanes->moment_cnt; i++) {
		const struct moment *moment = &drawing->lanes->moment[i];
		double from, to;

		if (moment->cpu != cpu || !lanes_has_cpu(drawing->lanes, moment) ||
		    !lanes_clip(drawing->lanes, moment, &from_ns, &to_ns))
			continue;
		from = instant_x(drawing, from_ns);
		to = instant_x(drawing, to_ns);
		if (mark.moment && ran_same(mark.moment, moment) && from - mark.to < CPU_TOUCHING) {
			mark.to = fmax(to, mark.to);
			mark.ns += to_ns - from_ns;
			continue;
		}
		if (to - from < CPU_LEAST)
			continue;
		if (mark.moment)
			draw_cpu_mark(drawing, &mark, y);
		mark = (struct mark){from, to, moment, to_ns - from_ns, false};
	}
	if (mark.moment)
		draw_cpu_mark(drawing, &mark, y);
}

/* From when on each part lasts; [NR_CAUSE_PARTS]: until when the last one does. */
static void part_instants(const struct unit *unit, uint64_t at_ns[NR_CAUSE_PARTS + 1])
{
	uint64_t part_ns[NR_CAUSE_PARTS] = {0};

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent)
			part_ns[unit->cause[i].part] += unit->cause[i].by.ns;
	}
	at_ns[0] = unit->from_ns;
	for (int part = 0; part < NR_CAUSE_PARTS; part++)
		at_ns[part + 1] = at_ns[part] + part_ns[part];
}

static bool has_parts(const struct unit *unit)
{
	return unit->kind == UNIT_CALL || unit->kind == UNIT_CONNECTION;
}

static void draw_parts(const struct scale_drawing *drawing, const uint64_t *at_ns)
{
	double end = 0;

	for (int part = 0; part < NR_CAUSE_PARTS; part++) {
		const char *name = cause_part_names[part];
		double from = instant_x(drawing, at_ns[part]),
		       to = instant_x(drawing, at_ns[part + 1]), half;

		if (!name || at_ns[part] == at_ns[part + 1])
			continue;
		line_draw(drawing->canvas, "frame", from, PARTS_HEIGHT - 2.5,
			  fmax(to - 1, from + 1), PARTS_HEIGHT - 2.5);
		half = label_width(name, FONT_SMALL) / 2;
		if (half * 2 > to - from || (from + to) / 2 - half < end)
			continue;
		label_draw(drawing->canvas, "soft", (from + to) / 2, PARTS_HEIGHT - 6,
			   ANCHOR_MIDDLE, name);
		end = (from + to) / 2 + half + 4;
	}
}

/* The components of the latency, in the order of time. */
static void draw_time(const struct scale_drawing *drawing, double y)
{
	const struct canvas *canvas = drawing->canvas;
	struct piece piece[PIECES_MAX];
	uint32_t cnt = pieces_of(drawing->lanes->unit, piece), end;
	uint64_t at_ns = drawing->lanes->unit->from_ns;

	for (uint32_t i = 0; i < cnt; i = end) {
		uint64_t ns = 0;
		struct mark mark;
		const char *class = cost_class(piece[i].cost);

		for (end = i; end < cnt && piece[end].part == piece[i].part &&
			      piece[end].cost == piece[i].cost;
		     end++)
			ns += piece[end].by.ns;
		mark = (struct mark){.from = instant_x(drawing, at_ns),
				     .to = instant_x(drawing, at_ns + ns)};
		at_ns += ns;
		if (mark.to - mark.from < LEAST_WIDTH)
			continue;
		rect_open(canvas, TEXT("fill %s", class), mark.from, y, mark.to - mark.from,
			  TIME_HEIGHT);
		if (!canvas->is_narrow && mark.to - mark.from >= CPU_TOUCHING)
			tooltip_draw(canvas, "%s: %s", components[piece[i].cost].title,
				     NS_TEXT((double)ns));
		markup_close(canvas->markup);
		put_inside(canvas, TEXT("on on-%s %s", class, class), &mark,
			   y + TIME_HEIGHT / 2.0 + 4,
			   TEXT("%s %s", components[piece[i].cost].title, NS_TEXT((double)ns)),
			   components[piece[i].cost].title);
	}
}

/* From one lane to the other one. */
static void draw_arrow(const struct scale_drawing *drawing, const char *name, uint64_t from_ns,
		       uint64_t to_ns, double from_y, double to_y)
{
	const struct canvas *canvas = drawing->canvas;
	double x1 = instant_x(drawing, from_ns), x2 = instant_x(drawing, to_ns);
	double length = hypot(x2 - x1, to_y - from_y), dx = (x2 - x1) / length;
	double dy = (to_y - from_y) / length;
	double foot_x = x2 - dx * ARROW_LENGTH, foot_y = to_y - dy * ARROW_LENGTH;

	group_open(canvas, "message");
	data_count(canvas, "ns", to_ns - from_ns);
	if (!canvas->is_narrow)
		tooltip_draw(canvas, "%s: %s", name, NS_TEXT((double)(to_ns - from_ns)));
	line_draw(canvas, "leader", x1, from_y, foot_x, foot_y);
	outline_open(canvas, "head");
	outline_move(canvas, x2, to_y);
	outline_line(canvas, foot_x - dy * ARROW_HALF, foot_y + dx * ARROW_HALF);
	outline_line(canvas, foot_x + dy * ARROW_HALF, foot_y - dx * ARROW_HALF);
	outline_close_shape(canvas);
	outline_end(canvas);
	markup_close(canvas->markup);
	markup_close(canvas->markup);
}

static void draw_arrows(const struct scale_drawing *drawing, const uint64_t *at_ns, double top,
			double bottom)
{
	const struct unit *unit = drawing->lanes->unit;

	if (unit->kind != UNIT_CALL) {
		draw_arrow(drawing, unit->kind == UNIT_CONNECTION ? "connection" : "message",
			   unit->from_ns, unit->to_ns, top, bottom);
		return;
	}
	draw_arrow(drawing, "request", at_ns[PART_REQUEST], at_ns[PART_SERVICE], top, bottom);
	draw_arrow(drawing, "response", at_ns[PART_RESPONSE], at_ns[PART_RESPONSE + 1], bottom,
		   top);
}

/* What the thread is to the unit: the role of the sender, and that of the receiver. */
static const char *role_of(enum unit_kind kind, bool is_sender)
{
	if (kind == UNIT_CALL || kind == UNIT_CONNECTION)
		return is_sender ? "client" : "server";
	if (kind == UNIT_ROUND)
		return is_sender ? "sender" : "last client";
	return is_sender ? "sender" : "receiver";
}

static void draw_thread_label(const struct scale_drawing *drawing, bool is_sender, double y)
{
	const struct unit *unit = drawing->lanes->unit;
	const struct party *party = is_sender ? &unit->sender : &unit->receiver;
	uint32_t pid = is_sender ? unit->sender_pid : unit->receiver_pid;
	const struct canvas *canvas = drawing->canvas;
	double width = drawing->time.scale.start - 8;
	const char *role = role_of(unit->kind, is_sender);
	char words[LABEL_LEN];

	label_draw_fitting(canvas, "strong", 0, y + 9, ANCHOR_START, width,
			   party->comm[0] ? TEXT("%.*s", RECORD_COMM_LEN, party->comm)
					  : "not known");
	if (pid && pid != party->tid)
		text_format(words, "pid %u, tid %u", pid, party->tid);
	else
		text_format(words, "pid %u", party->tid);
	if (!party->tid || label_width(words, FONT_SMALL) > width)
		text_format(words, "%s", role);
	else if (label_width(TEXT("%s, %s", role, words), FONT_SMALL) <= width)
		text_format(words, "%s, pid %u", role, pid ?: party->tid);
	label_draw(canvas, "soft", 0, y + 22, ANCHOR_START, words);
}

static void fill_scale_legend(struct scale_drawing *drawing)
{
	static const char *const titles[NR_COSTS] = {
		[COMPONENT_RUNQUEUE] = "waits for a CPU", [COST_ON_CPU] = "runs"};

	for (int cost = 0; cost < NR_COSTS; cost++) {
		if (drawing->has_cost[cost])
			legend_add(&drawing->legend, cost_class(cost), "%s",
				   titles[cost] ?: components[cost].title);
	}
	for (uint32_t i = 1; i <= CULPRIT_CLASSES; i++) {
		if (drawing->has_culprit[i])
			culprit_add_entry(drawing->picture, i, &drawing->legend);
	}
	if (drawing->has_culprit[0])
		legend_add(&drawing->legend, culprit_class(0), "others that ran");
}

/* The lanes of CPUs, from `y` on. Returns where they end. */
static double draw_cpus(struct scale_drawing *drawing, double y)
{
	for (uint32_t i = 0; i < drawing->lanes->cpu_cnt; i++, y += CPU_STEP) {
		group_open(drawing->canvas, "cpu-lane");
		data_count(drawing->canvas, "cpu", drawing->lanes->cpu[i]);
		label_draw(drawing->canvas, "strong", 0, y + CPU_HEIGHT / 2.0 + 4, ANCHOR_START,
			   TEXT("CPU %u", drawing->lanes->cpu[i]));
		rect_draw(drawing->canvas, "track", drawing->time.scale.start, y,
			  drawing->time.scale.end - drawing->time.scale.start, CPU_HEIGHT);
		draw_cpu(drawing, drawing->lanes->cpu[i], y);
		markup_close(drawing->canvas->markup);
	}
	return y;
}

static void draw_lane(struct scale_drawing *drawing, bool is_sender, double y)
{
	const struct unit *unit = drawing->lanes->unit;
	uint32_t tid = is_sender ? unit->sender.tid : unit->receiver.tid;

	group_open(drawing->canvas, "thread-lane");
	markup_attr(drawing->canvas->markup, "data-role", role_of(unit->kind, is_sender));
	data_count(drawing->canvas, "tid", tid);
	draw_thread_label(drawing, is_sender, y);
	if (tid)
		draw_thread(drawing, tid, y);
	markup_close(drawing->canvas->markup);
}

static double draw_scene(struct scale_drawing *drawing)
{
	const struct unit *unit = drawing->lanes->unit;
	double time = has_parts(unit) ? PARTS_HEIGHT : 1;
	double client = time + TIME_HEIGHT + GAP;
	double server = client + THREAD_HEIGHT + ARROWS_HEIGHT;
	double cpus = server + THREAD_HEIGHT + GAP;
	double end = cpus + drawing->lanes->cpu_cnt * CPU_STEP;
	uint64_t at_ns[NR_CAUSE_PARTS + 1];

	part_instants(unit, at_ns);
	axis_draw_bottom(drawing->canvas, &drawing->time, end, client - 4);
	draw_parts(drawing, at_ns);
	label_draw(drawing->canvas, "strong", 0, time + TIME_HEIGHT / 2.0 + 4, ANCHOR_START,
		   NS_TEXT((double)unit_latency_ns(unit)));
	draw_time(drawing, time);
	draw_lane(drawing, true, client);
	draw_lane(drawing, false, server);
	draw_arrows(drawing, at_ns, client + THREAD_HEIGHT + 1, server - 1);
	draw_cpus(drawing, cpus);
	fill_scale_legend(drawing);
	end += AXIS_NUMBERS;
	return end + legend_draw(drawing->canvas, &drawing->legend, end);
}

static double to_scale_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct lanes lanes;
	struct scale_drawing drawing = {
		.canvas = canvas, .picture = illustration->picture, .lanes = &lanes};

	if (!lanes_of(illustration, canvas->choice, &lanes))
		return 0;
	drawing.time = (struct axis){
		.scale = {.from = (double)lanes.from_ns - (double)lanes.unit->from_ns,
			  .to = (double)(lanes.to_ns - lanes.unit->from_ns),
			  .start = canvas->is_narrow ? NARROW_LABEL : WIDE_LABEL,
			  .end = canvas->width - 2},
		.measure = MEASURE_NS,
	};
	return draw_scene(&drawing);
}

const struct figure figure_to_scale = {
	.name = "to-scale",
	.title = "One slow one, to scale",
	.subject = OF_UNITS,
	.is_at_a_glance = true,
	.applies = to_scale_applies,
	.describe = to_scale_describe,
	.draw = to_scale_draw,
};
