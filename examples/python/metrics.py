"""Python version of examples/metrics.cpp; prints the same output."""

import torch
from torch import tensor
from torchmetrics import Metric, MetricCollection
from torchmetrics.classification import (BinaryROC, MulticlassAccuracy, MulticlassConfusionMatrix,
                                         MulticlassF1Score)
from torchmetrics.detection import MeanAveragePrecision
from torchvision.ops import box_iou, nms


def evaluate(batches):
    accuracy = MulticlassAccuracy(num_classes=3, average="micro")
    for scores, labels in batches:
        accuracy.update(scores, labels)
    print("accuracy", accuracy.compute())


def evaluate_several(batches):
    metrics = MetricCollection({"acc": MulticlassAccuracy(num_classes=3),
                                "f1": MulticlassF1Score(num_classes=3),
                                "matrix": MulticlassConfusionMatrix(num_classes=3)}, prefix="val_")
    for scores, labels in batches:
        metrics.update(scores, labels)
    for name, value in metrics.compute().items():
        print(name, value)
    metrics.reset()


def merge_parts(batches):
    parts = [MulticlassF1Score(num_classes=3), MulticlassF1Score(num_classes=3)]
    for i, (scores, labels) in enumerate(batches):
        parts[i % 2].update(scores, labels)
    parts[0].merge_state(parts[1])
    print("merged", parts[0].compute())


def curve():
    roc = BinaryROC(thresholds=5)
    roc.update(tensor([0.1, 0.4, 0.35, 0.8]), tensor([0, 0, 1, 1]))
    fpr, tpr, thresholds = roc.compute()
    print(fpr, tpr, thresholds)


def detection():
    boxes = tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]])
    scores = tensor([0.9, 0.8, 0.7])
    print(box_iou(boxes[:1], boxes))
    keep = nms(boxes, scores, iou_threshold=0.5)
    metric = MeanAveragePrecision()
    metric.update([{"boxes": boxes[keep], "scores": scores[keep], "labels": tensor([1, 1])}],
                  [{"boxes": boxes[:1], "labels": tensor([1])}])
    print("map", metric.compute()["map"])


class MeanLogRatio(Metric):
    """Mean of log(preds / target)."""

    def __init__(self):
        super().__init__()
        self.add_state("total", tensor(0.0), dist_reduce_fx="sum")
        self.add_state("count", tensor(0), dist_reduce_fx="sum")

    def update(self, preds, target):
        self.total += (preds / target).log().sum()
        self.count += target.numel()

    def compute(self):
        return self.total / self.count


torch.manual_seed(0)
data = [(torch.randn(8, 3), torch.randint(3, (8,))) for _ in range(4)]
evaluate(data)
evaluate_several(data)
merge_parts(data)
curve()
detection()
ratio = MeanLogRatio()
ratio.update(tensor([1.0, 2.0]), tensor([2.0, 2.0]))
print("mean log ratio", ratio.compute())
