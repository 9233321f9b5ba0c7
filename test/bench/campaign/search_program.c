/* SPDX-License-Identifier: Apache-2.0 */
/* What does a trial of the benchmark train?  It computes nothing: it takes the
 * time of a training, and its loss is a known function of its parameters.
 *
 *   search_program --lr X --width N --decay X --dropout X [--passes N]
 *                  [--pass-s X] [--dir DIR] [--print]
 *
 * A pass takes --pass-s on one node.  On n nodes a step takes 0.05 + 0.95 / n
 * of that: so grew ShuffleNet on Summit (1.86x on 2 nodes, 3.5x on 4).
 * DIR/weight, when it is there, holds the weight that the search gives the
 * trial.
 * --print: no training; the mean loss of each pass, a line each.
 */
#include <getopt.h>
#include <gleaner/gleaner.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batch = 64, steps_per_pass = 16 };

struct options {
  double lr, width, decay, dropout, pass_s;
  long passes;
  char const *dir;
  int print;
};

static struct options read_options(int argc, char **argv) {
  struct options o = {0, 0, 0, 0, 3, 9, NULL, 0};
  static struct option const known[] = {
      {"lr", 1, NULL, 'l'},     {"width", 1, NULL, 'w'},
      {"decay", 1, NULL, 'y'},  {"dropout", 1, NULL, 'o'},
      {"passes", 1, NULL, 'p'}, {"pass-s", 1, NULL, 's'},
      {"dir", 1, NULL, 'd'},    {"print", 0, NULL, 'P'},
      {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'l')
      o.lr = atof(optarg);
    else if (c == 'w')
      o.width = atof(optarg);
    else if (c == 'y')
      o.decay = atof(optarg);
    else if (c == 'o')
      o.dropout = atof(optarg);
    else if (c == 'p')
      o.passes = atol(optarg);
    else if (c == 's')
      o.pass_s = atof(optarg);
    else if (c == 'd')
      o.dir = optarg;
    else if (c == 'P')
      o.print = 1;
    else
      exit(64);
  }
  if (!(o.lr > 0) || !(o.width > 0) || !(o.decay > 0) || o.passes < 1 ||
      !(o.pass_s > 0)) {
    fprintf(stderr,
            "search_program: --lr, --width, --decay, --passes or --pass-s is "
            "missing or not above 0\n");
    exit(64);
  }
  return o;
}

/* Best at a rate of 0.004, a width of 160, a decay of 0.001 and a dropout of
 * 0.2; a small rate is slow as well. */
static double loss_at(struct options const *o, unsigned long step) {
  double const rate = log10(o->lr / 0.004), width = (o->width - 160) / 160;
  double const decay = log10(o->decay / 0.001), dropout = o->dropout - 0.2;
  double const floor = 1 + 0.4 * rate * rate + 0.3 * width * width +
                       0.05 * decay * decay + 2 * dropout * dropout;
  double const slow = 1.5 * pow(o->lr / 0.004, -0.4);
  double const pass = (double)step / steps_per_pass;
  return floor + 2 * exp(-pass / (slow < 1 ? 1 : slow));
}

static void print_passes(struct options const *o) {
  for (long pass = 0; pass < o->passes; ++pass) {
    double sum = 0;
    for (unsigned long i = 1; i <= steps_per_pass; ++i)
      sum += loss_at(o, (unsigned long)pass * steps_per_pass + i);
    printf("%.17g\n", sum / steps_per_pass);
  }
}

static void sleep_s(double s) {
  struct timespec const t = {(time_t)s, (long)((s - floor(s)) * 1e9)};
  nanosleep(&t, NULL);
}

static void compute(struct options const *o, gleaner_step_info const *step) {
  double const share = (double)step->n_samples / step->global_batch;
  sleep_s(o->pass_s / steps_per_pass * (0.05 + 0.95 * share));
}

/* What the search says of this trial, when it says something else. */
static void heed_weight(struct options const *o, gleaner_training *g,
                        double *weight) {
  char path[4096];
  double said;
  if (!o->dir) return;
  snprintf(path, sizeof path, "%s/weight", o->dir);
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (fscanf(file, "%lf", &said) == 1 && said != *weight)
    gleaner_set_weight(g, *weight = said);
  fclose(file);
}

static int train(struct options const *o, gleaner_training *g) {
  gleaner_step_info step;
  double weight = 0;
  int rc;
  while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
    heed_weight(o, g, &weight);
    do {
      compute(o, &step);
      rc = gleaner_reduce(g);
    } while (rc == GLEANER_MORE && gleaner_step_now(g, &step) == GLEANER_OK);
    if (rc != GLEANER_OK) break;
    if ((rc = gleaner_apply(g)) != GLEANER_OK) break;
    gleaner_log(g, "loss", loss_at(o, step.step), step.n_samples);
  }
  return rc;
}

int main(int argc, char **argv) {
  struct options const o = read_options(argc, argv);
  if (o.print) return print_passes(&o), 0;
  float state[16] = {0};
  int64_t const shape[] = {16};
  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = batch * steps_per_pass;
  options.global_batch = batch;
  options.passes = (uint32_t)o.passes;
  gleaner_training *g = NULL;
  int rc = gleaner_open(&options, &g);
  if (rc == GLEANER_OK)
    rc = gleaner_tensor(g, "weight", state, GLEANER_FLOAT32, shape, 1,
                        GLEANER_PARAM);
  if (rc == GLEANER_OK) rc = gleaner_start(g);
  if (rc == GLEANER_OK) rc = train(&o, g);
  if (rc < 0) {
    fprintf(stderr, "search_program: %s: %s\n", gleaner_strerror(rc),
            gleaner_error(g));
    return 3;
  }
  gleaner_close(g);
  return 0;
}
