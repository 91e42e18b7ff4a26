"""Writes tests/data/hf_models: folders of tiny models of transformers and results.json, what they compute.

    python scripts/golden/hf_models.py tests/data/hf_models

With PyTorch 2.15.0 and transformers 5.23.0. The same seed gives the same files; results.json may differ in the last
digits on another processor.
"""
import json
import os
import shutil
import sys

import torch
import transformers as T

ROPE = {"rope_type": "llama3", "rope_theta": 10000.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16}
MODELS = {
    "gpt2": (T.GPT2LMHeadModel, dict(vocab_size=40, n_embd=16, n_layer=2, n_head=2, n_positions=48, bos_token_id=39,
                                     eos_token_id=39), None),
    "llama": (T.LlamaForCausalLM, dict(vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
                                       num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
                                       eos_token_id=[2, 7], pad_token_id=0, rope_parameters=ROPE), "12KB"),
    "bert": (T.BertForSequenceClassification, dict(vocab_size=31, hidden_size=16, num_hidden_layers=1,
                                                   num_attention_heads=2, intermediate_size=24,
                                                   max_position_embeddings=20, num_labels=3), None),
    "vit": (T.ViTForImageClassification, dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                              intermediate_size=24, image_size=8, patch_size=4, num_labels=3), None),
}
TEXTS = [[5, 17, 3, 29, 11, 8], [23, 9, 30, 4, 12, 1]]
PADDED = [[0, 0, 5, 17, 3, 29], [23, 9, 30, 4, 12, 1]]


def make(root, name):
    cls, options, shards = MODELS[name]
    torch.manual_seed(sum(map(ord, name)))
    model = cls(cls.config_class(**options)).eval()
    with torch.no_grad():
        for key, p in model.named_parameters():
            wide = 0.4 if p.dim() > 1 else 0.1
            p.add_(wide * torch.randn(p.shape))
            p.copy_((p * 1024).round() / 1024)
    model.save_pretrained(os.path.join(root, name), **({"max_shard_size": shards} if shards else {}))
    for file in os.listdir(os.path.join(root, name)):
        os.chmod(os.path.join(root, name, file), 0o644)
    return model


def main():
    root = sys.argv[1]
    shutil.rmtree(root, ignore_errors=True)
    ids, padded, results = torch.tensor(TEXTS), torch.tensor(PADDED), {}
    mask = (padded != 0).long()
    torch.manual_seed(0)
    for name in ("gpt2", "llama"):
        model = make(root, name)
        with torch.no_grad():
            out = model(ids, labels=ids)
            found = {"logits_last": out.logits[:, -1].tolist(), "loss": out.loss.item()}
            call = dict(attention_mask=mask, max_new_tokens=16, pad_token_id=0)
            found["greedy"] = model.generate(padded, **call, eos_token_id=None).tolist()
            found["ended"] = model.generate(padded, **call, eos_token_id=[found["greedy"][0][9]]).tolist()
            found["beams"] = model.generate(padded, **call, eos_token_id=[9, 30], num_beams=3).tolist()
            torch.manual_seed(7)
            found["drawn"] = model.generate(padded, **call, eos_token_id=None, do_sample=True, top_k=10, top_p=0.9,
                                            temperature=1.2).tolist()
        results[name] = found
    model = make(root, "bert")
    with torch.no_grad():
        out = model(ids, attention_mask=torch.tensor([[1] * 6, [1] * 4 + [0] * 2]), labels=torch.tensor([2, 0]))
    results["bert"] = {"logits": out.logits.tolist(), "loss": out.loss.item()}
    model = make(root, "vit")
    with torch.no_grad():
        images = torch.arange(384, dtype=torch.float32).view(2, 3, 8, 8) / 384
        results["vit"] = {"logits": model(images).logits.tolist()}
    with open(os.path.join(root, "results.json"), "w") as f:
        json.dump(results, f, indent=1)
        f.write("\n")


main()
