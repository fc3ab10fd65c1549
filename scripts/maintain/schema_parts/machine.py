# SPDX-License-Identifier: BSD-2-Clause
"""What commands say about the machine: ipctrace.list/1 and ipctrace.doctor/1."""

from schema_parts import words
from schema_parts.common import HOST_REF
from schema_parts.shape import array, const, document, flag, integer, members, null, ref, text, value, word

LIST = "ipctrace.list/1"
DOCTOR = "ipctrace.doctor/1"

ATTACH = null({"type": "array", "description": "the arguments of ipctrace attach that trace it",
               "prefixItems": [word(words.ATTACH_OPTIONS), value("string", "its value")],
               "items": False, "minItems": 2}, "it cannot be traced")

END = {
    "inode": null(integer("its inode", least=1), "not known"),
    "name": null(text("its address or path; bytes that are not UTF-8 are \\ooo"), "it has none"),
    "owner": null(members({"pid": integer("a process that has it open", least=1),
                           "comm": null(text("its name"), "not known")}), "not known"),
    "owners": integer("how many processes have it open"),
    "network": null(integer("its network namespace", least=1), "none"),
}

DEFINITIONS = {
    "channel_end": members(END, "One end of a connection."),
    "listed_service": members(END | {
        "transport": word(words.TRANSPORTS),
        "waiting": null(integer("connections that wait to be accepted"), "it accepts none"),
        "attach": ATTACH,
    }, "An end that accepts connections or datagrams."),
    "listed_connection": members({
        "transport": word(words.TRANSPORTS),
        "name": null(text("the name of the server's end"), "neither end has one"),
        "state": word(words.CONNECTION_STATES),
        "from": null(ref("channel_end"), "not known"),
        "to": null(ref("channel_end"), "not known"),
        "to_others": integer("further ends that receive from it"),
        "attach": ATTACH,
    }, "An open local channel."),
    "finding": members({
        "subject": null(text("what was looked at")),
        "health": word(words.HEALTHS),
        "value": null(text("what was found")),
        "cost": null(text("what that costs"), "nothing"),
        "remedy": null(text("what to do"), "nothing"),
        "lost": array(word(words.COMPONENTS + words.TRANSPORTS), "components and transports that cannot be traced"),
    }, "One finding."),
}

LISTED = members({
    "schema": const(LIST),
    "version": text("of this ipctrace"),
    "network": integer("the network namespace of ipctrace"),
    "services": array(ref("listed_service")),
    "connections": array(ref("listed_connection")),
    "elsewhere": integer("connections to other machines"),
    "idle": integer("ends without another end"),
    "missing": members({
        "processes": integer("processes whose descriptors are not visible"),
        "outside": flag("processes outside of this PID namespace are not visible"),
        "networks": integer("network namespaces whose sockets are missing"),
        "ends": integer("ends beyond the limits"),
    }, "What the list lacks."),
})

DIAGNOSIS = members({
    "schema": const(DOCTOR),
    "version": text("of this ipctrace"),
    "host": HOST_REF,
    "main_job": flag("ipctrace --transport uds --clients 5 can run here"),
    "components": members({name: flag() for name in words.COMPONENTS}, "Whether the kernel shows a component."),
    "transports": members({name: flag() for name in words.TRANSPORTS}, "Whether a transport can be traced."),
    "findings": array(ref("finding")),
    "left_out": integer("findings for which there was no room"),
})


def list_schema(definitions):
    return document(LIST, "ipctrace list -f json: the local channels of this machine.", LISTED, definitions)


def doctor_schema(definitions):
    return document(DOCTOR, "ipctrace doctor -f json: what this machine offers.", DIAGNOSIS, definitions)
