/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements a stream into memory. */
#include "report/memstream.h"

#include <errno.h>
#include <stdlib.h>

int memory_begin(struct memory *memory)
{
	memory->stream = open_memstream(&memory->text, &memory->size);
	return memory->stream ? 0 : -errno;
}

int memory_finish(struct memory *memory)
{
	int err = ferror(memory->stream) ? -ENOMEM : 0;

	if (fclose(memory->stream) && !err)
		err = -errno;
	memory->stream = NULL;
	return err;
}

void memory_clean(struct memory *memory)
{
	if (memory->stream)
		fclose(memory->stream);
	free(memory->text);
	*memory = (struct memory){0};
}
