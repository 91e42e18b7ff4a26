#include "ops/loss/multilabel_margin_loss.h"
#include "ops/autocast.h"

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "core/named_call.h"
#include "cpu/threads.h"
#include "ops/kernel/element.h"
#include "ops/loss/binary_cross_entropy.h"
#include "ops/loss/functions.h"
#include "ops/loss/reduction.h"
#include "taper/core/tensor.h"

namespace taper {

void MultilabelMarginLoss::infer(ShapeInference& i) const {
  if (i.rank(0) != 2) i.fail("expected an input of shape (N, C), got {}", i.shape(0));
  if (!(i.shape(1) == i.shape(0)))
    i.fail("inconsistent target size: {} for input of size: {}", i.shape(1), i.shape(0));
  if (i.dtype(1) != DType::i64)
    i.fail<DTypeError>("expected scalar type Long but found {}: target holds class indices",
                       i.dtype(1));
  i.set_output({i.shape(0)[0]}, i.dtype(0));
  i.set_output(i.shape(0), i.dtype(0));
}

void MultilabelMarginLoss::backward(BackwardContext<MultilabelMarginLoss>& b) const {
  b[0] = b.grad().unsqueeze(-1) * b.output<1>();
}

namespace {

/// Returns the labels of a row, and marks them in `is_label`.
template <class Target> std::vector<std::int64_t> read_labels(std::int64_t classes,
                                                              std::vector<char>& is_label,
                                                              Target target) {
  std::vector<std::int64_t> labels;
  std::fill(is_label.begin(), is_label.end(), char{0});
  for (std::int64_t c = 0; c < classes; ++c) {
    const std::int64_t label = target(c);
    if (label == -1) break;
    if (label < 0 || label >= classes)
      fail<IndexError>(
          "multilabel_margin_loss: target is out of range: got {}, expected a class in [0, {}), or "
          "-1 after the last label",
          label, classes);
    labels.push_back(label);
    is_label[static_cast<std::size_t>(label)] = 1;
  }
  return labels;
}

/// Computes the loss of the rows [begin, end). `input` and `target` return elements by row and
/// class, `write` receives the loss and the slopes of a row.
template <class T, class Input, class Target, class Write>
void compute_rows(std::int64_t begin, std::int64_t end, std::int64_t classes, Input input,
                  Target target, Write write) {
  std::vector<char> is_label(static_cast<std::size_t>(classes));
  std::vector<T> slope(static_cast<std::size_t>(classes));  // in numbers of terms
  for (std::int64_t row = begin; row < end; ++row) {
    const auto labels =
        read_labels(classes, is_label, [&](std::int64_t c) { return target(row, c); });
    std::fill(slope.begin(), slope.end(), T(0));
    double total = 0;
    for (const std::int64_t label : labels) {
      const T margin = 1 - input(row, label);
      for (std::int64_t c = 0; c < classes; ++c) {
        if (is_label[static_cast<std::size_t>(c)]) continue;
        const T term = margin + input(row, c);
        if (!(term > 0)) continue;
        total += static_cast<double>(term);
        slope[static_cast<std::size_t>(c)] += 1;
        slope[static_cast<std::size_t>(label)] -= 1;
      }
    }
    for (T& s : slope) s /= static_cast<T>(classes);
    write(row, static_cast<T>(total / static_cast<double>(classes)), slope);
  }
}

}  // namespace

template <> void reference_kernel(const MultilabelMarginLoss&, const KernelArgs& k) {
  const auto at = [](const View& v, std::int64_t row, std::int64_t c) {
    return v.data + (row * (*v.strides)[0] + c * (*v.strides)[1]) * kernel::element_size(v);
  };
  const View &x = k.in[0], &target = k.in[1], &out = k.out[0], &slopes = k.out[1];
  const std::int64_t classes = (*x.shape)[1];
  compute_rows<double>(
      0, (*x.shape)[0], classes,
      [&](std::int64_t row, std::int64_t c) {
        return kernel::load<double>(at(x, row, c), x.dtype);
      },
      [&](std::int64_t row, std::int64_t c) {
        return kernel::load<std::int64_t>(at(target, row, c), target.dtype);
      },
      [&](std::int64_t row, double total, const std::vector<double>& slope) {
        kernel::store(out.data + row * (*out.strides)[0] * kernel::element_size(out), out.dtype,
                      total);
        for (std::int64_t c = 0; c < classes; ++c)
          kernel::store(at(slopes, row, c), slopes.dtype, slope[static_cast<std::size_t>(c)]);
      });
}

template <> bool cpu_kernel(const MultilabelMarginLoss&, const KernelArgs& k) {
  for (const View* v : {&k.in[0], &k.in[1], &k.out[0], &k.out[1]})
    if (!is_contiguous(*v)) return false;
  const std::int64_t rows = (*k.in[0].shape)[0], classes = (*k.in[0].shape)[1];
  const auto* const target = reinterpret_cast<const std::int64_t*>(k.in[1].data);
  const auto compute = [&]<class T>(T) {
    const T* const x = reinterpret_cast<const T*>(k.in[0].data);
    T* const out = reinterpret_cast<T*>(k.out[0].data);
    T* const slopes = reinterpret_cast<T*>(k.out[1].data);
    cpu::parallel_for(0, rows, 1 + 4096 / (classes + 1), [&](std::int64_t begin, std::int64_t end) {
      compute_rows<T>(
          begin, end, classes,
          [&](std::int64_t row, std::int64_t c) { return x[row * classes + c]; },
          [&](std::int64_t row, std::int64_t c) { return target[row * classes + c]; },
          [&](std::int64_t row, T total, const std::vector<T>& slope) {
            out[row] = total;
            std::copy(slope.begin(), slope.end(), slopes + row * classes);
          });
    });
  };
  if (k.in[0].dtype == DType::f32)
    compute(float{});
  else
    compute(double{});
  return true;
}

TAPER_DEFINE_OP(multilabel_margin_loss, MultilabelMarginLoss);

namespace {

/// Returns scores `()`, `(C)` or `(N, C)` as `(N, C)`.
Tensor class_scores(const Tensor& input, const char* name) {
  const bool has_classes = input.dim() == 0 || input.size(-1) > 0;
  if (input.dim() > 2 || !has_classes)
    fail<ShapeError>(
        "{}: Expected non-empty vector or matrix with optional 0-dim batch size, but "
        "got: {}",
        name, input.shape());
  return input.dim() == 2 ? input : input.reshape({1, -1});
}

void check_label_dtype(const Tensor& target, const char* name) {
  if (target.dtype() != DType::i64)
    fail<DTypeError>("{}: expected scalar type Long but found {}: target holds class indices", name,
                     target.dtype());
}

}  // namespace

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const std::string& reduction) {
  constexpr const char* kName = "multilabel_margin_loss";
  const auto r = reduction_of(reduction, kName);
  const Tensor scores = class_scores(input, kName);
  check_label_dtype(target, kName);
  // As in PyTorch, one score and its label may have no dimensions.
  const bool matches = input.dim() == 0 ? target.dim() <= 1 && target.numel() == 1
                                        : target.shape() == input.shape() ||
                                              (input.shape() == Shape{1} && target.dim() == 0);
  if (!matches)
    fail<ShapeError>("{}: inconsistent target size: {} for input of size: {}", kName,
                     target.shape(), input.shape());
  const Tensor terms = run_all(MultilabelMarginLoss{}, scores, target.reshape(scores.shape()))[0];
  return reduce_terms(input.dim() == 2 ? terms : terms.reshape({}), r);
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   OptionalTensorRef weight, const std::string& reduction) {
  const auto r = reduction_of(reduction, "multilabel_soft_margin_loss");
  if (input.dim() == 0)
    fail<ShapeError>(
        "multilabel_soft_margin_loss: expected an input of shape (C) or (N, C), got a "
        "tensor without dimensions");
  if (!input.is_floating_point())
    fail<NotImplementedError>(
        "multilabel_soft_margin_loss: expected input of a floating-point dtype, got {}",
        input.dtype());
  const Tensor labels = target.is_floating_point() ? target : target.to(input.dtype());
  Tensor terms = named_call("multilabel_soft_margin_loss", [&] {
    const Tensor losses = logits_cross_entropy(input, labels);
    return weight ? losses * *weight : losses;
  });
  return reduce_terms(terms.mean({input.dim() - 1}), r);
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target, std::int64_t p, double margin,
                         OptionalTensorRef weight, const std::string& reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, multi_margin_loss, input, target, p, margin, weight,
                         reduction);
  constexpr const char* kName = "multi_margin_loss";
  const auto r = reduction_of(reduction, kName);
  if (p != 1 && p != 2) fail<ValueError>("only p == 1 and p == 2 supported: got {}", p);
  if (weight && weight->dim() != 1)
    fail<ValueError>("weight must be one-dimensional: got shape {}", weight->shape());
  const Tensor scores = class_scores(input, kName);
  const std::int64_t samples = scores.size(0), classes = scores.size(1);
  check_label_dtype(target, kName);
  if (target.dim() > 1 || target.numel() != samples)
    fail<ShapeError>(
        "{}: target tensor should be 1-D with size equal to the number of input samples (batch "
        "size). Expected target size [{}], but got {}. Input has shape {}.",
        kName, samples, target.shape(), input.shape());
  if (weight && weight->size(0) != classes)
    fail<ShapeError>("{}: inconsistent weight size, expected {} but got {}", kName, classes,
                     weight->shape());
  if (!target.device().is_meta() && (target < 0).logical_or(target >= classes).any().item<bool>())
    fail<IndexError>("{}: target out of range: expected classes in [0, {})", kName, classes);

  const Tensor label = target.reshape({samples, 1});
  Tensor terms = (margin - scores.gather(1, label) + scores).clamp_min(0);
  if (p == 2) terms = terms.square();
  if (weight) terms = terms * weight->index_select(0, target.reshape({samples})).unsqueeze(1);
  const Tensor sums = terms.scatter(1, label, 0).mean({1});
  return reduce_terms(target.dim() == 0 ? sums.reshape({}) : sums, r);
}

}  // namespace taper
