"""Processes that run distributed cases, one per rank, in a new process group on Gloo for each case."""
import datetime
import logging
import multiprocessing
import os
import pickle
import shutil
import tempfile
import warnings

import torch
import torch.distributed as dist

from dist.case import Case

SECONDS = 30  # timeout of a process group, unless the case has one
GRACE = 300  # seconds that the parent waits for a rank beyond it


def private(value):
    """A copy of a nested value whose tensors own exactly their elements, so that pickling writes nothing else."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().contiguous()
    if isinstance(value, dict):
        copy = type(value)()
        copy.update((key, private(item)) for key, item in value.items())
        return copy
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(private(item) for item in value))
    return type(value)(private(item) for item in value) if isinstance(value, (list, tuple)) else value


def answer_of(rank, world, init_method, family, fields, tensors, double):
    """(True, result, raised exception or None) of a case, or (False, error)."""
    try:
        dist.set_debug_level(dist.DebugLevel.DETAIL if fields.get("debug") else dist.DebugLevel.OFF)
        dist.init_process_group("gloo", init_method=init_method, rank=rank, world_size=world,
                                timeout=datetime.timedelta(seconds=fields.get("timeout", SECONDS)))
        dist.barrier()  # no rank may end before all are connected
        case = Case(fields, tensors, rank, double)
        answer = (True, private(case.run(family)), case.raised)
        if case.raised is None and "error" not in fields["kind"]:
            dist.barrier()
    except Exception as error:
        answer = (False, f"rank {rank}: {type(error).__name__}: {str(error)[:600]}")
    try:
        dist.destroy_process_group()
    except Exception:  # the case has destroyed it, or it was never created
        pass
    dist.set_debug_level(dist.DebugLevel.OFF)
    return answer


def serve(rank, world, pipe, folder):
    """Answers requests until the parent closes the pipe."""
    os.environ.update(GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1", TORCH_CPP_LOG_LEVEL="FATAL")
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    number = 0
    while True:
        try:
            request = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        number += 1
        pipe.send_bytes(pickle.dumps(answer_of(rank, world, f"file://{folder}/{number}", *request)))


class Ranks:
    """The processes of one number of ranks. They start with the first case."""

    def __init__(self, world):
        self.folder = tempfile.mkdtemp(prefix="ranks")
        context = multiprocessing.get_context("spawn")
        self.processes, self.pipes = [], []
        for rank in range(world):
            mine, theirs = context.Pipe()
            process = context.Process(target=serve, args=(rank, world, theirs, self.folder), daemon=True)
            process.start()
            theirs.close()
            self.processes.append(process)
            self.pipes.append(mine)

    def run(self, family, fields, tensors, double):
        """(result, raised exception or None) of each rank."""
        request = pickle.dumps((family, fields, tensors, double))
        for pipe in self.pipes:
            pipe.send_bytes(request)
        answers = []
        for rank, pipe in enumerate(self.pipes):
            if not pipe.poll(fields.get("timeout", SECONDS) * 4 + GRACE):
                raise RuntimeError(f"{fields['id']}: rank {rank} did not answer")
            answers.append(pickle.loads(pipe.recv_bytes()))
        failed = [answer[1] for answer in answers if not answer[0]]
        if failed:
            raise RuntimeError(f"{fields['id']}: " + "; ".join(failed))
        return [answer[1:] for answer in answers]

    def stop(self):
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join(1)
            if process.is_alive():
                process.kill()
            process.join()
        shutil.rmtree(self.folder, ignore_errors=True)


POOLS = {}


def run(world, family, fields, tensors, double=False):
    if world not in POOLS:
        POOLS[world] = Ranks(world)
    return POOLS[world].run(family, fields, tensors, double)


def stop():
    while POOLS:
        POOLS.popitem()[1].stop()
