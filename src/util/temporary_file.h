/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens files without a name. They are gone when the last process that has them open ends. */
#pragma once

/* The folder of $TMPDIR, else one that is on a disk. */
const char *temporary_file_folder(void);

/* A descriptor for reading and writing, which the caller closes. -1 and errno on failure. */
int temporary_file_open(const char *folder);
