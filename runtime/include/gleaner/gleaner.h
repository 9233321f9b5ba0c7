/* SPDX-License-Identifier: Apache-2.0 */
/* What does a training program call to run on a changing set of nodes?
 *
 * The program is started once on every node (or GPU) that the job gets; each
 * process is a member.  Members come and go while the job trains; a process
 * that stays is never restarted.  The same program also runs alone, without a
 * coordinator, as the only member.
 *
 *   gleaner_options options = GLEANER_OPTIONS_INIT;
 *   options.dataset_size = 60000;
 *   options.global_batch = 64;
 *   gleaner_open(&options, &g);
 *   gleaner_tensor(g, "weight", w, GLEANER_FLOAT32, shape, 2, GLEANER_PARAM);
 *   gleaner_start(g);
 *   while ((rc = gleaner_step(g, &step)) == GLEANER_STEP) {
 *     do {
 *       gleaner_step_now(g, &step);
 *       ... add each sample's gradient / step.global_batch to
 *           gleaner_gradient(g, "weight") ...
 *     } while ((rc = gleaner_reduce(g)) == GLEANER_MORE);
 *     if (rc != GLEANER_OK) break;
 *     ... update the parameters from gleaner_gradient(g, "weight") ...
 *     gleaner_log(g, "loss", loss_mean_of_my_samples, step.n_samples);
 *   }
 *   gleaner_close(g);
 *
 * No call throws or exits.  No call prints, except for the lines named in
 * gleaner(7), which go to standard error when GLEANER_LOG=info or debug.  Make
 * all calls from one thread.  Errors are negative codes; gleaner_strerror()
 * says what a code means.
 */
#ifndef GLEANER_GLEANER_H
#define GLEANER_GLEANER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One membership in one training. */
typedef struct gleaner_training gleaner_training;

/* Return codes: 0 or more is not an error. */
enum {
  GLEANER_OK = 0,
  GLEANER_STEP = 1,    /* gleaner_step: compute this step */
  GLEANER_DONE = 2,    /* gleaner_step: the training is over; end the loop */
  GLEANER_LEAVE = 3,   /* gleaner_step: this member is released; end the loop */
  GLEANER_MORE = 4,    /* gleaner_reduce: compute another part of the step */
  GLEANER_EINVAL = -1, /* an argument is wrong; see gleaner_error() */
  GLEANER_ESTATE = -2, /* a call out of order */
  GLEANER_ELOST = -3,  /* the coordinator is gone: the job has ended */
  GLEANER_EREFUSED = -4, /* the coordinator refused this member */
  GLEANER_ESCHEMA = -5,  /* other members registered other tensors */
  GLEANER_EIO = -6,      /* a checkpoint or a connection failed */
  GLEANER_ENOMEM = -7
};

/* The role of a tensor.  Only parameters have gradients. */
enum { GLEANER_PARAM = 1, GLEANER_OPTIMIZER = 2, GLEANER_BUFFER = 3 };

enum {
  GLEANER_FLOAT32 = 1,
  GLEANER_FLOAT64 = 2,
  GLEANER_INT64 = 3,
  GLEANER_UINT8 = 4,
  GLEANER_FLOAT16 = 5, /* IEEE binary16 */
  GLEANER_BFLOAT16 = 6 /* the upper half of a float32 */
};

typedef struct gleaner_options {
  size_t struct_size;    /* sizeof(gleaner_options): set by the initialiser */
  uint64_t dataset_size; /* samples in one pass; 1 or more */
  uint32_t global_batch; /* samples per step over all members; 1 or more */
  uint32_t passes;       /* how often every sample is used; 1 or more */
  uint64_t seed;         /* for the order of samples and for rng_seed */
  uint32_t drop_last;    /* 1: drop a pass's last, short step */
  /* Largest number of samples that this member computes at once.  A larger
   * share of a step comes in parts, by GLEANER_MORE.  0: a share is one part.
   * Only this option may differ between members. */
  uint64_t micro_batch_max;
} gleaner_options;
#define GLEANER_OPTIONS_INIT \
  { sizeof(gleaner_options), 0, 0, 1, 0, 0, 0 }

/* A share of a step, or a part of a share, that this member must compute.
 * Valid until the next gleaner_step(), gleaner_reduce() or gleaner_again(). */
