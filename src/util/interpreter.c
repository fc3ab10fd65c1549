/* SPDX-License-Identifier: BSD-2-Clause */
/* Knows the options of interpreters that come before the script. */
#include "util/interpreter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Lists of options, with a blank around each. */
struct interpreter {
	const char *name;   /* without its version */
	const char *script; /* the next argument names the program */
	const char *text;   /* the next argument is the program: there is no script */
	const char *taking; /* other options whose value is the next argument */
};

#define SHELL_OPTIONS " -o +o -O +O --rcfile --init-file "

static const struct interpreter interpreters[] = {
	{"python", " -m ", " -c ", " -W -X -Q --check-hash-based-pycs "},
	{"pypy", " -m ", " -c ", " -W -X "},
	{"node", "", " -e --eval -p --print -pe ",
	 " -r --require --import --loader --experimental-loader -C --conditions "},
	{"nodejs", "", " -e --eval -p --print -pe ",
	 " -r --require --import --loader --experimental-loader -C --conditions "},
	{"java", " -jar -m --module ", "",
	 " -cp -classpath --class-path -p --module-path --upgrade-module-path --add-modules"
	 " --add-opens --add-exports --add-reads "},
	{"ruby", "", " -e ", " -I -r -C -E "},
	{"perl", "", " -e -E ", " -I "},
	{"php", " -f --file -S ", " -r ", " -c -d -t "},
	{"lua", "", "", " -e -l "},
	{"luajit", "", "", " -e -l "},
	{"tclsh", "", "", " -encoding "},
	{"Rscript", "", " -e ", ""},
	{"julia", "", " -e --eval -E --print ", " -p -t -J -L -C "},
	{"dotnet", "", "", ""},
	{"mono", "", "", ""},
	{"sh", "", " -c ", SHELL_OPTIONS},
	{"bash", "", " -c ", SHELL_OPTIONS},
	{"dash", "", " -c ", SHELL_OPTIONS},
	{"ash", "", " -c ", SHELL_OPTIONS},
	{"ksh", "", " -c ", SHELL_OPTIONS},
	{"zsh", "", " -c ", SHELL_OPTIONS},
};

#define INTERPRETER_CNT (sizeof(interpreters) / sizeof(interpreters[0]))

static bool is_in(const char *list, const char *option)
{
	size_t length = strlen(option);

	for (const char *at = strstr(list, option); at && length; at = strstr(at + 1, option)) {
		if (at > list && at[-1] == ' ' && at[length] == ' ')
			return true;
	}
	return false;
}

/* "python" for /usr/bin/python3.11, "bash" for the -bash of a login. */
static size_t interpreter_name_of(const char **command)
{
	const char *slash = strrchr(*command, '/');
	size_t length;

	if (slash)
		*command = slash + 1;
	else if (**command == '-')
		++*command;
	length = strlen(*command);
	while (length && (isdigit((*command)[length - 1]) || (*command)[length - 1] == '.'))
		length--;
	return length;
}

static const struct interpreter *interpreter_find(const char *command)
{
	size_t length = interpreter_name_of(&command);

	for (size_t i = 0; i < INTERPRETER_CNT; i++) {
		if (strlen(interpreters[i].name) == length &&
		    !strncmp(interpreters[i].name, command, length))
			return &interpreters[i];
	}
	return NULL;
}

/* The next argument, and `*at` behind it; NULL: there is none, or its end is cut off. */
static const char *next(const char **at, const char *end)
{
	const char *argument = *at;
	const char *stop = argument < end ? memchr(argument, '\0', end - argument) : NULL;

	if (!stop)
		return NULL;
	*at = stop + 1;
	return argument;
}

static bool write_script(const char *option, const char *name, char *script, size_t size)
{
	size_t used = 0, length = strlen(name);

	if (option)
		used = snprintf(script, size, "%s ", option);
	if (used + length < size)
		snprintf(script + used, size - used, "%s", name);
	else
		snprintf(script + used, size - used, "...%s",
			 name + length - (size - used - sizeof("...")));
	return true;
}

/* As in `sh -ec CODE`. */
static bool is_text(const struct interpreter *interpreter, const char *option)
{
	bool is_shell = !strcmp(interpreter->taking, SHELL_OPTIONS);

	return is_in(interpreter->text, option) ||
	       (is_shell && option[1] != '-' && strchr(option, 'c'));
}

bool interpreter_script(const char *command, size_t length, char *script, size_t size)
{
	const char *at = command, *end = command + length, *argument = next(&at, end), *name;
	const struct interpreter *interpreter = argument ? interpreter_find(argument) : NULL;

	script[0] = '\0';
	while (interpreter && (argument = next(&at, end))) {
		bool is_last = !strcmp(argument, "--");

		if (!argument[0] || !strcmp(argument, "-"))
			return false;
		if (!is_last && argument[0] != '-' && argument[0] != '+')
			return write_script(NULL, argument, script, size);
		if (is_text(interpreter, argument))
			return false;
		if (is_last || is_in(interpreter->script, argument)) {
			name = next(&at, end);
			return name && name[0] &&
			       write_script(is_last ? NULL : argument, name, script, size);
		}
		if (is_in(interpreter->taking, argument))
			next(&at, end);
	}
	return false;
}

void script_shorten(const char *script, char *text, size_t size)
{
	const char *blank = script[0] == '-' ? strchr(script, ' ') : NULL;
	const char *file = blank ? blank + 1 : script, *slash = strrchr(file, '/');
	int option = (int)(file - script);

	if (slash && slash[1])
		file = slash + 1;
	if (strlen(file) <= SCRIPT_NAME_SHOWN)
		snprintf(text, size, "%.*s%s", option, script, file);
	else
		snprintf(text, size, "%.*s...%s", option, script,
			 file + strlen(file) - (SCRIPT_NAME_SHOWN - strlen("...")));
}
