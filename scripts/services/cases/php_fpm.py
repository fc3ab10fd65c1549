# SPDX-License-Identifier: BSD-2-Clause
"""php-fpm behind nginx, over FastCGI: php reads the end of a request after its script has answered."""

import glob

from comparison import Explained
from harness import Missing, answers, children_of, free_port, wait_for

from .case import CALLS, Served, ways_of
from .nginx import PATHS

NGINX = """daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; user root;
events {{}}
http {{
    access_log off; keepalive_requests 100000; {paths}
    upstream php {{ server unix:{folder}/php; {keep} }}
    server {{ listen 127.0.0.1:{port};
        location / {{ fastcgi_pass php; fastcgi_keep_conn {lasting}; fastcgi_param REQUEST_METHOD $request_method;
                      fastcgi_param SCRIPT_FILENAME {folder}/planted.php; }} }}
}}
"""
FPM = """[global]
error_log = /dev/stderr
daemonize = no
[planted]
user = root
group = root
listen = {folder}/php
pm = static
pm.max_children = 2
"""
SCRIPT = """<?php
{handler}
header('Content-Length: 5');
echo "here\\n";
"""
HANDLERS = {
    "none": "",
    "spin": "for ($begin = hrtime(true); hrtime(true) - $begin < 500000;);",
    "sleep": "usleep(3000);",
}


class Php(Served):
    """Attached to php-fpm's workers. nginx makes a connection for each request, which is its way by default."""

    key, program, protocol = "php-fpm", "php-fpm behind nginx", "http"
    transport = "uds-stream"
    calls = CALLS
    keep, lasting = "", "off"
    explained = {figure: Explained("nginx's own time is in the client's round trip and not in php's.", 0.7, 1)
                 for figure in ("p50_ns", "p99_ns")} | \
        {"service_ns": Explained("php also compiles the script, and reads the end of the request.", 1, 1.3)}

    def start(self, stage):
        found = sorted(glob.glob("/usr/sbin/php-fpm*"))
        if not found:
            raise Missing("php-fpm is not installed: run sudo scripts/setup services")
        self.port = free_port()
        stage.write("planted.php", SCRIPT.format(handler=HANDLERS[self.way]))
        master = stage.serve(found[-1], "-n", "-R", "-y", stage.write("fpm.conf", FPM.format(folder=stage.folder)),
                             ready=lambda: answers(stage.file("php")))
        paths = " ".join(f"{part}_temp_path {stage.file(part)};" for part in PATHS)
        text = NGINX.format(folder=stage.folder, paths=paths, port=self.port, keep=self.keep, lasting=self.lasting)
        stage.serve("nginx", "-p", stage.folder, "-e", "stderr", "-c", stage.write("nginx.conf", text),
                    ready=lambda: answers(self.port))
        return wait_for(lambda: children_of(master.pid), "php-fpm's workers")

    def address(self, stage):
        return self.port


class Lasting(Php):
    """The same on connections that last."""

    key, program = "php-fpm-lasting", "php-fpm behind nginx, connections that last"
    keep, lasting = "keepalive 2; keepalive_requests 100000;", "on"


CASES = ways_of(Php, "spin", "sleep") + ways_of(Lasting, "sleep")
