// Checks and small computations that several metrics share.
#pragma once
#include <initializer_list>
#include <optional>
#include <string_view>

#include "taper/core/tensor.h"

namespace taper::metrics {

/// Throws ValueError unless `value` is one of `allowed`.
void check_choice(std::string_view metric, std::string_view argument, std::string_view value,
                  std::initializer_list<std::string_view> allowed);
/// Throws ValueError unless `value` is at least `least`.
void check_at_least(std::string_view metric, std::string_view argument, std::int64_t value,
                    std::int64_t least);
/// Throws ValueError unless `value` is in [0, 1].
void check_fraction(std::string_view metric, std::string_view argument, double value);
/// Throws ShapeError unless both shapes are equal.
void check_same_shape(std::string_view metric, const Tensor& preds, const Tensor& target);
/// Throws ValueError unless all elements are 0, 1 or, if it is given, `ignore_index`.
void check_zero_or_one(std::string_view metric, std::string_view argument, const Tensor& t,
                       std::optional<std::int64_t> ignore_index = {});
/// Throws ValueError unless all elements are in [0, count).
void check_labels(std::string_view metric, std::string_view argument, const Tensor& t,
                  std::int64_t count);
/// Throws DTypeError unless the tensor is of a floating-point type.
void check_floating(std::string_view metric, std::string_view argument, const Tensor& t);

/// Returns the quotient in a floating-point type, and `zero_division` where the denominator is 0.
Tensor safe_divide(const Tensor& numerator, const Tensor& denominator, double zero_division = 0);
/// Returns the quotient in a floating-point type.
Tensor quotient(const Tensor& numerator, const Tensor& denominator);

/// Return probabilities: the tensor itself, or its sigmoid or softmax over dimension 1 if an
/// element is outside of [0, 1].
Tensor sigmoid_if_logits(const Tensor& t);
Tensor softmax_if_logits(const Tensor& t);

/// Returns `(N, ..., count)` with ones at the labels `t` `(N, ...)`.
Tensor one_hot(const Tensor& t, std::int64_t count);
/// Returns the elements, in row-major order, as a vector.
std::vector<double> to_doubles(const Tensor& t);
std::vector<std::int64_t> to_integers(const Tensor& t);

}  // namespace taper::metrics
