/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up slow units by episode, keeps the largest ones, and finds out if they are regular. */
#include "explain/episodes.h"

#include "explain/index_table.h"
#include "explain/tally.h"

/* The largest so many are kept, and up to twice as many for a while: the means are not final. */
#define KEPT_MAX 1024

/* Culprits that may turn out to be the largest one of an episode. */
#define CANDIDATES_MAX 8

/* So many culprits of the largest episodes may have a period of their own. */
#define CULPRITS_SEARCHED 8

/* Fewer episodes of one culprit are regular by chance too often, as several culprits are tried. */
#define CULPRIT_EPISODES_MIN 6

/* Begins of further episodes are not kept: their distances are not looked at. */
#define BEGINS_MAX   65536

#define LEAST_CNT    3
#define LEAST_HITS   4 /* with three, one in thirty random sets of seven events is regular */
#define MULTIPLES    4
#define TOLERANCE_NS 1000000

/* Distances that are tried as a period. */
#define TRIED_MAX 2048

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t tolerance_of(uint64_t period_ns)
{
	uint64_t tolerance = period_ns / 20 < TOLERANCE_NS ? period_ns / 20 : TOLERANCE_NS;

	return tolerance > period_ns / 50 ? tolerance : period_ns / 50;
}

/* How many of the sorted distances are below `ns`. */
static uint32_t count_below(const uint64_t *distance, uint32_t cnt, uint64_t ns)
{
	uint32_t low = 0, high = cnt;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (distance[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tried {
	uint64_t period_ns; /* mean of the distances that hit */
	uint64_t once;      /* distances that are the period itself */
	uint64_t hits;
};

static struct tried try(const uint64_t *distance, uint32_t cnt, uint64_t period_ns)
{
	uint64_t tolerance = tolerance_of(period_ns), multiples = 0;
	struct tried tried = {0};
	unsigned __int128 sum = 0;

	for (uint64_t multiple = 1; multiple <= MULTIPLES; multiple++) {
		uint64_t about = multiple * period_ns;
		uint32_t from = count_below(distance, cnt, about - tolerance);
		uint32_t to = count_below(distance, cnt, about + tolerance + 1);

		for (uint32_t i = from; i < to; i++)
			sum += distance[i];
		multiples += multiple * (to - from);
		tried.hits += to - from;
		if (multiple == 1)
			tried.once = to - from;
	}
	tried.period_ns = multiples ? sum / multiples : 0;
	return tried;
}

int period_find(uint64_t *begin_ns, uint32_t cnt, uint64_t tick_ns, struct period *period)
{
	uint32_t distances = cnt ? cnt - 1 : 0, step = distances / TRIED_MAX + 1;
	struct tried best = {0};
	uint64_t *distance;

	*period = (struct period){0};
	if (distances < LEAST_CNT)
		return 0;
	distance = malloc(distances * sizeof(*distance));
	if (!distance)
		return -ENOMEM;
	qsort(begin_ns, cnt, sizeof(*begin_ns), ascending);
	for (uint32_t i = 0; i < distances; i++)
		distance[i] = begin_ns[i + 1] - begin_ns[i];
	qsort(distance, distances, sizeof(*distance), ascending);
	for (uint32_t i = 0; i < distances; i += step) {
		struct tried tried = try(distance, distances, distance[i]);

		if (!distance[i] || distance[i] <= tick_ns + tolerance_of(tick_ns))
			continue;
		if (tried.hits < (distances < LEAST_HITS ? distances : LEAST_HITS) ||
		    2 * tried.hits < distances || tried.once < 2 || 3 * tried.once < tried.hits)
			continue;
		/* The one that hits more often; of two alike the one that needs fewer multiples. */
		if (tried.hits > best.hits || (tried.hits == best.hits && tried.once > best.once))
			best = tried;
	}
	free(distance);
	if (best.hits)
		*period = (struct period){best.period_ns, best.hits, distances};
	return 0;
}

struct episode {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t units;
	uint64_t rounds;
	uint64_t worst_ns;
	uint64_t worst_at_ns;
	uint64_t sum_ns;
	struct tally_entry candidate[CANDIDATES_MAX]; /* nodes; tag: CPU */
	uint32_t candidate_cnt;
};

/* What is kept of a slow unit until its episode is known. */
struct slow_unit {
	bool has_round;
	uint64_t round;
	uint32_t value[NR_ATTRIBUTES];
	uint32_t time_cnt;
	struct node_time time[];
};

struct episodes {
	struct causes_tree *tree;
	struct attributes *attributes;
	struct sweep sweep;
	double base_mean_ns;
	struct episode open;
	struct tally nodes; /* of the open one */
	struct tally rounds;
	uint64_t cnt; /* that have ended */
	struct episode kept[2 * KEPT_MAX];
	uint32_t kept_cnt;
	uint64_t *begin_ns;
	uint32_t begin_cnt;
};

static int count_nodes(struct episodes *episodes, const struct slow_unit *slow)
{
	struct node *nodes = causes_tree_nodes(episodes->tree);
	int err = 0;

	for (uint32_t i = 0; !err && i < slow->time_cnt; i++) {
		const struct node_time *time = &slow->time[i];

		episode_count_add(&nodes[time->node].episodes, episodes->cnt);
		if (node_is_culprit(&nodes[time->node]))
			err = tally_add(&episodes->nodes, time->node, time->ns, time->cpu);
	}
	return err;
}

static int episodes_extend(void *ctx, const struct interval *interval)
{
	struct episodes *episodes = ctx;
	struct episode *open = &episodes->open;
	const struct slow_unit *slow = interval->payload;
	uint64_t latency_ns = interval->to_ns - interval->from_ns;

	if (!open->units || interval->from_ns < open->from_ns)
		open->from_ns = interval->from_ns;
	if (interval->to_ns > open->to_ns)
		open->to_ns = interval->to_ns;
	if (latency_ns > open->worst_ns) {
		open->worst_ns = latency_ns;
		open->worst_at_ns = interval->from_ns;
	}
	open->sum_ns += latency_ns;
	open->units++;
	for (unsigned int i = 0; i < NR_ATTRIBUTES; i++) {
		if (slow->value[i] != VALUE_NONE)
			attributes__count_episode(episodes->attributes, slow->value[i],
						  episodes->cnt);
	}
	if (slow->has_round && tally_add(&episodes->rounds, slow->round, 1, 0))
		return -ENOMEM;
	return count_nodes(episodes, slow);
}

/* How much longer its units took than so many of the base. */
static double excess_ns(const struct episode *episode, double base_mean_ns)
{
	return (double)episode->sum_ns - (double)episode->units * base_mean_ns;
}

/* How much more time went to this node than in so many units of the base. */
static double node_excess_ns(const struct episodes *episodes, const struct episode *episode,
			     const struct tally_entry *entry)
{
	const struct node *node = &causes_tree_nodes(episodes->tree)[entry->key];

	return (double)entry->sum -
	       (double)episode->units * causes_tree__mean_ns(episodes->tree, node, SIDE_BASE);
}

static void add_candidate(const struct episodes *episodes, struct episode *episode,
			  const struct tally_entry *entry)
{
	double excess = node_excess_ns(episodes, episode, entry);
	uint32_t at = episode->candidate_cnt;

	while (at && node_excess_ns(episodes, episode, &episode->candidate[at - 1]) < excess)
		at--;
	if (at == CANDIDATES_MAX)
		return;
	if (episode->candidate_cnt < CANDIDATES_MAX)
		episode->candidate_cnt++;
	for (uint32_t i = episode->candidate_cnt - 1; i > at; i--)
		episode->candidate[i] = episode->candidate[i - 1];
	episode->candidate[at] = *entry;
}

static int larger_first(const void *a, const void *b, void *ctx)
{
	const struct episode *x = a, *y = b;
	const double *base_mean_ns = ctx;
	double x_ns = excess_ns(x, *base_mean_ns), y_ns = excess_ns(y, *base_mean_ns);

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void sort_kept(struct episodes *episodes, double base_mean_ns)
{
	qsort_r(episodes->kept, episodes->kept_cnt, sizeof(episodes->kept[0]), larger_first,
		&base_mean_ns);
}

static int close_episode(void *ctx, uint32_t lane)
{
	struct episodes *episodes = ctx;
	struct episode *open = &episodes->open;

	(void)lane;
	tally_settle(&episodes->rounds);
	open->rounds = episodes->rounds.cnt;
	tally_settle(&episodes->nodes);
	for (uint32_t i = 0; i < episodes->nodes.cnt; i++)
		add_candidate(episodes, open, &episodes->nodes.entry[i]);
	if (episodes->kept_cnt == 2 * KEPT_MAX) {
		sort_kept(episodes, episodes->base_mean_ns);
		episodes->kept_cnt = KEPT_MAX;
	}
	episodes->kept[episodes->kept_cnt++] = *open;
	episodes->cnt++;
	episodes->rounds.cnt = 0;
	episodes->nodes.cnt = 0;
	if (episodes->begin_cnt < BEGINS_MAX) {
		if (array_make_room(&episodes->begin_ns, episodes->begin_cnt,
				    sizeof(*episodes->begin_ns)))
			return -ENOMEM;
		episodes->begin_ns[episodes->begin_cnt++] = open->from_ns;
	}
	*open = (struct episode){0};
	return 0;
}

static const struct sweep_ops ops = {episodes_extend, close_episode};

struct episodes *episodes__new(struct causes_tree *tree, struct attributes *attributes,
			       double base_mean_ns)
{
	struct episodes *episodes = calloc(1, sizeof(*episodes));

	if (!episodes)
		return NULL;
	episodes->tree = tree;
	episodes->attributes = attributes;
	episodes->base_mean_ns = base_mean_ns;
	episodes->sweep.ops = &ops;
	episodes->sweep.ctx = episodes;
	episodes->sweep.lanes = 1;
	return episodes;
}

void episodes__free(struct episodes *episodes)
{
	if (!episodes)
		return;
	sweep_clean(&episodes->sweep);
	tally_free(&episodes->nodes);
	tally_free(&episodes->rounds);
	free(episodes->begin_ns);
	free(episodes);
}

int episodes__add(struct episodes *episodes, const struct unit *unit)
{
	const struct causes_tree *tree = episodes->tree;
	size_t times = tree->time_cnt * sizeof(*tree->time);
	struct slow_unit *slow = malloc(sizeof(*slow) + times);
	struct interval interval = {unit->from_ns, unit->to_ns, 0, slow};

	if (!slow)
		return -ENOMEM;
	slow->has_round = unit->has_round && unit->place;
	slow->round = unit->round;
	slow->time_cnt = tree->time_cnt;
	memcpy(slow->value, attributes__values(episodes->attributes), sizeof(slow->value));
	memcpy(slow->time, tree->time, times);
	return sweep_add(&episodes->sweep, &interval, sizeof(*slow) + times);
}

/* The candidate with the largest excess, now that the means are final. */
static const struct tally_entry *episodes_culprit_of(const struct episodes *episodes,
						     const struct episode *episode)
{
	const struct tally_entry *largest = NULL;

	for (uint32_t i = 0; i < episode->candidate_cnt; i++) {
		const struct tally_entry *entry = &episode->candidate[i];

		if (!largest || node_excess_ns(episodes, episode, entry) >
					node_excess_ns(episodes, episode, largest))
			largest = entry;
	}
	return largest;
}

static void episodes_fill_in(const struct episodes *episodes, const struct culprits *culprits,
			     const struct episode *episode, double base_mean_ns,
			     struct explain_episode *listed)
{
	const struct tally_entry *culprit = episodes_culprit_of(episodes, episode);
	double excess = excess_ns(episode, base_mean_ns);
	const struct node *node;

	*listed = (struct explain_episode){
		.from_ns = episode->from_ns,
		.to_ns = episode->to_ns,
		.units = episode->units,
		.rounds = episode->rounds,
		.worst_ns = episode->worst_ns,
		.worst_at_ns = episode->worst_at_ns,
		.excess_ns = excess > 0 ? excess : 0,
		.cost = COST_UNKNOWN,
		.role = CAUSE_UNKNOWN,
		.by = {.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN},
		.cpu = BLAME_CPU_UNKNOWN,
	};
	if (!culprit)
		return;
	node = &causes_tree_nodes(episodes->tree)[culprit->key];
	listed->cost = node->id.cost;
	listed->role = node->id.role;
	listed->by = node_blame(node, culprits);
	listed->by.cpu = listed->cpu = culprit->tag;
}

/* Whether both episodes have the same culprit; without culprits, the same component. */
static bool are_alike(const struct episodes *episodes, const struct episode *a,
		      const struct episode *b)
{
	const struct tally_entry *x = episodes_culprit_of(episodes, a),
				 *y = episodes_culprit_of(episodes, b);
	const struct node *node = causes_tree_nodes(episodes->tree);

	if (!x || !y)
		return false;
	return x->key == y->key || (node[x->key].id.culprit >= CULPRIT_FIRST &&
				    node[x->key].id.culprit == node[y->key].id.culprit);
}

/* Looks at the first `cnt` episodes: those that are like `model`, or all if that is NULL. */
static int search_kept(const struct episodes *episodes, uint32_t cnt, const struct episode *model,
		       uint64_t tick_ns, struct period *period)
{
	uint64_t *begin_ns = calloc(cnt ?: 1, sizeof(*begin_ns));
	uint32_t begins = 0;
	int err = 0;

	if (!begin_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < cnt; i++) {
		if (!model || are_alike(episodes, model, &episodes->kept[i]))
			begin_ns[begins++] = episodes->kept[i].from_ns;
	}
	*period = (struct period){0};
	if (!model || begins >= CULPRIT_EPISODES_MIN)
		err = period_find(begin_ns, begins, tick_ns, period);
	free(begin_ns);
	return err;
}

/* Whether a larger episode has the same culprit. */
static bool was_searched(const struct episodes *episodes, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		if (are_alike(episodes, &episodes->kept[i], &episodes->kept[index]))
			return true;
	}
	return false;
}

/*
 * Among all episodes, else among the largest ones, which others may hide, else among those of one
 * culprit, for each culprit of the largest ones.
 */
static int find_period(struct episodes *episodes, uint64_t tick_ns, struct explanation *explanation)
{
	uint32_t listed = explanation->episode_cnt;
	struct period period;
	int err = period_find(episodes->begin_ns, episodes->begin_cnt, tick_ns, &period);

	if (!err && !period.ns && episodes->begin_cnt > listed)
		err = search_kept(episodes, listed, NULL, tick_ns, &period);
	for (uint32_t i = 0, searched = 0;
	     !err && !period.ns && searched < CULPRITS_SEARCHED && i < listed; i++) {
		if (was_searched(episodes, i))
			continue;
		searched++;
		err = search_kept(episodes, episodes->kept_cnt, &episodes->kept[i], tick_ns,
				  &period);
		explanation->period_episode = period.ns ? i + 1 : 0;
	}
	explanation->period_ns = period.ns;
	explanation->period_hits = period.hits;
	explanation->period_of = period.of;
	return err;
}

int episodes__finish(struct episodes *episodes, const struct culprits *culprits, uint64_t tick_ns,
		     struct explanation *explanation)
{
	const struct explain_set *base = &explanation->base;
	double base_mean_ns = base->count ? (double)base->sum_ns / (double)base->count : 0;
	int err = sweep_finish(&episodes->sweep);
	uint32_t cnt;

	if (err)
		return err;
	sort_kept(episodes, base_mean_ns);
	cnt = episodes->kept_cnt < EXPLAIN_EPISODES_MAX ? episodes->kept_cnt : EXPLAIN_EPISODES_MAX;
	explanation->episode = calloc(cnt ?: 1, sizeof(*explanation->episode));
	if (!explanation->episode)
		return -ENOMEM;
	explanation->episode_cnt = cnt;
	explanation->episodes = episodes->cnt;
	for (uint32_t i = 0; i < cnt; i++)
		episodes_fill_in(episodes, culprits, &episodes->kept[i], base_mean_ns,
				 &explanation->episode[i]);
	return find_period(episodes, tick_ns, explanation);
}
