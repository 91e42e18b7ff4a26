"""Python version of examples/trainer.cpp; prints the same output."""

import torch
from torch import nn
import torch.nn.functional as F


def make_points(count):
    x = torch.randn(count, 2)
    return x, ((x * x).sum(1) > 1.0).long()  # outside of the circle


def train_on(points, valid, folder):
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(opt, 2, gamma=0.1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*points),
                                         batch_size=16, shuffle=True)

    for epoch in range(4):
        net.train()
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            right = net(valid[0]).argmax(1) == valid[1]
            accuracy = right.float().mean().item()
        scheduler.step()
        torch.save({"epoch": epoch + 1,
                    "model_state_dict": net.state_dict(),
                    "optimizer_state_dict": opt.state_dict(),
                    "scheduler_state_dict": scheduler.state_dict()}, f"{folder}/last.pt")
        print(f"epoch {epoch + 1}  loss {total / len(loader):.3f}  accuracy {accuracy:.3f}")


if __name__ == "__main__":
    import tempfile
    torch.manual_seed(0)
    points, valid = make_points(200), make_points(100)
    with tempfile.TemporaryDirectory() as folder:
        train_on(points, valid, folder)
