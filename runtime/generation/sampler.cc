// SPDX-License-Identifier: Apache-2.0
/// Which samples does each step use, so that each is used once per pass?
#include "runtime/generation/sampler.hh"

#include <algorithm>
#include <bit>

#include "core/contract.hh"

namespace gleaner::generation {
namespace {

/// Remove and return the first n positions.
Positions take_front(Positions& from, std::uint64_t n) {
  Positions taken;
  auto it = from.begin();
  for (; it != from.end() && n > 0; ++it) {
    auto const length = std::min(n, it->last - it->first);
    taken.push_back({it->first, it->first + length});
    n -= length;
    it->first += length;
    if (it->first != it->last) break;
  }
  from.erase(from.begin(), it);
  return taken;
}

Error unreadable(char const* why, nlohmann::json const& json) {
  return {Errc::invalid_argument,
          "cannot use sampler state '" + json.dump() + "' (" + why + ")"};
}

/// Beyond this a float32 cannot count the samples of a step exactly.
constexpr std::uint32_t global_batch_max = 1u << 24;

}  // namespace

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::uint64_t count(Positions const& positions) {
  std::uint64_t n = 0;
  for (auto const& interval : positions) n += interval.last - interval.first;
  return n;
}

Positions merged(Positions const& a, Positions const& b) {
  Positions all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(),
            [](auto const& x, auto const& y) { return x.first < y.first; });
  Positions joined;
  for (auto const& next : all) {
    if (next.first == next.last) continue;
    EXPECT(joined.empty() || joined.back().last <= next.first,
           joined.back().last, next.first);
    if (!joined.empty() && joined.back().last == next.first)
      joined.back().last = next.last;
    else
      joined.push_back(next);
  }
  return joined;
}

Positions without_first(Positions positions, std::uint64_t n) {
  take_front(positions, n);
  return positions;
}

Positions share_of(Positions const& taken, std::size_t rank, std::size_t n) {
  EXPECT(rank < n, rank, n);
  auto const total = count(taken);
  auto const first = rank * total / n;
  auto const last = (rank + 1) * total / n;
  auto rest = without_first(taken, first);
  return take_front(rest, last - first);
}

Permutation::Permutation(std::uint64_t size, std::uint64_t seed,
                         std::uint64_t pass)
    : size_(size),
      half_bits_(std::max<unsigned>(1, (std::bit_width(size - 1) + 1) / 2)) {
  EXPECT(size > 0, size);
  auto key = mixed(mixed(seed) ^ pass);
  for (auto& round_key : keys_) round_key = key = mixed(key);
}

std::uint64_t Permutation::shuffled(std::uint64_t value) const {
  auto const mask = (std::uint64_t{1} << half_bits_) - 1;
  auto left = value >> half_bits_;
  auto right = value & mask;
  for (auto const key : keys_) {
    auto const next = left ^ (mixed(right ^ key) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::at(std::uint64_t position) const {
  EXPECT(position < size_, position, size_);
  // The network permutes up to 4 times as many values; following the cycle
  // until it is back inside permutes those inside.
  auto value = shuffled(position);
  while (value >= size_) value = shuffled(value);
  return value;
}

Sampler::Sampler(SamplerOptions options) : options_(options) {
  EXPECT(options.dataset_size > 0 && options.global_batch > 0 &&
             options.passes > 0,
         options.dataset_size, options.global_batch, options.passes);
  EXPECT(!options.drop_last || options.dataset_size >= options.global_batch,
         options.dataset_size, options.global_batch);
}

std::uint64_t Sampler::left_in_pass() const {
  return options_.dataset_size - next_ + count(back_);
}

bool Sampler::pass_is_over() const {
  auto const left = left_in_pass();
  return left == 0 || (options_.drop_last && left < options_.global_batch);
}

bool Sampler::done() const {
  return pass_ + 1 == options_.passes && pass_is_over();
}

std::uint64_t Sampler::dropped() const {
  return dropped_ + (done() ? left_in_pass() : 0);
}

Positions Sampler::take() {
  EXPECT(!done(), pass_, next_, options_.passes);
  if (pass_is_over()) {
    dropped_ += left_in_pass();
    ++pass_;
    next_ = 0;
    back_.clear();
  }
  auto const again = take_front(back_, options_.global_batch);
  auto const fresh = std::min<std::uint64_t>(
      options_.global_batch - count(again), options_.dataset_size - next_);
  auto const taken = merged(again, {{next_, next_ + fresh}});
  next_ += fresh;
  samples_seen_ += count(taken);
  ENSURE(next_ <= options_.dataset_size && !taken.empty(), next_,
         options_.dataset_size);
  return taken;
}

void Sampler::give_back(Positions const& positions) {
  EXPECT(count(positions) <= samples_seen_, count(positions), samples_seen_);
  EXPECT(positions.empty() || positions.back().last <= next_,
         positions.back().last, next_);
  back_ = merged(back_, positions);
  samples_seen_ -= count(positions);
}

nlohmann::json Sampler::to_json() const {
  auto back = nlohmann::json::array();
  for (auto const& interval : back_)
    back.push_back({interval.first, interval.last});
  return {{"pass", pass_},
          {"next", next_},
          {"back", back},
          {"samples_seen", samples_seen_},
          {"dropped", dropped_}};
}

Result<Sampler> Sampler::parse(SamplerOptions options,
                               nlohmann::json const& json) {
  Sampler sampler(options);
  try {
    sampler.pass_ = json.at("pass").get<std::uint64_t>();
    sampler.next_ = json.at("next").get<std::uint64_t>();
    sampler.samples_seen_ = json.at("samples_seen").get<std::uint64_t>();
    sampler.dropped_ = json.at("dropped").get<std::uint64_t>();
    std::uint64_t end = 0;
    for (auto const& pair : json.at("back")) {
      msg::Interval const interval{pair.at(0).get<std::uint64_t>(),
                                   pair.at(1).get<std::uint64_t>()};
      if (interval.first < end || interval.first >= interval.last ||
          interval.last > sampler.next_)
        return unreadable("intervals must be sorted and below next", json);
      end = interval.last;
      sampler.back_.push_back(interval);
    }
  } catch (nlohmann::json::exception const& error) {
    return unreadable(error.what(), json);
  }
  if (sampler.next_ > options.dataset_size)
    return unreadable("it is of a larger data set", json);
  if (sampler.pass_ >= options.passes)
    return unreadable("it is of more passes", json);
  return sampler;
}

bool Sampler::operator==(Sampler const& other) const {
  return pass_ == other.pass_ && next_ == other.next_ && back_ == other.back_ &&
         samples_seen_ == other.samples_seen_ && dropped_ == other.dropped_;
}

Result<void> check(SamplerOptions const& options) {
  auto refuse = [](std::string const& what) {
    return Error{Errc::invalid_argument, what};
  };
  if (options.dataset_size == 0) return refuse("dataset_size is 0");
  if (options.passes == 0) return refuse("passes is 0");
  if (options.global_batch == 0 || options.global_batch > global_batch_max)
    return refuse("global_batch is " + std::to_string(options.global_batch) +
                  ", expected 1 to " + std::to_string(global_batch_max));
  if (options.drop_last && options.dataset_size < options.global_batch)
    return refuse("drop_last would drop every sample (dataset_size " +
                  std::to_string(options.dataset_size) + ", global_batch " +
                  std::to_string(options.global_batch) + ")");
  return {};
}

}  // namespace gleaner::generation
