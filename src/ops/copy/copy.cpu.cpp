#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cpu/convert.h"
#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/copy/rows.h"
#include "ops/kernel/element.h"
#include "ops/kernel/staging.h"

namespace taper::kernel {
namespace {

constexpr std::int64_t kGrain = 1 << 15;  ///< minimum number of elements per thread

/// Copies n elements with steps in elements, converted from one dtype to another.
class RowCopy {
 public:
  RowCopy(DType to, DType from) : to_(to), from_(from) {
    if (to != from) convert_ = cpu::find_conversion(to, from);
    block_ = from == DType::f64 ? DType::f64 : is_floating_point(from) ? DType::f32 : DType::i64;
  }
  /// False for uint64, whose large values int64 cannot represent.
  bool is_supported() const { return to_ == from_ || (to_ != DType::u64 && from_ != DType::u64); }
  bool converts() const { return to_ != from_; }

  void operator()(std::byte* to, std::int64_t to_step, const std::byte* from,
                  std::int64_t from_step, std::int64_t n) const {
    if (!converts()) return copy_row(size_of(to_), to, to_step, from, from_step, n);
    if (convert_ && to_step == 1 && from_step == 1) return convert_(to, from, n);
    // Through a block of the type of computation.
    constexpr std::int64_t kBlock = 512;
    alignas(64) double block[kBlock];
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t count = std::min(kBlock, n - i);
      load_block(block, block_, from + i * from_step * size(from_), from_,
                 {1, count, 0, from_step});
      store_block(to + i * to_step * size(to_), to_, block, block_, {1, count, 0, to_step});
    }
  }

 private:
  static std::int64_t size(DType t) { return static_cast<std::int64_t>(size_of(t)); }
  DType to_, from_, block_;
  cpu::ConvertRun convert_ = nullptr;
};

/// Copies a row of any number of bytes. Calls of memcpy cost more than short rows.
void copy_contiguous_row(std::byte* to, const std::byte* from, std::int64_t bytes) {
  constexpr std::int64_t kMaxInlined = 256;
  if (bytes > kMaxInlined) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (; bytes >= 16; bytes -= 16, to += 16, from += 16) std::memcpy(to, from, 16);
  for (; bytes >= 4; bytes -= 4, to += 4, from += 4) std::memcpy(to, from, 4);
  for (; bytes > 0; --bytes) *to++ = *from++;
}

struct Dim {
  std::int64_t size, to, from;
};

/// Dimensions of a copy, sorted by the strides of the destination and merged.
struct CopyDims {
  std::vector<Dim> dims{};

  CopyDims(const View& to, const View& from) {
    std::vector<Dim> all;
    for (std::size_t d = 0; d < to.shape->size(); ++d)
      if ((*to.shape)[d] != 1)
        all.push_back({(*to.shape)[d], (*to.strides)[d], (*from.strides)[d]});
    std::stable_sort(all.begin(), all.end(),
                     [](const Dim& a, const Dim& b) { return a.to > b.to; });
    for (const Dim& d : all) {
      if (!dims.empty() && dims.back().to == d.to * d.size && dims.back().from == d.from * d.size)
        dims.back() = {dims.back().size * d.size, d.to, d.from};
      else
        dims.push_back(d);
    }
    if (dims.empty()) dims.push_back({1, 1, 1});
  }
  Dim take(std::size_t d) {
    const Dim taken = dims[d];
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
    return taken;
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const Dim& d : dims) n *= d.size;
    return n;
  }
  /// Calls f(offset in the destination, offset in the source) for the indices [begin, end).
  template <class F> void for_each(std::int64_t begin, std::int64_t end, F&& f) const {
    std::vector<std::int64_t> index(dims.size());
    std::int64_t to = 0, from = 0, rest = begin;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d].size) {
      index[d] = rest % dims[d].size;
      to += index[d] * dims[d].to, from += index[d] * dims[d].from;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      f(to, from);
      for (std::size_t d = dims.size(); d-- > 0;) {
        to += dims[d].to, from += dims[d].from;
        if (++index[d] < dims[d].size) break;
        to -= dims[d].to * dims[d].size, from -= dims[d].from * dims[d].size;
        index[d] = 0;
      }
    }
  }
};

