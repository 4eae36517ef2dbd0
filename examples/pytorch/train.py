"""Fits a small network to a sine, with one process for each task of Flux (DistributedDataParallel).

It saves its state every few steps, and when it gets SIGUSR1: then one of its pods is about to end. When it starts, it
goes on from the last state. All random numbers depend on the step, so the result is the same with any number of
interruptions.
"""

import os
import signal
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS = int(os.environ["STEPS"])
SAVE_EVERY = int(os.environ["SAVE_EVERY"])
# Seconds that a step lasts at least: a stand-in for the work of a real one.
STEP_SECONDS = float(os.environ["STEP_SECONDS"])
CHECKPOINT = os.environ["CHECKPOINT"]
SAMPLES = 64

leaving = False


def heed(*_):
    global leaving
    leaving = True


signal.signal(signal.SIGUSR1, heed)

has_gpus = torch.cuda.is_available()
dist.init_process_group("nccl" if has_gpus else "gloo")
rank, world = dist.get_rank(), dist.get_world_size()
# The tasks of a host see the GPUs of all of them.
device = torch.device(f"cuda:{os.environ['LOCAL_RANK']}" if has_gpus else "cpu")

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(device)
optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
step, saved_at = 0, None
if os.path.exists(CHECKPOINT):
    state = torch.load(CHECKPOINT, map_location=device)
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    step, saved_at = state["step"], state["time"]
model = DistributedDataParallel(network)


def batch(number):
    """The samples of this rank in a step."""
    generator = torch.Generator().manual_seed(number * world + rank)
    inputs = torch.rand(SAMPLES, 1, generator=generator) * 6 - 3
    return inputs.to(device), torch.sin(inputs).to(device)


def save():
    """Replaces the checkpoint at once, so that an end at any moment leaves a whole one."""
    if rank == 0:
        state = {
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "step": step,
            "time": time.time(),
        }
        torch.save(state, CHECKPOINT + ".new")
        os.replace(CHECKPOINT + ".new", CHECKPOINT)


def any_rank(flag):
    """True on all ranks if it is true on one: they must leave the loop after the same step."""
    value = torch.tensor([float(flag)], device=device)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    return value.item() > 0


def tell(text):
    if rank == 0:
        print(text, flush=True)


def progress(loss):
    """docs/progress.md: the row of `pulumi up` shows it."""
    if rank == 0 and "MINICLUSTER_PROGRESS" in os.environ:
        with open(os.environ["MINICLUSTER_PROGRESS"], "w") as file:
            file.write(f"{step / STEPS} step {step} of {STEPS}, loss {loss:.4f}\n")


attempt, reason = os.environ.get("MINICLUSTER_ATTEMPT", "1"), os.environ.get("MINICLUSTER_ATTEMPT_REASON", "start")
pause = "" if saved_at is None else f", {time.time() - saved_at:.1f} s after it was saved"
tell(f"attempt {attempt} ({reason}): {world} ranks at step {step}{pause}")
while step < STEPS:
    started = time.monotonic()
    inputs, wanted = batch(step)
    loss = torch.nn.functional.mse_loss(model(inputs), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    progress(loss.item())
    if any_rank(leaving):
        save()
        tell(f"saved at step {step}, because a pod leaves")
        raise SystemExit(0)
    if step % SAVE_EVERY == 0:
        save()
    time.sleep(max(0.0, STEP_SECONDS - (time.monotonic() - started)))

save()
with torch.no_grad():
    inputs = torch.linspace(-3, 3, 100, device=device).reshape(-1, 1)
    error = (network(inputs) - torch.sin(inputs)).abs().max().item()
tell(f"done: step {step}, largest error {error:.6f}")
dist.barrier()
