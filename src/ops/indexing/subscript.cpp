#include "ops/indexing/subscript.h"

#include "core/check.h"
#include "ops/indexing/index.h"
#include "taper/core/factory.h"
#include "taper/core/index.h"
#include "taper/core/warning.h"

namespace taper::indexing {
namespace {

bool is_mask(const Tensor& t) { return t.dtype() == DType::bool_ || t.dtype() == DType::u8; }

/// Returns the number of dimensions of the indexed tensor that an entry consumes.
std::int64_t num_consumed_dims(const Index& entry) {
  switch (entry.kind()) {
    case Index::Kind::integer:
    case Index::Kind::slice: return 1;
    case Index::Kind::tensor: return is_mask(entry.tensor()) ? entry.tensor().dim() : 1;
    case Index::Kind::ellipsis:
    case Index::Kind::newaxis: break;
  }
  return 0;
}

bool selects_all(const Slice& s, std::int64_t size) {
  return s.start.value_or(0) == 0 && s.stop.value_or(size) >= size && s.step == 1;
}

/// An index tensor and the first dimension of the view to which it applies.
struct IndexTensor {
  Tensor tensor;
  std::size_t dim;
};

/// Parser of the entries of a subscript: applies integers, slices and new axes from left to right
/// to a view of the tensor, and collects the index tensors.
class SubscriptParser {
 public:
  SubscriptParser(const Tensor& x, std::span<const Index> entries)
      : x_(x), view_(x), entries_(entries) {
    for (const Index& e : entries) {
      if (e.kind() == Index::Kind::tensor && !e.tensor().defined())
        fail<ValueError>("index: an index is an undefined tensor");
      num_consumed_ += num_consumed_dims(e);
    }
    if (num_consumed_ > x.dim())
      fail<IndexError>("index: too many indices for tensor of dimension {} (got {})", x.dim(),
                       num_consumed_);
  }
  void run() {
    for (const Index& e : entries_) switch (e.kind()) {
        case Index::Kind::integer: select(e.integer()); break;
        case Index::Kind::slice: slice(e.slice()); break;
        case Index::Kind::ellipsis: skip(x_.dim() - num_consumed_); break;
        case Index::Kind::newaxis: view_ = view_.unsqueeze(view_dim_++); break;
        case Index::Kind::tensor: tensor(e.tensor()); break;
      }
  }
  const Tensor& view() const { return view_; }
  const std::vector<IndexTensor>& index_tensors() const { return index_tensors_; }

 private:
  void skip(std::int64_t count) { view_dim_ += count, source_dim_ += count; }
  void select(std::int64_t at) {
    const std::int64_t n = view_.size(view_dim_);
    if (at < -n || at >= n)
      fail<IndexError>("index: index {} is out of bounds for dimension {} with size {}", at,
                       source_dim_, n);
    view_ = view_.select(view_dim_, at);
    ++source_dim_;
  }
  void slice(const Slice& s) {
    if (!selects_all(s, view_.size(view_dim_)))
      view_ = view_.slice(view_dim_, s.start, s.stop, s.step);
    skip(1);
  }
  void tensor(Tensor t) {
    const bool mask = is_mask(t);
    if (t.dtype() == DType::u8)
      warn(
          "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
          "instead.");
    if (t.dim() == 0 && mask) {
      // A 0-dim mask adds a dimension of size 1 if true, 0 if false, as in NumPy.
      view_ = view_.unsqueeze(view_dim_);
      index_tensors_.push_back({t.unsqueeze(0), static_cast<std::size_t>(view_dim_++)});
      return;
    }
    if (!mask && t.dtype() != DType::i64 && t.dtype() != DType::i32)
      fail<IndexError>(
          "index: tensors used as indices must be long, int, byte or bool tensors: got {}",
          t.dtype());
    if (t.dim() == 0 && t.device().is_cpu()) return select(t.item<std::int64_t>());
    index_tensors_.push_back({t, static_cast<std::size_t>(view_dim_)});
    skip(mask ? t.dim() : 1);
  }

