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
 *           [--state-mib N] [--micro-batch N] [--memory N]
 *
 * --layers: that many parameters of --params each; their gradients are computed
 * one after the other, the last first.  --overlap 1: each is said to be ready.
 * --loss: what the logged loss begins with.
 * --micro-batch: samples that are computed at once.  --memory: for more of them
 * there is no memory; it is missing when all gradients but one are computed.
 * --state-mib: so much more state that has no gradient; it counts updates.
 * SIGUSR1: it computes for ever from now on.  SIGUSR2: it is busy for 4 s.
 * $TRAINER_HOLD=FILE: as long as it is there, a joiner follows slowly.
 * $TRAINER_LONG=FILE: as long as it is there, steps take 40 ms more.
 * $TRAINER_NOT_READY_ON=NODE: there it does not even call gleaner_open().
 */
#include <getopt.h>
#include <gleaner/gleaner.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
  long samples, batch, passes, params, step_ms, fail_at, exit_code, layers,
      overlap, state_mib, micro_batch, memory, loss;
};

static struct options read_options(int argc, char **argv) {
  struct options o = {400, 16, 1, 1000, 20, 0, 0, 1, 0, 0, 0, 0, 1};
  static struct option const known[] = {
      {"samples", 1, NULL, 's'},     {"batch", 1, NULL, 'b'},
      {"passes", 1, NULL, 'p'},      {"params", 1, NULL, 'n'},
      {"step-ms", 1, NULL, 't'},     {"fail-at", 1, NULL, 'f'},
      {"exit", 1, NULL, 'x'},        {"layers", 1, NULL, 'l'},
      {"overlap", 1, NULL, 'o'},     {"state-mib", 1, NULL, 'm'},
      {"micro-batch", 1, NULL, 'c'}, {"memory", 1, NULL, 'r'},
      {"loss", 1, NULL, 'q'},        {NULL, 0, NULL, 0}};
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
      : c == 'm' ? &o.state_mib
      : c == 'c' ? &o.micro_batch
      : c == 'r' ? &o.memory
      : c == 'q' ? &o.loss
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

static volatile sig_atomic_t hangs, is_busy;
static void on_signal(int number) {
  if (number == SIGUSR1) hangs = 1;
  if (number == SIGUSR2) is_busy = 1;
}

static void obey_signals(gleaner_training *g) {
  while (hangs) continue;
  if (!is_busy) return;
  is_busy = 0;
  gleaner_busy(g, "a nap", 5);
  sleep(4);
  gleaner_busy(g, NULL, 0);
}

static int is_there(char const *variable) {
  char const *const file = getenv(variable);
  return file && access(file, F_OK) == 0;
}

/* Part of the step's time is the same however many share it.  0: no memory. */
static int compute(struct options const *o, gleaner_training *g,
                   gleaner_step_info const *step) {
  double sum = 0;
  for (size_t i = 0; i < step->n_samples; ++i)
    sum += (double)(step->samples[i] + 1);
  obey_signals(g);
  if (is_there("TRAINER_LONG")) usleep(40000);
  long const pause_us = o->step_ms * 1000 / o->layers;
  struct timespec const pause = {pause_us / 1000000, pause_us % 1000000 * 1000};
  for (long layer = o->layers; layer-- > 0;) {
    nanosleep(&pause, NULL);
    double *gradient = gleaner_gradient(g, name_of(layer));
    for (long i = 0; i < o->params; ++i)
      gradient[i] += sum / step->global_batch;
    if (layer == 0 && o->memory && step->n_samples > (size_t)o->memory)
      return 0;
    if (o->overlap) gleaner_gradient_ready(g, name_of(layer));
  }
  return 1;
}

/* What the update works on. */
struct state {
  struct options const *o;
  gleaner_training *g;
  double *weight, *momentum, *moments;
  long updates;
  int started; /* gleaner_start() has returned */
};

enum { slices = 64 };

/* The part of the moments that an update writes. */
static long moments(struct options const *o) { return o->state_mib << 17; }
static long slice_begin(struct options const *o, long slice) {
  return moments(o) * slice / slices;
}

/* It stays behind: others make several steps meanwhile. */
static void hold_back(struct state const *s) {
  if (!s->started && is_there("TRAINER_HOLD")) usleep(200000);
}

static int update(void *ctx) {
  struct state *const s = ctx;
  struct options const *const o = s->o;
  gleaner_step_info step;
  if (gleaner_step_now(s->g, &step) != GLEANER_OK) return 1;
  hold_back(s);
  for (long layer = 0; layer < o->layers; ++layer) {
    double const *gradient = gleaner_gradient(s->g, name_of(layer));
    for (long i = 0; i < o->params; ++i) {
      long const at = layer * o->params + i;
      s->momentum[at] = 0.5 * s->momentum[at] + gradient[i];
      /* gradient x batch is a sum of integers. */
      s->weight[at] += gradient[i] * step.global_batch;
    }
  }
  long const slice = s->updates++ % slices;
  for (long i = slice_begin(o, slice); i < slice_begin(o, slice + 1); ++i)
    s->moments[i] = (double)s->updates;
  return 0;
}

/* Every slice holds the number of the last update that wrote it. */
static int moments_are_right(struct state const *s) {
  for (long slice = 0; slice < slices; ++slice) {
    long const past = s->updates - slice - 1;
    double const last =
        past < 0 ? 0 : (double)(past / slices * slices + slice + 1);
    for (long i = slice_begin(s->o, slice); i < slice_begin(s->o, slice + 1);
         ++i)
      if (s->moments[i] != last) return 0;
  }
  return 1;
}

/* By more than rounding: parts of a gradient are added in different orders,
 * and a step's batch need not be a power of two. */
static int differ(double a, double b) {
  double const scale = b < 0 ? -b : b;
  return a - b > 1e-9 * scale || b - a > 1e-9 * scale;
}

int main(int argc, char **argv) {
  struct options const o = read_options(argc, argv);
  long const params = o.params * o.layers;
  struct state s = {&o, NULL, NULL, NULL, NULL, 0, 0};
  s.weight = calloc((size_t)params, sizeof *s.weight);
  s.momentum = calloc((size_t)params, sizeof *s.momentum);
  s.moments = calloc((size_t)moments(&o) + 1, sizeof *s.moments);
  int64_t const shape[] = {o.params}, whole_shape[] = {params},
                moments_shape[] = {moments(&o)};
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = (uint64_t)o.samples;
  options.global_batch = (uint32_t)o.batch;
  options.passes = (uint32_t)o.passes;
  options.seed = 7;
  options.micro_batch_max = (uint64_t)o.micro_batch;

  signal(SIGUSR1, on_signal);
  signal(SIGUSR2, on_signal);
  char const *const not_ready_on = getenv("TRAINER_NOT_READY_ON");
  char const *const node = getenv("GLEANER_NODE");
  while (not_ready_on && node && strcmp(node, not_ready_on) == 0) pause();

  gleaner_training *g = NULL;
  int rc = gleaner_open(&options, &g);
  s.g = g;
  if (rc != GLEANER_OK) return failed("open", rc, g);
  for (long i = 0; i < o.layers && rc == GLEANER_OK; ++i)
    rc = gleaner_tensor(g, name_of(i), s.weight + i * o.params, GLEANER_FLOAT64,
                        shape, 1, GLEANER_PARAM);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "momentum", s.momentum, GLEANER_FLOAT64, whole_shape,
                        1, GLEANER_OPTIMIZER);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "moments", s.moments, GLEANER_FLOAT64, moments_shape,
                        1, GLEANER_OPTIMIZER);
  if (rc == GLEANER_OK)
    rc = gleaner_blob(g, "updates", save_updates, load_updates, &s.updates);
  if (rc == GLEANER_OK) rc = gleaner_update(g, update, &s);
  if (rc != GLEANER_OK) return failed("register", rc, g);
  rc = gleaner_start(g);
  if (rc < 0) return failed("start", rc, g);
  s.started = 1;

  gleaner_step_info step;
  if (rc == GLEANER_OK)
    while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
      if (o.fail_at && step.step >= (uint64_t)o.fail_at) return 5;
      do {
        rc = compute(&o, g, &step) ? gleaner_reduce(g)
                                   : gleaner_again(g, (step.n_samples + 1) / 2);
      } while (rc == GLEANER_MORE && gleaner_step_now(g, &step) == GLEANER_OK);
      if (rc != GLEANER_OK) break;
      rc = gleaner_apply(g);
      if (rc != GLEANER_OK) break;
      gleaner_log(g, "loss", (double)o.loss / (double)step.step,
                  step.n_samples);
      gleaner_log(g, "weight", s.weight[params - 1], step.n_samples);
    }
  if (rc < 0) return failed("train", rc, g);
  for (long i = 1; i < params; ++i)
    if (differ(s.weight[i], s.weight[0]) ||
        differ(s.momentum[i], s.momentum[0]))
      return 4;
  if (!moments_are_right(&s)) return 4;
  printf("%s member=%s updates=%ld weight=%.3f momentum=%.6f\n",
         rc == GLEANER_DONE ? "done" : "leave",
         getenv("GLEANER_MEMBER") ? getenv("GLEANER_MEMBER") : "-", s.updates,
         s.weight[0], s.momentum[0]);
  gleaner_close(g);
  free(s.weight);
  free(s.momentum);
  free(s.moments);
  return (int)o.exit_code;
}
