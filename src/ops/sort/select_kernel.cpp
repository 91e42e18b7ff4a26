// Kernels of kthvalue and mode. Of equal elements, they select the positions that PyTorch selects,
// which follow from the algorithms.
#include <algorithm>
#include <vector>

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
  const View& in = k.in[0];
  const KeptDim values(k.out[0], in.shape->size(), o.dim),
      indices(k.out[1], in.shape->size(), o.dim);
  const std::int64_t n = kernel::slice_length(*in.shape, o.dim);
  std::vector<KeyAndIndex> list;
  kernel::for_each_slice<3>(
      *in.shape, o.dim, {&in, &values.view, &indices.view}, [&](const auto& slices) {
        load_keys(slices[0], n, list);
        quick_select(list, o.k - 1);
        store_result(slices, 0, list[static_cast<std::size_t>(o.k - 1)].second);
      });
}

template <> void reference_kernel(const Mode& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const KeptDim values(k.out[0], in.shape->size(), o.dim),
      indices(k.out[1], in.shape->size(), o.dim);
  const std::int64_t n = kernel::slice_length(*in.shape, o.dim);
  std::vector<KeyAndIndex> list;
  kernel::for_each_slice<3>(*in.shape, o.dim, {&in, &values.view, &indices.view},
                            [&](const auto& slices) {
                              load_keys(slices[0], n, list);
                              std::sort(list.begin(), list.end(), is_less);
                              store_result(slices, 0, list[longest_run(list)].second);
                            });
}

}  // namespace taper
