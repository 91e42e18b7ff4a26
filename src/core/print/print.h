// Building blocks of tensor printing.
#pragma once
#include <string>
#include <vector>

#include "core/element.h"
#include "taper/core/printing.h"

namespace taper::print {

/// Returns the printed indices of a dimension of `size` elements; -1 represents the ellipsis.
std::vector<std::int64_t> printed_indices(std::int64_t size, bool summarize,
                                          const PrintOptions& options);

/// Number format shared by all elements of a tensor: width, notation and precision.
class Format {
 public:
  Format(const View& view, bool summarize, const PrintOptions& options);
  std::string str(const Element& element) const;
  std::size_t width() const { return width_; }

 private:
  void choose_notation(const std::vector<double>& values, const PrintOptions& options);
  DType dtype_;
  int precision_;
  bool all_integral_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

/// Returns the elements as nested lists ("[[1, 2],\n [3, 4]]"). The lines after the first are
/// indented by `indent` columns, the width of the text before the list, in addition to their
/// nesting.
std::string format_tensor(const View& view, std::size_t indent, const PrintOptions& options);

/// Returns sizes as a Python tuple: "(2, 3)", "(3,)" or "()".
std::string tuple(const Shape& shape);

/// Returns "grad_fn=<AddBackward0>", "requires_grad=True" or "". Defined in src/autograd.
std::string autograd_suffix(const Tensor& tensor);

}  // namespace taper::print
