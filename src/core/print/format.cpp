#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/print/print.h"

#include "core/number_text.h"

namespace taper::print {
namespace {

std::string digits(double value, std::chars_format form, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text(static_cast<std::size_t>(precision) + 340, '\0');
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, form, precision).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

// Calls visit(offset) for every printed element, in row-major order.
template <class F> void each_shown(const View& view, bool summarize, const PrintOptions& options,
                                   std::size_t dim, std::int64_t at, F& visit) {
  if (dim == view.shape->size()) return visit(at);
  for (const std::int64_t i : shown((*view.shape)[dim], summarize, options))
    if (i >= 0) each_shown(view, summarize, options, dim + 1, at + i * (*view.strides)[dim], visit);
}

}  // namespace

std::vector<std::int64_t> shown(std::int64_t size, bool summarize, const PrintOptions& options) {
  std::vector<std::int64_t> indices;
  const std::int64_t edge = options.edgeitems;
  const bool dots = summarize && (edge == 0 || size > 2 * edge);
  for (std::int64_t i = 0; i < (dots ? edge : size); ++i) indices.push_back(i);
  if (dots) indices.push_back(-1);
  for (std::int64_t i = size - edge; dots && i < size; ++i) indices.push_back(i);
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
  each_shown(view, summarize, options, 0, 0, visit);
  width_ = std::max<std::size_t>(width_, 1);
  if (!values.empty()) consider(values, options);
}

void Format::consider(const std::vector<double>& values, const PrintOptions& options) {
  double low = std::abs(values[0]), high = low;
  for (const double v : values) {
    low = std::min(low, std::abs(v));
    high = std::max(high, std::abs(v));
    whole_ = whole_ && v == std::ceil(v);
  }
  scientific_ = options.sci_mode.value_or(high / low > 1000 || high > 1e8 || low < 1e-4);
  const std::size_t point = whole_ && !scientific_ ? 1 : 0;
  const auto form = scientific_ ? std::chars_format::scientific : std::chars_format::fixed;
  for (const double v : values)
    width_ = std::max(width_, digits(v, form, point ? 0 : precision_).size() + point);
}

std::string Format::str(const Element& element) const {
  std::string text;
  if (dtype_ == DType::bool_) {
    text = bool_text(element.integer != 0);
  } else if (!is_floating_point(dtype_)) {
    text = element.above ? std::to_string(static_cast<std::uint64_t>(element.integer))
                         : std::to_string(element.integer);
  } else if (scientific_) {
    text = digits(element.floating, std::chars_format::scientific, precision_);
  } else if (whole_) {
    text = digits(element.floating, std::chars_format::fixed, 0);
    if (std::isfinite(element.floating)) text += '.';
  } else {
    text = digits(element.floating, std::chars_format::fixed, precision_);
  }
  if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
  return text;
}

}  // namespace taper::print
