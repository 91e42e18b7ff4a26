#include "taper/distributions/categorical.h"

#include "distributions/probs_or_logits.h"
#include "taper/distributions/counts.h"

namespace taper::distributions {

bool has_probs(const ProbsOrLogits& given) {
  if (given.probs.has_value() == given.logits.has_value())
    fail<ValueError>("Either `probs` or `logits` must be specified, but not both.");
  return given.probs.has_value();
}

Tensor enumerate_values(const Tensor& values, const Shape& batch_shape, bool expand) {
  const Tensor column =
      values.view(concat({{values.numel()}, Shape::filled(batch_shape.size(), 1)}));
  return expand ? column.expand(concat({{values.numel()}, batch_shape})) : column;
}

namespace {

/// Returns the given probabilities or logits, normalized along the last dimension.
Tensor normalize(const ProbsOrLogits& given) {
  const Tensor t = value_of(given).to_tensor();
  if (t.dim() < 1)
    fail<ValueError>("`{}` parameter must be at least one-dimensional.", probs_or_logits(given));
  return has_probs(given) ? t / t.sum({-1}, true) : t - t.logsumexp({-1}, true);
}

Tensor one_hot_of(const Tensor& indices, std::int64_t n, DType dtype) {
  return (indices.unsqueeze(-1) == arange(n)).to(dtype);
}

}  // namespace

Categorical::Categorical(const TensorOrNumber& probs, Validate validate_args)
    : Categorical(ProbsOrLogits{.probs = probs}, validate_args) {}
Categorical::Categorical(const ProbsOrLogits& given, Validate validate_args)
    : DistributionOf({"Categorical", false, true}, validate_args), has_probs_(has_probs(given)) {
  set_parameters({{probs_or_logits(given), normalize(given), categorical_constraint(has_probs_)}});
  set_alternative(other_name(given), categorical_constraint(!has_probs_), has_probs_ ? 1 : 0);
  set_support(constraints::integer_interval(0, num_events() - 1));
  validate();
}
Tensor Categorical::probs() const { return probs_of(parameter(0), has_probs_, false); }
Tensor Categorical::logits() const { return logits_of(parameter(0), has_probs_, false); }
Tensor Categorical::mean() const { return full_as(parameter(0), batch_shape(), kNaN); }
Tensor Categorical::mode() const { return probs().argmax(-1); }
Tensor Categorical::variance() const { return mean(); }
Tensor Categorical::entropy() const {
  const Tensor log_p = logits().clamp_min(finfo(parameter(0).dtype()).min);
  return -(log_p * probs()).sum({-1});
}
Tensor Categorical::enumerate_support(bool expand) const {
  return enumerate_values(arange(num_events()), batch_shape(), expand);
}
Tensor Categorical::draw(const Shape& sample_shape, const Generator& generator) const {
  const Shape shape = extended_shape(sample_shape);
  const std::int64_t n = sample_shape.numel();
  if (shape.numel() == 0) return zeros(shape, {.dtype = DType::i64});
  const Tensor rows = probs().detach().reshape({-1, num_events()});
  return multinomial(rows, n, true, generator).t().reshape(shape);
}
Tensor Categorical::compute_log_prob(const Tensor& value) const {
  const Shape shape = broadcast_shapes(value.shape(), batch_shape());
  const Tensor index = value.to(DType::i64).expand(shape).unsqueeze(-1);
  return logits().expand(concat({shape, {num_events()}})).gather(-1, index).squeeze({-1});
}

OneHotCategorical::OneHotCategorical(const TensorOrNumber& probs, Validate validate_args)
    : OneHotCategorical(ProbsOrLogits{.probs = probs}, validate_args) {}
OneHotCategorical::OneHotCategorical(const ProbsOrLogits& given, Validate validate_args)
    : OneHotCategorical({"OneHotCategorical", false, true}, given, validate_args) {}
OneHotCategorical::OneHotCategorical(const DistributionInfo& info, const ProbsOrLogits& given,
                                     Validate validate_args)
    : DistributionOf(info, validate_args), categorical_(given, validate_args) {
  set_shapes(categorical_.batch_shape(), {categorical_.num_events()});
  set_alternative(other_name(given), categorical_constraint(!has_probs(given)),
                  has_probs(given) ? 1 : 0);
  set_support(constraints::one_hot);
}
std::vector<DistributionParameter> OneHotCategorical::parameters() const {
  return categorical_.parameters();
}
Tensor OneHotCategorical::mean() const { return probs(); }
Tensor OneHotCategorical::mode() const {
  const Tensor p = probs();
  return one_hot_of(p.argmax(-1), event_shape()[0], p.dtype());
}
Tensor OneHotCategorical::variance() const {
  const Tensor p = probs();
  return p * (1 - p);
}
Tensor OneHotCategorical::entropy() const { return categorical_.entropy(); }
Tensor OneHotCategorical::enumerate_support(bool expand) const {
  const std::int64_t n = event_shape()[0];
  const Tensor values = eye(n, -1, options_of(categorical_.probs()))
                            .view(concat({{n}, Shape::filled(batch_shape().size(), 1), {n}}));
  return expand ? values.expand(concat({{n}, batch_shape(), {n}})) : values;
}
Tensor OneHotCategorical::draw(const Shape& sample_shape, const Generator& generator) const {
  return one_hot_of(categorical_.sample(sample_shape, generator), event_shape()[0],
                    categorical_.probs().dtype());
}
Tensor OneHotCategorical::compute_log_prob(const Tensor& value) const {
  return categorical_.log_prob(value.argmax(-1));
}
void OneHotCategorical::expand_to(const Shape& batch_shape) {
  categorical_ = categorical_.expand(batch_shape);
  set_shapes(batch_shape, event_shape());
}

OneHotCategoricalStraightThrough::OneHotCategoricalStraightThrough(const TensorOrNumber& probs,
                                                                   Validate validate_args)
    : OneHotCategoricalStraightThrough(ProbsOrLogits{.probs = probs}, validate_args) {}
OneHotCategoricalStraightThrough::OneHotCategoricalStraightThrough(const ProbsOrLogits& given,
                                                                   Validate validate_args)
    : DistributionOf({"OneHotCategoricalStraightThrough", true, true}, given, validate_args) {}
Tensor OneHotCategoricalStraightThrough::draw(const Shape& sample_shape,
                                              const Generator& generator) const {
  const Tensor sample = OneHotCategorical::draw(sample_shape, generator);
  if (!is_grad_enabled()) return sample;
  const Tensor p = probs();
  return sample + (p - p.detach());
}

Multinomial::Multinomial(IntArg total_count, const TensorOrNumber& probs, Validate validate_args)
    : Multinomial(total_count, ProbsOrLogits{.probs = probs}, validate_args) {}
Multinomial::Multinomial(IntArg total_count, const ProbsOrLogits& given, Validate validate_args)
    : DistributionOf({"Multinomial"}, validate_args),
      total_count_(total_count),
      categorical_(given, validate_args) {
  if (total_count_ < 0)
    fail<ValueError>("Multinomial: total_count must be non-negative: got {}", total_count_);
  set_shapes(categorical_.batch_shape(), {categorical_.num_events()});
  set_alternative(other_name(given), categorical_constraint(!has_probs(given)),
                  has_probs(given) ? 1 : 0);
  set_support(constraints::multinomial(total_count_));
}
std::vector<DistributionParameter> Multinomial::parameters() const {
  return categorical_.parameters();
}
Tensor Multinomial::mean() const { return probs() * total_count_; }
Tensor Multinomial::variance() const {
  const Tensor p = probs();
  return total_count_ * p * (1 - p);
}
Tensor Multinomial::entropy() const {
  const Tensor p = probs();
  const auto n = static_cast<double>(total_count_);
  const Binomial binomial(total_count_, p, false);
  // Without 0, whose weight log(0!) is 0.
  const Tensor k = binomial.enumerate_support(false).narrow(0, 1, total_count_);
  const Tensor expected = (binomial.log_prob(k).exp() * (k + 1).lgamma()).sum({0, -1});
  return n * categorical_.entropy() - std::lgamma(n + 1) + expected;
}
Tensor Multinomial::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor picks = categorical_.sample(concat({{total_count_}, sample_shape}), generator);
  const Tensor p = categorical_.probs();
  return one_hot_of(picks, event_shape()[0], p.dtype()).sum({0});
}
Tensor Multinomial::compute_log_prob(const Tensor& value) const {
  const auto t = broadcast_all({logits(), value});
  const Tensor impossible = (t[1] == 0).logical_and(t[0] == -kInfinity);
  const Tensor powers = (where(impossible, 0.0, t[0]) * t[1]).sum({-1});
  return (t[1].sum({-1}) + 1).lgamma() - (t[1] + 1).lgamma().sum({-1}) + powers;
}
void Multinomial::expand_to(const Shape& batch_shape) {
  categorical_ = categorical_.expand(batch_shape);
  set_shapes(batch_shape, event_shape());
}

}  // namespace taper::distributions
