// Activation functions by name.
#pragma once
#include <memory>
#include <string>

#include "taper/nn/module.h"

namespace huggingface {

/// Returns the module of an activation function: "gelu", "gelu_new", "gelu_pytorch_tanh",
/// "gelu_fast", "quick_gelu", "relu", "silu", "swish", "sigmoid", "mish" or "tanh". Throws
/// taper::ValueError for any other name. Hugging Face: ACT2FN.
std::shared_ptr<taper::nn::Module> make_activation(const std::string& name);

}  // namespace huggingface
