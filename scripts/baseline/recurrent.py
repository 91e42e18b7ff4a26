"""Rows about recurrent layers."""
import torch
import torch.nn as nn

from timing import per_call

# inputs, hidden, layers, steps, batch
LARGE, SMALL = (128, 256, 2, 50, 16), (32, 32, 1, 100, 1)


def training_step(layer, sizes):
    def row():
        inputs, hidden, layers, steps, batch = sizes
        net = layer(inputs, hidden, layers)
        opt = torch.optim.SGD(net.parameters(), lr=0.01)
        x = torch.randn(steps, batch, inputs)

        def step():
            opt.zero_grad()
            net(x)[0].mean().backward()
            opt.step()

        return per_call(step) * 1e3

    return row


def inference(layer, sizes):
    def row():
        inputs, hidden, layers, steps, batch = sizes
        net, x = layer(inputs, hidden, layers).eval(), torch.randn(steps, batch, inputs)

        def run():
            with torch.inference_mode():
                net(x)

        return per_call(run) * 1e3

    return row


ROWS = {}
for _name, _layer in (("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)):
    ROWS[_name + "_step"] = training_step(_layer, LARGE)
    ROWS[_name + "_inference"] = inference(_layer, LARGE)
    ROWS[_name + "_small_step"] = training_step(_layer, SMALL)
