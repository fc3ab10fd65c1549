# SPDX-License-Identifier: BSD-2-Clause
"""A Python program without the name of a module, such as scripts/maintain/kernels, as a module."""

import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.dont_write_bytecode = True


def load(path):
    """`path` is from the top folder; its main() is not called."""
    name = os.path.basename(path)
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
