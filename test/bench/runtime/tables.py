# SPDX-License-Identifier: Apache-2.0
"""Which figures of bench-runtime.json does a reader want, and beside what?"""

from figures import interval_of_median, interval_of_ratio, median, summary

STALL_FACTOR_AIM = 100
LOSS_FACTOR_AIM = 25
LOSS_AIM_MS = {"tcp": 150, "mpi": 250}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def ms(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}"


def p50_p99(values):
    found = summary(values)
    return f"{ms(found['p50'])} / {ms(found['p99'])}"


def values(row, key):
    return [repetition[key] for repetition in row["repetitions"] if key in repetition]


def factor(peer, ours):
    """Of medians.  What is below 1 ms counts as 1 ms: noise, or less."""
    ours = [max(1.0, value) for value in ours]
    low, high = interval_of_ratio(peer, ours)
    return f"{median(peer) / median(ours):.0f} ({low:.0f} to {high:.0f})"


def resize_aims(change, state_mib):
    """Of the median stall: copied, followed."""
    if state_mib != 40 or change[1] < change[0]:
        return ["", ""]
    return ["150" if change == (1, 8) else "40", "20"]


def resize_table(rows):
    """A line for each change, state, plane and program: joiners copied to, or following."""
    cells = {}
    for row in rows:
        if row["repetitions"] and row["system"] == "gleaner":
            face = row.get("program", "C")
            key = row["from"], row["to"], row["state_mib"], row["plane"], face
            cells.setdefault(key, {})[row["joiners"]] = row
    peers = {
        (row["from"], row["to"], row["state_mib"]): values(row, "stall_ms")
        for row in rows
        if row["system"] == "torchrun" and row["repetitions"]
    }
    lines = []
    for (old, new, state_mib, plane, face), found in sorted(cells.items()):
        ways = [found.get("copied"), found.get("followed") if new > old else None]
        stalls = [values(way, "stall_ms") if way else [] for way in ways]
        peer = peers.get((old, new, state_mib), []) if face == "C" else []
        aims = resize_aims((old, new), state_mib)
        lines.append(
            [
                f"{old} to {new}" + ("" if face == "C" else f", {face}"),
                state_mib,
                plane,
                max(len(stall) for stall in stalls),
                *(
                    (p50_p99(stall) + (f" ({aim})" if aim else "")) if stall else ""
                    for stall, aim in zip(stalls, aims)
                ),
                beside(ways, "lost_ms"),
                beside(ways, "to_new_size_ms"),
                p50_p99(peer) if peer else "",
                # torchrun has no planned shrink: its rows are losses of a node.
                *(
                    factor(peer, stall) if peer and stall and new > old else ""
                    for stall in stalls
                ),
            ]
        )
    return table(
        [
            "members",
            "state, MiB",
            "plane",
            "n",
            "stall p50 / p99 (aim of p50), ms: copied",
            "followed",
            "lost_ms p50: copied, followed",
            "order to new size p50, ms: copied, followed",
            "torchrun's stall p50 / p99, ms",
            "/ copied (95 %)",
            "/ followed (95 %)",
        ],
        lines,
    )


def beside(ways, key):
    """The medians of what there is."""
    return ", ".join(ms(median(values(way, key))) for way in ways if way)


def loss_table(rows):
    lines = []
    for row in rows:
        overheads = values(row, "overhead_ms")
        peers = [
            r
            for r in rows
            if r["system"] == "torchrun"
            and (r["kind"], r["workload"]) == (row["kind"], row["workload"])
        ]
        ours = row["system"] == "gleaner"
        to_next = values(row, "to_next_step_ms")
        lines.append(
            [
                row["workload"],
                row["kind"],
                f"Gleaner, {row['plane']}" if ours else "torchrun",
                len(overheads),
                p50_p99(overheads),
                LOSS_AIM_MS[row["plane"]] if ours else "",
                p50_p99(to_next),
                factor(values(peers[0], "to_next_step_ms"), to_next)
                if peers and ours
                else "",
            ]
        )
    lines.sort(key=lambda line: (line[0], line[1], line[2]))
    return table(
        [
            "step",
            "killed",
            "system",
            "n",
            "overhead p50 / p99, ms",
            "aim p50",
            "to the next stable step p50 / p99, ms",
            "torchrun's time / ours (95 %)",
        ],
        lines,
    )


def size_of(n):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n >= size:
            return f"{n // size} {unit}"
    return f"{n} B"


def ratio(above, below):
    ratios = [a / b for a, b in zip(above, below)]
    low, high = interval_of_median(ratios)
    return f"{median(ratios):.3f} ({low:.3f} to {high:.3f})"


def allreduce_aim(row):
    if row["plane"] == "tcp":
        large = row["bytes"] >= 1 << 20
        alone = row["nodes"] == "one" and row["library"] == "gloo"
        return "2.0" if large and alone else "1.0"
    if row["bytes"] >= 16 << 20:
        return "0.95"
    return "0.8" if row["bytes"] == 1 << 20 and row["members"] == 2 else ""


def allreduce_table(rows):
    return table(
        [
            "plane",
            "library",
            "nodes",
            "members",
            "size",
            "pairs",
            "ours p50 / p99, ms",
            "library p50 / p99, ms",
            "library / ours (95 %)",
            "aim",
        ],
        [
            [
                row["plane"],
                row["library"],
                row["nodes"],
                row["members"],
                size_of(row["bytes"]),
                len(row["ours_ms"]),
                " / ".join(f"{summary(row['ours_ms'])[p]:.3g}" for p in ("p50", "p99")),
                " / ".join(
                    f"{summary(row['library_ms'])[p]:.3g}" for p in ("p50", "p99")
                ),
                ratio(row["library_ms"], row["ours_ms"]),
                allreduce_aim(row),
            ]
            for row in rows
        ],
    )


