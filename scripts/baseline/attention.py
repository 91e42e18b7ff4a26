"""Rows about attention and transformer layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from timing import per_call


def attention_step(batch, length, is_causal):
    def row():
        q, k, v = (torch.randn(batch, 8, length, 64, requires_grad=True) for _ in range(3))
        g = torch.randn(batch, 8, length, 64)

        def run():
            q.grad = k.grad = v.grad = None
            F.scaled_dot_product_attention(q, k, v, is_causal=is_causal).backward(g)

        return per_call(run) * 1e3

    return row


def decoding_attention():
    q, k, v = torch.randn(1, 8, 1, 64), torch.randn(1, 8, 512, 64), torch.randn(1, 8, 512, 64)

    def run():
        with torch.inference_mode():
            F.scaled_dot_product_attention(q, k, v)

    return per_call(run) * 1e6


def encoder_layer():
    return nn.TransformerEncoderLayer(256, 8, 1024, dropout=0, activation="gelu", batch_first=True)


def encode(net, x, narrow):
    with torch.autocast("cpu", torch.bfloat16, enabled=narrow):
        return net(x).float()


def encoder_step(narrow=False):
    net = encoder_layer()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x, g = torch.randn(8, 128, 256), torch.randn(8, 128, 256)

    def run():
        opt.zero_grad()
        encode(net, x, narrow).backward(g)
        opt.step()

    return per_call(run) * 1e3


def encoder_inference(narrow=False):
    net, x = encoder_layer().eval(), torch.randn(8, 128, 256)

    def run():
        with torch.inference_mode():
            encode(net, x, narrow)

    return per_call(run) * 1e3


ROWS = {
    "causal_attention": attention_step(1, 4096, True),
    "short_attention": attention_step(4, 64, False),
    "decoding_attention": decoding_attention,
    "encoder_step": encoder_step,
    "encoder_inference": encoder_inference,
    "narrow_encoder_step": lambda: encoder_step(True) / encoder_step(),
    "narrow_encoder_inference": lambda: encoder_inference(True) / encoder_inference(),
}
