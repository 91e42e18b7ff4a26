#include "ops/op_cases.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/tensor_impl.h"
#include "ops/kernel/element.h"
#include "taper/core/factory.h"

namespace taper {
#define TAPER_OP(name)                        \
  extern const OpDescriptor* const op_##name; \
  std::vector<SampleInput> samples_##name();
#include "ops/op_list.inc"
#undef TAPER_OP
}  // namespace taper

namespace taper::optest {

std::string OpCase::name() const {
  return std::string(op->info.name) + "/" + std::to_string(index);
}

std::string OpCase::test_name() const {
  std::string text = name();
  for (char& ch : text)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return text;
}

bool OpCase::takes_dtype() const {
  return std::any_of(sample.ins.begin(), sample.ins.end(),
                     [](const TensorSpec& d) { return !d.absent && !d.dtype; });
}

std::vector<DType> OpCase::dtypes() const {
  std::vector<DType> declared;
  for (const DType t : all_dtypes())
    if (op->info.dtypes.contains(t) && sample.dtypes.contains(t)) declared.push_back(t);
  if (!takes_dtype()) declared.resize(1);
  return declared;
}

std::string_view listed_name(const OpDescriptor& op) {
  const std::string_view name = op.info.name;
  return name.substr(name.starts_with('_'));
}

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (int i = 0; i < kDTypeCount; ++i) all.push_back(static_cast<DType>(i));
  return all;
}

DType main_dtype(const OpDescriptor& op) {
  if (op.info.dtypes.contains(DType::f32)) return DType::f32;
  const std::vector<DType> all = all_dtypes();
  return *std::find_if(all.begin(), all.end(), [&](DType t) { return op.info.dtypes.contains(t); });
}

const std::vector<OpCase>& all_cases() {
  static const std::vector<OpCase> cases = [] {
    const std::map<const OpDescriptor*, std::vector<SampleInput> (*)()> samples = {
#define TAPER_OP(name) {op_##name, samples_##name},
#include "ops/op_list.inc"
#undef TAPER_OP
    };
    std::vector<OpCase> all;
    for (const OpDescriptor* op : all_ops()) {
      std::size_t index = 0;
      for (SampleInput& r : samples.at(op)()) all.push_back({op, index++, std::move(r)});
    }
    return all;
  }();
  return cases;
}

std::vector<Tensor> draw(const SampleInput& sample, DType dtype, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> ins;
  for (const TensorSpec& d : sample.ins) {
    if (d.absent) {
      ins.emplace_back();
      continue;
    }
    const DType type = d.dtype.value_or(dtype);
    Tensor t = empty(d.shape, {.dtype = type});
    View v;
    Shape scratch;
    resolve(*t.impl(), LayoutRequest::row_major, v, scratch);
    std::uniform_real_distribution<double> uniform(d.low, d.high);
    for (std::int64_t i = 0; i < v.numel; ++i) {
      double x = uniform(random);
      if (std::abs(x) < d.min_abs) x += x < 0 ? -d.min_abs : d.min_abs;
      if (is_integral(type)) x = std::floor(d.dtype ? x : 4 * x);
      if (type == DType::bool_) x = x > (d.low + d.high) / 2;
      if (type == DType::u8 || is_barebones_unsigned(type)) x = std::abs(x);
      if (d.num_true) x = i < *d.num_true;
      kernel::store(v.data + i * kernel::element_size(v), type, x);
    }
    if (d.num_true) std::shuffle(v.data, v.data + v.numel, random);
    ins.push_back(std::move(t));
  }
  return ins;
}

std::vector<Tensor> call(const OpDescriptor& op, const void* attributes,
                         const std::vector<Tensor>& ins) {
  std::vector<OpInput> in(ins.begin(), ins.end());
  std::vector<Tensor> outs(static_cast<std::size_t>(op.output_count));
  if (op.info.name == "copy" ||
      op.info.name == "fill") {  // in-place only: runs on a copy of the first input
    outs[0] = ins[0].clone();
    in[0] = OpInput(outs[0]);
    Tensor self = outs[0];
    dispatch(op, attributes, in, outs.data(), &self);
    return outs;
  }
  dispatch(op, attributes, in, outs.data());
  return outs;
}

std::vector<Variant> variants() {
  return {Variant::contiguous,   Variant::transposed, Variant::offset,
          Variant::every_second, Variant::expanded,   Variant::channels_last};
}

const char* name_of(Variant v) {
  constexpr const char* names[] = {"contiguous",   "transposed", "offset",
                                   "every_second", "expanded",   "channels_last"};
  return names[static_cast<int>(v)];
}

Tensor relaid(const Tensor& x, Variant v) {
  if (!x.defined()) return x;
  const Shape& s = x.shape();
  const TensorOptions like{.dtype = x.dtype()};
  switch (v) {
    case Variant::contiguous: return x;
    case Variant::transposed:
      if (s.size() < 2) return {};
      return x.transpose(-2, -1).clone().transpose(-2, -1);
    case Variant::offset: {
      const Tensor buffer = zeros({x.numel() + 3}, like);
      const Tensor view = buffer.as_strided(s, contiguous_strides(s), 3);
      view.copy_(x);
      return view;
    }
    case Variant::every_second: {
      if (s.empty()) return {};
      Shape wide = s;
      wide[s.size() - 1] *= 2;
      const Tensor view = zeros(wide, like).slice(-1, 0, wide.back(), 2);
      view.copy_(x);
      return view;
    }
    case Variant::expanded:
      if (s.empty() || s[0] == 0) return {};
      return x.slice(0, 0, 1).expand(s);
    case Variant::channels_last: {
      if (s.size() != 4) return {};
      const Tensor t = new_tensor(s, x.dtype(), Device::cpu(), PhysicalLayout::channels_last);
      t.copy_(x);
      return t;
    }
  }
  return {};
}

std::string difference(const Tensor& got, const Tensor& expected) {
  if (!got.defined() && !expected.defined()) return {};
  if (!got.defined() || !expected.defined()) return "only one of them is defined";
  if (!(got.shape() == expected.shape()))
    return "shape " + got.shape().str() + ", expected " + expected.shape().str();
  if (got.dtype() != expected.dtype())
    return "dtype " + std::string(taper::name_of(got.dtype())) + ", expected " +
           std::string(taper::name_of(expected.dtype()));
  const Tensor a = got.detach().contiguous(), b = expected.detach().contiguous();
  View va, vb;
  Shape sa, sb;
  resolve(*a.impl(), LayoutRequest::row_major, va, sa);
  resolve(*b.impl(), LayoutRequest::row_major, vb, sb);
  const auto at = [](const View& v, std::int64_t i) {
    return kernel::load<double>(v.data + i * kernel::element_size(v), v.dtype);
  };
  double scale = 0;
  for (std::int64_t i = 0; i < vb.numel; ++i)
    if (std::isfinite(at(vb, i))) scale = std::max(scale, std::abs(at(vb, i)));
  double tolerance = 0;
  switch (got.dtype()) {
    case DType::f64: tolerance = 1e-12; break;
    case DType::f32: tolerance = 4e-6; break;
    case DType::f16: tolerance = 2e-3; break;
    case DType::bf16: tolerance = 1.6e-2; break;
    default: break;
  }
  for (std::int64_t i = 0; i < va.numel; ++i) {
    const double x = at(va, i), y = at(vb, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (std::abs(x - y) <= tolerance * std::max(scale, 1e-30)) continue;
    return "element " + std::to_string(i) + " of " + expected.shape().str() + ": " +
           python_repr(x) + ", expected " + python_repr(y);
  }
  return {};
}

}  // namespace taper::optest
