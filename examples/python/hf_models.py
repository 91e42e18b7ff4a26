"""Python version of examples/hf_models.cpp; prints the same output. Requires transformers 5.23."""

import os

import torch
from transformers import (
    BertForSequenceClassification,
    BertModel,
    DynamicCache,
    GPT2LMHeadModel,
    ViTForImageClassification,
)

HERE = os.path.dirname(os.path.abspath(__file__))
folders = os.path.join(HERE, "../../tests/data/hf_models/")


def use_gpt2():
    model = GPT2LMHeadModel.from_pretrained(folders + "gpt2")
    prompts = torch.tensor([[0, 0, 5, 17, 3, 29], [23, 9, 30, 4, 12, 1]])
    mask = (prompts != 0).long()
    print(model.generate(prompts, attention_mask=mask, max_new_tokens=6, eos_token_id=[8, 31]))
    print(model.generate(prompts, attention_mask=mask, max_new_tokens=6, num_beams=3))

    out = model(prompts, attention_mask=mask, labels=prompts.where(mask != 0, -100))
    out.loss.backward()
    print(f"loss {out.loss.item():.3f}")


@torch.no_grad()
def use_cache():
    model = GPT2LMHeadModel.from_pretrained(folders + "gpt2")
    cache = DynamicCache(config=model.config)
    out = model(torch.tensor([[5, 17, 3]]), past_key_values=cache)
    out = model(torch.tensor([[29]]), past_key_values=cache)
    print(f"logit {out.logits.max().item():.3f}")
    print(cache.get_seq_length())


def use_bert():
    model = BertForSequenceClassification.from_pretrained(folders + "bert")
    ids = torch.tensor([[5, 17, 3, 29, 11, 8], [23, 9, 30, 4, 0, 0]])
    out = model(ids, attention_mask=ids != 0, labels=torch.tensor([2, 0]))
    print(out.logits.argmax(1))
    print(f"loss {out.loss.item():.3f}")

    body = BertModel.from_pretrained(folders + "bert")
    hidden = body(ids, output_hidden_states=True)
    print(len(hidden.hidden_states), hidden.pooler_output.shape)


def use_vit():
    model = ViTForImageClassification.from_pretrained(folders + "vit")
    images = torch.arange(384).float().view(2, 3, 8, 8) / 384
    out = model(images, labels=torch.tensor([0, 1]))
    print(out.logits.argmax(1))
    print(f"loss {out.loss.item():.3f}")


use_gpt2()
use_cache()
use_bert()
use_vit()
