"""Python version of examples/training_log.cpp; prints the same output."""

import csv
import shutil

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter


def write_summaries(folder, losses):
    writer = SummaryWriter(folder)
    for step, loss in enumerate(losses):
        writer.add_scalar("loss/train", loss, step)
    writer.add_scalars("accuracy", {"train": 0.75, "valid": 0.5}, 3)
    writer.add_histogram("weight", torch.arange(6.0), 3)
    writer.add_image("image", torch.linspace(0, 1, 12).reshape(1, 3, 4), 3)
    writer.add_text("config", "lr = 0.1")
    writer.add_hparams({"lr": 0.1, "optimizer": "SGD"},
                       {"hparam/loss": losses[-1]}, run_name="trial")
    writer.close()


def read_summaries(folder):
    events = EventAccumulator(folder).Reload()
    for event in events.Scalars("loss/train"):
        print(event.step, event.value)


def write_table(path, losses):
    with open(path, "w", newline="") as file:
        log = csv.DictWriter(file, ["step", "loss", "lr"], lineterminator="\n")
        log.writeheader()
        for step, loss in enumerate(losses):
            log.writerow({"step": step, "loss": loss, "lr": 0.1})


def main():
    losses = [1.5, 0.75, 0.375]
    shutil.rmtree("runs", ignore_errors=True)
    write_summaries("runs/first", losses)
    read_summaries("runs/first")
    write_table("runs/first/log.csv", losses)
    with open("runs/first/log.csv") as file:
        print(file.read(), end="")


main()
