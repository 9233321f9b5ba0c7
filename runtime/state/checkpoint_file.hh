// SPDX-License-Identifier: Apache-2.0
/// How the state lies in a checkpoint: a safetensors file.
///
/// 8 bytes length of the header, little endian; the header, JSON; the tensors.
/// The header names each tensor's type, shape and place, so that any
/// safetensors reader finds parameters by name.  Its "__metadata__" holds
/// strings: "gleaner" = "1", "schema" (Registry::schema) and "state", JSON of
/// the schema, "session" (JSON: step and sampler) and "blobs" (base64).
#pragma once

#include <map>
#include <string>

#include "core/result.hh"
#include "runtime/state/registry.hh"

namespace gleaner::state {

/// What a checkpoint, or a copy of the state to a joiner, holds beside tensors.
struct StateHeader {
  std::string schema;
  std::string session;  ///< opaque here
  std::map<std::string, std::string> blobs;

  std::string to_text() const;
  /// Fails with invalid_argument.
  static Result<StateHeader> parse(std::string const& text);
};

/// Write all of it or nothing: to a temporary name beside `path`, flushed to
/// the disk, then renamed.  `data` is a copy of all tensors in the registry's
/// order; names, types and shapes are the registry's.  Returns the size of the
/// file.  Fails with io.
Result<std::uint64_t> write_checkpoint(std::string const& path,
                                       std::vector<Tensor> const& tensors,
                                       char const* data,
                                       StateHeader const& header);

/// Fill the registry's tensors.  Fails with io when it cannot be read, with
/// invalid_argument, saying why, when the file is truncated, is no checkpoint
/// of Gleaner or belongs to another program; then tensors are untouched,
/// except after a read error half way.
Result<StateHeader> read_checkpoint(std::string const& path,
                                    Registry const& registry,
                                    std::string const& schema);

}  // namespace gleaner::state
