#include "ops/kernel/staging.h"

#include <algorithm>

#include "core/element.h"

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

}  // namespace

void load_block(void* to, DType block, const std::byte* from, DType dtype, const StridedBlock& r) {
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
