# SPDX-License-Identifier: Apache-2.0
"""gleaner.h in Python: one membership in one training, without PyTorch.

    training = Training(dataset_size=1000, global_batch=20, passes=3)
    training.tensor("w", address, FLOAT32, (8,), PARAM)
    gradient = memory_at(training.gradient("w"), 32)
    training.start()
    while True:
        code, step = training.step()
        if code != STEP: break
        ...                             # gradients of step.samples
        while training.reduce() == MORE:
            step = training.step_now()
            ...                         # of other samples, from zero again
        ...                             # update

cffi gives up the interpreter's lock in every call, so other Python threads run
while a call waits.  The library is looked up when the first training is opened:
in $GLEANER_LIBRARY, beside this file (in a wheel), where `make install` put it, and
where the system looks.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Tuple

from cffi import FFI

from ._declarations import DECLARATIONS

ffi: Any = FFI()
ffi.cdef(DECLARATIONS)

OK, STEP, DONE, LEAVE, MORE = range(5)
PARAM, OPTIMIZER, BUFFER = 1, 2, 3
FLOAT32, FLOAT64, INT64, UINT8, FLOAT16, BFLOAT16 = range(1, 7)


def memory_at(address: int, size: int) -> memoryview:
    """Memory of the host."""
    return memoryview(ffi.buffer(ffi.cast("char *", address), size))


def describe(program: str) -> None:
    """What this program computes with: compared in deterministic mode."""
    os.environ["GLEANER_FINGERPRINT"] = program


def copies(why: str) -> None:
    """Why the state must be copied to joiners of this program; "": they may follow."""
    os.environ["GLEANER_COPY_WHY"] = why


def buffers_are_equal() -> None:
    """After each step, on all members: they are compared as parameters are."""
    os.environ["GLEANER_BUFFERS"] = "equal"


def deterministic() -> bool:
    """Whether this process is to compute the same bits whatever members do."""
    return bool(os.environ.get("GLEANER_DETERMINISTIC"))


class GleanerError(RuntimeError):
    """A call of libgleaner failed; `code` is the GLEANER_E... it returned."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


@dataclass(frozen=True)
class Step:
    """One step, as this member shall compute it."""

    step: int  #: from 1, over all passes
    pass_number: int  #: from 0
    samples: Tuple[int, ...]  #: this member's; may be empty
    global_batch: int  #: samples of this step over all members
    samples_seen: int  #: before this step, over all passes
    world_size: int  #: members
    rank: int  #: of this member, from 0
    rng_seed: int  #: of this step, 64 bits; the same on every member, or a shard's
    shards: int  #: of the step in deterministic mode, else 0


_library: Any = None


def _candidates() -> Sequence[str]:
    named = os.environ.get("GLEANER_LIBRARY")
    if named:
        return [named]
    packed = Path(__file__).with_name("libgleaner.so.0")  # by `make wheel`
    if packed.exists():
        return [str(packed)]
    written = Path(__file__).with_name("library-path")  # by `make install`
    installed = [written.read_text().strip()] if written.exists() else []
    return installed + ["libgleaner.so.0"]


def library() -> Any:
    """libgleaner.  Raises ImportError, saying where it was looked for."""
    global _library
    if _library is None:
        failures = []
        for name in _candidates():
            try:
                _library = ffi.dlopen(name)
                return _library
            except OSError as why:
                failures.append(str(why))
        raise ImportError(
            f"libgleaner was not found ({'; '.join(failures)}) [install it with "
            "'make install' and ldconfig, or set GLEANER_LIBRARY to its path]"
        )
    return _library


def _text(characters: Any) -> str:
    text: bytes = ffi.string(characters)
    return text.decode(errors="replace")


