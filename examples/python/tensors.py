"""Python version of examples/tensors.cpp; prints the same output."""

import array

import torch


def factories():
    a = torch.zeros(2, 3)
    b = torch.ones(2, 3, dtype=torch.int64)
    c = torch.full((2,), 0.5)
    d = torch.arange(6)
    e = torch.arange(1, 2, 0.25)
    f = torch.linspace(0, 1, 5)
    g = torch.eye(2)
    h = torch.zeros_like(b)
    i = torch.empty(0, 4, dtype=torch.float64)
    for x in (a, b, c, d, e, f, g, h, i):
        print(x)


def random_numbers():
    torch.manual_seed(0)
    a = torch.rand(2, 2)
    b = torch.randn(3, dtype=torch.float64)
    c = torch.randint(10, (4,))
    d = torch.randint(-5, 5, (4,))
    e = torch.randperm(5)
    f = torch.bernoulli(torch.full((4,), 0.5))
    g = torch.empty(3).uniform_(-1, 1)
    for x in (a, b, c, d, e, f, g):
        print(x)


def values():
    a = torch.tensor(3.5)
    b = torch.tensor([1, 2, 3])
    c = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float32)
    d = torch.tensor([True, False])
    numbers = [0.5, 1.5]
    rows = [[1.0, 2.0], [3.0, 4.0]]
    e = torch.tensor(numbers)
    f = torch.tensor(rows, dtype=torch.float64)
    g = torch.tensor(numbers).view(2, 1)
    for x in (a, b, c, d, e, f, g):
        print(x)


def memory_of_the_program():
    pixels = array.array("f", [0, 1, 2, 3, 4, 5])
    image = torch.frombuffer(pixels, dtype=torch.float32).view(2, 3)
    pixels[0] = 9
    image[1] = 7
    print(image)
    print(f"{pixels[5]:g}")


def conversion():
    x = torch.tensor([0.2, 1.7, -2.5])
    a = x.double()
    b = x.long()
    c = x.bool()
    d = x.to(a)
    e = x.to("meta")
    f = x.to("cpu", torch.float16)
    for y in (a, b, c, d, e, f):
        print(y.dtype)
    print(b)
    print(e.device)
    print(torch.promote_types(torch.int64, torch.float32))
    print((b + 0.5).dtype)


def elements():
    x = torch.tensor([[1, 2], [3, 4]], dtype=torch.float32)
    total = x.sum().item()
    largest = x.argmax().item()
    positive = bool((x > 0).all())
    sum = 0
    for value in x.flatten().tolist():
        sum += value
    columns = x.t().contiguous()
    transposed = columns.flatten().tolist()
    x.view(-1)[3] = 8
    print(f"{total + sum:g}")
    print(largest)
    print(positive)
    print(f"{transposed[1]:g}")
    print(x.tolist())
    print(x.size(0) * x.size(-1) == x.numel())


def indexing():
    x = torch.arange(12).reshape(3, 4)
    row = x[0]
    last = x[-1][2]
    rows = x[0:2]
    column = x[:, 1]
    even = x[..., 0::2]
    inserted = x[0, None]
    masked = x[x > 8]
    chosen = x[torch.tensor([2, 0])]
    pairs = x[torch.tensor([0, 1]), torch.tensor([2, 3])]
    for y in (row, last, rows, column, even, inserted, masked, chosen, pairs):
        print(y)


def assignment():
    x = torch.zeros(3, 4)
    x[0] = 1
    x[:, 1] = torch.tensor([5.0, 6.0, 7.0])
    x[2, 2:] += 3
    x[x > 6] = -1
    row = x[1]
    row.fill_(2)
    row = torch.zeros(4)
    print(x)


def views():
    x = torch.arange(6)
    a = x.view(2, 3)
    b = a.t()
    c = b.reshape(-1)
    d = x.unsqueeze(0).expand(2, 6)
    e = x.clone()
    x[0] = 9
    for y in (a, b, c, d, e):
        print(y)
    parts = x.split(4)
    print(parts[1])
    print(b.is_contiguous())


def in_place():
    x = torch.ones(3)
    y = x
    y.add_(1).mul_(2)
    y += 0.5
    print(x)
    y = y + 1
    print(x is y)
    x.clamp_(0, 3).copy_(torch.arange(3))
    print(x)


def broadcasting():
    column = torch.tensor([[0], [10], [20]])
    print(column + torch.arange(4))
    largest, where = (column + torch.arange(4)).max(1)
    print(largest)
    print(where)
    print(column.sum(0, keepdim=True))


factories()
random_numbers()
values()
memory_of_the_program()
conversion()
elements()
indexing()
assignment()
views()
in_place()
broadcasting()
