// Runs of contiguous elements that a selection by index tensors consists of.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "cpu/scratch.h"
#include "ops/indexing/advanced_index_kernel.h"
#include "ops/indexing/indexed_layout.h"
#include "ops/kernel/dense.h"

namespace taper::indexing {

/// Returns true if `d` is one of `dims`.
inline bool contains(const Shape& dims, std::size_t d) {
  return std::any_of(dims.begin(), dims.end(),
                     [d](std::int64_t e) { return static_cast<std::size_t>(e) == d; });
}

/// Byte offsets into the base of the elements that the indices select, in row-major order of the
/// shape of the indices. The constructor throws IndexError if an index is out of range.
class IndexOffsets {
 public:
  explicit IndexOffsets(const AdvancedIndexView& p)
      : count_(p.index.numel / std::ssize(p.dims)),
        memory_(static_cast<std::size_t>(count_) * sizeof(std::int64_t)) {
    const kernel::DenseInput<std::int64_t> index(p.index);
    auto* const to = memory_.as<std::int64_t>();
    cpu::parallel_for(0, count_, 1 << 14, [&](std::int64_t b, std::int64_t e) {
      for (std::size_t k = 0; k < p.dims.size(); ++k) {
        const auto d = static_cast<std::size_t>(p.dims[k]);
        add_offsets(p, d, index.data() + static_cast<std::int64_t>(k) * count_, b, e, to, k == 0);
      }
    });
  }
  std::int64_t count() const { return count_; }
  const std::int64_t* data() const { return memory_.as<std::int64_t>(); }

 private:
  static void add_offsets(const AdvancedIndexView& p, std::size_t d, const std::int64_t* index,
                          std::int64_t begin, std::int64_t end, std::int64_t* to, bool is_first) {
    // Unsigned arithmetic wraps around. Only the signs of `from_start` and `from_end` matter.
    const auto size = static_cast<std::uint64_t>((*p.base.shape)[d]);
    const auto step =
        static_cast<std::uint64_t>((*p.base.strides)[d] * kernel::element_size(p.base));
    const std::uint64_t below = p.negative ? size : 0;
    std::uint64_t signs = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<std::uint64_t>(index[i]);
      signs |= (at + below) | (size - 1 - at);
      const std::uint64_t wrapped = at + (index[i] < 0 ? size : 0);
      const std::uint64_t previous = is_first ? 0 : static_cast<std::uint64_t>(to[i]);
      to[i] = static_cast<std::int64_t>(previous + wrapped * step);
    }
    if (static_cast<std::int64_t>(signs) >= 0) return;
    for (std::int64_t i = begin; i < end; ++i)
      kernel::checked_index(index[i], (*p.base.shape)[d], d, p.negative, p.op);
  }

  std::int64_t count_;
  cpu::Scratch memory_;
};

/// Byte offsets of the elements of a selection in the dimensions of the indices: multiples of a
/// step if these dimensions are traversed with a single stride.
class SelectionOffsets {
 public:
  SelectionOffsets(const AdvancedIndexView& p, const View& selection) {
    const std::size_t first = position_of_indices(p.dims), rank = p.index.shape->size() - 1;
    Shape sizes, strides;
    for (std::size_t d = 0; d < rank; ++d) {
      if ((*p.index.shape)[d + 1] == 1) continue;
      sizes.push_back((*p.index.shape)[d + 1]);
      strides.push_back((*selection.strides)[first + d]);
    }
    if (sizes.empty()) return;
    step_ = strides.back() * kernel::element_size(selection);
    bool is_regular = true;
    for (std::size_t d = 1; d < sizes.size(); ++d)
      is_regular = is_regular && strides[d - 1] == strides[d] * sizes[d];
    if (is_regular) return;
    const View v{nullptr, &sizes, &strides, 0, selection.dtype, nullptr};
    kernel::walk(sizes, std::array<const View*, 1>{&v},
                 [&](const std::array<std::int64_t, 1>& at) { offsets_.push_back(at[0]); });
  }
  std::int64_t operator[](std::int64_t i) const {
    return offsets_.empty() ? i * step_ : offsets_[static_cast<std::size_t>(i)];
  }

 private:
  std::int64_t step_ = 0;
  std::vector<std::int64_t> offsets_{};
};

/// The selection as runs of `length` contiguous elements: one run per pair of a selected index and
/// an offset, which is the position in the dimensions without an index.
class SelectedRuns {
 public:
  /// Byte offsets of an element in the base and in the selection.
  using Offsets = std::array<std::int64_t, 2>;

  /// The runs of a constant selection, which is expanded from one element, are contiguous in the
  /// base only.
  SelectedRuns(const AdvancedIndexView& p, const View& selection, bool is_constant = false)
      : indices_(p), steps_(p, selection) {
    const std::size_t first = position_of_indices(p.dims);
    Shape sizes, base, selection_strides;
    const std::size_t index_rank = p.index.shape->size() - 1;
    for (std::size_t d = 0, next = 0; d < p.base.shape->size(); ++d) {
      if (contains(p.dims, d)) continue;
      if (next == first) next += index_rank;
      sizes.push_back((*p.base.shape)[d]);
      base.push_back((*p.base.strides)[d]);
      selection_strides.push_back((*selection.strides)[next++]);
    }
    while (!sizes.empty() &&
           (sizes.back() == 1 ||
            (base.back() == length_ && (is_constant || selection_strides.back() == length_)))) {
      length_ *= sizes.back();
      for (Shape* s : {&sizes, &base, &selection_strides}) s->erase(s->size() - 1);
    }
    const View a{nullptr, &sizes, &base, 0, selection.dtype, nullptr},
        b{nullptr, &sizes, &selection_strides, 0, selection.dtype, nullptr};
    kernel::walk(sizes, std::array<const View*, 2>{&a, &b},
                 [&](const Offsets& at) { offsets_.push_back(at); });
  }
  std::int64_t length() const { return length_; }

  /// Calls f(offset in the base, offset in the selection, first element, number of elements) for
  /// parts of the runs, in parallel. Parts of one offset are visited in the order of the indices by
  /// one thread, so that f may write to the base.
  template <class F> void for_each_in_order(F&& f) const {
    for_each_column_block(
        std::ssize(offsets_), indices_.count(), length_,
        [&](std::int64_t o, std::int64_t first, std::int64_t end) {
          visit(offsets_[static_cast<std::size_t>(o)], 0, indices_.count(),
                [&](std::int64_t a, std::int64_t b) { f(a, b, first, end - first); });
        });
  }
  /// As above, in any order.
  template <class F> void for_each(F&& f) const {
    if (std::ssize(offsets_) >= cpu::available_threads()) return for_each_in_order(f);
    for (const Offsets& o : offsets_)
      cpu::parallel_for(0, indices_.count(), 1 + (1 << 14) / (1 + length_),
                        [&](std::int64_t b, std::int64_t e) {
                          visit(o, b, e, [&](std::int64_t at, std::int64_t in_selection) {
                            f(at, in_selection, 0, length_);
                          });
                        });
  }

 private:
  template <class F>
  void visit(const Offsets& o, std::int64_t begin, std::int64_t end, F&& f) const {
    const std::int64_t* const at = indices_.data();
    for (std::int64_t i = begin; i < end; ++i) f(at[i] + o[0], steps_[i] + o[1]);
  }

  IndexOffsets indices_;
  SelectionOffsets steps_;
  std::vector<Offsets> offsets_{};
  std::int64_t length_ = 1;
};

}  // namespace taper::indexing
