// A module class in a separate shared library.
#include "taper/nn/linear.h"
#include "taper/nn/module.h"
#include "taper/nn/registry.h"

namespace {

struct LibraryNet : taper::nn::Module {
  explicit LibraryNet(std::int64_t n) : width(n), fc(n, 1) {}
  std::int64_t width;
  taper::nn::Linear fc;
  TAPER_MODULE(LibraryNet, fc)
  taper::Tensor forward(const taper::Tensor& x) { return fc(x); }
};
TAPER_REGISTER(LibraryNet, width)

}  // namespace
