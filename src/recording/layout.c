/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the fields of every record type from the list of these types. */
#include "recording/layout.h"

#include "bpf/deep.h"
#include "bpf/record.h"
#include "bpf/record_asleep.h"
#include "bpf/record_connections.h"
#include "bpf/record_drop.h"
#include "bpf/record_stacks.h"
#include "model/window_records.h"

/* Programs compiled before and after a change must agree on these. */
#define SIZE_IS(type, size)                                                                        \
	_Static_assert(sizeof(type) == (size) && (size) % 8 == 0, #type " is part of the format");
#define RECORD(number, TYPE, type, name, bytes, ...) SIZE_IS(struct record_##type, bytes)
#include "bpf/record_list.h"
SIZE_IS(struct record, 8)
SIZE_IS(struct record_send_counted, 48)
SIZE_IS(struct record_send_outside, 56)
SIZE_IS(struct record_stamp_exchange, 80)
SIZE_IS(struct record_timeout_failed, 48)
SIZE_IS(struct stage, 2048)

#define MEMBER(type, member, is_any)                                                               \
	{#member, offsetof(struct record_##type, member),                                          \
	 sizeof(((struct record_##type *)0)->member), is_any},
#define FIELD(type, member) MEMBER(type, member, false)
#define ANY(type, member)   MEMBER(type, member, true)

static const struct layout layouts[] = {
#define RECORD(number, TYPE, type, name, bytes, ...)                                               \
	{name, RECORD_##TYPE, bytes, (const struct field[]){__VA_ARGS__{0}}},
#include "bpf/record_list.h"
};

const struct layout *recording_layouts(size_t *cnt)
{
	*cnt = sizeof(layouts) / sizeof(layouts[0]);
	return layouts;
}
