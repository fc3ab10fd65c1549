/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "util/interpreter.h"

#include <string.h>

#define SIZE 24

/* The arguments of `words`, which blanks part. */
static bool script_of(const char *words, char script[SIZE])
{
	char command[256];
	size_t length = strlen(words);

	memcpy(command, words, length + 1);
	for (size_t i = 0; i < length; i++) {
		if (command[i] == ' ')
			command[i] = '\0';
	}
	memset(script, 'x', SIZE);
	return interpreter_script(command, length ? length + 1 : 0, script, SIZE);
}

static void assert_script(const char *words, const char *expected)
{
	char script[SIZE];

	assert_true(script_of(words, script));
	assert_string_equal(script, expected);
}

static void assert_none(const char *words)
{
	char script[SIZE];

	assert_false(script_of(words, script));
	assert_string_equal(script, "");
}

TEST(the_first_argument_is_the_script)
{
	(void)state;
	assert_script("python3 worker.py", "worker.py");
	assert_script("/usr/bin/python3.11 /srv/app.py --port 1", "/srv/app.py");
	assert_script("node server.js", "server.js");
	assert_script("bash ./run", "./run");
	assert_script("-bash run", "run");
	assert_script("ruby3.1 x.rb", "x.rb");
	assert_script("java Main", "Main");
}

TEST(options_come_before_the_script)
{
	(void)state;
	assert_script("python3 -u -X dev -Wd worker.py -c", "worker.py");
	assert_script("node --inspect -r ./hook.js server.js", "server.js");
	assert_script("java -Xmx1g -cp a.jar:b.jar -ea com.example.Main x", "com.example.Main");
	assert_script("bash -e -o pipefail run", "run");
	assert_script("bash +x run", "run");
	assert_script("perl -I lib -w x.pl", "x.pl");
	assert_script("python3 -- worker.py", "worker.py");
}

TEST(an_option_may_name_the_program)
{
	(void)state;
	assert_script("python3 -m http.server 8000", "-m http.server");
	assert_script("java -Da=b -jar app.jar", "-jar app.jar");
	assert_script("php -S 127.0.0.1:80", "-S 127.0.0.1:80");
}

TEST(a_program_in_an_argument_has_no_name)
{
	(void)state;
	assert_none("python3 -c pass x.py");
	assert_none("node -e 1");
	assert_none("sh -c true");
	assert_none("sh -ec true");
	assert_none("bash --rcfile rc -ilc true");
}

TEST(without_a_script_there_is_none)
{
	(void)state;
	assert_none("");
	assert_none("python3");
	assert_none("python3 -");
	assert_none("python3 -u");
	assert_none("python3 -m");
	assert_none("python3 --");
	assert_none("bash -o pipefail");
	assert_none("python3 ");
}

TEST(other_programs_have_none)
{
	(void)state;
	assert_none("redis-server /etc/redis.conf");
	assert_none("python-config x");
	assert_none("pythonista x");
	assert_none("/opt/python/serve x");
	assert_none("/ x");
}

TEST(the_end_of_a_long_one_is_kept)
{
	(void)state;
	assert_script("python3 /aaaaaaaaaaaaaaaaaaaa/b", "/aaaaaaaaaaaaaaaaaaaa/b");
	assert_script("python3 /aaaaaaaaaaaaaaaaaaaa/bc", "...aaaaaaaaaaaaaaaaa/bc");
	assert_script("java -jar /aaaaaaaaaaaaaaaaaaaa/b", "-jar ...aaaaaaaaaaaaa/b");
}

TEST(an_argument_that_is_cut_off_does_not_count)
{
	char script[SIZE];

	(void)state;
	assert_false(interpreter_script("python3\0worker.py", 12, script, SIZE));
	assert_string_equal(script, "");
}

static void assert_short(const char *script, const char *expected)
{
	char text[64];

	script_shorten(script, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(people_see_the_name_of_the_file)
{
	(void)state;
	assert_short("/srv/app/worker.py", "worker.py");
	assert_short("-jar /opt/my app.jar", "-jar my app.jar");
	assert_short("-m http.server", "-m http.server");
	assert_short("/srv/my app/x", "x");
	assert_short("/srv/", "/srv/");
	assert_short("com.example.aaaaaaaaaaaaaaaaaaaaaaaa.Main",
		     "...aaaaaaaaaaaaaaaaaaaaaaaa.Main");
	assert_short("", "");
}
