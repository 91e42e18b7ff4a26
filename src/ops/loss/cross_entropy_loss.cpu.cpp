#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/convert.h"
#include "cpu/scratch.h"
#include "cpu/softmax/exp_sums.h"
#include "cpu/stream.h"
#include "cpu/threads.h"
#include "ops/kernel/channels_last.h"
#include "ops/kernel/element.h"
#include "ops/loss/cross_entropy_loss.h"
#include "ops/loss/reduction.h"

namespace taper {
namespace {

/// Number of elements that are converted or computed at a time, in the first-level cache.
constexpr std::int64_t kBlock = 1024;

/// Number of rows of a block, whose losses are summed on their own. It does not depend on the
/// number of threads, so that the sum does not either.
std::int64_t rows_per_block(std::int64_t classes) {
  return std::clamp<std::int64_t>(16384 / std::max<std::int64_t>(1, classes), 1, 4096);
}

/// Targets and weights of the rows.
class Targets {
 public:
  Targets(const View& target, const View* weight, std::int64_t classes, std::int64_t ignore_index)
      : target_(target), weight_(weight), classes_(classes), ignore_index_(ignore_index) {}

  /// Returns the class of row i, or -1 if the row is ignored. Throws IndexError if the target is
  /// not a class.
  std::int64_t operator[](std::int64_t i) const {
    const std::int64_t step = target_.shape->empty() ? 0 : target_.strides->back();
    const auto c = kernel::load<std::int64_t>(
        target_.data + i * step * kernel::element_size(target_), target_.dtype);
    if (c == ignore_index_) return -1;
    if (c < 0 || c >= classes_) [[unlikely]]
      fail<IndexError>("nll_loss: Target {} is out of bounds: expected a class in [0, {})", c,
                       classes_);
    return c;
  }
  double weight(std::int64_t c) const {
    return weight_ == nullptr
               ? 1
               : kernel::load<double>(
                     weight_->data + c * weight_->strides->back() * kernel::element_size(*weight_),
                     weight_->dtype);
  }

 private:
  const View& target_;
  const View* weight_;
  std::int64_t classes_, ignore_index_;
};

/// Row-major scores, read in the type of the computation.
template <class T> class Scores {
 public:
  explicit Scores(const View& x)
      : memory_(x, PhysicalLayout::row_major),
        dtype_(x.dtype),
        size_(static_cast<std::int64_t>(size_of(x.dtype))),
        convert_(size_of(x.dtype) == 2 ? cpu::find_conversion(DType::f32, x.dtype) : nullptr),
        classes(x.shape->back()),
        rows(x.shape->size() == 2 ? (*x.shape)[0] : 1) {}

  /// Returns the elements [at, at + n) of all rows in order, converted in `buffer` if need be.
  const T* read(std::int64_t at, std::int64_t n, T* buffer) const {
    const std::byte* const from = memory_.template as<std::byte>() + at * size_;
    if (convert_ == nullptr) return reinterpret_cast<const T*>(from);
    convert_(reinterpret_cast<std::byte*>(buffer), from, n);
    return buffer;
  }
  double at(std::int64_t i) const {
    return kernel::load<double>(memory_.template as<std::byte>() + i * size_, dtype_);
  }
  bool is_narrow() const { return convert_ != nullptr; }

 private:
  kernel::ViewInLayout memory_;
  DType dtype_;
  std::int64_t size_;
  cpu::ConvertRun convert_;

 public:
  std::int64_t classes, rows;
};

template <class T>
void sum_rows(const Scores<T>& x, std::int64_t b, std::int64_t e, T* max, T* log_sum) {
  if (!x.is_narrow())
    return cpu::log_exp_sums(e - b, x.classes, x.read(b * x.classes, 0, nullptr), max + b,
                             log_sum + b);
  alignas(64) T buffer[kBlock];
  for (std::int64_t r = b; r < e; ++r) {
    cpu::ExpSum<T> s;
    for (std::int64_t c = 0; c < x.classes; c += kBlock) {
      const std::int64_t n = std::min(kBlock, x.classes - c);
      cpu::add_exponentials(n, x.read(r * x.classes + c, n, buffer), s);
    }
    max[r] = s.max, log_sum[r] = std::log(s.sum);
  }
}

template <class T> bool forward(const CrossEntropyLoss& o, const KernelArgs& k) {
  const auto r = reduction_of(o.reduction, "nll_loss");
  const Scores<T> x(k.in[0]);
  const Targets targets(k.in[1], k.has(2) ? &k.in[2] : nullptr, x.classes, o.ignore_index);
  T *const max = reinterpret_cast<T*>(k.out[2].data), *const log_sum =
                                                          reinterpret_cast<T*>(k.out[3].data);
  const std::int64_t block = rows_per_block(x.classes), blocks = (x.rows + block - 1) / block;
  std::vector<double> sums(static_cast<std::size_t>(2 * blocks));
  cpu::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t b = at * block, e = std::min(x.rows, b + block);
      sum_rows(x, b, e, max, log_sum);
      double total = 0, weight = 0;
      for (std::int64_t i = b; i < e; ++i) {
        const std::int64_t c = targets[i];
        double loss = 0;
        if (c >= 0) {
          // In this order, the maximum does not absorb the digits of the logarithm.
          const double w = targets.weight(c),
                       lead = static_cast<double>(max[i]) - x.at(i * x.classes + c);
          loss = w * (lead + static_cast<double>(log_sum[i]));
          total += loss, weight += w;
        }
        if (r == Reduction::None)
          kernel::store(k.out[0].data + i * kernel::element_size(k.out[0]), k.out[0].dtype, loss);
      }
      sums[static_cast<std::size_t>(2 * at)] = total;
      sums[static_cast<std::size_t>(2 * at) + 1] = weight;
    }
  });
  double total = 0, weight = 0;
  for (std::size_t i = 0; i < sums.size(); i += 2) total += sums[i], weight += sums[i + 1];
  if (r != Reduction::None)
    kernel::store(k.out[0].data, k.out[0].dtype, r == Reduction::Mean ? total / weight : total);
  kernel::store(k.out[1].data, k.out[1].dtype, r == Reduction::None ? 0.0 : weight);
  return true;
}

