/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes the system objects that a transport makes outside of the run's directory. A note is an
 * empty file in that directory, and its name identifies the object. It is written before the
 * object is made. If the run is killed, the next run finds the note and removes the object (tidy()
 * of struct transport_ops).
 */
#pragma once

#define NOTE_LEN 32

/*
 * Opens the run's directory for the other functions; the caller closes it. Follows no link. -errno
 * on failure.
 */
int note_directory_open(const char *path);

/* 0 or -errno; -EEXIST: the note exists. */
int note_make(int directory, const char *note);
void note_remove(int directory, const char *note);
