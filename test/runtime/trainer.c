/* SPDX-License-Identifier: Apache-2.0 */
/* The program that the runtime's tests train: it adds up sample numbers.
 *
 * The gradient of sample k is k + 1 for every parameter, so the mean gradient
 * of a step says which samples went into it, and the parameters' sum at the end
 * says whether every sample was used exactly once.  Step times and sizes are
 * options; nothing else is random.
 *
 *   trainer [--samples N] [--batch N] [--passes N] [--params N] [--step-ms N]
 *           [--fail-at STEP] [--exit CODE] [--layers N] [--overlap 0|1]
 *
 * --layers: that many parameters of --params each; their gradients are computed
 * one after the other, the last first.  --overlap 1: each is said to be ready.
 */
#include <getopt.h>
#include <gleaner/gleaner.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
  long samples, batch, passes, params, step_ms, fail_at, exit_code, layers,
      overlap;
};

static struct options read_options(int argc, char **argv) {
  struct options o = {400, 16, 1, 1000, 20, 0, 0, 1, 0};
  static struct option const known[] = {
      {"samples", 1, NULL, 's'}, {"batch", 1, NULL, 'b'},
      {"passes", 1, NULL, 'p'},  {"params", 1, NULL, 'n'},
      {"step-ms", 1, NULL, 't'}, {"fail-at", 1, NULL, 'f'},
      {"exit", 1, NULL, 'x'},    {"layers", 1, NULL, 'l'},
      {"overlap", 1, NULL, 'o'}, {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == '?') exit(64);
    long const value = atol(optarg);
    *(c == 's'   ? &o.samples
      : c == 'b' ? &o.batch
      : c == 'p' ? &o.passes
      : c == 'n' ? &o.params
      : c == 't' ? &o.step_ms
      : c == 'f' ? &o.fail_at
      : c == 'l' ? &o.layers
      : c == 'o' ? &o.overlap
                 : &o.exit_code) = value;
  }
  return o;
}

/* A blob: how many updates the state has seen. */
static int save_updates(void *ctx, void *data, size_t *size) {
  *size = sizeof(long);
  if (data) memcpy(data, ctx, sizeof(long));
  return 0;
}
static int load_updates(void *ctx, void const *data, size_t size) {
  if (size != sizeof(long)) return 1;
  memcpy(ctx, data, size);
  return 0;
}

static int failed(char const *what, int code, gleaner_training const *g) {
  fprintf(stderr, "trainer: %s: %s: %s\n", what, gleaner_strerror(code),
          gleaner_error(g));
  return 3;
}

static char const *name_of(long layer) {
  static char name[32];
  snprintf(name, sizeof name, "weight%ld", layer);
  return name;
}

/* Part of the step's time is the same however many share it. */
static void compute(struct options const *o, gleaner_training *g,
                    gleaner_step_info const *step) {
  double sum = 0;
  for (size_t i = 0; i < step->n_samples; ++i)
    sum += (double)(step->samples[i] + 1);
  long const pause_us = o->step_ms * 1000 / o->layers;
  struct timespec const pause = {pause_us / 1000000, pause_us % 1000000 * 1000};
  for (long layer = o->layers; layer-- > 0;) {
    nanosleep(&pause, NULL);
    double *gradient = gleaner_gradient(g, name_of(layer));
    for (long i = 0; i < o->params; ++i)
      gradient[i] += sum / step->global_batch;
    if (o->overlap) gleaner_gradient_ready(g, name_of(layer));
  }
}

static void update(struct options const *o, gleaner_training *g,
                   gleaner_step_info const *step, double *weight,
                   double *momentum) {
  for (long layer = 0; layer < o->layers; ++layer) {
    double const *gradient = gleaner_gradient(g, name_of(layer));
    for (long i = 0; i < o->params; ++i) {
      long const at = layer * o->params + i;
      momentum[at] = 0.5 * momentum[at] + gradient[i];
      /* gradient x batch is a sum of integers. */
      weight[at] += gradient[i] * step->global_batch;
    }
  }
}

int main(int argc, char **argv) {
  struct options const o = read_options(argc, argv);
  long const params = o.params * o.layers;
  double *weight = calloc((size_t)params, sizeof *weight);
  double *momentum = calloc((size_t)params, sizeof *momentum);
  long updates = 0;
  int64_t const shape[] = {o.params}, whole_shape[] = {params};
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = (uint64_t)o.samples;
  options.global_batch = (uint32_t)o.batch;
  options.passes = (uint32_t)o.passes;
  options.seed = 7;

  gleaner_training *g = NULL;
  int rc = gleaner_open(&options, &g);
  if (rc != GLEANER_OK) return failed("open", rc, g);
  for (long i = 0; i < o.layers && rc == GLEANER_OK; ++i)
    rc = gleaner_tensor(g, name_of(i), weight + i * o.params, GLEANER_FLOAT64,
                        shape, 1, GLEANER_PARAM);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "momentum", momentum, GLEANER_FLOAT64, whole_shape,
                        1, GLEANER_OPTIMIZER);
  if (rc == GLEANER_OK)
    rc = gleaner_blob(g, "updates", save_updates, load_updates, &updates);
  if (rc != GLEANER_OK) return failed("register", rc, g);
  rc = gleaner_start(g);
  if (rc < 0) return failed("start", rc, g);

  gleaner_step_info step;
  if (rc == GLEANER_OK)
    while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
      if (o.fail_at && step.step >= (uint64_t)o.fail_at) return 5;
      do {
        compute(&o, g, &step);
      } while ((rc = gleaner_reduce(g)) == GLEANER_MORE &&
               gleaner_step_now(g, &step) == GLEANER_OK);
      if (rc != GLEANER_OK) break;
      update(&o, g, &step, weight, momentum);
      ++updates;
      gleaner_log(g, "loss", 1.0 / (double)step.step, step.n_samples);
      gleaner_log(g, "weight", weight[params - 1], step.n_samples);
    }
  if (rc < 0) return failed("train", rc, g);
  for (long i = 1; i < params; ++i)
    if (weight[i] != weight[0] || momentum[i] != momentum[0]) return 4;
  printf("%s member=%s updates=%ld weight=%.3f momentum=%.6f\n",
         rc == GLEANER_DONE ? "done" : "leave",
         getenv("GLEANER_MEMBER") ? getenv("GLEANER_MEMBER") : "-", updates,
         weight[0], momentum[0]);
  gleaner_close(g);
  free(weight);
  free(momentum);
  return (int)o.exit_code;
}
