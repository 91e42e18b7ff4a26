#include "huggingface/activations.h"

#include "taper/core/error.h"
#include "taper/nn/activation.h"
#include "taper/nn/functional.h"

namespace huggingface {

using namespace taper;
namespace F = nn::functional;

namespace {

/// GELU by the error function.
struct GELUActivation : nn::Module {
  TAPER_MODULE(GELUActivation)
  Tensor forward(const Tensor& x) const { return F::gelu(x); }
};

/// GELU by the hyperbolic tangent, as in GPT-2.
struct NewGELUActivation : nn::Module {
  TAPER_MODULE(NewGELUActivation)
  Tensor forward(const Tensor& x) const { return F::gelu(x, {.approximate = "tanh"}); }
};

// The next two classes compute the same as NewGELUActivation; the printed form of a model shows
// their names.
struct GELUTanh : nn::Module {
  TAPER_MODULE(GELUTanh)
  Tensor forward(const Tensor& x) const { return F::gelu(x, {.approximate = "tanh"}); }
};

struct FastGELUActivation : nn::Module {
  TAPER_MODULE(FastGELUActivation)
  Tensor forward(const Tensor& x) const { return F::gelu(x, {.approximate = "tanh"}); }
};

/// x * sigmoid(1.702 x).
struct QuickGELUActivation : nn::Module {
  TAPER_MODULE(QuickGELUActivation)
  Tensor forward(const Tensor& x) const { return x * sigmoid(x * 1.702); }
};

struct SiLUActivation : nn::Module {
  TAPER_MODULE(SiLUActivation)
  Tensor forward(const Tensor& x) const { return F::silu(x); }
};

struct MishActivation : nn::Module {
  TAPER_MODULE(MishActivation)
  Tensor forward(const Tensor& x) const { return F::mish(x); }
};

}  // namespace

std::shared_ptr<nn::Module> make_activation(const std::string& name) {
  if (name == "gelu") return std::make_shared<GELUActivation>();
  if (name == "gelu_new") return std::make_shared<NewGELUActivation>();
  if (name == "gelu_pytorch_tanh") return std::make_shared<GELUTanh>();
  if (name == "gelu_fast") return std::make_shared<FastGELUActivation>();
  if (name == "quick_gelu") return std::make_shared<QuickGELUActivation>();
  if (name == "relu") return std::make_shared<nn::ReLU>();
  if (name == "silu") return std::make_shared<SiLUActivation>();
  if (name == "swish") return std::make_shared<nn::SiLU>();
  if (name == "sigmoid") return std::make_shared<nn::Sigmoid>();
  if (name == "mish") return std::make_shared<MishActivation>();
  if (name == "tanh") return std::make_shared<nn::Tanh>();
  throw ValueError("unknown activation function '" + name + "'");
}

}  // namespace huggingface
