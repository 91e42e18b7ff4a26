#include "io/safetensors/named_tensors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/check.h"
#include "core/dtype_table.h"
#include "io/flat_tensor.h"
#include "io/pickle/globals/foreign_dtypes.h"
#include "io/safetensors/shared_tensors.h"
#include "io/text.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/shared_tensors.h"

namespace taper::io {
namespace {

constexpr std::array<std::string_view, 22> kDTypeOrder = {
    "BOOL",    "F4",          "F6_E2M3",     "F6_E3M2", "U8",  "I8",  "F8_E5M2", "F8_E4M3",
    "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I16",     "U16", "F16", "BF16",    "I32",
    "U32",     "F32",         "C64",         "F64",     "I64", "U64"};

/// A tensor to be saved, of a supported dtype or of one that exists only in Python.
struct TensorInfo {
  std::string_view name, dtype;  // the dtype as in the file: "U16"
  Shape shape, strides;
  std::int64_t offset, bits;
  Tensor tensor;

  bool empty() const { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }
  std::int64_t bytes() const {
    if (empty()) return 0;  // the other sizes may overflow when multiplied
    std::int64_t n = bits;
    for (const std::int64_t d : shape) n *= d;
    return n / 8;
  }
  bool is_contiguous() const { return empty() || taper::is_contiguous(shape, strides); }
  Extent extent() const {
    const Storage* const storage = impl(tensor).storage.get();
    if (empty()) return {storage, 0, 0};
    const std::int64_t end = storage_extent(shape, strides, offset).value_or(offset);
    return {storage, offset * bits / 8, (end * bits + 7) / 8};
  }
};

/// Returns the description of a tensor value; nullopt if `v` is not a tensor or its shape is
/// undefined.
std::optional<TensorInfo> describe_tensor(std::string_view name, const Value& v) {
  if (v.is_tensor()) {
    const Tensor& t = v.as_tensor();
    const TensorImpl& body = impl(t);
    if (body.lazy != LazyKind::no) return {};
    return TensorInfo{name,
                      names_of(body.dtype).safetensors,
                      body.shape,
                      body.strides,
                      body.offset,
                      static_cast<std::int64_t>(8 * size_of(body.dtype)),
                      t};
  }
  const auto t = foreign_tensor(v);
  const ForeignDType* const dtype = t ? foreign_dtype(t->dtype) : nullptr;
  if (!dtype) return {};
  const bool packed = dtype->name == "float4_e2m1fn_x2";  // one element holds two numbers
  return TensorInfo{
      name,    packed ? "F4" : dtype->safetensors, t->shape, t->strides, t->offset, dtype->bits,
      t->bytes};
}

bool is_sparse(const Value& v) {
  return v.kind() == Value::Kind::opaque &&
         v.as_opaque().callable == Value::global("torch._utils", "_rebuild_sparse_tensor");
}

std::string join_names(const std::vector<std::string>& names, char open, char close) {
  std::string s(1, open);
  for (const std::string& name : names)
    s += (s.size() > 1 ? ", '" : "'") + escape_for_message(name) + "'";
  return s + close;
}

std::vector<TensorInfo> tensors_of(const Value& value) {
  if (!value.is_dict())
    fail<ValueError>("save: Expected a dict of [str, torch.Tensor] but received {}",
                     value.class_text());
  std::vector<TensorInfo> all;
  std::vector<std::string> sparse;
  for (const auto& [key, v] : value.as_dict()) {
    if (!key.is_string())
      fail<TypeError>("save: Key `{}` is invalid, expected str but received {}",
                      key.repr().substr(0, 100), key.class_text());
    const std::string& name = key.as_string();
    if (!is_utf8(name)) fail<ValueError>("save: Key `{}` is not UTF-8", escape_for_message(name));
    if (name == "__metadata__")
      fail<ValueError>("save: Key `__metadata__` is reserved in safetensors files");
    if (is_sparse(v))
      sparse.push_back(name);
    else if (auto tensor = describe_tensor(name, v); tensor && !tensor->dtype.empty())
      all.push_back(std::move(*tensor));
    else if (v.is_tensor())
      throw_uninitialized(v.as_tensor(), "save");
    else if (const auto foreign = foreign_tensor(v))
      fail<ValueError>("save: Key `{}` is a tensor of torch.{}, which safetensors does not support",
                       escape_for_message(name), escape_for_message(foreign->dtype));
    else
      fail<ValueError>("save: Key `{}` is invalid, expected torch.Tensor but received {}",
                       escape_for_message(name), v.class_text());
  }
  if (!sparse.empty())
    fail<ValueError>(
        "save: You are trying to save a sparse tensors: `{}` which this library does not support. "
        "You can make it a dense tensor before saving with `.to_dense()` but be aware this might "
        "make a much larger file than needed.",
        join_names(sparse, '[', ']'));
  return all;
}

void reject_shared(const std::vector<TensorInfo>& tensors) {
  std::vector<Extent> extents;
  for (const TensorInfo& f : tensors) extents.push_back(f.extent());
  std::string overlapping;
  for (const auto& group : shared_groups(extents)) {
    std::vector<std::string> names;
    for (const std::size_t i : group) names.emplace_back(tensors[i].name);
    std::sort(names.begin(), names.end());
    overlapping += (overlapping.empty() ? "" : ", ") + join_names(names, '{', '}');
  }
  if (!overlapping.empty())
    fail<RuntimeError>(
        "save: Some tensors share memory, this will lead to duplicate memory on disk and potential "
        "differences when loading them again: [{}]. A potential way to correctly save your model "
        "is to use `save_model`. More information at "
        "https://huggingface.co/docs/safetensors/torch_shared_tensors",
        overlapping);
}

int rank_of(std::string_view dtype) {
  return static_cast<int>(std::find(kDTypeOrder.begin(), kDTypeOrder.end(), dtype) -
                          kDTypeOrder.begin());
}

/// Throws ValueError if the product of the nonzero sizes overflows, even if another size is 0:
/// readers of the format multiply all of them.
void check_sizes(const TensorInfo& f) {
  std::int64_t n = f.bits;
  for (const std::int64_t d : f.shape)
    if (d != 0 && __builtin_mul_overflow(n, d, &n))
      fail<ValueError>("save: Key `{}` is a tensor of shape {}, which safetensors does not support",
                       escape_for_message(f.name), f.shape);
}

NamedTensor to_named_tensor(const TensorInfo& f) {
  check_sizes(f);
  if (!f.is_contiguous())
    fail<ValueError>(
        "save: You are trying to save a non contiguous tensor: `{}` which is not allowed. It "
        "either means you are trying to save tensors which are reference of each other in which "
        "case it's recommended to save only the full tensors, and reslice at load time, or simply "
        "call `.contiguous()` on your tensor to pack it before saving.",
        escape_for_message(f.name));
  if (f.tensor.device().is_meta())
    fail<NotImplementedError>("save: `{}`: Cannot copy out of meta tensor; no data!",
                              escape_for_message(f.name));
  const std::int64_t begin = f.offset * f.bits / 8;
  Ref<Storage> storage = on_cpu(impl(f.tensor).storage);
  NamedTensor t{f.name, f.dtype, rank_of(f.dtype), f.shape, {}};
  t.data.bytes = {storage->row_major_buffer().data + (f.empty() ? 0 : begin),
                  static_cast<std::size_t>(f.bytes())};
  t.data.storage = std::move(storage);
  // The format counts 4-bit elements; PyTorch counts pairs of them.
  if (f.dtype == "F4" && f.bits == 8 && !t.shape.empty()) t.shape[t.shape.size() - 1] *= 2;
  return t;
}

}  // namespace

std::vector<NamedTensor> named_tensors(const Value& value, SharedTensors shared) {
  const std::vector<TensorInfo> tensors = tensors_of(value);
  if (shared == SharedTensors::reject) reject_shared(tensors);
  std::vector<NamedTensor> all;
  all.reserve(tensors.size());
  for (const TensorInfo& f : tensors) all.push_back(to_named_tensor(f));
  return all;
}

}  // namespace taper::io

namespace taper {

std::vector<SharedTensorGroup> shared_tensors(const Value& dict) {
  std::vector<io::Extent> extents;
  std::vector<std::string_view> names;
  std::set<std::string_view> whole;
  for (const auto& [name, v] : dict.as_dict()) {
    if (!name.is_string()) continue;
    const auto tensor = io::describe_tensor(name.as_string(), v);
    if (!tensor) continue;
    extents.push_back(tensor->extent());
    names.push_back(name.as_string());
    const std::size_t bytes = extents.back().storage->bytes();
    if (tensor->offset == 0 && static_cast<std::size_t>(tensor->bytes()) == bytes)
      whole.insert(name.as_string());
  }
  std::vector<SharedTensorGroup> groups;
  for (const auto& indices : io::shared_groups(extents)) {
    SharedTensorGroup& group = groups.emplace_back();
    for (const std::size_t i : indices) group.names.emplace_back(names[i]);
    std::sort(group.names.begin(), group.names.end());
    for (const std::string& name : group.names)
      if (whole.contains(name)) group.whole.push_back(name);
  }
  return groups;
}

}  // namespace taper
