#include <ostream>

#include "core/print/print.h"

namespace taper {
namespace {

constexpr std::string_view kPrefix = "tensor(";

// Returns the attributes printed after the elements, in PyTorch's order.
std::vector<std::string> suffixes(const Tensor& t, const PrintOptions& options) {
  std::vector<std::string> list;
  const DType dtype = t.dtype();
  const bool meta = t.device().is_meta();
  const bool is_empty = t.numel() == 0;
  if (!t.device().is_cpu()) list.push_back("device='" + t.device().str() + "'");
  if (meta || (is_empty ? t.dim() != 1 : options.edgeitems == 0))
    list.push_back("size=" + print::tuple(t.shape()));
  // Printed elements identify the dtypes i64 and bool, which are then omitted.
  const bool dtype_implied = !meta && !is_empty && (dtype == DType::i64 || dtype == DType::bool_);
  if (dtype != default_dtype() && !dtype_implied)
    list.push_back("dtype=torch." + std::string(name_of(dtype)));
  if (std::string suffix = print::autograd_suffix(t); !suffix.empty()) list.push_back(suffix);
  return list;
}

void append_suffixes(std::string& text, const std::vector<std::string>& suffixes,
                     std::int64_t linewidth) {
  // As in PyTorch, the last line counts as two columns longer than it is.
  const auto line = text.rfind('\n');
  std::size_t column = line == std::string::npos ? text.size() + 2 : text.size() - line + 1;
  for (const std::string& suffix : suffixes) {
    if (column + suffix.size() + 2 > static_cast<std::size_t>(linewidth)) {
      text += ",\n" + std::string(kPrefix.size(), ' ') + suffix;
      column = kPrefix.size() + suffix.size();
    } else {
      text += ", " + suffix;
      column += suffix.size() + 2;
    }
  }
}

/// Returns the printed form of a tensor, without "Parameter containing:".
std::string tensor_str(const Tensor& t) {
  if (!t.defined()) return "tensor()";
  if (const LazyKind lazy = impl(t).lazy; lazy != LazyKind::no)
    return "<" + std::string(kind_name(lazy)) + ">";
  const PrintOptions options = get_printoptions();
  std::string out(kPrefix);
  if (t.device().is_meta()) {
    out += "...";
  } else {
    const Tensor host = t.device().is_cpu() ? t : t.detach().to(Device::cpu());
    View view;
    Shape scratch;
    resolve(impl(host), LayoutRequest::any, view, scratch);
    out += print::format_tensor(view, kPrefix.size(), options);
  }
  append_suffixes(out, suffixes(t, options), options.linewidth);
  return out + ")";
}

}  // namespace

std::string Tensor::str() const {
  return defined() && taper::impl(*this).parameter ? parameter_str(*this) : tensor_str(*this);
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << t.str(); }

std::string parameter_str(const Tensor& parameter) {
  std::string text = tensor_str(parameter);
  // The text of an uninitialized tensor, "<UninitializedParameter>", already names a parameter.
  if (parameter.defined() && taper::impl(parameter).lazy != LazyKind::no) return text;
  return "Parameter containing:\n" + text;
}

}  // namespace taper
