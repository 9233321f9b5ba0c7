/* SPDX-License-Identifier: Apache-2.0 */
/* What is the least a training program must do to be malleable?
 *
 * It fits the line y = 3 x + 2 to 1,000 points by gradient descent.  Run alone
 * it is an ordinary program:
 *
 *     ./hello_malleable
 *
 * In a job script under `gleaner run` the same program runs on every node the
 * training has at the moment, and nodes come and go while it runs:
 *
 *     gleaner run -- ./hello_malleable
 */
#include <gleaner/gleaner.h>
#include <stdio.h>

enum { POINTS = 1000 };

/* The data: sample i is one point of the line. */
static double x_of(uint64_t i) { return (double)i / POINTS; }
static double y_of(uint64_t i) { return 3 * x_of(i) + 2; }

/* Stop with the library's own words. */
static int failed(gleaner_training *g, int rc) {
  fprintf(stderr, "hello_malleable: %s (%s)\n", gleaner_strerror(rc),
          gleaner_error(g));
  gleaner_close(g);
  return 1;
}

int main(void) {
  double line[2] = {0, 0}; /* slope and offset: all that is learned */
  int64_t const shape[] = {2};
  double const learning_rate = 0.5;

  /* 1. Say how much data there is.  Gleaner deals out the samples. */
  gleaner_training *g;
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = POINTS;
  options.global_batch = 20;
  options.passes = 20;
  int rc = gleaner_open(&options, &g);
  if (rc != GLEANER_OK) return failed(NULL, rc);

  /* 2. Name the state.  A process that joins later receives it in
   *    gleaner_start(). */
  rc =
      gleaner_tensor(g, "line", line, GLEANER_FLOAT64, shape, 1, GLEANER_PARAM);
  if (rc != GLEANER_OK) return failed(g, rc);
  double *gradient = gleaner_gradient(g, "line");
  rc = gleaner_start(g);
  if (rc < 0) return failed(g, rc);

  /* 3. Train.  Each step names this member's share of the samples. */
  gleaner_step_info step = {0};
  while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
    double loss;
    do {
      gleaner_step_now(g, &step);
      loss = 0;
      for (size_t k = 0; k < step.n_samples; k++) {
        double const x = x_of(step.samples[k]);
        double const error = line[0] * x + line[1] - y_of(step.samples[k]);
        gradient[0] += 2 * error * x / step.global_batch;
        gradient[1] += 2 * error / step.global_batch;
        loss += error * error / (double)step.n_samples;
      }
    } while ((rc = gleaner_reduce(g)) == GLEANER_MORE);
    if (rc != GLEANER_OK) return failed(g, rc);

    for (int k = 0; k < 2; k++) line[k] -= learning_rate * gradient[k];
    if (step.n_samples > 0) gleaner_log(g, "loss", loss, step.n_samples);
  }
  if (rc < 0) return failed(g, rc);

  if (rc == GLEANER_DONE && step.rank == 0)
    printf("y = %.2f x + %.2f after %llu steps\n", line[0], line[1],
           (unsigned long long)step.step);
  gleaner_close(g);
  return 0;
}
