# SPDX-License-Identifier: Apache-2.0
"""Which figures of bench-harm.json does a reader want, and beside what?"""

from starts import PATHS

NAMES = {
    "main": "sbatch, main scheduler",
    "backfill": "sbatch, backfill",
    "srun": "srun",
    "all": "all",
}


def table(header, lines):
    rows = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    rows += ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    return "\n".join(rows)


def three(found, digits=2):
    """p50 / p99 / max."""
    if not found:
        return ""
    return " / ".join(f"{found[key]:.{digits}f}" for key in ("p50", "p99", "max"))


def two(found):
    return f"{found['p50']:.0f} / {found['p99']:.0f}" if found else ""


def share(part, whole):
    return f"{part} of {whole}" if whole else "0"


def delay_table(row):
    """A line for each path; the noise stands beside what is measured."""
    control = row.get("control", {})
    lines = []
    for path in ["all", *PATHS]:
        measured = row["added_start_delay_s"].get(path)
        if not measured:
            continue
        line = [NAMES[path], measured["n"], three(measured)]
        noise = control.get("added_start_delay_s", {}).get(path)
        line.append(three(noise) if control else "not run")
        for run in ("with", "without"):
            line.append(three(row[run]["idle_wait_s"].get(path)))
        lines.append(line)
    return table(
        [
            "path",
            "jobs",
            "added_start_delay_s p50 / p99 / max",
            "the same of a second run without",
            "idle wait with, s",
            "without, s",
        ],
        lines,
    )


def harvest_words(found):
    if found["harvest_ratio"] is None:
        return "no holes", ""
    return (
        f"{found['harvest_ratio']:.3f}",
        f"{found['harvested_node_s']:.0f} of {found['idle_node_s']:.0f}",
    )


def lease_table(rows):
    lines = []
    for row in rows:
        lost = row["losses"]
        count = {kind: sum(lost[kind].values()) for kind in lost}
        lines.append(
            [
                row["row"],
                *harvest_words(row),
                *(harvest_words(row["of_parts"]) if "of_parts" in row else ("", "")),
                row["leases"],
                two(row["grant_ms"]),
                two(row["take_back_ms"]),
                count["without_notice"] + count["without_notice_though_known"],
                by_words(lost["without_notice"]),
                by_words(lost["without_notice_though_known"]),
                count["with_notice"],
            ]
        )
    return table(
        [
            "row",
            "harvest_ratio of whole nodes",
            "node s",
            "with parts of nodes",
            "node s",
            "leases",
            "grant p50 / p99, ms",
            "take back p50 / p99, ms",
            "losses without notice",
            "before gleanerd knew of the job",
            "though it knew",
            "losses with notice",
        ],
        lines,
    )


def by_words(counts):
    return ", ".join(f"{NAMES.get(k, k)} {n}" for k, n in sorted(counts.items()))


def cycle_words(cycles):
    if "longest_us" not in cycles:
        return str(cycles["cycles"])
    return f"{cycles['cycles']}, {cycles['longest_us'] / 1e3:.1f} ms"


def slurmctld_table(rows):
    lines = []
    for row in rows:
        cpu, control = row["slurmctld_cpu_s"], row.get("control", {})
        again = control.get("slurmctld_cpu_s")
        line = [
            row["row"],
            f"{cpu['with']:.2f} / {cpu['without']:.2f}"
            + (f" / {again:.2f}" if again else ""),
            f"{100 * cpu['added_share']:+.0f} %",
        ]
        for kind in ("main", "backfill"):
            sides = row["with"], row["without"]
            line.append(" / ".join(cycle_words(s["cycles"][kind]) for s in sides))
        worse = row["placements"]
        line += [
            share(worse[run]["worse_nodes"], worse[run]["nodes"])
            for run in ("with", "without")
        ]
        busy = [row[run]["machine"]["busy_p50"] for run in ("with", "without")]
        line.append(", ".join(f"{100 * part:.0f} %" for part in busy))
        lines.append(line)
    return table(
        [
            "row",
            "slurmctld, s of a processor: with / without (/ again)",
            "added",
            "main cycles, longest: with / without",
            "backfill cycles, longest: with / without",
            "nodes of worse Weight: with",
            "without",
            "machine busy p50: with, without",
        ],
        lines,
    )


def tables(document):
    parts = []
    for row in document["rows"]:
        parts.append(
            f"{row['row']}: {row['nodes']} {row['title']}; {row['log']}, {row['jobs']} "
            f"jobs in {row['seconds']:.0f} s, compressed {row['compression']:.0f} times, "
            f"offered load {row['load']:.2f}\n\n" + delay_table(row)
        )
    rows = document["rows"]
    parts += [lease_table(rows), slurmctld_table(rows)]
    parts += [f"not run: {name} ({why})" for name, why in document["not_run"].items()]
    return "\n\n".join(parts)
