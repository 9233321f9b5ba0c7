/* SPDX-License-Identifier: Apache-2.0 */
/* What does a step cost besides computing?  A training that computes nothing.
 *
 * Each step sleeps, sums a gradient over all members and adds it to the
 * parameters, in an update that joiners may follow; the rest of the state is
 * only there to be copied.  When each step ended is appended to FILE.MEMBER,
 * one line a step:
 *
 *     END STEP WORLD REDUCE      seconds of CLOCK_MONOTONIC; seconds
 *
 *   step_program --log FILE [--step-ms N] [--gradient-kib N] [--state-kib N]
 *
 * It trains until it is ended.
 */
#include <getopt.h>
#include <gleaner/gleaner.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
  char const *log;
  long step_ms, gradient_kib, state_kib;
};

static struct options read_options(int argc, char **argv) {
  struct options o = {NULL, 20, 1024, 40960};
  static struct option const known[] = {{"log", 1, NULL, 'l'},
                                        {"step-ms", 1, NULL, 't'},
                                        {"gradient-kib", 1, NULL, 'g'},
                                        {"state-kib", 1, NULL, 's'},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'l')
      o.log = optarg;
    else if (c == 't')
      o.step_ms = atol(optarg);
    else if (c == 'g')
      o.gradient_kib = atol(optarg);
    else if (c == 's')
      o.state_kib = atol(optarg);
    else
      exit(64);
  }
  if (!o.log || o.gradient_kib < 1 || o.state_kib < o.gradient_kib) {
    fprintf(stderr,
            "step_program: --log is missing, or the state is smaller "
            "than the gradient\n");
    exit(64);
  }
  return o;
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static FILE *open_log(char const *prefix) {
  char path[4096];
  char const *member = getenv("GLEANER_MEMBER");
  snprintf(path, sizeof path, "%s.%s", prefix, member ? member : "0");
  FILE *file = fopen(path, "a");
  if (!file) {
    perror(path);
    exit(73);
  }
  return file;
}

static int failed(char const *what, int code, gleaner_training const *g) {
  fprintf(stderr, "step_program: %s: %s: %s\n", what, gleaner_strerror(code),
          gleaner_error(g));
  return 3;
}

struct update {
  float *weight;
  float const *gradient;
  long n;
};

static int run_update(void *ctx) {
  struct update const *u = ctx;
  for (long i = 0; i < u->n; ++i) u->weight[i] -= 1e-3f * u->gradient[i];
  return 0;
}

static int train(struct options const *o, gleaner_training *g, FILE *log) {
  struct timespec const compute = {o->step_ms / 1000,
                                   o->step_ms % 1000 * 1000000};
  float *gradient = gleaner_gradient(g, "weight");
  gleaner_step_info step;
  int rc;
  while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
    double began_s;
    do {
      nanosleep(&compute, NULL);
      gradient[0] = (float)step.n_samples;
      began_s = now_s();
    } while ((rc = gleaner_reduce(g)) == GLEANER_MORE &&
             gleaner_step_now(g, &step) == GLEANER_OK);
    if (rc != GLEANER_OK) break;
    double const reduced_s = now_s();
    if ((rc = gleaner_apply(g)) != GLEANER_OK) break;
    fprintf(log, "%.6f %lu %u %.6f\n", now_s(), (unsigned long)step.step,
            step.world_size, reduced_s - began_s);
    fflush(log);
  }
  return rc;
}

int main(int argc, char **argv) {
  struct options const o = read_options(argc, argv);
  int64_t const n = o.gradient_kib * 256;
  int64_t const rest = (o.state_kib - o.gradient_kib) * 256;
  float *state = malloc((size_t)(n + rest) * sizeof *state);
  if (!state) return 71;
  /* Touched, so that copying it moves real pages. */
  for (int64_t i = 0; i < n + rest; ++i) state[i] = 1;
  FILE *log = open_log(o.log);

  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = 1ul << 40;
  options.global_batch = 64;
  gleaner_training *g = NULL;
  int rc = gleaner_open(&options, &g);
  if (rc != GLEANER_OK) return failed("open", rc, g);
  rc =
      gleaner_tensor(g, "weight", state, GLEANER_FLOAT32, &n, 1, GLEANER_PARAM);
  if (rc == GLEANER_OK && rest > 0)
    rc = gleaner_tensor(g, "moments", state + n, GLEANER_FLOAT32, &rest, 1,
                        GLEANER_OPTIMIZER);
  struct update update = {state, NULL, n};
  if (rc == GLEANER_OK) {
    update.gradient = gleaner_gradient(g, "weight");
    rc = gleaner_update(g, run_update, &update);
  }
  if (rc == GLEANER_OK) rc = gleaner_start(g);
  if (rc == GLEANER_OK) rc = train(&o, g, log);
  if (rc < 0) return failed("train", rc, g);
  gleaner_close(g);
  fclose(log);
  free(state);
  return 0;
}
