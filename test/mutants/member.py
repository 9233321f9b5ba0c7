# SPDX-License-Identifier: Apache-2.0
"""Defects of a member's state: tensors, gradients, checkpoints, sums that repeat."""

from defect import defects_in

state = defects_in("test/unit/runtime/state/test_state")

DEFECTS = [
    state(
        "a joiner lacks the last bytes of the state",
        "runtime/state/registry.cc",
        "return bytes_ / n * i + bytes_ % n * i / n;",
        "return bytes_ / n * i;",
        "stripes are disjoint and cover the state, in order",
    ),
    state(
        "two tensors of one name are registered",
        "runtime/state/registry.cc",
        "if (by_name_.count(tensor.name)) return refuse(\"the name is taken\");",
        "",
        "what cannot be registered is refused with its name",
    ),
    state(
        "programs whose tensors differ in shape share a state",
        "runtime/state/registry.cc",
        "for (auto d : tensor.shape) text += ' ' + std::to_string(d);",
        "",
        "the schema tells programs apart that cannot share a state",
    ),
    state(
        "state on a GPU is not copied before it is sent",
        "runtime/state/registry.cc",
        "tensor.device->to_host(tensor.data, tensor.on_device, tensor.bytes());",
        "Result<void>();",
        "a tensor on a device is sent and received through its copy",
    ),
    state(
        "a missing blob is left as it was",
        "runtime/state/registry.cc",
        "if (it == saved.end())",
        "if (it == saved.end()) continue;\n    if (false)",
        "blobs come back to who saved them, or it is said which is missing",
    ),
    state(
        "a checkpoint is written over the old one",
        "runtime/state/checkpoint_file.cc",
        "auto const temporary = path + \".tmp\";",
        "auto const temporary = path;",
        "a checkpoint that cannot be written leaves the old one alone",
    ),
    state(
        "a checkpoint of another program is loaded",
        "runtime/state/checkpoint_file.cc",
        "if (metadata.at(\"schema\") != schema)",
        "if (false)",
        "a file that cannot be the state is refused and changes nothing",
    ),
    state(
        "half a checkpoint is loaded before the rest is found missing",
        "runtime/state/checkpoint_file.cc",
        "if (last > file.bytes - file.data_at)",
        "if (false)",
        "a file that cannot be the state is refused and changes nothing",
    ),
    state(
        "float16 tensors are written as bfloat16",
        "runtime/state/checkpoint_file.cc",
        "return \"F16\";",
        "return \"BF16\";",
        "each type has its safetensors name",
    ),
    state(
        "members whose states differ are not told apart",
        "runtime/state/state_digest.cc",
        "digests[tensor->name] = sha256_hex(tensor->data, tensor->bytes());",
        "digests[tensor->name] = sha256_hex(tensor->data, tensor->bytes() / 2);",
        "every byte of every tensor counts in a full digest",
    ),
    state(
        "the same bytes are sampled in each step",
        "runtime/state/state_digest.cc",
        "auto const x = (std::uint64_t(step) * samples + k)",
        "auto const x = (std::uint64_t(0) * samples + k)",
        "samples are of other bytes in each step, and equal on all members",
    ),
    state(
        "running statistics, which differ, end a training",
        "runtime/state/state_digest.cc",
        "buffers == Buffers::equal\n",
        "true\n",
        "what members change by themselves is not compared",
    ),
    state(
        "buffers that are promised to be equal drift apart unseen",
        "runtime/state/state_digest.cc",
        "buffers == Buffers::equal\n",
        "false\n",
        "buffers that are promised to be equal are compared",
    ),
    state(
        "a deterministic sum overflows",
        "runtime/state/fixed_point.cc",
        "return 62 - static_cast<int>(std::bit_width(terms - 1)) - exponent;",
        "return 66 - exponent; (void)terms;",
        "no sum overflows, however many terms are of the largest size",
    ),
    state(
        "infinite gradients become numbers",
        "runtime/state/fixed_point.cc",
        "? std::numeric_limits<double>::quiet_NaN()",
        "? 0.0",
        "what is not finite makes the sum NaN",
    ),
    state(
        "gradients of the step before are added again",
        "runtime/state/shard_sums.cc",
        "  kept_.clear();\n}",
        "}",
        "a step forgets the shards of the one before",
    ),
    state(
        "half a registered parameter has no gradient",
        "runtime/state/gradients.cc",
        "used += (n + align - 1) / align * align;",
        "used += n / align * align;",
        "every gradient is in exactly one bucket, the last ones first",
    ),
]
