#include "metrics/support.h"

#include "core/check.h"

#include "taper/core/factory.h"

namespace taper::metrics {

void check_choice(std::string_view metric, std::string_view argument, std::string_view value,
                  std::initializer_list<std::string_view> allowed) {
  std::string names;
  for (const std::string_view name : allowed) {
    if (name == value) return;
    names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  fail<ValueError>("{}: invalid {}: got '{}', expected one of {}", metric, argument, value, names);
}

void check_at_least(std::string_view metric, std::string_view argument, std::int64_t value,
                    std::int64_t least) {
  if (value < least)
    fail<ValueError>("{}: invalid {}: got {}, expected at least {}", metric, argument, value,
                     least);
}

void check_fraction(std::string_view metric, std::string_view argument, double value) {
  if (!(value >= 0 && value <= 1))
    fail<ValueError>("{}: invalid {}: got {}, expected a number in [0, 1]", metric, argument,
                     value);
}

void check_same_shape(std::string_view metric, const Tensor& preds, const Tensor& target) {
  if (preds.shape() != target.shape())
    fail<ShapeError>("{}: shapes of preds and target differ: {} and {}", metric, preds.shape(),
                     target.shape());
}

void check_zero_or_one(std::string_view metric, std::string_view argument, const Tensor& t,
                       std::optional<std::int64_t> ignore_index) {
  Tensor valid = (t == 0) | (t == 1);
  if (ignore_index) valid = valid | (t == *ignore_index);
  if (!valid.all().item<bool>())
    fail<ValueError>("{}: {} contains {}, expected 0 and 1{}", metric, argument,
                     t.masked_select(~valid)[0].item(),
                     ignore_index ? " or the ignored value " + std::to_string(*ignore_index) : "");
}

void check_labels(std::string_view metric, std::string_view argument, const Tensor& t,
                  std::int64_t count) {
  const Tensor valid = (t >= 0) & (t < count);
  if (!valid.all().item<bool>())
    fail<ValueError>("{}: {} contains {}, expected labels in [0, {})", metric, argument,
                     t.masked_select(~valid)[0].item(), count);
}

void check_floating(std::string_view metric, std::string_view argument, const Tensor& t) {
  if (!t.is_floating_point())
    fail<DTypeError>("{}: {} must be of a floating-point type, got {}", metric, argument,
                     t.dtype());
}

Tensor quotient(const Tensor& numerator, const Tensor& denominator) {
  const auto floating = [](const Tensor& t) {
    return t.is_floating_point() ? t : t.to(DType::f32);
  };
  return floating(numerator) / floating(denominator);
}

Tensor safe_divide(const Tensor& numerator, const Tensor& denominator, double zero_division) {
  return quotient(numerator, denominator).masked_fill(denominator == 0, zero_division);
}

namespace {

bool has_logits(const Tensor& t) { return !((t >= 0) & (t <= 1)).all().item<bool>(); }

}  // namespace

Tensor sigmoid_if_logits(const Tensor& t) { return has_logits(t) ? t.sigmoid() : t; }

Tensor softmax_if_logits(const Tensor& t) { return has_logits(t) ? t.softmax(1) : t; }

Tensor one_hot(const Tensor& t, std::int64_t count) {
  return (t.unsqueeze(-1) == arange(count)).to(DType::i64);
}

std::vector<double> to_doubles(const Tensor& t) {
  const Tensor row_major = t.to(DType::f64).contiguous();
  const auto elements = row_major.data<double>();
  return {elements.begin(), elements.end()};
}

std::vector<std::int64_t> to_integers(const Tensor& t) {
  const Tensor row_major = t.to(DType::i64).contiguous();
  const auto elements = row_major.data<std::int64_t>();
  return {elements.begin(), elements.end()};
}

}  // namespace taper::metrics
