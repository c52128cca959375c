"""One oracle in many threads: every draw once, every call counted, no budget passed."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, OracleBudgetError

THREADS, ROUNDS, BUDGET = 16, 60, 150


@pytest.fixture(autouse=True)
def many_switches():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def drawn_in_threads(oracle, sizes):
    """What every thread drew until its budget was spent, all threads starting at once."""
    start, drawn, failed = threading.Barrier(THREADS), [], []

    def work(number):
        start.wait()
        try:
            while True:
                drawn.append(oracle.draw(sizes[number % len(sizes)]))
        except OracleBudgetError:
            pass
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    return drawn


def test_16_threads_get_every_draw_once_and_keep_to_the_budget():
    """C_(10^15): two of 150 uniform draws agree with probability 1e-11, so all rows differ."""
    group = sa.cyclic(10**15)
    for seed in range(ROUNDS):
        oracle = sa.Oracle(group, seed=seed, budget=BUDGET)
        drawn = drawn_in_threads(oracle, sizes=(1, 3, 7))
        made = sum(S.m for S in drawn)
        assert oracle.calls == made <= BUDGET
        assert sum(S.calls for S in drawn) == made
        rows = Counter(int(row[0]) for S in drawn for row in S.elements)
        expected = sa.Oracle(group, seed=seed).draw(made).elements[:, 0]
        assert rows == Counter(map(int, expected))
        spans = sorted(S.origin.draws[0][1:] for S in drawn)
        assert spans[0][0] == 0
        assert spans[-1][1] == made
        assert all(one[1] == two[0] for one, two in pairwise(spans))


def test_a_source_is_asked_by_one_thread_at_a_time_and_in_order():
    group, inside, asked = sa.symmetric(5), threading.Semaphore(), []

    def discover(rng):
        assert inside.acquire(blocking=False), "two threads ask at once"
        time.sleep(0)
        asked.append(None)
        inside.release()
        return group.sample(1, rng)[0]

    for seed in range(10):
        asked.clear()
        oracle = sa.Oracle(group, seed=seed, budget=BUDGET, source=discover)
        drawn = drawn_in_threads(oracle, sizes=(1, 4))
        made = sum(S.m for S in drawn)
        assert oracle.calls == made == len(asked) <= BUDGET
        alone = sa.Oracle(group, seed=seed, source=lambda rng: group.sample(1, rng)[0])
        in_order = sorted(drawn, key=lambda S: S.origin.start)
        rows = np.concatenate([S.elements for S in in_order])
        assert np.array_equal(rows, alone.draw(made).elements)


def test_a_source_that_draws_from_its_own_oracle_is_refused():
    group = sa.symmetric(4)
    oracle = sa.Oracle(group, source=lambda rng: oracle.draw(1).elements[0])
    with pytest.raises(ArgumentError, match="source draws from its own oracle"):
        oracle.draw(1)
    assert oracle.calls == 1


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))]
)
def test_a_copy_goes_on_from_the_same_draw_and_counts_for_itself(twin):
    oracle = sa.Oracle(sa.symmetric(5), seed=4, budget=50)
    oracle.draw(20)
    other = twin(oracle)
    assert np.array_equal(other.draw(5).elements, oracle.draw(5).elements)
    other.draw(10)
    assert (oracle.calls, other.calls) == (25, 35)


def child_answers(work):
    """Whether work() is true in a forked process, within 20 seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for a lock which nobody holds
        answer = False
        try:
            answer = work()
        finally:  # whatever happens, the child runs no further test
            os._exit(0 if answer else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
# we fork on purpose while threads run; JAX warns, and Python from 3.12 on
quiet = pytest.mark.filterwarnings("ignore:.*fork")


@forks
@quiet
@pytest.mark.parametrize("twin", [lambda oracle: oracle, copy.deepcopy])
def test_a_process_forked_while_another_thread_draws_can_draw(twin):
    asked, go = threading.Event(), threading.Event()

    def source(rng):
        asked.set()
        if threading.current_thread() is not threading.main_thread():
            go.wait()
        return [int(rng.integers(5))]

    oracle = twin(sa.Oracle(sa.cyclic(5), source=source))
    thread = threading.Thread(target=oracle.draw, args=(1,))
    thread.start()
    asked.wait()
    try:
        # the call that the other thread had begun is counted, as one that found nothing
        assert child_answers(lambda: (oracle.draw(2).calls, oracle.calls) == (3, 3))
    finally:
        go.set()
        thread.join()
    assert oracle.calls == 1
