"""Timing of rows."""
import time

import torch


def per_call(f, seconds=0.25):
    """Seconds per call: the median over batches that together last about `seconds`."""
    f(), f()
    calls, took = 1, 0.0
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            f()
        took = time.perf_counter() - start
        if took >= seconds / 50:
            break
        calls *= 4
    batches, total = [], 0.0
    while total < seconds or len(batches) < 3:
        start = time.perf_counter()
        for _ in range(calls):
            f()
        batches.append(time.perf_counter() - start)
        total += batches[-1]
    return sorted(batches)[len(batches) // 2] / calls


def faster_layout(make, seconds=0.25):
    """The better of contiguous and channels-last."""
    return min(per_call(make(layout), seconds) for layout in (torch.contiguous_format, torch.channels_last))
