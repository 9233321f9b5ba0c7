# SPDX-License-Identifier: Apache-2.0
"""Defects of the Python package; each with the file of tests that must notice."""

from defect import Defect

DEFECTS = [
    Defect(
        "what a pickle holds runs without being trusted",
        "runtime/python/gleaner/encoding.py",
        "    if not trust:\n",
        "    if False:\n",
        "saved.py",
    ),
    Defect(
        "tuples come back as lists",
        "runtime/python/gleaner/encoding.py",
        "        return tuple(_rebuilt(item) for item in content)",
        "        return [_rebuilt(item) for item in content]",
        "saved.py",
    ),
    Defect(
        "running statistics drift apart between members",
        "runtime/python/gleaner/running_statistics.py",
        "            tensor.copy_(before + change.to(tensor.dtype))",
        "            pass",
        "buffers.py",
    ),
    Defect(
        "the second share of a step begins with the first one's statistics",
        "runtime/python/gleaner/running_statistics.py",
        "            tensor.copy_(before)\n",
        "            pass\n",
        "buffers.py",
    ),
    Defect(
        "a joiner that is given another state in its first step loses its statistics",
        "runtime/python/gleaner/job.py",
        "            first = begun_with != self._state.given\n",
        "            first = begun_with < 0\n",
        "buffers.py",
    ),
    Defect(
        "a buffer that differs among members is not found",
        "runtime/python/gleaner/buffers.py",
        "        self._digests.check(gradients.digests, info.step)\n",
        "",
        "buffers.py",
    ),
    Defect(
        "random numbers of Python are not repeated",
        "runtime/python/gleaner/randomness.py",
        "    random.seed(number)\n",
        "",
        "deterministic.py",
    ),
    Defect(
        "a limit of samples below one is accepted",
        "runtime/python/gleaner/job.py",
        "    if micro_batch_max is not None and micro_batch_max < 1:",
        "    if False:",
        "refusals.py",
    ),
    Defect(
        "a mean can be read before it is known",
        "runtime/python/gleaner/means.py",
        "        if self._value is None:\n            raise RuntimeError(",
        "        if False:\n            raise RuntimeError(",
        "alone.py",
    ),
    Defect(
        "an update of the program's own code is followed",
        "runtime/python/gleaner/following.py",
        "    if is_own:\n",
        "    if False:\n",
        "following.py",
    ),
    Defect(
        "a subclass of PyTorch's optimizer is followed",
        "runtime/python/gleaner/following.py",
        "    if thing is None or type(thing) in known:",
        "    if thing is None or isinstance(thing, tuple(known)):",
        "following.py",
    ),
    Defect(
        "a rate that the loop sets is not seen, and joiners have another",
        "runtime/python/gleaner/following.py",
        "            or self._noted != self._text()\n",
        "",
        "following.py",
    ),
    Defect(
        "a joiner that follows leaves the optimizer's state where it was made",
        "runtime/python/gleaner/job.py",
        "        self._state.settle()\n",
        "",
        "following.py",
    ),
    Defect(
        "a worker that is killed leaves a directory behind",
        "runtime/python/gleaner/workers.py",
        "    multiprocessing.connection.arbitrary_address = _without_file\n",
        "",
        "loading.py",
    ),
    Defect(
        "each pass has the samples of the first one",
        "runtime/python/gleaner/choice.py",
        "        seed = mixed(mixed(self._seed) ^ number)\n",
        "        seed = mixed(mixed(self._seed))\n",
        "choosing.py",
    ),
    Defect(
        "a sampler on which members do not agree is trained with",
        "runtime/python/gleaner/choice.py",
        "        if self._draw(0) != first:\n",
        "        if False:\n",
        "choosing.py",
    ),
    Defect(
        "a member goes on where it was in a stream, whatever it is dealt",
        "runtime/python/gleaner/stream.py",
        "            found[place] = self._reader(shard).read(offset)\n",
        "            reader = self._reader(shard)\n"
        "            found[place] = reader.read(getattr(reader, \"_at\", 0))\n",
        "choosing.py",
    ),
    Defect(
        "a sampler changes the random numbers of the program",
        "runtime/python/gleaner/randomness.py",
        "            _set_states(outside)\n",
        "            pass\n",
        "choosing.py",
    ),
]
