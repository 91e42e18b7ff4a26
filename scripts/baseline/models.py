"""Rows about the networks of models/: inference and training steps of the originals."""
import functools
import importlib.util
import pathlib

import torch
from torch import nn
import torch.nn.functional as F

from timing import faster_layout, per_call

IMAGE, TOKENS = 224, 128  # size of an image, length of a sequence


class Seq2Seq(nn.Module):
    """As models/transformer."""

    def __init__(self, vocabulary, max_length, features=512):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, features, padding_idx=0)
        self.transformer = nn.Transformer(features, batch_first=True)
        self.out = nn.Linear(features, vocabulary)
        rate = torch.exp(torch.arange(0, features, 2) * (-torch.log(torch.tensor(10000.0)) / features))
        angles = torch.arange(max_length).unsqueeze(1) * rate
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], 2).flatten(1), persistent=False)

    def embedded(self, ids):
        return self.embed(ids) * self.embed.embedding_dim**0.5 + self.positions[: ids.shape[1]]

    def forward(self, source, target):
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        padding = source == 0
        return self.out(self.transformer(
            self.embedded(source), self.embedded(target), tgt_mask=later, src_key_padding_mask=padding,
            tgt_key_padding_mask=target == 0, memory_key_padding_mask=padding))


@functools.cache
def golden():
    """scripts/golden/models.py, which contains the networks that no package has."""
    path = pathlib.Path(__file__).parents[2] / "scripts/golden/models.py"
    spec = importlib.util.spec_from_file_location("golden_models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_transformers(name, **options):
    """Returns a function that constructs the class of transformers."""

    def make():
        import transformers

        model = getattr(transformers, name)
        return model(model.config_class(**options))

    return make


# Inputs: each function returns the computations of an output and of a loss for a batch.


def random_images(batch, layout):
    return torch.randn(batch, 3, IMAGE, IMAGE).to(memory_format=layout)


def image_classifier(net, batch, layout):
    x, y = random_images(batch, layout), torch.randint(1000, (batch,))
    return lambda: net(x), lambda: F.cross_entropy(net(x), y)


def segmentation(net, batch, layout):
    x, y = random_images(batch, layout), torch.randint(2, (batch, IMAGE, IMAGE))
    return lambda: net(x), lambda: F.cross_entropy(net(x), y)


def tagging(net, batch, layout):
    words, tags = torch.randint(10000, (TOKENS,)), torch.randint(20, (TOKENS,))
    return lambda: net(words), lambda: F.nll_loss(net(words), tags)


def translation(net, batch, layout):
    source, target = torch.randint(1, 37000, (2, batch, TOKENS))
    return lambda: net(source, target), lambda: F.cross_entropy(net(source, target).flatten(0, 1), target.flatten())


def language_model(net, batch, layout):
    ids = torch.randint(net.config.vocab_size, (batch, TOKENS))
    return lambda: net(ids, use_cache=False).logits, lambda: net(ids, labels=ids, use_cache=False).loss


def sequence_encoder(net, batch, layout):
    ids = torch.randint(30522, (batch, TOKENS))
    return lambda: net(ids).last_hidden_state, None


def sequence_classifier(net, batch, layout):
    ids, labels = torch.randint(30522, (batch, TOKENS)), torch.randint(2, (batch,))
    return lambda: net(ids).logits, lambda: net(ids, labels=labels).loss


def patch_classifier(net, batch, layout):
    x, labels = random_images(batch, layout), torch.randint(1000, (batch,))
    return lambda: net(x).logits, lambda: net(x, labels=labels).loss


IMAGE_INPUTS = image_classifier, segmentation, patch_classifier
NETWORKS = {
    "UNet": (lambda: golden().UNet(3, 2), segmentation),
    "LSTMTagger": (lambda: golden().LSTMTagger(64, 128, 10000, 20), tagging),
    "Seq2Seq": (lambda: Seq2Seq(37000, 512), translation),
    "GPT2LMHeadModel": (of_transformers("GPT2LMHeadModel"), language_model),
    "LlamaForCausalLM": (
        of_transformers("LlamaForCausalLM", hidden_size=768, intermediate_size=2048, num_hidden_layers=12,
                        num_attention_heads=12, num_key_value_heads=4), language_model),
    "BertModel": (of_transformers("BertModel"), sequence_encoder),
    "BertForSequenceClassification": (of_transformers("BertForSequenceClassification"), sequence_classifier),
    "ViTForImageClassification": (of_transformers("ViTForImageClassification", num_labels=1000), patch_classifier),
}


def of_torchvision(name):
    def make():
        import torchvision

        return getattr(torchvision.models, name)()

    return make


# The rounds of a row use one network, because drawing initial values takes longer than a step.
@functools.lru_cache(maxsize=1)
def network(name):
    return NETWORKS.get(name, (of_torchvision(name),))[0]()


def measure(row):
    """Measures a row "NAME/inference/BATCH" or "NAME/training/BATCH" in milliseconds."""
    name, kind, batch = row.split("/")
    inputs = NETWORKS.get(name, (None, image_classifier))[1]

    def make(layout):
        net = network(name).to(memory_format=layout).train(kind == "training")
        net.zero_grad()
        output, loss = inputs(net, int(batch), layout)
        opt = torch.optim.SGD(net.parameters(), lr=1e-3)

        def infer():
            with torch.no_grad():
                output()

        def step():
            opt.zero_grad()
            loss().backward()
            opt.step()

        return step if kind == "training" else infer

    if inputs in IMAGE_INPUTS:
        return faster_layout(make, 0.5) * 1e3
    return per_call(make(torch.contiguous_format), 0.5) * 1e3