typedef struct gleaner_step_info {
  uint64_t step;           /* from 1, over all passes */
  uint64_t pass;           /* from 0 */
  uint64_t const *samples; /* sample numbers of the part */
  size_t n_samples;        /* may be 0: contribute zeros, call reduce anyway */
  uint32_t global_batch;   /* samples of this step over all members */
  uint64_t samples_seen;   /* committed before this step, over all passes */
  uint32_t world_size;
  uint32_t rank;
  uint64_t rng_seed; /* made from (seed, step, index of the member's part), the
                        same on every member; mix in what you need.  In
                        deterministic mode each shard has its own: mix in
                        nothing */
  uint32_t shards;   /* deterministic mode: shards in each step; else 0 */
} gleaner_step_info;

/* Join.  Reads GLEANER_COORDINATOR, GLEANER_MEMBER and GLEANER_SECRET_FD, which
 * the agent sets, and closes the descriptor that the last one names.  Without
 * these variables the program runs alone.  On failure *g is NULL. */
int gleaner_open(gleaner_options const *options, gleaner_training **g);

/* Register memory that is part of the training state.  It is copied to joiners
 * and written to checkpoints.  Every member registers the same names, types and
 * shapes in the same order, before gleaner_start().  The memory belongs to the
 * caller; free it only after gleaner_close(). */
int gleaner_tensor(gleaner_training *g, char const *name, void *data, int dtype,
                   int64_t const *shape, int ndim, int role);

/* The same for memory of a GPU: `device` is CUDA's number of it; -1 is the
 * host.  All parameters must be on one GPU, or all on the host; other tensors
 * may be on either.  Gradients are where the parameters are.  The library
 * copies state to the host to send or save it, and keeps as much memory there.
 */
int gleaner_tensor_on(gleaner_training *g, char const *name, void *data,
                      int dtype, int64_t const *shape, int ndim, int role,
                      int device);

/* Set the CUDA stream (cudaStream_t) on which the program works on registered
 * memory and gradients.  NULL, as before the first call, is CUDA's default
 * stream.  gleaner_start(), _step() and _reduce() wait for the work queued on
 * it; gleaner_gradient_ready() records it without waiting.  Work on other
 * streams must be complete before these calls.  When gleaner_reduce() returns,
 * results are complete for all streams. */
int gleaner_stream(gleaner_training *g, void *stream);

/* The memory in which the program adds up its local gradient of a GLEANER_PARAM
 * tensor.  It has the tensor's type and shape; sums over members are rounded to
 * this type at each addition.  gleaner_step() sets it to zero; after
 * gleaner_reduce() it holds the mean gradient over all members.  Owned by g;
 * valid from gleaner_tensor() to gleaner_close().  NULL for an unknown name. */
void *gleaner_gradient(gleaner_training *g, char const *name);

/* Register state that is not a tensor: a scheduler, a random generator, a
 * counter.  `save` is called twice: with data NULL it sets *size, then it fills
 * data.  `load` gets what another member saved.  Both return 0 on success.
 * They are called only on the user's thread. */
typedef int (*gleaner_save_fn)(void *ctx, void *data, size_t *size);
typedef int (*gleaner_load_fn)(void *ctx, void const *data, size_t size);
int gleaner_blob(gleaner_training *g, char const *name, gleaner_save_fn save,
                 gleaner_load_fn load, void *ctx);

/* Register the update: everything between reduce and the next step (clip,
 * optimizer, scheduler).  gleaner_apply() runs it.  On a joiner that follows
 * the others gleaner_start() runs it, too: see gleaner_reduce(3), "Following".
 * It returns 0 on success. */
typedef int (*gleaner_update_fn)(void *ctx);
int gleaner_update(gleaner_training *g, gleaner_update_fn update, void *ctx);

/* Wait until the training job admits this member.  Fills in the registered
 * state of a joiner, and of every member after a restart from a checkpoint.
 * Returns GLEANER_OK, GLEANER_LEAVE, GLEANER_DONE or an error. */
int gleaner_start(gleaner_training *g);

/* Wait for the next step.  Members come and go inside this call.  Returns
 * GLEANER_STEP, GLEANER_DONE, GLEANER_LEAVE or an error. */
int gleaner_step(gleaner_training *g, gleaner_step_info *step);

/* Optional: say that this parameter's local gradient of the step is complete,
 * and that the program does not touch it until gleaner_reduce() returns.
 * Gradients are then reduced, in buckets and in another thread, while the
 * backward pass continues.  Buckets run from the parameter registered last to
 * the first, so register parameters in the order of the forward pass.  Members
 * need not make these calls in the same order, and need not all make them. */
int gleaner_gradient_ready(gleaner_training *g, char const *name);

