// SPDX-License-Identifier: Apache-2.0
/// gleaner.h for C++20: a training as an object, its steps as a range.
///
///     gleaner::Training training({.dataset_size = 60000, .global_batch = 64});
///     auto gradient = training.parameter("weight", weight, {784, 10});
///     for (gleaner::Step& step : training.steps()) {
///       bool const whole = step.reduce([&] {
///         ... add the gradient of each of step.samples(), divided by
///             step.global_batch(), to `gradient` ...
///       });
///       if (!whole) break;  // this member was released
///       ... update the weight from the gradient ...
///       step.log("loss", loss);
///     }
///
/// Failures are exceptions: a training can do nothing better than end, and the
/// loop stays readable.  All of it is inline and compiled into the program;
/// libgleaner itself has no C++ interface and throws nothing.  What callbacks
/// throw comes out of the call during which they ran.
#pragma once

#include <gleaner/gleaner.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gleaner {

/// A call failed.
class Error : public std::runtime_error {
 public:
  Error(int code, std::string const& why)
      : std::runtime_error(std::string(gleaner_strerror(code)) +
                           (why.empty() ? "" : ": " + why)),
        code_(code) {}
  int code() const { return code_; }  ///< GLEANER_E...

 private:
  int code_;
};

/// See gleaner_options.
struct Options {
  std::uint64_t dataset_size = 0;  ///< samples in one pass
  std::uint32_t global_batch = 0;  ///< samples per step over all members
  std::uint32_t passes = 1;
  std::uint64_t seed = 0;
  bool drop_last = false;
  /// Samples that this member computes at once; 0: its whole share of a step.
  std::uint64_t micro_batch_max = 0;
};

/// Sizes of a tensor's dimensions; {}: one, of all values.
using Shape = std::vector<std::int64_t>;

namespace detail {

template <class T>
constexpr int dtype() {
  if constexpr (std::is_same_v<T, float>) return GLEANER_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return GLEANER_FLOAT64;
  if constexpr (std::is_same_v<T, std::int64_t>) return GLEANER_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return GLEANER_UINT8;
  return 0;
}

/// Memory that does not go with the expression: a named vector, a span.
template <class Range>
concept Memory = std::ranges::contiguous_range<Range> &&
    std::ranges::sized_range<Range> && std::ranges::borrowed_range<Range> &&
    dtype<std::ranges::range_value_t<Range>>()
!= 0;

struct Blob {
  std::function<std::string()> save;
  std::function<void(std::string_view)> load;
  struct State* state = nullptr;
  std::string saved{};
};

/// What a Training holds; stays where it is when the Training moves.
struct State {
  gleaner_training* g = nullptr;
  gleaner_step_info info{};
  bool finished = false;
  std::optional<int> over{};  ///< within a step: GLEANER_LEAVE or _DONE
  std::deque<Blob> blobs{};
  std::function<void()> update{};
  std::function<void()> begins_soon{};
  std::exception_ptr thrown{};

  State() = default;
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  ~State() { gleaner_close(g); }

  int check(int code) {
    if (auto const what = std::exchange(thrown, nullptr))
      std::rethrow_exception(what);
    if (code < 0) throw Error(code, gleaner_error(g));
    return code;
  }

  /// A call from C: what it throws waits for the caller of C.
  template <class Call>
  int run(Call const& call) noexcept {
    try {
      call();
      return 0;
    } catch (...) {
      thrown = std::current_exception();
      return 1;
    }
  }
};

inline int save_blob(void* ctx, void* data, size_t* size) {
  auto& blob = *static_cast<Blob*>(ctx);
  return blob.state->run([&] {
    if (data)
      std::memcpy(data, blob.saved.data(), blob.saved.size());
    else
      blob.saved = blob.save();
    *size = blob.saved.size();
  });
}

inline int load_blob(void* ctx, void const* data, size_t size) {
  auto& blob = *static_cast<Blob*>(ctx);
  return blob.state->run([&] {
    blob.load({static_cast<char const*>(data), size});
  });
}

inline void run_begins_soon(void* ctx) {
  static_cast<State*>(ctx)->begins_soon();
}

inline int run_update(void* ctx) {
  auto& state = *static_cast<State*>(ctx);
  return state.run([&] { state.update(); });
}

}  // namespace detail

/// One step, as this member shall compute it.  A view: valid in the loop's
/// body.
class Step {
 public:
  explicit Step(detail::State& state) : state_(&state) {}

