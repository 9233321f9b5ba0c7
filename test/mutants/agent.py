# SPDX-License-Identifier: Apache-2.0
"""Defects of gleaner-agent: which cores and GPUs a member gets, what it prints."""

from defect import defects_in

agent = defects_in("test/unit/runtime/agent/test_agent")

DEFECTS = [
    agent(
        "two members share cores while others are idle",
        "runtime/agent/binding.cc",
        "auto const last = units.size() * (place + 1) / places;",
        "auto const last = std::min(units.size(), units.size() * (place + 1) / places + 1);",
        "members share the cores evenly, neighbours on neighbours",
    ),
    agent(
        "members use cores that the lease does not have",
        "runtime/agent/binding.cc",
        "    cpus.keep_only(topology_->allowed);\n",
        "",
        "a member near hardware threads that are not the lease's shares all",
    ),
    agent(
        "memory of another socket is used",
        "runtime/agent/binding.cc",
        "if (found >= 0) return -1;",
        "",
        "memory is named where the cores have one",
    ),
    agent(
        "no core is left for what helps a member",
        "runtime/agent/binding.cc",
        "cores >= plenty ? cores - 1 : cores};",
        "cores};",
        "of eight cores or more, one is left to what helps the member",
    ),
    agent(
        "members see all GPUs of the node",
        "runtime/agent/gpu_share.cc",
        "for (auto i = first + 1; i < end; ++i) share += ',' + gpus[i];",
        "for (auto i = first + 1; i < gpus.size(); ++i) share += ',' + gpus[i];",
        "members have slices of the GPUs of a node",
    ),
    agent(
        "a GPU that Slurm hides is used",
        "runtime/agent/gpu_share.cc",
        "if (gpu.empty() || gpu == \"-1\" || gpu == \"NoDevFiles\") break;",
        "if (gpu.empty()) break;",
        "CUDA_VISIBLE_DEVICES is read as CUDA reads it",
    ),
    agent(
        "another job's GPU is counted",
        "runtime/agent/gpu_place.cc",
        "!may_open(root + \"/dev/nvidia\" + minor->second))",
        "false)",
        "another job's GPU is not counted",
    ),
    agent(
        "a member is bound to cores of another GPU",
        "runtime/agent/gpu_place.cc",
        "if (!place || (!cpus.empty() && cpus != place->cpus)) return \"\";",
        "if (!place) return \"\";",
        "a GPU is found by number and by UUID, with what is near it",
    ),
    agent(
        "what a member printed last is lost",
        "runtime/agent/labelled_output.cc",
        "    if (!stream->line.empty()) stream->end_line();\n  });",
        "  });",
        "a last line without its end is there, too",
    ),
]
