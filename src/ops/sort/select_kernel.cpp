// Kernels of kthvalue and mode. Of equal elements, they select the positions that PyTorch selects,
// which follow from the algorithms.
#include <algorithm>
#include <array>
#include <vector>

#include "cpu/threads.h"
#include "ops/kernel/index.h"
#include "ops/sort/keys.h"
#include "ops/sort/sort.h"

namespace taper {
namespace {

/// View of an output from which a reduced dimension was removed, with stride 0 at this dimension.
struct KeptDim {
  Shape strides;
  View view;

  KeptDim(const View& out, std::size_t rank, std::int64_t dim) : strides(*out.strides), view(out) {
    if (strides.size() < rank)
      strides.insert(static_cast<std::size_t>(wrap_dim(dim, rank, "slices")), 0);
    view.strides = &strides;
  }
  KeptDim(const KeptDim&) = delete;
  KeptDim& operator=(const KeptDim&) = delete;
};

using KeyAndIndex = std::pair<std::uint64_t, std::int64_t>;

/// Calls f(slices of the input and the outputs, buffer) for each slice along `dim`, in parallel if
/// all views are in row-major order. Each thread has its own buffer.
template <class F>
void for_each_selected_slice(const KernelArgs& k, std::int64_t dim, std::int64_t n, F&& f) {
  const View& in = k.in[0];
  const std::array<const View*, 3> views{&in, &k.out[0], &k.out[1]};
  if (in.shape->empty() || in.numel == 0 ||
      !std::all_of(views.begin(), views.end(), [](const View* v) { return is_contiguous(*v); })) {
    const KeptDim values(k.out[0], in.shape->size(), dim), indices(k.out[1], in.shape->size(), dim);
    std::vector<KeyAndIndex> list;
    kernel::for_each_slice<3>(*in.shape, dim, {&in, &values.view, &indices.view},
                              [&](const auto& slices) { f(slices, list); });
    return;
  }
  std::int64_t inner = 1;
  const auto d = static_cast<std::size_t>(wrap_dim(dim, in.shape->size(), "slices"));
  for (std::size_t e = d + 1; e < in.shape->size(); ++e) inner *= (*in.shape)[e];
  cpu::parallel_for(
      0, in.numel / n, std::max<std::int64_t>(1, (1 << 11) / n),
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<KeyAndIndex> list;
        std::array<kernel::Slice1d, 3> slices;
        for (std::int64_t i = begin; i < end; ++i) {
          for (std::size_t v = 0; v < 3; ++v) {
            const std::int64_t size = kernel::element_size(*views[v]);
            const std::int64_t first = v == 0 ? i / inner * n * inner + i % inner : i;
            slices[v] = {views[v]->data + first * size, inner * size, views[v]->dtype};
          }
          f(slices, list);
        }
      });
}

/// Fills `list` with the keys of a slice and the positions.
void load_keys(const kernel::Slice1d& slice, std::int64_t n, std::vector<KeyAndIndex>& list) {
  list.resize(static_cast<std::size_t>(n));
  sorting::for_each_key(slice, n, [&](std::int64_t i, std::uint64_t key) {
    list[static_cast<std::size_t>(i)] = {key, i};
  });
}

/// Stores the element at `from` of the input and its position as element i of the outputs.
void store_result(const std::array<kernel::Slice1d, 3>& slices, std::int64_t i, std::int64_t from) {
  kernel::copy_element(slices[1].first + i * slices[1].step, slices[1].dtype,
                       slices[0].first + from * slices[0].step, slices[0].dtype);
  slices[2].set(i, from);
}

bool is_less(const KeyAndIndex& a, const KeyAndIndex& b) { return a.first < b.first; }

/// Rearranges `list` so that the element at position k is the one that sorting would place there.
/// Hoare's selection with the median of three as the pivot.
void quick_select(std::vector<KeyAndIndex>& list, std::int64_t k) {
  const auto at = [&](std::int64_t i) -> KeyAndIndex& { return list[static_cast<std::size_t>(i)]; };
  const auto greater = [&](std::int64_t a, std::int64_t b) { return at(a).first > at(b).first; };
  const auto swap = [&](std::int64_t a, std::int64_t b) { std::swap(at(a), at(b)); };
  std::int64_t left = 0, right = static_cast<std::int64_t>(list.size()) - 1;
  while (left < right) {
    if (right == left + 1) {
      if (greater(left, right)) swap(left, right);
      return;
    }
    swap(left + (right - left) / 2, left + 1);
    if (greater(left + 1, right)) swap(left + 1, right);
    if (greater(left, right)) swap(left, right);
    if (greater(left + 1, left)) swap(left + 1, left);
    std::int64_t i = left + 1, j = right;
    for (;;) {
      do ++i;
      while (greater(left, i));
      do --j;
      while (greater(j, left));
      if (j < i) break;
      swap(i, j);
    }
    swap(left, j);
    if (j <= k) left = i;
    if (j >= k) right = j - 1;
  }
}

/// Returns the index of the last entry of the longest run of equal keys, the first of several.
std::size_t longest_run(const std::vector<KeyAndIndex>& sorted) {
  std::size_t best = 0, longest = 0, length = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ++length;
    if (i + 1 < sorted.size() && sorted[i].first == sorted[i + 1].first) continue;
    if (length > longest) longest = length, best = i;
    length = 0;
  }
  return best;
}

}  // namespace

template <> void reference_kernel(const KthValue& o, const KernelArgs& k) {
  const std::int64_t n = kernel::slice_length(*k.in[0].shape, o.dim);
  for_each_selected_slice(k, o.dim, n, [&](const auto& slices, std::vector<KeyAndIndex>& list) {
    load_keys(slices[0], n, list);
    quick_select(list, o.k - 1);
    store_result(slices, 0, list[static_cast<std::size_t>(o.k - 1)].second);
  });
}

template <> void reference_kernel(const Mode& o, const KernelArgs& k) {
  const std::int64_t n = kernel::slice_length(*k.in[0].shape, o.dim);
  for_each_selected_slice(k, o.dim, n, [&](const auto& slices, std::vector<KeyAndIndex>& list) {
    load_keys(slices[0], n, list);
    std::sort(list.begin(), list.end(), is_less);
    store_result(slices, 0, list[longest_run(list)].second);
  });
}

}  // namespace taper
