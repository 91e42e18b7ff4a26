#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/print/print.h"

#include "core/number_text.h"

namespace taper::print {
namespace {

std::string format_number(double value, std::chars_format form, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text(static_cast<std::size_t>(precision) + 340, '\0');
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, form, precision).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

// Calls visit(offset) for every printed element, in row-major order.
template <class F> void for_each_printed(const View& view, bool summarize,
                                         const PrintOptions& options, std::size_t dim,
                                         std::int64_t at, F& visit) {
  if (dim == view.shape->size()) return visit(at);
  for (const std::int64_t i : printed_indices((*view.shape)[dim], summarize, options))
    if (i >= 0)
      for_each_printed(view, summarize, options, dim + 1, at + i * (*view.strides)[dim], visit);
}

}  // namespace

std::vector<std::int64_t> printed_indices(std::int64_t size, bool summarize,
                                          const PrintOptions& options) {
  std::vector<std::int64_t> indices;
  const std::int64_t edge = options.edgeitems;
  const bool elided = summarize && (edge == 0 || size > 2 * edge);
  for (std::int64_t i = 0; i < (elided ? edge : size); ++i) indices.push_back(i);
  if (elided) indices.push_back(-1);
  for (std::int64_t i = size - edge; elided && i < size; ++i) indices.push_back(i);
  return indices;
}

Format::Format(const View& view, bool summarize, const PrintOptions& options)
    : dtype_(view.dtype), precision_(static_cast<int>(options.precision)) {
  std::vector<double> values;
  auto visit = [&](std::int64_t at) {
    const Element element = read_element(view, at);
    if (!is_floating_point(dtype_))
      width_ = std::max(width_, str(element).size());
    else if (std::isfinite(element.floating) && element.floating != 0)
      values.push_back(element.floating);
  };
  for_each_printed(view, summarize, options, 0, 0, visit);
  width_ = std::max<std::size_t>(width_, 1);
  if (!values.empty()) choose_notation(values, options);
}

void Format::choose_notation(const std::vector<double>& values, const PrintOptions& options) {
  double low = std::abs(values[0]), high = low;
  for (const double v : values) {
    low = std::min(low, std::abs(v));
    high = std::max(high, std::abs(v));
    all_integral_ = all_integral_ && v == std::ceil(v);
  }
  scientific_ = options.sci_mode.value_or(high / low > 1000 || high > 1e8 || low < 1e-4);
  const std::size_t point_width = all_integral_ && !scientific_ ? 1 : 0;
  const auto form = scientific_ ? std::chars_format::scientific : std::chars_format::fixed;
  for (const double v : values)
    width_ =
        std::max(width_, format_number(v, form, point_width ? 0 : precision_).size() + point_width);
}

std::string Format::str(const Element& element) const {
  std::string text;
  if (dtype_ == DType::bool_) {
    text = bool_text(element.integer != 0);
  } else if (!is_floating_point(dtype_)) {
    text = element.is_large_uint64 ? std::to_string(static_cast<std::uint64_t>(element.integer))
                                   : std::to_string(element.integer);
  } else if (scientific_) {
    text = format_number(element.floating, std::chars_format::scientific, precision_);
  } else if (all_integral_) {
    text = format_number(element.floating, std::chars_format::fixed, 0);
    if (std::isfinite(element.floating)) text += '.';
  } else {
    text = format_number(element.floating, std::chars_format::fixed, precision_);
  }
  if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
  return text;
}

}  // namespace taper::print
