# SPDX-License-Identifier: BSD-2-Clause
"""The parts of the JSON Schemas that scripts/maintain/schemas writes."""
