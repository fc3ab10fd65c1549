# SPDX-License-Identifier: BSD-2-Clause
"""mosquitto: a publisher that waits for the acknowledgement of each message, and ten subscribers."""

from comparison import Explained, client_figures, report_figures, service_of
from harness import PYTHON, Client, answers, free_port

from .case import SERVES, Case, program

SUBSCRIBERS, PUBLISHED = 10, 1000


class Mosquitto(Case):
    """The calls are the publisher's. The subscribers only receive."""

    name, program = "mosquitto", "mosquitto with ten subscribers"
    planted = f"{PUBLISHED} messages of QoS 1, 2 ms apart, to {SUBSCRIBERS} subscribers of QoS 0"
    true = "the publisher waits for the service: mosquitto sends to all subscribers, and then acknowledges"
    says = r"the server working|waiting for a CPU.*behind .*mqtt\.py"
    channel = r"127\.0\.0\.1:\d+"
    explained = {figure: Explained("The client's clock also has its waits for the interpreter, which it shares with the "
                                   "subscribers.", 0.9, 1)
                 for figure in ("p50_ns", "p99_ns")}

    def start(self, stage):
        self.port = free_port()
        configuration = stage.write("mosquitto.conf", f"listener {self.port} 127.0.0.1\n"
                                    "allow_anonymous true\nset_tcp_nodelay true\n")
        server = stage.serve("mosquitto", "-c", configuration, ready=lambda: answers(self.port))
        return [server.pid]

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("mqtt.py"), self.port, PUBLISHED, SUBSCRIBERS,
                      "NOTES")

    def figures(self, noted, summary):
        client = client_figures(noted["took"])
        report = report_figures(service_of(summary))
        sent = sum(one["messages"] for one in summary["channels"]
                   if one["sender"]["comm"] == "mosquitto" and one["name"] != "other")
        report["more"] = [("messages from mosquitto", noted["received"] + PUBLISHED, sent, 0)]
        return client, report


CASES = [Mosquitto()]
