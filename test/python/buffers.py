# SPDX-License-Identifier: Apache-2.0
"""Members that compute with different samples end each step with equal buffers."""

import os
import signal
import unittest

import support
import torch
from cases import BATCH, SEED, Points, collated, loss_of, order, train, values
from members import COORDINATOR, Training, ends
from torch import nn

import gleaner
from gleaner.digests import Digests
from gleaner.running_statistics import RunningStatistics


def network(norm=nn.BatchNorm1d):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(8, 16), norm(16), nn.Tanh(), nn.Linear(16, 1))


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.05)


class Norms(unittest.TestCase):
    def refused(self, words, model, **options):
        with self.assertRaisesRegex(gleaner.Unsupported, words):
            gleaner.init(model, sgd(model), **options)

    def deterministic(self, shards):
        os.environ["GLEANER_DETERMINISTIC"] = str(shards)
        self.addCleanup(os.environ.pop, "GLEANER_DETERMINISTIC", None)

    def test_refused(self):
        """normalisation over a batch, by name, unless the program says 'share'"""
        self.refused("'1', a BatchNorm1d .*batch_norm='share'.*GroupNorm", network())
        model = network(nn.SyncBatchNorm)
        self.refused("'1', a SyncBatchNorm.*group", model, batch_norm="share")
        model = network()
        with self.assertRaisesRegex(ValueError, "batch_norm is 'all'"):
            gleaner.init(model, sgd(model), batch_norm="all")

    def test_taken(self):
        """in evaluation mode, over one sample, in deterministic mode"""
        model = network()
        model[1].eval()
        gleaner.init(model, sgd(model))
        model = network(lambda n: nn.InstanceNorm1d(n, track_running_stats=True))
        gleaner.init(model, sgd(model))
        self.deterministic(4)
        model = network()
        gleaner.init(model, sgd(model))

    def test_later(self):
        """one that is put into training mode in the loop is refused by name"""
        model = network()
        model[1].eval()
        job = gleaner.init(model, sgd(model))
        with self.assertRaisesRegex(gleaner.Unsupported, "'1', a BatchNorm1d"):
            for batch in job.steps(gleaner.DataLoader(Points(), BATCH)):
                model.train()
                job.backward(loss_of(model, batch))
                job.step()

    def test_alone(self):
        """alone: the plain loop's numbers, running statistics too"""
        for momentum in (0.1, None):
            with self.subTest(momentum=momentum):
                models = [
                    network(lambda n: nn.BatchNorm1d(n, momentum=momentum))
                    for _ in range(2)
                ]
                optimizer = sgd(models[0])
                for samples in order(passes=2):
                    optimizer.zero_grad()
                    loss_of(models[0], collated(samples)).backward()
                    optimizer.step()
                train(models[1], sgd(models[1]), passes=2, batch_norm="share")
                self.assertEqual(values(models[1]), values(models[0]))

    def test_shards(self):
        """in deterministic mode each shard is normalised, statistics are averaged"""
        plain, model = network(), network()
        optimizer = sgd(plain)
        for samples in order():
            shards = [samples[a:b] for a, b in _bounds(len(samples), 4)]
            before = [b.clone() for b in plain.buffers()]
            sums = [torch.zeros_like(b, dtype=torch.float64) for b in before]
            optimizer.zero_grad()
            for shard in shards:
                for buffer, old in zip(plain.buffers(), before):
                    buffer.copy_(old)
                part = len(shard) / len(samples)
                (loss_of(plain, collated(shard)) * part).backward()
                for total, buffer in zip(sums, plain.buffers()):
                    total += part * buffer
            for buffer, total in zip(plain.buffers(), sums):
                buffer.copy_(total.round() if not buffer.is_floating_point() else total)
            optimizer.step()
        self.deterministic(4)
        train(model, sgd(model))
        for got, want in zip(model.state_dict().values(), plain.state_dict().values()):
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)

    def test_infinite(self):
        """a value of job.mean() that is infinite leaves statistics as they are"""
        self.deterministic(4)
        model = network()
        job = gleaner.init(model, sgd(model))
        for batch in job.steps(gleaner.DataLoader(Points(), BATCH)):
            job.backward(loss_of(model, batch))
            job.mean(float("inf"))
            job.step()
        self.assertTrue(model[1].running_mean.isfinite().all())

    def test_single(self):
        """a share of one sample is normalised by the running statistics"""
        model = network()
        job = gleaner.init(model, sgd(model), batch_norm="share")
        for batch in job.steps(gleaner.DataLoader(Points(), 1)):
            loss = loss_of(model, batch)
            self.assertTrue(model[1].training)
            job.backward(loss)
            job.step()
        self.assertEqual(model[1].num_batches_tracked, 0)

    def test_weights(self):
        """members' statistics are weighed by their samples, and then equal"""
        members = [network(), network(), network()]
        layers = [RunningStatistics(model, by_share=True) for model in members]
        points = collated(range(16))[0]
        room = torch.zeros(layers[0].size())
        for layer, model, share in zip(layers, members, ((0, 4), (4, 16), (16, 16))):
            layer.begin(alone=False)
            if share[0] < share[1]:
                model(points[slice(*share)])
            layer.add(room, (share[1] - share[0]) / 16)
        for layer in layers:
            layer.take(room)
        mean = members[0][0](points).mean(0)
        for model in members:
            torch.testing.assert_close(model[1].running_mean, 0.1 * mean)
            self.assertEqual(model[1].num_batches_tracked, 1)
            self.assertEqual(values(model), values(members[0]))


