// Parts of printing: one common form for all numbers of a tensor, nested rows.
#pragma once
#include <string>
#include <vector>

#include "core/element.h"
#include "taper/core/printing.h"

namespace taper::print {

/// The indices of a dimension that are shown; -1 stands for the dots between the edges.
std::vector<std::int64_t> shown(std::int64_t size, bool summarize, const PrintOptions& options);

/// The form that all elements share: width, scientific or not, digits behind the point or none.
class Format {
 public:
  Format(const View& view, bool summarize, const PrintOptions& options);
  std::string str(const Element& element) const;
  std::size_t width() const { return width_; }

 private:
  void consider(const std::vector<double>& values, const PrintOptions& options);
  DType dtype_;
  int precision_;
  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

/// "[[1, 2],\n [3, 4]]", continued at column `indent`.
std::string format_tensor(const View& view, std::size_t indent, const PrintOptions& options);

/// "(2, 3)", "(3,)", "()": sizes as Python prints a tuple.
std::string tuple(const Shape& shape);

/// "grad_fn=<AddBackward0>", "requires_grad=True" or nothing. Defined by the autograd layer.
std::string history(const Tensor& tensor);

}  // namespace taper::print
