#include "dtypes.h"

#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "core/element_reader.h"
#include "core/tensor_impl.h"
#include "scratch.h"
#include "taper/core/error.h"

namespace taper::cli {

using taper::Tensor;
using taper::Value;

namespace {

std::int64_t count_infinities(const Tensor& t) {
  taper::ElementReader<double> elements(t);
  std::vector<double> chunk(4096);
  std::int64_t count = 0;
  for (std::size_t n; (n = elements.read(chunk)) > 0;)
    for (std::size_t i = 0; i < n; ++i) count += std::isinf(chunk[i]);
  return count;
}

/// Converter of the floating-point tensors in a value. Equal views of one storage are converted
/// once, so that tied tensors remain tied.
class DTypeConverter {
 public:
  DTypeConverter(taper::DType type, Scratch& scratch) : type_(type), scratch_(scratch) {}
  Conversion conversion{};

  Value operator()(const Value& v, int depth = 0) {
    constexpr int kMaxDepth = 1000;
    if (depth > kMaxDepth)
      throw taper::ValueError("the checkpoint is nested too deeply to convert dtypes");
    if (v.is_tensor()) return tensor(v);
    if (v.is_dict()) {
      const Value copy = v.as_dict().copy();
      for (const auto& [key, item] : v.as_dict())
        if (Value converted_item = (*this)(item, depth + 1); may_change(item))
          copy.as_dict().set(key, std::move(converted_item));
      return copy;
    }
    if (v.is_list() || v.is_tuple()) {
      taper::Values items;
      for (const Value& item : v.as_sequence()) items.push_back((*this)(item, depth + 1));
      return v.with_items(std::move(items));
    }
    return v;
  }

 private:
  static bool may_change(const Value& v) {
    return v.is_tensor() || v.is_dict() || v.is_list() || v.is_tuple();
  }
  Value tensor(const Value& v) {
    const Tensor& t = v.as_tensor();
    if (!t.is_floating_point() || t.dtype() == type_) return v;
    const auto list = [](const taper::Shape& s) {
      return std::vector<std::int64_t>(s.begin(), s.end());
    };
    const ViewKey key(t.impl()->storage.get(), t.storage_offset(), list(t.shape()),
                      list(t.strides()));
    Tensor& target = converted_tensors_[key];
    if (!target.defined()) {
      // Repeated elements of expanded tensors are converted once.
      const taper::DistinctElements d = taper::distinct_elements(t);
      target = scratch_.converted(d.tensor, type_);
      if (taper::size_of(type_) < taper::size_of(t.dtype()))
        conversion.overflowed +=
            (count_infinities(target) - count_infinities(d.tensor)) * d.repeated;
      if (!(target.shape() == t.shape())) target = target.expand(t.shape());
      if (t.requires_grad()) target.set_requires_grad();
      ++conversion.converted;
    }
    return v.is_parameter() ? Value::parameter(target) : Value(target);
  }

  using ViewKey =
      std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
  taper::DType type_;
  Scratch& scratch_;
  std::map<ViewKey, Tensor> converted_tensors_;
};

}  // namespace

Conversion converted(const Value& value, taper::DType type, const std::string& folder) {
  Scratch scratch(folder);
  DTypeConverter convert(type, scratch);
  Value result = convert(value);
  convert.conversion.value = std::move(result);
  return std::move(convert.conversion);
}

}  // namespace taper::cli
