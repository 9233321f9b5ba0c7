// SPDX-License-Identifier: Apache-2.0
/// A real training that grows and shrinks: how LibTorch and Gleaner meet.
///
/// Every parameter, and every number Adam remembers, is registered, so that a
/// process that joins goes on exactly where the others are.  Autograd adds the
/// gradients up directly in the buffers Gleaner reduces, and says which are
/// complete, so that they are reduced while backward goes on.
#include <gleaner/gleaner.h>
#include <torch/nn/functional/loss.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "adam.hh"
#include "model.hh"
#include "options.hh"
#include "overlap.hh"
#include "text.hh"

namespace char_lm {
namespace {

/// Throws with Gleaner's own words when a call failed.
int check(gleaner_training* g, int rc) {
  if (rc >= 0) return rc;
  throw std::runtime_error(std::string(gleaner_strerror(rc)) + " (" +
                           gleaner_error(g) + ")");
}

/// The open membership; left when the program ends.
struct Membership {
  gleaner_training* g = nullptr;
  Membership(Options const& options, Text const& text) {
    gleaner_options o = GLEANER_OPTIONS_INIT;
    o.dataset_size = text.samples();
    o.global_batch = options.batch;
    o.passes = options.passes;
    o.seed = options.seed;
    check(nullptr, gleaner_open(&o, &g));
  }
  ~Membership() { gleaner_close(g); }
  Membership(Membership const&) = delete;
  Membership& operator=(Membership const&) = delete;
};

void register_tensor(gleaner_training* g, std::string const& name, void* data,
                     int dtype, at::IntArrayRef shape, int role) {
  check(g, gleaner_tensor(g, name.c_str(), data, dtype, shape.data(),
                          static_cast<int>(shape.size()), role));
}

/// Name the whole state of the training to Gleaner, and let each parameter's
/// gradient live in the buffer that Gleaner reduces.
void register_state(gleaner_training* g, Model& model, Adam& adam,
                    Overlap& overlap) {
  for (auto const& item : model->named_parameters()) {
    auto const& name = item.key();
    torch::Tensor parameter = item.value();
    auto const shape = parameter.sizes();
    register_tensor(g, name, parameter.data_ptr(), GLEANER_FLOAT32, shape,
                    GLEANER_PARAM);
    void* gradient = gleaner_gradient(g, name.c_str());
    // A defined gradient is added to in place, never replaced.
    parameter.mutable_grad() =
        torch::from_blob(gradient, shape, torch::kFloat32);
    overlap.watch(name, parameter);
    auto& slot = adam.add(name, parameter.data_ptr<float>(),
                          static_cast<float const*>(gradient),
                          static_cast<std::size_t>(parameter.numel()));
    register_tensor(g, name + ".mean", slot.mean.data(), GLEANER_FLOAT32, shape,
                    GLEANER_OPTIMIZER);
    register_tensor(g, name + ".variance", slot.variance.data(),
                    GLEANER_FLOAT32, shape, GLEANER_OPTIMIZER);
  }
  register_tensor(g, "adam.updates", &adam.updates(), GLEANER_FLOAT64, {1},
                  GLEANER_OPTIMIZER);
  auto update = [](void* a) { return static_cast<Adam*>(a)->update(), 0; };
  check(g, gleaner_update(g, update, &adam));
}

/// Forward and backward over this member's samples of the step.  Each sample's
/// gradient counts 1 / global_batch, so that the sum over all members is the
/// mean over the whole batch.  Returns the mean loss of these samples.
double learn(Model& model, Text const& text, gleaner_step_info const& step) {
  if (step.n_samples == 0) return 0;  // more members than samples: only reduce
  auto const n = static_cast<std::int64_t>(step.n_samples);
  auto const t = static_cast<std::int64_t>(text.context());
  auto characters = torch::empty({n, t + 1}, torch::kInt64);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* from = text.sample(step.samples[i]);
    std::copy(from, from + t + 1,
              characters.data_ptr<std::int64_t>() + i * (t + 1));
  }
  auto const scores = model(characters.narrow(1, 0, t));
  auto const next = characters.narrow(1, 1, t).reshape({n * t});
  auto const loss = torch::nn::functional::cross_entropy(
      scores.reshape({n * t, scores.size(2)}), next);
  (loss * (static_cast<double>(n) / step.global_batch)).backward();
  return loss.item<double>();
}

/// Takes the time of a member's work, and does none: gradients stay zero.
double imitate(Emulation const& emulation, gleaner_step_info const& step) {
  std::this_thread::sleep_for(std::chrono::duration<double>(
      emulation.fixed_s +
      emulation.sample_s * static_cast<double>(step.n_samples)));
  return 0;
}

/// Let sums take as long as the links would that are imitated.
void imitate_links(Emulation const& emulation, Model& model) {
  if (emulation.link_s == 0 && emulation.ring_s == 0) return;
  double bytes = 0;
  for (auto const& parameter : model->parameters())
    bytes += 4.0 * static_cast<double>(parameter.numel());
  auto const bytes_per_s = bytes / std::max(emulation.ring_s, 1e-9);
  char link[64];
  std::snprintf(link, sizeof link, "%.9g,%.9g", emulation.link_s,
                std::max(bytes_per_s, 1.0));
  setenv("GLEANER_SLOW_LINK", link, 1);
}

/// What the model writes by itself: shown at the end, for a person.
std::string write_text(Model& model, Text const& text, std::int64_t length) {
  torch::NoGradGuard no_grad;
  auto const t = static_cast<std::int64_t>(text.context());
  std::vector<std::int64_t> tokens(text.sample(0), text.sample(0) + t);
  std::string written;
  while (static_cast<std::int64_t>(written.size()) < length) {
    auto last = torch::from_blob(tokens.data() + tokens.size() - t, {1, t},
                                 torch::kInt64);
    auto const chances = torch::softmax(model(last)[0][t - 1], -1);
    auto const next = torch::multinomial(chances, 1).item<std::int64_t>();
    tokens.push_back(next);
    written += text.character(static_cast<std::size_t>(next));
  }
  return written;
}

void train(Options const& options) {
  auto const path =
      options.text.empty() ? "/usr/share/common-licenses" : options.text;
  auto const text = Text::read(path, static_cast<std::size_t>(options.context));
  torch::manual_seed(options.seed);
  Model model(ModelSize{static_cast<std::int64_t>(text.vocabulary()),
                        options.context, options.width, options.heads,
                        options.layers});
  Adam adam(options.learning_rate);
  if (options.emulation) imitate_links(*options.emulation, model);
  Membership membership(options, text);
  gleaner_training* g = membership.g;
  // learn() runs backward once a step: what is added to then is complete.
  Overlap overlap([g](std::string const& name) {
    check(g, gleaner_gradient_ready(g, name.c_str()));
  });
  register_state(g, model, adam, overlap);
  check(g, gleaner_start(g));
  // This thread only: Gleaner's own answer the others as fast as ever.
  if (options.nice > 0 && nice(options.nice) == -1)
    throw std::runtime_error("cannot lower the priority");

  gleaner_step_info step{};
  int rc;
  while ((rc = check(g, gleaner_step(g, &step))) == GLEANER_STEP) {
    double loss = 0;
    do {
      check(g, gleaner_step_now(g, &step));
      loss = options.emulation ? imitate(*options.emulation, step)
                               : learn(model, text, step);
    } while ((rc = check(g, gleaner_reduce(g))) == GLEANER_MORE);
    if (rc != GLEANER_OK) break;
    check(g, gleaner_apply(g));

    if (step.n_samples > 0)
      check(g, gleaner_log(g, "loss", loss, step.n_samples));
    if (step.rank == 0 && options.report_every > 0 &&
        step.step % options.report_every == 0) {
      std::printf("step %llu pass %llu members %u loss %.3f\n",
                  static_cast<unsigned long long>(step.step),
                  static_cast<unsigned long long>(step.pass), step.world_size,
                  loss);
      std::fflush(stdout);
    }
  }
  if (rc == GLEANER_DONE && step.rank == 0 && options.sample > 0)
    std::printf("%s\n", write_text(model, text, options.sample).c_str());
}

}  // namespace
}  // namespace char_lm

int main(int argc, char** argv) {
  auto const options = char_lm::parse_options(argc, argv);
  // One thread per member: members share a node's cores in the example job.
  torch::set_num_threads(1);
  torch::set_num_interop_threads(1);
  try {
    char_lm::train(options);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "char_lm: %s\n", error.what());
    return 1;
  }
  return 0;
}
