# SPDX-License-Identifier: Apache-2.0
"""What are unions, gaps and overlaps of spans of time?  (from, to), in order."""


def united(spans):
    result = []
    for begin, end in sorted(s for s in spans if s[1] > s[0]):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((begin, end))
    return result


def overlap(a, b):
    """Both are united."""
    result, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        begin, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if end > begin:
            result.append((begin, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return result


def gaps(spans, window):
    """What of the window no span covers."""
    result, at = [], window[0]
    for begin, end in overlap(united(spans), [window]):
        if begin > at:
            result.append((at, begin))
        at = end
    if at < window[1]:
        result.append((at, window[1]))
    return result


def length(spans):
    return sum(end - begin for begin, end in spans)


def at_least(uses, level):
    """When `uses`, (from, to, amount) each, come to `level` or more together."""
    changes = sorted(
        change for begin, end, n in uses for change in ((begin, n), (end, -n))
    )
    result, amount, since = [], 0, None
    for t, more in changes:
        amount += more
        if amount >= level and since is None:
            since = t
        elif amount < level and since is not None:
            result.append((since, t))
            since = None
    return united(result)