/// Gradient in the dtype of the scores, which is written once.
template <class T> class Gradient {
 public:
  explicit Gradient(const View& out)
      : data_(out.data),
        size_(static_cast<std::int64_t>(size_of(out.dtype))),
        convert_(size_ == 2 ? cpu::find_conversion(out.dtype, DType::f32) : nullptr),
        streams_(static_cast<std::size_t>(out.numel * size_) >= cpu::kMinStreamedBytes) {}

  /// Returns memory for the elements [at, at + n), which `write` stores.
  T* begin(std::int64_t at, T* buffer) const {
    return !is_direct() ? buffer : reinterpret_cast<T*>(data_ + at * size_);
  }
  void write(std::int64_t at, std::int64_t n, const T* values) const {
    std::byte* const to = data_ + at * size_;
    if (convert_ != nullptr)
      convert_(to, reinterpret_cast<const std::byte*>(values), n);
    else if (streams_)
      cpu::stream_copy(to, values, static_cast<std::size_t>(n * size_));
  }
  bool is_direct() const { return convert_ == nullptr && !streams_; }
  void finish() const {
    if (streams_) cpu::finish_stream_copies();
  }

 private:
  std::byte* data_;
  std::int64_t size_;
  cpu::ConvertRun convert_;
  bool streams_;
};

template <class T> bool backward(const CrossEntropyLossBackward& o, const KernelArgs& k) {
  if (!is_contiguous(k.in[5]) || !is_contiguous(k.in[6]) || !is_contiguous(k.out[0]) ||
      k.in[5].dtype != k.in[6].dtype || size_of(k.in[5].dtype) != sizeof(T))
    return false;
  const auto r = reduction_of(o.reduction, "nll_loss");
  const Scores<T> x(k.in[1]);
  const Targets targets(k.in[2], k.has(3) ? &k.in[3] : nullptr, x.classes, o.ignore_index);
  const Gradient<T> to(k.out[0]);
  const T *const max = reinterpret_cast<const T*>(k.in[5].data), *const log_sum =
                                                                     reinterpret_cast<const T*>(
                                                                         k.in[6].data);
  const View& g = k.in[0];
  const std::int64_t grad_step = g.shape->empty() ? 0 : g.strides->back() * kernel::element_size(g);
  const double total =
      r == Reduction::Mean ? kernel::load<double>(k.in[4].data, k.in[4].dtype) : 1.0;
  const auto scale_of = [&](std::int64_t i, std::int64_t target) {
    const double grad = kernel::load<double>(g.data + i * grad_step, g.dtype);
    return target < 0 ? T{0} : static_cast<T>(targets.weight(target) * grad / total);
  };
  // One call computes many short rows.
  const auto differentiate_short_rows = [&](std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kRows = 64;
    T scales[kRows];
    std::int64_t classes[kRows];
    for (std::int64_t b = first; b < last; b += kRows) {
      const std::int64_t n = std::min(kRows, last - b);
      for (std::int64_t i = 0; i < n; ++i)
        classes[i] = targets[b + i], scales[i] = scale_of(b + i, classes[i]);
      T* const out = to.begin(b * x.classes, nullptr);
      cpu::scaled_softmax(n, x.classes, x.read(b * x.classes, 0, nullptr), max + b, log_sum + b,
                          scales, out);
      for (std::int64_t i = 0; i < n; ++i)
        if (classes[i] < 0)
          std::fill_n(out + i * x.classes, x.classes, T{0});
        else
          out[i * x.classes + classes[i]] -= scales[i];
    }
  };
  const bool is_short = to.is_direct() && !x.is_narrow() && x.classes <= kBlock;
  const std::int64_t block = rows_per_block(x.classes);
  cpu::parallel_for(0, x.rows, block, [&](std::int64_t first, std::int64_t last) {
    if (is_short) return differentiate_short_rows(first, last);
    alignas(64) T scores[kBlock], values[kBlock];
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t target = targets[i];
      const T scale = scale_of(i, target);
      for (std::int64_t c = 0; c < x.classes; c += kBlock) {
        const std::int64_t n = std::min(kBlock, x.classes - c), at = i * x.classes + c;
        T* const out = to.begin(at, values);
        if (target < 0) {
          std::fill_n(out, n, T{0});
        } else {
          cpu::scaled_softmax(1, n, x.read(at, n, scores), max + i, log_sum + i, &scale, out);
          if (target >= c && target < c + n) out[target - c] -= scale;
        }
        to.write(at, n, out);
      }
    }
    to.finish();
  });
  return true;
}

}  // namespace

template <> bool cpu_kernel(const CrossEntropyLoss& o, const KernelArgs& k) {
  if (k.in[0].dtype == DType::f64) return forward<double>(o, k);
  return forward<float>(o, k);
}
template <> bool cpu_kernel(const CrossEntropyLossBackward& o, const KernelArgs& k) {
  if (k.in[1].dtype == DType::f64) return backward<double>(o, k);
  return backward<float>(o, k);
}

}  // namespace taper
