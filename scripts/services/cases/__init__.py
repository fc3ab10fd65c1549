# SPDX-License-Identifier: BSD-2-Clause
"""The programs of scripts/services/compare, one file each."""
