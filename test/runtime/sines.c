/* SPDX-License-Identifier: Apache-2.0 */
/* The program that the tests of deterministic mode train: its last bits depend
 * on everything.
 *
 * Gradients are sines of the weights, plus random numbers, added up in float32:
 * another order of additions, another share of the samples or another random
 * number shows in the weights, and grows from step to step.  At its end it
 * prints a hash of every registered tensor.
 *
 *   sines [--steps N] [--params N] [--step-ms N]
 */
#include <getopt.h>
#include <gleaner/gleaner.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batch = 24 };

static uint64_t hash_of(void const *data, size_t bytes, uint64_t hash) {
  unsigned char const *at = data;
  while (bytes-- > 0) hash = (hash ^ *at++) * 0x100000001b3u; /* FNV-1a */
  return hash;
}

/* In [-1, 1). */
static float next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)(int32_t)(*state >> 32) / 2147483648.0f;
}

static double compute(gleaner_step_info const *step, float const *weight,
                      float *gradient, long params) {
  uint64_t random = step->rng_seed;
  double loss = 0;
  for (size_t k = 0; k < step->n_samples; ++k) {
    float const x = (float)step->samples[k] * 0.37f;
    if (!step->shards) random = step->samples[k]; /* the same whose ever */
    float const noise = next_random(&random);
    for (long i = 0; i < params; ++i) {
      float const error = sinf(weight[i] * 3 + x + (float)i) + 0.1f * noise;
      gradient[i] += error * cosf(weight[i]) / (float)step->global_batch;
      loss += (double)error * error / (double)params / (double)step->n_samples;
    }
  }
  return loss;
}

static int failed(char const *what, int code, gleaner_training const *g) {
  fprintf(stderr, "sines: %s: %s: %s\n", what, gleaner_strerror(code),
          gleaner_error(g));
  return 3;
}

int main(int argc, char **argv) {
  long steps = 200, params = 500, step_ms = 0;
  static struct option const known[] = {{"steps", 1, NULL, 's'},
                                        {"params", 1, NULL, 'n'},
                                        {"step-ms", 1, NULL, 't'},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == '?') return 64;
    *(c == 's' ? &steps : c == 'n' ? &params : &step_ms) = atol(optarg);
  }
  float *weight = calloc((size_t)params, sizeof *weight);
  float *momentum = calloc((size_t)params, sizeof *momentum);
  int64_t const shape[] = {params};
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = (uint64_t)steps * batch;
  options.global_batch = batch;
  options.seed = 5;

  gleaner_training *g = NULL;
  int rc = gleaner_open(&options, &g);
  if (rc != GLEANER_OK) return failed("open", rc, g);
  rc = gleaner_tensor(g, "weight", weight, GLEANER_FLOAT32, shape, 1,
                      GLEANER_PARAM);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "momentum", momentum, GLEANER_FLOAT32, shape, 1,
                        GLEANER_OPTIMIZER);
  if (rc != GLEANER_OK) return failed("register", rc, g);
  rc = gleaner_start(g);
  if (rc < 0) return failed("start", rc, g);
  float *gradient = gleaner_gradient(g, "weight");
  struct timespec const pause = {step_ms / 1000, step_ms % 1000 * 1000000};

  gleaner_step_info step = {0};
  if (rc == GLEANER_OK)
    while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
      nanosleep(&pause, NULL);
      do {
        gleaner_step_now(g, &step);
        double const loss = compute(&step, weight, gradient, params);
        if (step.n_samples > 0) gleaner_log(g, "loss", loss, step.n_samples);
      } while ((rc = gleaner_reduce(g)) == GLEANER_MORE);
      if (rc != GLEANER_OK) break;
      for (long i = 0; i < params; ++i) {
        momentum[i] = 0.9f * momentum[i] + gradient[i];
        weight[i] -= 0.02f * momentum[i];
      }
    }
  if (rc < 0) return failed("train", rc, g);
  uint64_t hash = 0xcbf29ce484222325u;
  hash = hash_of(weight, (size_t)params * sizeof *weight, hash);
  hash = hash_of(momentum, (size_t)params * sizeof *momentum, hash);
  if (rc == GLEANER_DONE)
    printf("done step=%llu hash=%016llx\n", (unsigned long long)step.step,
           (unsigned long long)hash);
  gleaner_close(g);
  free(weight);
  free(momentum);
  return 0;
}
