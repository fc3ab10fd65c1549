/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a transport makes in the system outside of the run's directory, noted as the name of an
 * empty file in that directory before it is made. After a run that was killed, the next one finds
 * the note and removes what it stands for (tidy() of struct transport_ops).
 */
#ifndef IPCTRACE_TRANSPORT_NOTE_H
#define IPCTRACE_TRANSPORT_NOTE_H

#define NOTE_LEN 32

/* The run's directory, for the others; it is closed by close(). Follows no link. -errno. */
int note_directory_open(const char *path);

/* 0 or -errno: -EEXIST if there is one of that name. */
int note_make(int directory, const char *note);
void note_remove(int directory, const char *note);

#endif
