/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes and removes notes. A note is an empty file in the run's directory. The file's name
 * identifies a system object that a transport makes outside of this directory. The note is written
 * before the object is made. If the run is killed, the next run finds the note and removes the
 * object (tidy() of struct transport_ops).
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
