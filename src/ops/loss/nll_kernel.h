// Loops over samples shared by nll_loss and its gradient.
#pragma once
#include "ops/kernel/element.h"
#include "ops/loss/nll_loss.h"

namespace taper::nll {

/// Weight and offset of the score of each sample.
class Samples {
 public:
  /// Creates the samples of `scores` [C], [N, C] or [N, C, d1, ...]. `target` has the same shape
  /// without C. `weight` [C] may be null.
  Samples(const View& scores, const View& target, const View* weight, std::int64_t ignore_index,
          std::string_view op)
      : scores_(scores),
        target_(target),
        weight_(weight),
        ignore_index_(ignore_index),
        op_(op),
        class_dim_(scores.shape->size() == 1 ? 0 : 1) {
    classes_ = (*scores.shape)[class_dim_];
  }

  std::int64_t count() const { return target_.numel; }

  struct Sample {
    bool ignored = false;
    double weight = 1;
    std::int64_t score = 0;  ///< offset of the target's score, in elements
  };
  /// Returns the weight of sample i and the offset of its score, or that it is ignored. Throws
  /// IndexError if its target is not a class index.
  Sample operator[](std::int64_t i) const {
    Sample sample;
    std::int64_t target_offset = 0;
    for (std::size_t d = target_.shape->size(); d-- > 0; i /= (*target_.shape)[d]) {
      const std::int64_t n = i % (*target_.shape)[d];
      target_offset += n * (*target_.strides)[d];
      sample.score += n * (*scores_.strides)[d < class_dim_ ? d : d + 1];
    }
    const auto c = kernel::load<std::int64_t>(
        target_.data + target_offset * kernel::element_size(target_), target_.dtype);
    if (c == ignore_index_) {
      sample.ignored = true;
      return sample;
    }
    if (c < 0 || c >= classes_)
      fail<IndexError>("{}: Target {} is out of bounds: expected a class in [0, {})", op_, c,
                       classes_);
    sample.score += c * (*scores_.strides)[class_dim_];
    if (weight_)
      sample.weight = kernel::load<double>(
          weight_->data + c * (*weight_->strides)[0] * kernel::element_size(*weight_),
          weight_->dtype);
    return sample;
  }

 private:
  const View &scores_, &target_;
  const View* weight_;
  std::int64_t ignore_index_;
  std::string_view op_;
  std::size_t class_dim_;
  std::int64_t classes_ = 0;
};

}  // namespace taper::nll