def network_table(rows):
    lines = []
    for row in rows:
        if row["kind"] == "connect":
            took = summary(row["connect_s"])
            what = f"{row['members']} members connect, s"
            lines.append([what, f"{took['p50']:.2f} / {took['p99']:.2f}", "", "2"])
            what = "descriptors of each"
            lines.append([what, f"{row['descriptors']:.0f}", "", ""])
        elif row["kind"] == "order":
            what = f"{row['members']} nodes at two switches, {size_of(row['bytes'])}, "
            times = row["alternating_ms"], row["sorted_ms"]
            ours = p50_p99(row["sorted_ms"])
            lines.append([what + "ring sorted, ms", ours, ratio(*times), "2.5"])
            what += "not sorted, ms"
            lines.append([what, p50_p99(row["alternating_ms"]), "", ""])
        else:
            used = ratio([row["floor_ms"]] * len(row["ms"]), row["ms"])
            what = f"{row['members']} nodes, {row['mbit']} Mbit/s, "
            what += f"{size_of(row['bytes'])}, ms"
            lines.append([what, p50_p99(row["ms"]), used, "0.95"])
    return table(["what", "p50 / p99", "ratio (95 %)", "aim"], lines)


def joiners_table(rows):
    def line(row):
        stalls = values(row, "stall_s")
        times_stream = median(stalls) / row["stream_s"]
        found = summary(stalls)
        return [
            row["joiners"],
            row["state_mib"],
            row["link_mbit"],
            len(stalls),
            f"{row['stream_s']:.2f}",
            f"{found['p50']:.2f} / {found['max']:.2f}",
            f"{times_stream:.2f}",
            "1.10",
        ]

    return table(
        [
            "joiners",
            "state, MiB",
            "links, Mbit/s",
            "runs",
            "one stream, s",
            "stall p50 / max, s",
            "stall / stream",
            "aim",
        ],
        map(line, rows),
    )


def fixed_table(rows):
    aims = {"char_lm": "0.97", "wide": "1.0"}
    return table(
        [
            "model",
            "reduced during backward",
            "turns",
            "Gleaner's step p50 / p99, ms",
            "DDP's p50 / p99, ms",
            "DDP / Gleaner (95 %)",
            "aim",
        ],
        [
            [
                row["model"],
                "yes" if row["overlap"] else "no",
                len(row["step_ms"]),
                p50_p99(row["step_ms"]),
                p50_p99(row["ddp_step_ms"]),
                ratio(row["ddp_step_ms"], row["step_ms"]),
                aims[row["model"]] if row["overlap"] else "",
            ]
            for row in rows
        ],
    )


def deterministic_table(rows):
    return table(
        [
            "members",
            "shards",
            "pairs",
            "step p50 / p99, ms",
            "without the mode, ms",
            "times as long (95 %)",
        ],
        [
            [
                row["members"],
                row["shards"],
                len(row["step_ms"]),
                p50_p99(row["step_ms"]),
                p50_p99(row["usual_ms"]),
                ratio(row["step_ms"], row["usual_ms"]),
            ]
            for row in rows
        ],
    )


def loader_table(rows):
    return table(
        [
            "members",
            "announced",
            "times",
            "wait of a step before p50 / p99, ms",
            "of the first four together p50 / p99, ms",
            "of a step after p50 / p99, ms",
        ],
        [
            [
                f"{row['from']} to {row['to']}",
                "yes" if row["announced"] else "no",
                len(row["repetitions"]),
                *(p50_p99(values(row, f"{at}_ms")) for at in ("before", "at", "after")),
            ]
            for row in rows
        ],
    )


def scale_table(rows):
    loads = [row for row in rows if row["kind"] == "load"]
    changes = [row for row in rows if row["kind"] == "change"]
    return (
        table(
            [
                "members",
                *(
                    f"{c['steps_per_s']:.0f} steps/s, {c['values']} values"
                    for c in loads[0]["cells"]
                ),
                "a step, us",
                "a member's value, us",
                "taken for lost",
            ],
            [
                [
                    row["members"],
                    *(f"{c['share']:.1%}" for c in row["cells"]),
                    f"{row['step_us']:.0f}",
                    f"{row['value_us']:.1f}",
                    row["lost"],
                ]
                for row in loads
            ],
        )
        + "\n\n"
        + table(
            [
                "change",
                "n",
                "until all train p50 / p99, ms",
                "none trained, ms",
                "coordinator's processor, ms",
                "KiB of a member",
            ],
            [
                [
                    row["what"],
                    len(row["repetitions"]),
                    *(
                        p50_p99(values(row, key))
                        for key in ("took_ms", "stall_ms", "processor_ms")
                    ),
                    p50_p99(row.get("member_kib", [])) if "member_kib" in row else "",
                ]
                for row in changes
            ],
        )
    )


PARTS = [
    ("Resizes", "resize", resize_table),
    ("Losses", "loss", loss_table),
    ("Reductions", "allreduce", allreduce_table),
    ("The network", "network", network_table),
    ("State to joiners over links", "joiners", joiners_table),
    ("A size that does not change", "fixed", fixed_table),
    ("Deterministic mode", "deterministic", deterministic_table),
    ("Waiting for samples", "loader", loader_table),
    ("A thousand members", "scale", scale_table),
]


def tables(document):
    parts = []
    for title, part, make in PARTS:
        rows = [row for row in document["rows"] if row["part"] == part]
        if rows:
            parts.append(f"## {title}\n{make(rows)}\n")
    return "\n".join(parts)
