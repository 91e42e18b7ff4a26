"""Python version of examples/llama.cpp; prints the same output. Requires transformers 5.23."""

import os
import sys

import torch
from transformers import LlamaForCausalLM

HERE = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../tests/data/hf_models/llama")
model = LlamaForCausalLM.from_pretrained(folder)
print(model)

prompts = torch.tensor([[0, 0, 5, 17, 3, 29], [23, 9, 30, 4, 12, 1]])  # 0 is padding
print(model.generate(prompts, max_new_tokens=12))
torch.manual_seed(7)
print(model.generate(prompts, max_new_tokens=12, do_sample=True, temperature=1.2, top_k=10, top_p=0.9))

text = torch.tensor([[5, 17, 3, 29, 11, 8, 5, 17, 3, 29, 11, 8]])
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
model.train()
for step in range(40):
    opt.zero_grad()
    loss = model(text, labels=text).loss
    loss.backward()
    opt.step()
    if step % 10 == 9:
        print(f"step {step + 1}: loss {loss.item():.3f}")
model.eval()
print(model.generate(text[:, :4], max_new_tokens=8))

model.save_pretrained("trained_llama")
again = LlamaForCausalLM.from_pretrained("trained_llama")
print("same logits:", torch.equal(again(text).logits, model(text).logits))