class Training:
    """A membership.  Calls belong to one thread, and to one process: a forked
    child (a loader's worker) has the memory, but not the membership."""

    def __init__(
        self,
        dataset_size: int,
        global_batch: int,
        passes: int = 1,
        seed: int = 0,
        drop_last: bool = False,
        micro_batch_max: int = 0,
    ) -> None:
        self._handle = ffi.NULL
        self._lib = library()
        self._pid = os.getpid()
        self._global_batch = global_batch
        self._kept: list[Any] = []  # callbacks, for as long as they can be called
        self._raised: Optional[BaseException] = None
        self._info = ffi.new("gleaner_step_info *")
        size = ffi.sizeof("gleaner_options")
        data = (dataset_size, global_batch, passes, seed, int(drop_last))
        options = ffi.new("gleaner_options *", (size, *data, micro_batch_max))
        opened = ffi.new("gleaner_training **")
        code = self._lib.gleaner_open(options, opened)
        self._handle = opened[0]
        self._check(code)

    def tensor(
        self,
        name: str,
        address: int,
        dtype: int,
        shape: Sequence[int],
        role: int,
        device: int = -1,
    ) -> None:
        """Register memory, of the host or of a GPU."""
        dimensions = ffi.new("int64_t[]", list(shape))
        data = ffi.cast("void *", address)
        place = (data, dtype, dimensions, len(shape), role, device)
        self._check(self._lib.gleaner_tensor_on(self._handle, name.encode(), *place))

    def gradient(self, name: str) -> int:
        """The address of the memory that the gradient of a PARAM is added up in,
        of the same type and shape, on the same device; valid until close()."""
        found = self._lib.gleaner_gradient(self._handle, name.encode())
        return int(ffi.cast("uintptr_t", found))

    def stream(self, handle: int) -> None:
        """The CUDA stream on which the program works; 0 is the default one."""
        data = ffi.cast("void *", handle)
        self._check(self._lib.gleaner_stream(self._handle, data))

    def blob(
        self, name: str, save: Callable[[], bytes], load: Callable[[bytes], None]
    ) -> None:
        """Register what is no tensor.  What save or load raises comes out of
        the call during which they ran."""
        pending: list[bytes] = []

        @ffi.callback("int(void *, void *, size_t *)")
        def save_blob(_context: Any, data: Any, size: Any) -> int:
            def run() -> None:
                if data == ffi.NULL:
                    pending[:] = [save()]
                else:
                    ffi.memmove(data, pending[0], len(pending[0]))
                size[0] = len(pending[0])

            return self._run(run)

        @ffi.callback("int(void *, void const *, size_t)")
        def load_blob(_context: Any, data: Any, size: int) -> int:
            return self._run(lambda: load(bytes(ffi.buffer(data, size))))

        self._kept += [save_blob, load_blob]
        self._check(
            self._lib.gleaner_blob(
                self._handle, name.encode(), save_blob, load_blob, ffi.NULL
            )
        )

    def on_update(self, update: Callable[[], None]) -> None:
        """Register what apply() runs."""

        @ffi.callback("int(void *)")
        def run_update(_context: Any) -> int:
            return self._run(update)

        self._kept.append(run_update)
        self._check(self._lib.gleaner_update(self._handle, run_update, ffi.NULL))

    def loads_ahead(
        self, shares: int, begins_soon: Optional[Callable[[], None]] = None
    ) -> None:
        """The program loads so many shares in advance.  begins_soon() is called
        on another thread, during start(); it may call samples_ahead().  What it
        raises comes out of start()."""
        call = ffi.NULL
        if begins_soon is not None:
            begin = begins_soon

            @ffi.callback("void(void *)")
            def call(_context: Any) -> None:
                self._run(begin)

            self._kept.append(call)
        self._check(self._lib.gleaner_loads_ahead(self._handle, shares, call, ffi.NULL))

    def start(self) -> int:
        """OK, LEAVE or DONE.  State that others have is filled in here."""
        return self._check(self._lib.gleaner_start(self._handle))

    def step(self) -> Tuple[int, Optional[Step]]:
        """(STEP, the step); or (DONE or LEAVE, None)."""
        code = self._check(self._lib.gleaner_step(self._handle, self._info))
        return code, self._read_info() if code == STEP else None

    def step_now(self) -> Step:
        """The step under way, as it stands after reduce() returned MORE."""
        self._check(self._lib.gleaner_step_now(self._handle, self._info))
        return self._read_info()

    def samples_ahead(self, ahead: int) -> Optional[list[int]]:
        """This member's samples `ahead` parts from now, unless members change in
        a way that is not agreed yet; None after the last part."""
        room = self._global_batch
        samples, n = ffi.new("uint64_t[]", room), ffi.new("size_t *")
        code = self._check(
            self._lib.gleaner_samples_ahead(self._handle, ahead, samples, room, n)
        )
        if code == DONE:
            return None
        return list(ffi.unpack(samples, n[0])) if n[0] else []

    def gradient_ready(self, name: bytes) -> None:
        """This parameter's gradient of the step is complete."""
        self._check(self._lib.gleaner_gradient_ready(self._handle, name))

    def reduce(self) -> int:
        """OK, or MORE: compute another part of the step, and call again."""
        return self._check(self._lib.gleaner_reduce(self._handle))

    def again(self, micro_batch_max: int) -> int:
        """Instead of reduce(): what was computed of the step is dropped, and comes
        again in parts of at most so many samples.  MORE, LEAVE or DONE."""
        return self._check(self._lib.gleaner_again(self._handle, micro_batch_max))

    def apply(self) -> None:
        """Run the update."""
        self._check(self._lib.gleaner_apply(self._handle))

    def stop(self) -> None:
        """After reduce() returned OK: the training ends after this step.  On all
        members."""
        self._check(self._lib.gleaner_stop(self._handle))

    def log(self, key: str, value: float, n: int) -> None:
        """Report the mean of a value over n samples of this step."""
        self._check(self._lib.gleaner_log(self._handle, key.encode(), value, n))

    def busy(self, why: str, limit_s: float) -> None:
        """For so long this member may keep the others waiting; "": no longer."""
        self._check(self._lib.gleaner_busy(self._handle, why.encode(), limit_s))

    def set_weight(self, weight: float) -> None:
        """How much this training matters among its user's: 0.1 to 10."""
        self._check(self._lib.gleaner_set_weight(self._handle, weight))

    def close(self) -> None:
        """Leave.  Gradients are gone afterwards."""
        if self._handle != ffi.NULL and os.getpid() == self._pid:
            self._lib.gleaner_close(self._handle)
        self._handle = ffi.NULL

    def close_soon(self, seconds: float, registered: object) -> None:
        """Leave in so many seconds, or when the process ends: the coordinator ends
        a process that leaves, which may still have to say why.  What was registered
        lives until then."""
        handle, self._handle = self._handle, ffi.NULL
        if handle == ffi.NULL or os.getpid() != self._pid:
            return

        def close(*_: object) -> None:
            self._lib.gleaner_close(handle)

        timer = threading.Timer(seconds, close, (registered,))
        timer.daemon = True
        timer.start()

    def __del__(self) -> None:
        self.close()

    def _read_info(self) -> Step:
        info = self._info
        return Step(
            step=info.step,
            pass_number=getattr(info, "pass"),
            samples=tuple(ffi.unpack(info.samples, info.n_samples))
            if info.n_samples
            else (),
            global_batch=info.global_batch,
            samples_seen=info.samples_seen,
            world_size=info.world_size,
            rank=info.rank,
            rng_seed=info.rng_seed,
            shards=info.shards,
        )

    def _run(self, call: Callable[[], None]) -> int:
        """A call from C: what it raises waits for the caller of C."""
        try:
            call()
            return 0
        except BaseException as why:  # noqa: B902 - KeyboardInterrupt too
            self._raised = why
            return 1

    def _check(self, code: int) -> int:
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if code < 0:
            words = _text(self._lib.gleaner_strerror(code))
            detail = _text(self._lib.gleaner_error(self._handle))
            raise GleanerError(code, f"{words}: {detail}" if detail else words)
        return code
