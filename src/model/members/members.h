/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes structs, each member once. Loops over these tables write a summary into a recording and
 * read it back (model/kept_summary.c), free it, and write JSON and its schema (report/json):
 *
 *	{NUMBER, AT(integrity, sent), "sent", "messages that were sent"},
 *	{NUMBER, AT(integrity, elsewhere), "elsewhere", "ends on another machine", IN_ATTACH},
 *
 * A new member is a row at the end of its table, below a SINCE() of its own.
 */
#pragma once

#include "model/component.h"
#include "model/spec.h"
#include "model/transport_names.h"

#include <stddef.h>

enum member_kind {
	NUMBER,  /* unsigned; or an array of uint64_t. JSON has its name if it has names */
	NS,      /* the same in nanoseconds: a duration, or an instant of CLOCK_MONOTONIC */
	SIGNED,  /* a number that may be negative */
	BITS,    /* any value; a recording has it as it is */
	REAL,    /* double, not negative; in JSON `cnt` of them */
	REAL_NS, /* the same in nanoseconds */
	RATE,    /* double, not negative; NAN: not known */
	SHARE,   /* the same of something: 1 is all of it */
	FLAG,
	WORD,         /* an enum below `cnt`, of which JSON has the name */
	TEXT,         /* an array of char */
	NAME,         /* const char *; NULL: not known */
	TEXTS,        /* JSON: an array of text */
	DISTRIBUTION, /* struct stat, or `cnt` of them */
	STRUCT,       /* of table `of`; or `cnt` of them */
	LIST,         /* an array with at most `cnt` entries in use */
	FIRST,        /* the same, if more may have been counted */
	ENTRIES,      /* the address of at most `cnt` entries, which the struct owns */
	NOTHING,      /* JSON: always null */
	CHECK,        /* no member: the values above contradict each other unless holds() */
	BATCH,        /* no member: see SINCE() */
};

struct json_place;
struct members;
struct summary;

/* All but `kind` is optional. */
struct member {
	enum member_kind kind;
	uint32_t at;
	uint32_t size;
	const char *name; /* in JSON; NULL: not there; "": a struct of which JSON has each member */
	const char *says; /* what it means, for the schema of JSON */
	const char *null; /* when it is null there; "": it may be, and this needs no words */

	/* Else it is null. They are alternatives; without any it is known, but for empty text. */
	bool (*known)(const struct run_info *info, const void *of);
	bool if_set;                 /* it is not 0 or empty */
	uint32_t flag_at, flag_size; /* another member is not 0, or `is_unless`: that is 0 */
	bool is_unless;

	const char *after; /* it stands behind this one in JSON; NULL: in the order of the table */
	bool by_component; /* has an entry for each component, or is one */
	const struct component_info *component; /* says what it means, if `says` is NULL */
	bool is_optional;                       /* JSON may lack it */
	bool is_never_null;
	const char *limits; /* further keywords of JSON Schema, as JSON */
	uint32_t least;

	uint32_t since_at; /* an instant: the value is the time since then; 0: none */
	bool is_mean;      /* the real is a uint64_t divided by the one at `per_at` */
	uint32_t per_at;

	uint32_t cnt, cnt_at; /* `cnt_at`: a uint32_t says how many of the entries are in use */
	const struct members *of;
	const struct members *const
		*any;             /* JSON: instead one of these, of which the last is NULL */
	const char *const *words; /* [cnt] names: a NULL is null in JSON; */
	uint32_t words_apart;     /* so many bytes from one to the next, */
	const char *(*word_of)(uint32_t value); /* or by this */
	const char *else_word;                  /* the name of another value; NULL: null */
	bool is_each;                           /* JSON: an object with a value for each name */
	bool (*holds)(void *of);                /* may also fill in what older recordings lack */

	/*
	 * What JSON has instead of the value: a figure of the summary, or by report/json a new
	 * reference (NULL: no memory).
	 */
	double (*real)(const struct summary *summary);
	uint64_t (*number)(const struct summary *summary);
	struct json_t *(*derive)(const struct json_place *place);
};