  /// Samples of this share of the step; none when there are more members than
  /// samples.
  std::span<std::uint64_t const> samples() const {
    return {info().samples, info().n_samples};
  }
  std::uint64_t number() const { return info().step; }  ///< from 1
  std::uint64_t pass() const { return info().pass; }    ///< from 0
  std::uint32_t global_batch() const { return info().global_batch; }
  std::uint64_t samples_seen() const { return info().samples_seen; }
  std::uint32_t world_size() const { return info().world_size; }
  std::uint32_t rank() const { return info().rank; }
  std::uint64_t rng_seed() const { return info().rng_seed; }

  /// Compute this member's gradients and sum them over all members.  `compute`
  /// adds those of samples() to the gradients.  It is called once, and again
  /// with other samples when they come in parts, or when members were lost.
  ///
  /// What it throws comes out of here.  But std::bad_alloc, with more samples
  /// than one, makes all of the step begin again, in parts of half the size;
  /// see gleaner_again().
  ///
  /// False: this member was released in the step.  The gradients are not those
  /// of the step: leave out the update.  The loop ends; log() and apply() do
  /// nothing.
  template <std::invocable Compute>
  bool reduce(Compute&& compute) {
    int code = 0;
    while ((code = reduce_part(compute)) == GLEANER_MORE)
      state_->check(gleaner_step_now(state_->g, &state_->info));
    if (code != GLEANER_OK) state_->over = code;
    return code == GLEANER_OK;
  }

  /// This parameter's gradient is complete: see gleaner_gradient_ready().
  void gradient_ready(std::string const& name) {
    state_->check(gleaner_gradient_ready(state_->g, name.c_str()));
  }

  /// Run the update that was registered.
  void apply() {
    if (!state_->over) state_->check(gleaner_apply(state_->g));
  }

  /// The training ends after this step.  On all members; see gleaner_stop().
  void stop() {
    if (!state_->over) state_->check(gleaner_stop(state_->g));
  }

  /// Report the mean of a value over this member's samples, or over `n`.
  void log(std::string const& key, double value) {
    log(key, value, info().n_samples);
  }
  void log(std::string const& key, double value, std::uint64_t n) {
    if (n > 0 && !state_->over)
      state_->check(gleaner_log(state_->g, key.c_str(), value, n));
  }

 private:
  template <class Compute>
  int reduce_part(Compute& compute) {
    try {
      compute();
    } catch (std::bad_alloc const&) {
      auto const half = (info().n_samples + 1) / 2;
      int const code = info().n_samples > 1 ? gleaner_again(state_->g, half)
                                            : GLEANER_ENOMEM;
      if (code < 0) throw;
      return code;
    }
    return state_->check(gleaner_reduce(state_->g));
  }

  gleaner_step_info const& info() const { return state_->info; }
  detail::State* state_;
};

/// The steps that are left.  Going on to the next one waits for it.
class Steps {
 public:
  class Iterator {
   public:
    using value_type = Step;
    using difference_type = std::ptrdiff_t;

    Iterator(detail::State& state, int started) : state_(&state), step_(state) {
      if (started == GLEANER_OK)
        advance();
      else
        take(started);
    }
    Step& operator*() { return step_; }
    Iterator& operator++() {
      advance();
      return *this;
    }
    void operator++(int) { advance(); }
    bool operator==(std::default_sentinel_t) const { return over_; }

   private:
    void advance() {
      if (state_->over) return take(*state_->over);
      take(state_->check(gleaner_step(state_->g, &state_->info)));
    }
    void take(int code) {
      over_ = code != GLEANER_STEP;
      state_->finished = code == GLEANER_DONE;
    }
    detail::State* state_;
    Step step_;
    bool over_ = false;
  };

  Steps(detail::State& state, int started)
      : state_(&state), started_(started) {}
  Iterator begin() { return {*state_, started_}; }
  std::default_sentinel_t end() const { return {}; }

 private:
  detail::State* state_;
  int started_;  ///< what gleaner_start() returned
};

/// While it lives, this member may keep the others waiting; see
/// gleaner_busy().
class [[nodiscard]] Busy {
 public:
  Busy(detail::State& state, std::string const& why, double limit_s)
      : state_(state) {
    state_.check(gleaner_busy(state_.g, why.c_str(), limit_s));
  }
  Busy(Busy const&) = delete;
  Busy& operator=(Busy const&) = delete;
  ~Busy() { gleaner_busy(state_.g, nullptr, 0); }

 private:
  detail::State& state_;
};