/* Sum the gradients over all members.  The result is complete or absent, never
 * partial.  The call handles the loss of other members.  Returns
 *   GLEANER_OK: gradients are the mean over all members;
 *   GLEANER_MORE: this member must compute another part of the step, such as
 *     samples of lost members.  Add the gradient of the samples that
 *     gleaner_step_now() names to the gradients as they are now, and call this
 *     again;
 *   GLEANER_LEAVE, GLEANER_DONE: as from gleaner_step(); or an error. */
int gleaner_reduce(gleaner_training *g);

/* Run the registered update; GLEANER_OK if there is none. */
int gleaner_apply(gleaner_training *g);

/* Call this instead of gleaner_reduce() if memory did not suffice for the
 * samples.  It drops what was added to gradients and logged in this step.  It
 * then gives out the step again from its beginning, in parts of at most
 * `micro_batch_max` samples (1 or more); later steps come in such parts, too.
 * Returns GLEANER_MORE: continue with gleaner_step_now() as after
 * gleaner_reduce(); or GLEANER_LEAVE, GLEANER_DONE or an error.
 *
 * Gradients that gleaner_gradient_ready() named are already on their way.  All
 * members give that sum up, which costs as much as a loss, so name gradients
 * only if as many samples were computed before.  GLEANER_ESTATE: all gradients
 * were named.  GLEANER_EINVAL: in deterministic mode a shard is computed at
 * once. */
int gleaner_again(gleaner_training *g, uint64_t micro_batch_max);

/* End the training early, after this step: gleaner_step() returns GLEANER_DONE
 * next.  Call it between gleaner_reduce() and gleaner_step(), on all members in
 * the same step.  So decide by something that is the same on all: the step's
 * number, or a sum that was reduced with the gradients. */
int gleaner_stop(gleaner_training *g);

/* Report a value for this step, averaged over `n` samples.  It is shown once
 * the step can no longer be undone. */
int gleaner_log(gleaner_training *g, char const *key, double value, uint64_t n);

/* Tell the others not to treat this member as stuck for up to `limit_s` seconds
 * from now, because it evaluates, compiles or writes a file.  Without this
 * call, a member that all others wait for counts as stuck after some time, and
 * is replaced; see gleaner(1), "TIME LIMITS".  A new call replaces the last
 * one; `why` NULL or "" ends the time.  Call it at any time between
 * gleaner_open() and gleaner_close(). */
int gleaner_busy(gleaner_training *g, char const *why, double limit_s);

/* How much this training matters from now on among all trainings of its user:
 * 0.1 to 10; the nodes that they have together are shared out by it, and nobody
 * else's.  Instead of what sbatch --malleable-weight or `gleaner run --weight`
 * said; one member's word is enough, and the last one counts.  Any time between
 * gleaner_open() and gleaner_close().  GLEANER_EINVAL: another number. */
int gleaner_set_weight(gleaner_training *g, double weight);

/* Get the current step as it stands: after GLEANER_MORE, and in the update. */
int gleaner_step_now(gleaner_training *g, gleaner_step_info *step);

/* Forecast the samples that this member will compute `ahead` parts after the
 * current one (1 or more; of this step or of later ones), so that the program
 * can load them in advance.  The forecast is right unless members change until
 * then in a way that is not known yet.  Writes at most `room` samples, and to
 * *n how many there are.  Returns GLEANER_OK, or GLEANER_DONE if the training
 * has no such part. */
int gleaner_samples_ahead(gleaner_training *g, uint32_t ahead,
                          uint64_t *samples, size_t room, size_t *n);

/* Say that the program loads the samples of `shares` shares in advance.  Call
 * it before gleaner_start().  A planned change of members then happens that
 * many steps after they agreed to it (fewer if a deadline or long steps forbid
 * it), and gleaner_samples_ahead() includes the change from then on.  So no
 * prefetched batch is discarded.
 *
 * `begins_soon`, unless NULL, is called when a joiner's first samples are
 * known: gleaner_samples_ahead(g, 1, ...) and so on then return what it will
 * compute.  It may make only that call: it runs on a thread of the library
 * while the program waits in gleaner_start(), which does not return before
 * `begins_soon` has returned. */
typedef void (*gleaner_begins_soon_fn)(void *ctx);
int gleaner_loads_ahead(gleaner_training *g, uint32_t shares,
                        gleaner_begins_soon_fn begins_soon, void *ctx);

/* Leave and free everything.  Safe on NULL. */
void gleaner_close(gleaner_training *g);

/* What a code means; never NULL. */
char const *gleaner_strerror(int code);

/* Why the last failed call on this g failed, with the value that was wrong;
 * "" if no call failed.  g may be NULL after a failed gleaner_open(): then this
 * returns the last failure on this thread. */
char const *gleaner_error(gleaner_training const *g);

#ifdef __cplusplus
}
#endif
#endif
