#pragma once
#include "ops/op.h"

namespace taper {

/// The product of everything.
struct ProdAll {
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dtype)
  static constexpr OpInfo op{
      .name = "prod_all", .node = "ProdBackward0", .inputs = "input", .saved = in(0), .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<ProdAll>& b) const;
};

/// The product along `dim`.
struct Prod {
  std::int64_t dim = 0;
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, keepdim, dtype)
  static constexpr OpInfo op{
      .name = "prod", .node = "ProdBackward1", .inputs = "input", .saved = in(0), .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<Prod>& b) const;
};

/// For each element the product of the others along `dim`: the gradient of a product, also where
/// dividing by the element is no way to it.
struct ProdOthers {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{
      .name = "prod_others", .node = "ProdOthersBackward0", .inputs = "input", .saved = in(0)};
  void infer(Infer& i) const;
  void backward(BackwardContext<ProdOthers>& b) const;
};

}  // namespace taper
