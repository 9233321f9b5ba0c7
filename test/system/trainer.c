/* SPDX-License-Identifier: Apache-2.0 */
/* A training whose result shows whether every sample was seen exactly once.
 *
 *     trainer DATASET BATCH PASSES SAMPLE_MS OUT_DIR
 *
 * Sample i contributes i + 1, so the total over PASSES passes is known.  A
 * sample takes SAMPLE_MS of (pretended) time, so more members are faster.
 * With TRAINER_FLOATS=N it also has so many parameters without a use, whose
 * gradients cross the links.  Each member writes OUT_DIR/member-ID: what it
 * sees of its node; and, when the training is done, OUT_DIR/result-ID: "TOTAL
 * EXPECTED".  What OUT_DIR/weight says becomes the training's weight.
 */
#include <gleaner/gleaner.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* All state, registered: a joiner receives it as it is between two steps. */
struct state {
  double total; /* over the samples before `mean` */
  double mean;  /* of the last step's contributions, not yet in total */
  int64_t seen; /* samples committed before that step */
};

static int failed(gleaner_training *g, char const *what, int rc) {
  fprintf(stderr, "trainer: %s: %s (%s)\n", what, gleaner_strerror(rc),
          gleaner_error(g));
  gleaner_close(g);
  return 1;
}

static FILE *out_file(char const *dir, char const *kind) {
  char const *member = getenv("GLEANER_MEMBER");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%s", dir, kind, member ? member : "0");
  return fopen(path, "w");
}

static void write_variable(FILE *file, char const *name) {
  char const *value = getenv(name);
  fprintf(file, "%s=%s\n", name, value ? value : "");
}

static void describe(char const *dir) {
  FILE *file = out_file(dir, "member");
  if (!file) return;
  write_variable(file, "SLURM_JOB_ID");
  write_variable(file, "SLURM_NODELIST");
  write_variable(file, "CUDA_VISIBLE_DEVICES");
  fprintf(file, "PID=%ld\n", (long)getpid());
  fclose(file);
}

/* The pretended computation. */
static void spend_ms(double ms) {
  struct timespec left = {(time_t)(ms / 1e3), (long)(fmod(ms, 1e3) * 1e6)};
  nanosleep(&left, NULL);
}

/* What campaigns do when they have seen how a trial does. */
static int heed_weight(gleaner_training *g, char const *dir) {
  char path[4096];
  double weight = 0;
  int rc = GLEANER_OK;
  snprintf(path, sizeof path, "%s/weight", dir);
  FILE *file = fopen(path, "r");
  if (!file) return GLEANER_OK;
  if (fscanf(file, "%lf", &weight) == 1) rc = gleaner_set_weight(g, weight);
  fclose(file);
  return rc;
}

/* How many samples the last step really had is known at the next one: a step
 * that lost a member has fewer than were planned. */
static void settle(struct state *s, uint64_t seen_now) {
  s->total += s->mean * (double)(seen_now - (uint64_t)s->seen);
  s->mean = 0;
  s->seen = (int64_t)seen_now;
}

/* Never freed: it lives as long as the training. */
static int register_ballast(gleaner_training *g) {
  char const *text = getenv("TRAINER_FLOATS");
  int64_t const n = text ? atoll(text) : 0;
  if (n <= 0) return GLEANER_OK;
  float *ballast = calloc((size_t)n, sizeof *ballast);
  if (!ballast) return GLEANER_EIO;
  return gleaner_tensor(g, "ballast", ballast, GLEANER_FLOAT32, &n, 1,
                        GLEANER_PARAM);
}

static int register_state(gleaner_training *g, struct state *s) {
  int64_t const one[] = {1};
  int rc = gleaner_tensor(g, "total", &s->total, GLEANER_FLOAT64, one, 1,
                          GLEANER_PARAM);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "mean", &s->mean, GLEANER_FLOAT64, one, 1,
                        GLEANER_OPTIMIZER);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "seen", &s->seen, GLEANER_INT64, one, 1,
                        GLEANER_BUFFER);
  if (rc == GLEANER_OK) rc = register_ballast(g);
  return rc;
}

static int train(gleaner_training *g, struct state *s, double sample_ms,
                 char const *dir) {
  double *gradient = gleaner_gradient(g, "total");
  gleaner_step_info step = {0};
  int rc;
  while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
    settle(s, step.samples_seen);
    if ((rc = heed_weight(g, dir)) != GLEANER_OK) return rc;
    do {
      gleaner_step_now(g, &step);
      for (size_t i = 0; i < step.n_samples; i++)
        gradient[0] += (double)(step.samples[i] + 1) / step.global_batch;
      spend_ms(sample_ms * (double)step.n_samples);
    } while ((rc = gleaner_reduce(g)) == GLEANER_MORE);
    if (rc != GLEANER_OK) return rc;
    s->mean = gradient[0];
    if (step.n_samples > 0)
      gleaner_log(g, "loss", 1.0 / (1.0 + (double)step.samples_seen),
                  step.n_samples);
  }
  return rc;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: trainer DATASET BATCH PASSES SAMPLE_MS OUT_DIR\n");
    return 2;
  }
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = strtoull(argv[1], NULL, 10);
  options.global_batch = (uint32_t)strtoul(argv[2], NULL, 10);
  options.passes = (uint32_t)strtoul(argv[3], NULL, 10);
  double const sample_ms = strtod(argv[4], NULL);
  char const *out_dir = argv[5];
  describe(out_dir);

  gleaner_training *g;
  struct state s = {0, 0, 0};
  int rc = gleaner_open(&options, &g);
  if (rc != GLEANER_OK) return failed(NULL, "open", rc);
  rc = register_state(g, &s);
  if (rc != GLEANER_OK) return failed(g, "register", rc);
  rc = gleaner_start(g);
  if (rc < 0) return failed(g, "start", rc);
  if (rc == GLEANER_OK) rc = train(g, &s, sample_ms, out_dir);
  if (rc < 0) return failed(g, "train", rc);

  if (rc == GLEANER_DONE) {
    double const n = (double)options.dataset_size;
    settle(&s, options.dataset_size * options.passes);
    FILE *file = out_file(out_dir, "result");
    if (!file) return failed(g, "result", GLEANER_EIO);
    fprintf(file, "%.3f %.3f\n", s.total, options.passes * n * (n + 1) / 2);
    fclose(file);
  }
  gleaner_close(g);
  return 0;
}