/// A membership in a training.  Throws Error; leaves when destroyed.
class Training {
 public:
  /// Join; see gleaner_open().
  explicit Training(Options const& options)
      : state_(std::make_unique<detail::State>()),
        global_batch_(options.global_batch) {
    gleaner_options o = GLEANER_OPTIONS_INIT;
    o.dataset_size = options.dataset_size;
    o.global_batch = options.global_batch;
    o.passes = options.passes;
    o.seed = options.seed;
    o.drop_last = options.drop_last ? 1 : 0;
    o.micro_batch_max = options.micro_batch_max;
    state_->check(gleaner_open(&o, &state_->g));
  }

  /// Register what is learned.  The memory of the gradient: as many values,
  /// zero when a step begins, the mean over all members after Step::reduce().
  template <detail::Memory Range>
  auto parameter(std::string const& name, Range&& values, Shape shape = {}) {
    using T = std::ranges::range_value_t<Range>;
    static_assert(std::is_floating_point_v<T>, "only floats have gradients");
    add(name, values, std::move(shape), GLEANER_PARAM);
    auto* gradient = gleaner_gradient(state_->g, name.c_str());
    return std::span<T>(static_cast<T*>(gradient), std::ranges::size(values));
  }

  /// Register other state: what an optimizer remembers; anything else.
  template <detail::Memory Range>
  void optimizer(std::string const& name, Range&& values, Shape shape = {}) {
    add(name, values, std::move(shape), GLEANER_OPTIMIZER);
  }
  template <detail::Memory Range>
  void buffer(std::string const& name, Range&& values, Shape shape = {}) {
    add(name, values, std::move(shape), GLEANER_BUFFER);
  }

  /// Register what is no tensor.
  void blob(std::string const& name, std::function<std::string()> save,
            std::function<void(std::string_view)> load) {
    state_->blobs.push_back({std::move(save), std::move(load), state_.get()});
    state_->check(gleaner_blob(state_->g, name.c_str(), detail::save_blob,
                               detail::load_blob, &state_->blobs.back()));
  }

  /// Register what Step::apply() runs.
  void on_update(std::function<void()> update) {
    state_->update = std::move(update);
    state_->check(gleaner_update(state_->g, detail::run_update, state_.get()));
  }

  /// The program loads the samples of so many shares in advance; see
  /// gleaner_loads_ahead().  `begins_soon` must not throw, and runs on another
  /// thread.
  void loads_ahead(std::uint32_t shares,
                   std::function<void()> begins_soon = {}) {
    state_->begins_soon = std::move(begins_soon);
    auto* call = state_->begins_soon ? detail::run_begins_soon : nullptr;
    state_->check(gleaner_loads_ahead(state_->g, shares, call, state_.get()));
  }

  /// This member's samples `ahead` shares from now; nothing after the last.
  std::optional<std::vector<std::uint64_t>> samples_ahead(
      std::uint32_t ahead) const {
    std::vector<std::uint64_t> samples(global_batch_);
    std::size_t n = 0;
    if (state_->check(gleaner_samples_ahead(state_->g, ahead, samples.data(),
                                            samples.size(), &n)) ==
        GLEANER_DONE)
      return std::nullopt;
    samples.resize(n);
    return samples;
  }

  /// Until the result is gone, for at most `limit_s` seconds, this member may
  /// keep the others waiting: it evaluates, compiles, writes a file.
  Busy busy(std::string const& why, double limit_s) {
    return Busy(*state_, why, limit_s);
  }

  /// How much this training matters among its user's, 0.1 to 10; see
  /// gleaner_set_weight().
  void set_weight(double weight) {
    state_->check(gleaner_set_weight(state_->g, weight));
  }

  /// Start: a joiner's state is filled in here.  Then go through all steps.
  /// Empty when the training does not need this member after all.
  Steps steps() { return {*state_, state_->check(gleaner_start(state_->g))}; }

  /// After the loop: the training is over.  Else this member was released.
  bool finished() const { return state_->finished; }

  /// The last step there was.
  Step last_step() const { return Step(*state_); }

 private:
  template <class Range>
  void add(std::string const& name, Range& values, Shape shape, int role) {
    auto const n = static_cast<std::int64_t>(std::ranges::size(values));
    if (shape.empty()) shape = {n};
    std::int64_t product = 1;
    for (auto extent : shape) product *= extent;
    if (product != n)
      throw Error(GLEANER_EINVAL,
                  "tensor '" + name + "' has " + std::to_string(n) +
                      " values, but its shape has " + std::to_string(product));
    using T = std::ranges::range_value_t<Range>;
    state_->check(gleaner_tensor(state_->g, name.c_str(),
                                 std::ranges::data(values), detail::dtype<T>(),
                                 shape.data(), int(shape.size()), role));
  }

  std::unique_ptr<detail::State> state_;
  std::uint32_t global_batch_;
};

}  // namespace gleaner
