// Small modules shared by the tests of hooks.
#pragma once
#include "nets.h"
#include "support/warning_capture.h"
#include "taper/autograd/autograd.h"

namespace nets {

using test::WarningCapture;

inline Tensor leaf(double a, double b) { return tensor({a, b}, {.requires_grad = true}); }

/// Applies any function of one tensor; doubles it by default.
struct Apply : nn::Module {
  SharedFunction<Tensor(const Tensor&)> function = [](const Tensor& t) { return t * 2; };
  TAPER_MODULE(Apply)
  Tensor forward(const Tensor& x) { return function(x); }
};

/// A module with arguments and results of several kinds.
struct ManyThings : nn::Module {
  TAPER_MODULE(ManyThings)
  std::tuple<Tensor, std::string, Tensor> forward(const Tensor& x, const Tensor&, int,
                                                  const Tensor&, const std::vector<Tensor>&) {
    return {x * 2, "text", x * 3};
  }
};

struct GivesList : nn::Module {
  TAPER_MODULE(GivesList)
  std::vector<Tensor> forward(const Tensor& x) { return {x * 2}; }
};

/// Computes `x + ys[0] + z`, where z is a keyword argument. Records the nodes of the arguments.
struct TakesKwargs : nn::Module {
  std::string x_node, other_nodes;
  TAPER_MODULE(TakesKwargs)
  Tensor forward(const Tensor& x, const std::vector<Tensor>& ys) { return x + ys[0]; }
  Value forward_kwargs(Values& args, const Value& kwargs) override {
    const Tensor x = args[0].as_tensor(), y = args[1][0].as_tensor(), z = kwargs["z"].as_tensor();
    x_node = x.grad_fn().name();
    other_nodes = y.grad_fn().name() + z.grad_fn().name();
    return x + y + z;
  }
};

}  // namespace nets