def _bounds(n, shards):
    ends = [n * i // shards for i in range(shards + 1)]
    return [(a, b) for a, b in zip(ends, ends[1:]) if a < b]


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(5))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))


class Counter(Counting):
    def forward(self, x):
        self.calls += 1
        return x + 0 * self.calls


class Others(unittest.TestCase):
    def check(self, *calls, frozen=(b"", b"")):
        """Members that end a step with these buffers."""
        room = torch.zeros(7)
        for number, pattern in zip(calls, frozen):
            model = Counting()
            digests = Digests(model, ["table", "calls"], lambda p=pattern: p)
            model.calls.fill_(number)
            self.assertEqual(digests.size(), len(room))
            digests.add(room)
        digests.check(room * 0.75, 3)  # as if a member had been lost

    def test_equal(self):
        """buffers that change alike are taken"""
        self.check(7, 7)

    def test_different(self):
        """others are refused by name, with a remedy"""
        with self.assertRaisesRegex(
            RuntimeError, r"after step 3 buffer 'calls' is not .*\(.*\) \[.*update="
        ):
            self.check(7, 8)

    def test_frozen(self):
        """so are members that have frozen other parameters"""
        with self.assertRaisesRegex(RuntimeError, "step 3 members have frozen"):
            self.check(7, 7, frozen=(b"\0\1", b"\0\0"))

    def test_changed(self):
        """a buffer is looked at again when it changed, or was replaced"""
        model = Counting()
        digests = Digests(model, ["calls"], lambda: b"")
        rooms = []
        for change in (lambda: None, lambda: model.calls.add_(1), self.replace(model)):
            change()
            rooms.append(torch.zeros(digests.size()))
            digests.add(rooms[-1])
            model.calls = model.calls + 0  # a new tensor where the last one was
        self.assertEqual(len({tuple(room.tolist()) for room in rooms}), 3)

    def replace(self, model):
        def change():
            model.calls = model.calls + 1

        return change

    def test_shards(self):
        """each share begins with the same, so counters count a step once"""
        os.environ["GLEANER_DETERMINISTIC"] = "4"
        self.addCleanup(os.environ.pop, "GLEANER_DETERMINISTIC")
        model = nn.Sequential(nn.Linear(8, 8), Counter(), nn.Linear(8, 1))
        nn.utils.spectral_norm(model[0])
        train(model, sgd(model), passes=2)
        self.assertEqual(model[1].calls, 26)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Joiners(unittest.TestCase):
    def test_first_step_lost(self):
        """a joiner given another state in its first step ends with its buffers"""
        training = Training(2, "--passes", 8, "--norm", "--linger", "lingers")
        self.addCleanup(training.close)
        lingers, hold = training.dir / "lingers", training.dir / "hold"
        training.wait_for_size(2)
        training.wait(lambda: training.steps() > 20)
        hold.touch()
        lingers.touch()
        training.order("add")
        # The others wait for its part of the first step that it is in.
        training.wait(lambda: len(training.events("state_check")) == 2)
        victim = training.events("member_started")[1]["pid"]
        os.kill(victim, signal.SIGKILL)
        hold.unlink()
        done = training.steps()
        training.wait(lambda: training.steps() > done + 20)
        hold.touch()
        lingers.unlink()
        # Two of the first generation are left: one, and what replaces the other.
        training.wait(lambda: training.size() >= 2)
        hold.unlink()
        self.assertEqual(training.finish(90), 0, training.output())
        ended = ends(training.output())
        self.assertGreater(len(ended), 1, training.output())
        self.assertEqual(len(set(ended)), 1, training.output())
        for check in training.events("state_check"):
            self.assertEqual(check["differ"], [])


support.main()
