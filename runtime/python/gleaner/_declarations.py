# SPDX-License-Identifier: Apache-2.0
"""What does libgleaner export?  The declarations of gleaner.h, for cffi.

A test compares them with the header, word for word.
"""

DECLARATIONS = """
typedef struct gleaner_training gleaner_training;

enum {
  GLEANER_OK = 0,
  GLEANER_STEP = 1,
  GLEANER_DONE = 2,
  GLEANER_LEAVE = 3,
  GLEANER_MORE = 4,
  GLEANER_EINVAL = -1,
  GLEANER_ESTATE = -2,
  GLEANER_ELOST = -3,
  GLEANER_EREFUSED = -4,
  GLEANER_ESCHEMA = -5,
  GLEANER_EIO = -6,
  GLEANER_ENOMEM = -7
};

enum { GLEANER_PARAM = 1, GLEANER_OPTIMIZER = 2, GLEANER_BUFFER = 3 };

enum {
  GLEANER_FLOAT32 = 1,
  GLEANER_FLOAT64 = 2,
  GLEANER_INT64 = 3,
  GLEANER_UINT8 = 4,
  GLEANER_FLOAT16 = 5,
  GLEANER_BFLOAT16 = 6
};

typedef struct gleaner_options {
  size_t struct_size;
  uint64_t dataset_size;
  uint32_t global_batch;
  uint32_t passes;
  uint64_t seed;
  uint32_t drop_last;
  uint64_t micro_batch_max;
} gleaner_options;

typedef struct gleaner_step_info {
  uint64_t step;
  uint64_t pass;
  uint64_t const *samples;
  size_t n_samples;
  uint32_t global_batch;
  uint64_t samples_seen;
  uint32_t world_size;
  uint32_t rank;
  uint64_t rng_seed;
  uint32_t shards;
} gleaner_step_info;

int gleaner_open(gleaner_options const *options, gleaner_training **g);

int gleaner_tensor(gleaner_training *g, char const *name, void *data, int dtype,
                   int64_t const *shape, int ndim, int role);

int gleaner_tensor_on(gleaner_training *g, char const *name, void *data,
                      int dtype, int64_t const *shape, int ndim, int role,
                      int device);

int gleaner_stream(gleaner_training *g, void *stream);

void *gleaner_gradient(gleaner_training *g, char const *name);

typedef int (*gleaner_save_fn)(void *ctx, void *data, size_t *size);
typedef int (*gleaner_load_fn)(void *ctx, void const *data, size_t size);
int gleaner_blob(gleaner_training *g, char const *name, gleaner_save_fn save,
                 gleaner_load_fn load, void *ctx);

typedef int (*gleaner_update_fn)(void *ctx);
int gleaner_update(gleaner_training *g, gleaner_update_fn update, void *ctx);

int gleaner_start(gleaner_training *g);

int gleaner_step(gleaner_training *g, gleaner_step_info *step);

int gleaner_gradient_ready(gleaner_training *g, char const *name);

int gleaner_reduce(gleaner_training *g);

int gleaner_apply(gleaner_training *g);

int gleaner_again(gleaner_training *g, uint64_t micro_batch_max);

int gleaner_stop(gleaner_training *g);

int gleaner_log(gleaner_training *g, char const *key, double value, uint64_t n);

int gleaner_busy(gleaner_training *g, char const *why, double limit_s);

int gleaner_set_weight(gleaner_training *g, double weight);

int gleaner_step_now(gleaner_training *g, gleaner_step_info *step);

int gleaner_samples_ahead(gleaner_training *g, uint32_t ahead,
                          uint64_t *samples, size_t room, size_t *n);

typedef void (*gleaner_begins_soon_fn)(void *ctx);
int gleaner_loads_ahead(gleaner_training *g, uint32_t shares,
                        gleaner_begins_soon_fn begins_soon, void *ctx);

void gleaner_close(gleaner_training *g);

char const *gleaner_strerror(int code);

char const *gleaner_error(gleaner_training const *g);
"""