  const Tensor& x_;
  Tensor view_;
  std::span<const Index> entries_;
  std::int64_t num_consumed_ = 0;
  std::int64_t view_dim_ = 0, source_dim_ = 0;  // dimension of the next entry in the view and in x
  std::vector<IndexTensor> index_tensors_;
};

void check_mask(const IndexTensor& p, const Shape& view) {
  const Shape& mask = p.tensor.shape();
  for (std::size_t d = 0; d < mask.size(); ++d)
    if (mask[d] != view[p.dim + d])
      fail<IndexError>(
          "index: The shape of the mask {} at index {} does not match the shape of the indexed "
          "tensor {} at index {}",
          mask, d, view, p.dim + d);
}

/// Returns the broadcast shape of the index tensors.
Shape broadcast_shape(const std::vector<Tensor>& indices) {
  Shape common;
  const auto reject = [&] {
    std::string shapes;
    for (const Tensor& t : indices) shapes += (shapes.empty() ? "" : ", ") + t.shape().str();
    fail<IndexError>(
        "index: shape mismatch: indexing tensors could not be broadcast together with shapes {}",
        shapes);
  };
  for (const Tensor& t : indices) {
    const Shape& s = t.shape();
    while (common.size() < s.size()) common.insert(0, 1);
    for (std::size_t d = 0; d < s.size(); ++d) {
      std::int64_t& c = common[common.size() - s.size() + d];
      if (c != s[d] && c != 1 && s[d] != 1) reject();
      if (c == 1) c = s[d];
    }
  }
  return common;
}

}  // namespace

AdvancedIndex parse_index(const Tensor& x, std::span<const Index> entries) {
  SubscriptParser parser(x, entries);
  parser.run();
  AdvancedIndex result{parser.view(), {}, {}, {}, 0};
  const std::vector<IndexTensor>& index_tensors = parser.index_tensors();
  if (index_tensors.empty()) return result;
  if (index_tensors.size() == 1)
    result.single = index_tensors[0].tensor, result.single_dim = index_tensors[0].dim;
  const Device device = result.view.device();
  std::vector<Tensor> indices;
  for (const IndexTensor& p : index_tensors) {
    if (is_mask(p.tensor)) {
      check_mask(p, result.view.shape());
      const Tensor nonzero_indices = nonzero(p.tensor).t();  // one row per dimension of the mask
      for (std::int64_t d = 0; d < p.tensor.dim(); ++d) {
        result.dims.push_back(static_cast<std::int64_t>(p.dim) + d);
        indices.push_back(nonzero_indices.select(0, d));
      }
      if (index_tensors.size() == 1) result.index = nonzero_indices.to(device);
    } else {
      result.dims.push_back(static_cast<std::int64_t>(p.dim));
      indices.push_back(p.tensor);
    }
  }
  if (result.index.defined()) return result;
  const Shape common = broadcast_shape(indices);
  for (Tensor& t : indices) t = t.to(DType::i64).expand(common);
  result.index = (indices.size() == 1 ? indices[0].unsqueeze(0) : stack(indices)).to(device);
  return result;
}

Tensor read(const AdvancedIndex& p) {
  return p.dims.empty() ? p.view : run(IndexOp{p.dims}, p.view, p.index);
}

Tensor without_leading_ones(const Tensor& value, std::size_t rank) {
  Tensor v = value;
  while (v.shape().size() > rank && v.shape()[0] == 1) v = v.squeeze(0);
  return v;
}

void write(const AdvancedIndex& p, const Tensor& value) {
  if (p.dims.empty()) {
    p.view.copy_(without_leading_ones(value, p.view.shape().size()));
    return;
  }
  const std::size_t rank = p.view.shape().size() - p.dims.size() + p.index.shape().size() - 1;
  const Tensor v = without_leading_ones(value, rank).to(p.view);
  run_inplace(IndexPut{p.dims}, p.view, p.index, v);
}

void write(const AdvancedIndex& p, const Scalar& value) {
  if (p.dims.empty()) {
    p.view.fill_(value);
  } else if (p.single.defined() && p.single.dtype() == DType::bool_) {
    // Dimensions after those of the mask are filled entirely.
    Shape shape = p.single.shape();
    while (p.single_dim + shape.size() < p.view.shape().size()) shape.push_back(1);
    p.view.masked_fill_(p.single.reshape(shape), value);
  } else if (p.dims.size() == 1) {
    p.view.index_fill_(p.dims[0], p.index.reshape(-1), value);
  } else {
    const TensorOptions like{.dtype = p.view.dtype(), .device = p.view.device()};
    run_inplace(IndexPut{p.dims}, p.view, p.index, full({}, value, like));
  }
}

}  // namespace taper::indexing
