#include <algorithm>

#include "core/print/print.h"

namespace taper::print {
namespace {

// Formats the elements of one tensor.
class TensorFormatter {
 public:
  TensorFormatter(const View& view, const PrintOptions& options)
      : view_(view),
        options_(options),
        summarize_(view.numel > options.threshold),
        format_(view, summarize_, options) {}

  std::string format_nested(std::size_t dim, std::int64_t at, std::size_t indent) const {
    const std::size_t rank = view_.shape->size();
    if (dim == rank) return format_.str(read_element(view_, at));
    if (dim + 1 == rank) return format_innermost(at, indent);
    const std::string separator =
        "," + std::string(rank - dim - 1, '\n') + std::string(indent + 1, ' ');
    std::string text = "[";
    for (const std::int64_t i : printed_indices((*view_.shape)[dim], summarize_, options_)) {
      if (text.size() > 1) text += separator;
      text += i < 0 ? "..." : format_nested(dim + 1, at + i * (*view_.strides)[dim], indent + 1);
    }
    return text + "]";
  }

 private:
  std::string format_innermost(std::int64_t at, std::size_t indent) const {
    const auto available = options_.linewidth - static_cast<std::int64_t>(indent);
    const auto per_line =
        std::max<std::int64_t>(1, available / static_cast<std::int64_t>(format_.width() + 2));
    std::string text = "[";
    std::int64_t count = 0;
    for (const std::int64_t i : printed_indices(view_.shape->back(), summarize_, options_)) {
      if (count && count % per_line == 0)
        text += ",\n" + std::string(indent + 1, ' ');
      else if (count)
        text += ", ";
      ++count;
      if (i < 0)
        text += options_.edgeitems == 0 ? "..." : " ...";
      else
        text += format_.str(read_element(view_, at + i * view_.strides->back()));
    }
    return text + "]";
  }

  const View& view_;
  const PrintOptions& options_;
  bool summarize_;
  Format format_;
};

}  // namespace

std::string format_tensor(const View& view, std::size_t indent, const PrintOptions& options) {
  if (view.numel == 0) return "[]";
  return TensorFormatter(view, options).format_nested(0, 0, indent);
}

std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace taper::print
