// SPDX-License-Identifier: Apache-2.0
/// Where gradients lie: each member's own sums L and their sum R over all.
///
/// Gradients become ready from the last layer to the first, so buckets run
/// from the last tensor to the first.  Bucket 0 is small and carries two words
/// more: whether the member is ready for the open offer, and how many samples
/// it contributes; they are float32 or float64, also where no gradient is.  It
/// has two results, for even and for odd steps: R(s-1)
/// must stay whole until bucket 0 of step s is complete (doc/architecture.md,
/// "Generations").  L stays whole until R is complete: a step can be redone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/comm.hh"
#include "runtime/os/memory.hh"
#include "runtime/state/readiness.hh"
#include "runtime/state/registry.hh"

namespace gleaner::state {

/// How the gradient of a parameter is added up; nothing if it has none.
std::optional<comm::Element> element_of(Dtype type);

/// What bucket 0 says beside gradients; summed over the members.
struct StepWords {
  double not_ready = 0;  ///< 0: this member is ready for the open offer
  double samples = 0;    ///< it contributes
};

class Gradients {
 public:
  struct Bucket {
    void const* local = nullptr;
    void* sum = nullptr;
    std::size_t n = 0;
    comm::Element type = comm::Element::float32;
  };

  /// `sharing`: whether others than this process are to reach them.
  explicit Gradients(os::Sharing sharing = os::Sharing::none);
  ~Gradients();

  /// Room for the gradient of a parameter, zeroed, on the same device; stays
  /// where it is.  All are on one device, or on the host.  Fails
  /// with invalid_argument for a dtype without gradients, with io when there
  /// is no memory.  Only before seal().
  Result<void*> add(Tensor const& parameter);

  /// The same for numbers that are no parameter's gradient.
  Result<void*> add(std::string const& name, comm::Element type, std::size_t n);

  /// Numbers of this type that fit bucket 0: the last ones added are there.
  static std::size_t first_bucket_max(comm::Element type);

  /// NULL for an unknown name.
  void* find(std::string const& name) const;

  /// Its part of R(step), as far as that is complete; NULL for an unknown name,
  /// and when only an end of it is in bucket 0.
  void const* find_sum(std::string const& name, std::int64_t step) const;

  /// Lay out the buckets.  Once, when all is registered.
  Result<void> seal();

  std::size_t buckets() const { return layout_.size(); }

  /// The buckets that hold a part of each parameter's gradient.  After seal().
  Readiness::Parts parts() const;

  /// Bucket i, as step `step` uses it.
  Bucket bucket(std::size_t i, std::int64_t step) const;

  /// Where all of it lies; NULL: in memory of the host.
  std::shared_ptr<comm::Device> const& device() const { return device_; }

  // What follows fails with io when the device does, and never on the host.
  Result<void> clear();  ///< L = 0
  Result<void> set_words(StepWords const& mine);
  /// Summed, once bucket 0 is.
  Result<StepWords> words(std::int64_t step) const;

  /// L = R(step) * scale, once R is complete.
  Result<void> take_result(std::int64_t step, double scale);

  /// R(step), to be sent to another member: where it is, or copied to `room`.
  Result<std::vector<Span>> read_result(std::int64_t step,
                                        std::string& room) const;
  /// R(step) as another member has it.
  Result<void> write_result(std::int64_t step, std::vector<char> const& bytes);
  std::size_t result_bytes() const;

  /// All of L and R, for a data plane that maps them.  After seal(); none
  /// without sharing.
  std::vector<comm::SharedRegion> regions() const;

 private:
  class Slab;
  struct Range {
    Slab* slab;
    std::size_t first, n;  ///< in elements
    bool overlaps(Range const& other) const {
      return slab == other.slab && n > 0 && other.n > 0 &&
             first < other.first + other.n && other.first < first + n;
    }
  };

  Slab* slab_for(comm::Element type, std::size_t n);
  void* sum_of(std::size_t i, std::int64_t step) const;
  std::vector<Span> result(std::int64_t step) const;

  os::Sharing const sharing_;
  std::shared_ptr<comm::Device> device_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::map<std::string, Range> by_name_;
  std::vector<Range> layout_;
  std::unique_ptr<Slab> other_first_;  ///< bucket 0's result of odd steps
};

}  // namespace gleaner::state
