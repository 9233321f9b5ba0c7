# SPDX-License-Identifier: Apache-2.0
"""Campaigns: searches whose trials are malleable trainings (gleaner-campaign(1)).

Optuna decides; this package carries out: it keeps the search in a directory,
starts `gleaner run` for each trial, and hands on what trials log.  It imports
neither PyTorch nor libgleaner.
"""