/// Copies matrices whose rows are contiguous in the source and whose columns are contiguous in the
/// destination, in bands of rows of the destination. Returns false if there are none.
bool copy_transposed(CopyDims& dims, std::size_t size, std::byte* to, const std::byte* from) {
  const std::size_t last = dims.dims.size() - 1;
  constexpr std::int64_t kMinEdge = 4;
  if (dims.dims[last].to != 1) return false;
  std::size_t at = last;
  bool is_narrow = false;
  for (std::size_t d = 0; d < last; ++d) {
    const Dim &rows = dims.dims[d], &columns = dims.dims[last];
    if (rows.from != 1) continue;
    const std::int64_t edge = std::min(rows.size, columns.size);
    const bool narrow = edge <= kMinEdge && (columns.from == rows.size || rows.to == columns.size);
    if (narrow || edge >= kMinEdge) at = d, is_narrow = narrow;
  }
  if (at == last) return false;
  const Dim columns = dims.take(last), rows = dims.take(at);
  const auto element = static_cast<std::int64_t>(size);
  // Sizes of a part. Of a narrow matrix, such as an image with interleaved colors, a part is long.
  const std::int64_t row_count = is_narrow ? 4096 : 64, column_count = is_narrow ? 4096 : 1024;
  const std::int64_t bands = (rows.size + row_count - 1) / row_count;
  const std::int64_t parts = (columns.size + column_count - 1) / column_count;
  const std::int64_t each = std::min(rows.size, row_count) * std::min(columns.size, column_count);
  dims.dims.push_back({bands, row_count * rows.to, row_count});
  dims.dims.push_back({parts, column_count, column_count * columns.from});
  cpu::parallel_for(0, dims.count(), std::max<std::int64_t>(1, kGrain / each),
                    [&](std::int64_t b, std::int64_t e) {
                      std::int64_t i = b;
                      dims.for_each(b, e, [&](std::int64_t t, std::int64_t f) {
                        const std::int64_t row = i / parts % bands * row_count,
                                           column = i % parts * column_count;
                        ++i;
                        transpose(size, std::min(row_count, rows.size - row),
                                  std::min(column_count, columns.size - column), to + t * element,
                                  rows.to, from + f * element, columns.from);
                      });
                    });
  return true;
}

/// Returns the dimension whose elements are copied by one call: the last, or the longest if the
/// last is short and all elements are likely in the cache.
std::size_t row_dim(const CopyDims& dims, std::int64_t numel) {
  constexpr std::int64_t kShort = 8, kMaxCached = 1 << 17;
  const std::size_t last = dims.dims.size() - 1;
  const Dim& row = dims.dims[last];
  if (row.size >= kShort || numel > kMaxCached || (row.to == 1 && row.from == 1)) return last;
  const auto is_shorter = [](const Dim& a, const Dim& b) { return a.size < b.size; };
  const auto longest = std::max_element(dims.dims.begin(), dims.dims.end(), is_shorter);
  return static_cast<std::size_t>(longest - dims.dims.begin());
}

}  // namespace

bool same_dense_layout(const View& a, const View& b) {
  if (!(*a.shape == *b.shape)) return false;
  for (std::size_t d = 0; d < a.shape->size(); ++d)
    if ((*a.shape)[d] != 1 && (*a.strides)[d] != (*b.strides)[d]) return false;
  return extent_of(a) == a.numel;
}

bool copy_fast(const View& to, const View& from) {
  const RowCopy copy(to.dtype, from.dtype);
  if (!copy.is_supported()) return false;
  const std::int64_t to_size = element_size(to), from_size = element_size(from);
  if (to.numel == 0) return true;
  if (same_dense_layout(to, from)) {
    // Waking a thread costs as much as copying half a mebibyte.
    const std::int64_t grain = copy.converts() ? 2 * kGrain : (1 << 19) / to_size;
    cpu::parallel_for(0, to.numel, grain, [&](std::int64_t b, std::int64_t e) {
      if (copy.converts())
        copy(to.data + b * to_size, 1, from.data + b * from_size, 1, e - b);
      else
        std::memcpy(to.data + b * to_size, from.data + b * from_size,
                    static_cast<std::size_t>((e - b) * to_size));
    });
    return true;
  }
  CopyDims dims(to, from);
  if (!copy.converts() && copy_transposed(dims, size_of(to.dtype), to.data, from.data)) return true;
  const Dim row = dims.take(row_dim(dims, to.numel));
  if (!copy.converts() && row.to == 1 && row.from == 1 && row.size <= kGrain) {
    const std::int64_t bytes = row.size * to_size;
    cpu::parallel_for(0, dims.count(), std::max<std::int64_t>(1, 2 * kGrain / row.size),
                      [&](std::int64_t b, std::int64_t e) {
                        dims.for_each(b, e, [&](std::int64_t t, std::int64_t f) {
                          copy_contiguous_row(to.data + t * to_size, from.data + f * to_size,
                                              bytes);
                        });
                      });
    return true;
  }
  // A long row is divided, so that threads share it. The parts of strided rows are so short that
  // their cache lines remain in the cache while the same parts of other rows are copied.
  const std::int64_t part = row.to == 1 ? kGrain : 256;
  const std::int64_t parts = (row.size + part - 1) / part, rows = dims.count();
  if (parts > 1) dims.dims.insert(dims.dims.begin(), {parts, part * row.to, part * row.from});
  cpu::parallel_for(0, dims.count(), std::max<std::int64_t>(1, kGrain / std::min(row.size, part)),
                    [&](std::int64_t b, std::int64_t e) {
                      std::int64_t i = b;
                      dims.for_each(b, e, [&](std::int64_t t, std::int64_t f) {
                        const std::int64_t first = i++ / rows * part;
                        copy(to.data + t * to_size, row.to, from.data + f * from_size, row.from,
                             std::min(part, row.size - first));
                      });
                    });
  return true;
}

}  // namespace taper::kernel
