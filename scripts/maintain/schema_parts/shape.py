# SPDX-License-Identifier: BSD-2-Clause
"""
Short words for the shapes of JSON values, as JSON Schema 2020-12 writes them. `says` is the description. All
members of an object are required, and others are refused, unless the description of the object says more.
"""

from schema_parts import words

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def value(kind, says, **more):
    return {"type": kind} | ({"description": says} if says else {}) | more


def integer(says="", least=0):
    return value("integer", says, minimum=least)


def signed(says=""):
    return value("integer", says)


def ns(says):
    """A duration, or an instant of CLOCK_MONOTONIC."""
    return integer(f"{says}, in ns")


def real(says=""):
    return value("number", says)


def real_ns(says):
    return real(f"{says}, in ns")


def share(says):
    return value("number", f"{says}, as a share: 1 is all of it", minimum=0)


def text(says=""):
    return value("string", says, minLength=1)


def flag(says=""):
    return value("boolean", says)


def word(set_, says=""):
    """One of a closed set of words. Large sets are definitions of their own."""
    if set_ in words.SHARED:
        return ref(words.SHARED[set_], says)
    return value("string", says, enum=list(set_))


def const(word_, says=""):
    return ({"description": says} if says else {}) | {"const": word_}


def array(items, says="", **more):
    return value("array", says, items=items, **more)


def ref(name, says=""):
    """A definition by its name."""
    return {"$ref": f"#/$defs/{name}"} | ({"description": says} if says else {})


def null(shape, when=""):
    """The same, or null: not known, or it does not apply."""
    shape = dict(shape)
    says = shape.pop("description", "")
    says = "; ".join(part for part in (says, f"null: {when}" if when else "") if part)
    described = {"description": says} if says else {}
    if "enum" in shape:
        return shape | {"type": [shape["type"], "null"], "enum": shape["enum"] + [None]} | described
    if "type" in shape and shape["type"] != "object":
        return shape | {"type": [shape["type"], "null"]} | described
    return {"anyOf": [shape, {"type": "null"}]} | described


def none(when=""):
    """Always null."""
    return value("null", when)


def either(*names, says=""):
    return {"anyOf": [ref(name) for name in names]} | ({"description": says} if says else {})


def members(fields, says="", optional=()):
    """An object with these members alone."""
    return value("object", says, properties=fields,
                 required=[name for name in fields if name not in optional], additionalProperties=False)


def counters(words, says=""):
    """An object with a number of each of these words."""
    return members({word_: integer() for word_ in words}, says)


def references(shape):
    """The names of the definitions that a shape refers to."""
    if isinstance(shape, dict):
        if "$ref" in shape:
            yield shape["$ref"].rpartition("/")[2]
        for part in shape.values():
            yield from references(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from references(part)


def document(title, says, root, definitions):
    """A whole schema: the root and what it refers to, directly or not."""
    used, waiting = {}, list(references(root))
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = definitions[name]
            waiting += references(definitions[name])
    return {"$schema": DIALECT, "title": title, "description": says} | \
        {key: part for key, part in root.items() if key != "description"} | \
        {"$defs": {name: used[name] for name in sorted(used)}}