/* The table of a struct. */
struct members {
	const char *name; /* in schemas */
	const char *says;
	size_t size; /* of the struct */
	const struct member *row;
	size_t cnt;
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define ROWS(rows)    .row = (rows), .cnt = LENGTH(rows)

/* The table of `struct tag`, whose rows are tag_rows. */
#define MEMBERS(tag, ...)                                                                          \
	const struct members tag##_members = {.name = #tag,                                        \
					      .size = sizeof(struct tag),                          \
					      .says = ("" __VA_ARGS__),                            \
					      ROWS(tag##_rows)}

#define SIZE_IN(tag, member)     sizeof(((struct tag *)0)->member)
#define AT(tag, member)          .at = offsetof(struct tag, member), .size = SIZE_IN(tag, member)
#define TIME_FROM(tag, from, to) .since_at = offsetof(struct tag, from), AT(tag, to)
#define MEAN_OF(tag, sum, count)                                                                   \
	.is_mean = true, .per_at = offsetof(struct tag, count), AT(tag, sum)
#define CNT_AT(tag, member) .cnt_at = offsetof(struct tag, member)
/* For members that JSON has in an object of their own. */
#define ALL(tag) .at = 0, .size = sizeof(struct tag)

/* How many there are, and what they are. */
#define EACH_OF(tag, member, table)                                                                \
	.cnt = SIZE_IN(tag, member) / SIZE_IN(tag, member[0]), .of = &(table)
#define NAMES(array) .words = (array), .words_apart = sizeof((array)[0]), .cnt = LENGTH(array)
#define WORDS(...)   NAMES(((const char *const[]){__VA_ARGS__}))
/* The same for an object with a value for each name. */
#define EACH(array) NAMES(array), .is_each = true
#define ONE_OF(...)                                                                                \
	(const struct members *const[])                                                            \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
/* The names of the first `most` rows of a table. */
#define NAMES_OF(table, most)                                                                      \
	.words = &(table)[0].name, .words_apart = sizeof((table)[0]), .cnt = (most)

#define A_COMPONENT    NAMES_OF(components, NR_COMPONENTS), .by_component = true

#define TRANSPORT_SAYS "what carries the messages"

/* When a member is known. */
#define IF_SET              .if_set = true
#define NOT_NULL            .is_never_null = true
#define IF(tag, flag)       .flag_at = offsetof(struct tag, flag), .flag_size = SIZE_IN(tag, flag)
#define UNLESS(tag, member) IF(tag, member), .is_unless = true
#define IN_ATTACH           .null = "a run", .known = is_attach
#define IN_RUN              .null = "an attach", .known = is_run
#define IF_TRACED           .null = "not traced", .known = is_traced

/* How the values of members are known. `of` is not asked. */
bool is_attach(const struct run_info *info, const void *of);
bool is_run(const struct run_info *info, const void *of);
bool is_traced(const struct run_info *info, const void *of);
bool has_contents(const struct run_info *info, const void *of); /* receivers compare them */

/*
 * A recording has its rows batch by batch: first those of all structs without a SINCE(), then all
 * of batch 1, and so on. So the end of an older recording lacks whole batches.
 */
#define SINCE(batch)                                                                               \
	{                                                                                          \
		.kind = BATCH, .cnt = (batch)                                                      \
	}

/* Recordings of version 12 end before this batch, and others before a later one. */
#define MEMBERS_MAY_END 10

/* The last batch of a table and of those that it refers to. */
uint32_t members_last_batch(const struct members *table);

/* The name of a value; NULL: it has none. */
const char *member_word(const struct member *member, uint32_t value);

/* The value of a member of the struct that is a number; 0: of one without a place in it. */
uint64_t member_number(const struct member *member, const void *of);

/* Whether the value of a member of the struct is known, as the row says. */
bool member_is_known(const struct member *member, const struct run_info *info, const void *of);

/* Where entries begin, and how many of them are in use. */
void *member_entries(const struct member *member, const void *of, uint32_t *cnt);

/* Frees what a struct owns: distributions and entries. */
void members_clean(const struct members *table, void *of);

extern const struct members answer_parts_members;
extern const struct members begin_members;
extern const struct members blame_members;
extern const struct members blame_summary_members;
extern const struct members blame_top_members;
extern const struct members blocked_calls_members;
extern const struct members calls_summary_members;
extern const struct members channel_summary_members;
extern const struct members chain_summary_members;
extern const struct members chain_hop_members;
extern const struct members component_sum_members;
extern const struct members connection_error_members;
extern const struct members connections_summary_members;
extern const struct members drops_summary_members;
extern const struct members failing_summary_members;
extern const struct members sleeper_summary_members;
extern const struct members end_summary_members;
extern const struct members chosen_process_members;
extern const struct members choice_summary_members;
extern const struct members client_summary_members;
extern const struct members flow_summary_members;
extern const struct members exchanges_summary_members;
extern const struct members found_summary_members;
extern const struct members host_members;
extern const struct members integrity_members;
extern const struct members listener_summary_members;
extern const struct members load_summary_members;
extern const struct members missed_cause_members;
extern const struct members observer_members;
extern const struct members peak_members;
extern const struct members peaks_summary_members;
extern const struct members room_summary_members;
extern const struct members rounds_summary_members;
extern const struct members service_summary_members;
extern const struct members serving_order_members;
extern const struct members signals_members;
extern const struct members steal_summary_members;
extern const struct members summary_members;
extern const struct members untraced_members;
extern const struct members workload_spec_members;
