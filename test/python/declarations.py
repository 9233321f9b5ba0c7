# SPDX-License-Identifier: Apache-2.0
"""The package's view of libgleaner is gleaner.h."""

import re
import unittest

import support

from gleaner import core
from gleaner._declarations import DECLARATIONS

HEADER = support.SOURCE / "runtime" / "include" / "gleaner" / "gleaner.h"


def words(text):
    return " ".join(text.split())


class Declarations(unittest.TestCase):
    def test_header(self):
        """what cffi is told is the header without comments, word for word"""
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
        text = re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.M)
        self.assertEqual(words(DECLARATIONS), words(text))

    def test_library(self):
        """the library has every function that is declared"""
        functions = re.findall(r"\b(gleaner_\w+)\(", DECLARATIONS)
        self.assertGreater(len(functions), 15)
        for function in functions:
            with self.subTest(function=function):
                self.assertTrue(hasattr(core.library(), function))

    def test_options(self):
        """wrong options are told in the library's words"""
        with self.assertRaisesRegex(core.GleanerError, "dataset_size is 0") as refused:
            core.Training(dataset_size=0, global_batch=4)
        self.assertEqual(refused.exception.code, -1)

    def test_training(self):
        """the C surface trains without PyTorch"""
        import array

        weight = array.array("d", [0, 0])
        training = core.Training(dataset_size=10, global_batch=4)
        address = weight.buffer_info()[0]
        training.tensor("w", address, core.FLOAT64, (2,), core.PARAM)
        gradient = core.memory_at(training.gradient("w"), 16).cast("d")
        blob = {"saved": b"x"}
        training.blob("b", lambda: blob["saved"], lambda data: None)
        updates = []
        training.on_update(lambda: updates.append(list(gradient)))
        training.busy("loading", 10)
        training.set_weight(0.5)
        self.assertEqual(training.start(), core.OK)
        seen = []
        while True:
            code, step = training.step()
            if code != core.STEP:
                break
            seen += step.samples
            gradient[0] += len(step.samples) / step.global_batch
            self.assertEqual(training.reduce(), core.OK)
            training.apply()
            training.log("loss", 1.0, len(step.samples))
        self.assertEqual(code, core.DONE)
        self.assertEqual(sorted(seen), list(range(10)))
        self.assertEqual(updates, [[1.0, 0.0]] * 3)
        training.close()

    def test_update_raises(self):
        """what a callback raises comes out of the call during which it ran"""
        training = core.Training(dataset_size=4, global_batch=4)

        def update():
            raise KeyError("mine")

        training.on_update(update)
        training.start()
        training.step()
        training.reduce()
        with self.assertRaisesRegex(KeyError, "mine"):
            training.apply()


support.main()
