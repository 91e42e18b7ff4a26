#include "ops/kernel/staging.h"

#include <algorithm>
#include <cstring>

#include "core/element.h"
#include "cpu/convert.h"

namespace taper::kernel {
namespace {

template <class F> void visit_block_dtype(DType block, F&& f) {
  switch (block) {
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::i64: return f(std::int64_t{});
    default: return f(bool{});
  }
}

/// Returns an element converted to T. A byte of a bool may contain values other than 0 and 1.
template <class T, class From> T element(const From* p) {
  if constexpr (std::is_same_v<From, bool>)
    return element_cast<T>(*reinterpret_cast<const std::uint8_t*>(p) != 0);
  else
    return element_cast<T>(*p);
}

/// Calls f(address in the block, address of the row) for each row of a strided block. `size` and
/// `block_size` are sizes of an element in bytes.
template <class Block, class Row, class F> void for_each_row(Block* block, std::size_t block_size,
                                                             Row* rows, std::size_t size,
                                                             const StridedBlock& r, F&& f) {
  for (std::int64_t j = 0; j < r.rows; ++j)
    f(block + j * r.row_size * static_cast<std::int64_t>(block_size),
      rows + j * r.row_stride * static_cast<std::int64_t>(size));
}

}  // namespace

void load_block(void* to, DType block, const std::byte* from, DType dtype, const StridedBlock& r) {
  const std::size_t size = size_of(dtype), block_size = size_of(block);
  auto* const bytes = static_cast<std::byte*>(to);
  if (r.stride == 0 && r.row_size > 1) {
    const StridedBlock first{1, 1, 0, 1};
    return for_each_row(bytes, block_size, from, size, r,
                        [&](std::byte* values, const std::byte* row) {
                          load_block(values, block, row, dtype, first);
                          fill_with_first(values, block, r.row_size);
                        });
  }
  if (r.stride == 1 && dtype == block && dtype != DType::bool_)
    return for_each_row(bytes, block_size, from, size, r,
                        [&](std::byte* values, const std::byte* row) {
                          std::memcpy(values, row, static_cast<std::size_t>(r.row_size) * size);
                        });
  if (const cpu::ConvertRun convert = r.stride == 1 ? cpu::find_conversion(block, dtype) : nullptr)
    return for_each_row(
        bytes, block_size, from, size, r,
        [&](std::byte* values, const std::byte* row) { convert(values, row, r.row_size); });
  visit_block_dtype(block, [&]<class T>(T) {
    visit_dtype(dtype, [&]<class From>(From) {
      auto* t = static_cast<T*>(to);
      auto* f = reinterpret_cast<const From*>(from);
      for (std::int64_t j = 0; j < r.rows; ++j, t += r.row_size, f += r.row_stride)
        if (r.stride == 1)
          for (std::int64_t i = 0; i < r.row_size; ++i) t[i] = element<T>(f + i);
        else
          for (std::int64_t i = 0; i < r.row_size; ++i) t[i] = element<T>(f + i * r.stride);
    });
  });
}

void store_block(std::byte* to, DType dtype, const void* from, DType block, const StridedBlock& r) {
  if (const cpu::ConvertRun convert = r.stride == 1 ? cpu::find_conversion(dtype, block) : nullptr)
    return for_each_row(
        static_cast<const std::byte*>(from), size_of(block), to, size_of(dtype), r,
        [&](const std::byte* values, std::byte* row) { convert(row, values, r.row_size); });
  visit_block_dtype(block, [&]<class T>(T) {
    visit_dtype(dtype, [&]<class To>(To) {
      auto* f = static_cast<const T*>(from);
      auto* t = reinterpret_cast<To*>(to);
      for (std::int64_t j = 0; j < r.rows; ++j, f += r.row_size, t += r.row_stride)
        if (r.stride == 1)
          for (std::int64_t i = 0; i < r.row_size; ++i) t[i] = element_cast<To>(f[i]);
        else
          for (std::int64_t i = 0; i < r.row_size; ++i) t[i * r.stride] = element_cast<To>(f[i]);
    });
  });
}

void round_block(void* values, DType block, DType dtype, std::int64_t n) {
  if (block == DType::f32 && is_reduced_floating_point(dtype)) {
    constexpr std::int64_t kSize = 512;
    std::byte narrow[2 * kSize];
    auto* const bytes = static_cast<std::byte*>(values);
    for (std::int64_t i = 0; i < n; i += kSize) {
      std::byte* const part = bytes + 4 * i;
      cpu::find_conversion(dtype, block)(narrow, part, std::min(kSize, n - i));
      cpu::find_conversion(block, dtype)(part, narrow, std::min(kSize, n - i));
    }
    return;
  }
  visit_block_dtype(block, [&]<class T>(T) {
    visit_dtype(dtype, [&]<class As>(As) {
      auto* v = static_cast<T*>(values);
      for (std::int64_t i = 0; i < n; ++i) v[i] = element_cast<T>(element_cast<As>(v[i]));
    });
  });
}

void fill_with_first(void* values, DType block, std::int64_t n) {
  visit_block_dtype(block, [&]<class T>(T) {
    auto* v = static_cast<T*>(values);
    std::fill(v + 1, v + n, v[0]);
  });
}

}  // namespace taper::kernel
