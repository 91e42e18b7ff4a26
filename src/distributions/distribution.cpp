#include "taper/distributions/distribution.h"

#include <atomic>
#include <ostream>

#include "distributions/shapes.h"
#include "taper/autograd/autograd.h"
#include "taper/core/warning.h"

namespace taper::distributions {
namespace {

std::atomic<bool> g_validate_args{true};

/// Returns Python's printed forms of a tuple and of a torch.Size.
std::string sizes_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text;
}
std::string tuple_text(const Shape& shape) {
  return "(" + sizes_text(shape) + (shape.size() == 1 ? ",)" : ")");
}
std::string size_text(const Shape& shape) { return "torch.Size([" + sizes_text(shape) + "])"; }

}  // namespace

Distribution::Distribution(const DistributionInfo& info, std::optional<bool> validate_args)
    : info_(info), validate_args_(validate_args.value_or(g_validate_args)) {}

void Distribution::set_default_validate_args(bool value) { g_validate_args = value; }

void Distribution::set_shapes(const Shape& batch_shape, const Shape& event_shape) {
  batch_shape_ = batch_shape;
  event_shape_ = event_shape;
}

void Distribution::set_parameters(const std::vector<Argument>& arguments) {
  DType dtype = default_dtype();
  for (std::size_t i = arguments.size(); i-- > 0;)
    if (arguments[i].value.is_tensor()) dtype = arguments[i].value.tensor().dtype();
  Shape batch;
  for (const Argument& a : arguments) {
    const std::int64_t n = a.constraint.event_dim();
    if (rank_of(a.value.shape()) < n)
      fail<ValueError>("{}: {} must be at least {}-dimensional: got shape {}", info_.name, a.name,
                       n, a.value.shape());
    batch = broadcast_shapes(batch, without_last(a.value.shape(), n));
  }
  for (const Argument& a : arguments) {
    const Tensor t = a.value.to_tensor(dtype);
    const Shape shape = concat({batch, last(t.shape(), a.constraint.event_dim())});
    stored_.push_back({a.name, t.shape() == shape ? t : t.expand(shape), a.constraint});
  }
  batch_shape_ = batch;
}

void Distribution::set_alternative(const char* name, const Constraint& c, std::size_t position) {
  alternatives_.push_back({name, c, position});
}

std::vector<DistributionParameter> Distribution::parameters() const { return stored_; }

std::vector<std::pair<std::string, Constraint>> Distribution::arg_constraints() const {
  std::vector<std::pair<std::string, Constraint>> all;
  for (const DistributionParameter& p : parameters()) all.emplace_back(p.name, p.constraint);
  for (const Alternative& a : alternatives_)
    all.emplace(all.begin() + static_cast<std::ptrdiff_t>(a.position), a.name, a.constraint);
  return all;
}

Constraint Distribution::support() const {
  if (!support_) not_implemented("support");
  return *support_;
}

void Distribution::validate() const {
  if (!validate_args_) return;
  for (const DistributionParameter& p : parameters()) {
    if (constraints::is_dependent(p.constraint)) continue;
    const NoGrad guard;
    if (p.constraint.check(p.value).all().item<bool>()) continue;
    fail<ValueError>(
        "Expected parameter {} (Tensor of shape {}) of distribution {} to satisfy the constraint "
        "{}, but found invalid values:\n{}",
        p.name, tuple_text(p.value.shape()), str(), p.constraint.str(),
        TensorOrNumber(p.value).str());
  }
}

void Distribution::validate_sample(const Tensor& value) const {
  if (!validate_args_) return;
  const auto event_dim = rank_of(event_shape_);
  if (last(value.shape(), event_dim) != event_shape_)
    fail<ValueError>("The right-most size of value must match event_shape: {} vs {}.",
                     size_text(value.shape()), size_text(event_shape_));
  const Shape expected = concat({batch_shape_, event_shape_});
  for (std::int64_t i = 1; i <= std::min(rank_of(expected), value.dim()); ++i) {
    const std::int64_t a = value.size(-i), b = last(expected, i)[0];
    if (a != 1 && b != 1 && a != b)
      fail<ValueError>("Value is not broadcastable with batch_shape+event_shape: {} vs {}.",
                       size_text(value.shape()), size_text(expected));
  }
  if (!support_) return;
  const NoGrad guard;
  if (support_->check(value).all().item<bool>()) return;
  fail<ValueError>(
      "Expected value argument (Tensor of shape {}) to be within the support ({}) of the "
      "distribution {}, but found invalid values:\n{}",
      tuple_text(value.shape()), support_->str(), str(), TensorOrNumber(value).str());
}

std::string Distribution::str() const {
  std::string text;
  if (prints_parameters())
    for (const DistributionParameter& p : parameters())
      text += (text.empty() ? "" : ", ") + p.name + ": " +
              (p.value.numel() == 1 ? TensorOrNumber(p.value).str() : size_text(p.value.shape()));
  return std::string(info_.name) + "(" + text + ")";
}

void Distribution::not_implemented(const char* member) const {
  fail<NotImplementedError>("{}: {} is not implemented", info_.name, member);
}

Tensor Distribution::mean() const { not_implemented("mean"); }
Tensor Distribution::mode() const { not_implemented("mode"); }
Tensor Distribution::variance() const { not_implemented("variance"); }
Tensor Distribution::stddev() const { return variance().sqrt(); }
Tensor Distribution::entropy() const { not_implemented("entropy"); }
Tensor Distribution::perplexity() const { return entropy().exp(); }
Tensor Distribution::enumerate_support(bool) const { not_implemented("enumerate_support"); }
Tensor Distribution::draw(const Shape&, const Generator&) const { not_implemented("sample"); }
Tensor Distribution::compute_log_prob(const Tensor&) const { not_implemented("log_prob"); }
Tensor Distribution::compute_cdf(const Tensor&) const { not_implemented("cdf"); }
Tensor Distribution::compute_icdf(const Tensor&) const { not_implemented("icdf"); }

Tensor Distribution::sample(const Shape& sample_shape, const Generator& generator) const {
  const NoGrad guard;
  return draw(sample_shape, generator);
}
Tensor Distribution::rsample(const Shape& sample_shape, const Generator& generator) const {
  if (!has_rsample()) not_implemented("rsample");
  return draw(sample_shape, generator);
}

Tensor Distribution::log_prob(const TensorOrNumber& value) const {
  const Tensor v = value.to_tensor();
  validate_sample(v);
  return compute_log_prob(v);
}
Tensor Distribution::cdf(const TensorOrNumber& value) const {
  const Tensor v = value.to_tensor();
  validate_sample(v);
  return compute_cdf(v);
}
Tensor Distribution::icdf(const TensorOrNumber& value) const {
  return compute_icdf(value.to_tensor());
}

Shape Distribution::extended_shape(const Shape& sample_shape) const {
  return concat({sample_shape, batch_shape_, event_shape_});
}

AnyDistribution Distribution::expand(const Shape& batch_shape) const {
  std::shared_ptr<Distribution> copy = clone();
  copy->expand_to(batch_shape);
  return AnyDistribution(std::move(copy));
}
void Distribution::expand_in_place(Distribution& target, const Shape& batch_shape) {
  target.expand_to(batch_shape);
}
void Distribution::expand_to(const Shape& batch_shape) {
  for (DistributionParameter& p : stored_)
    p.value =
        p.value.expand(concat({batch_shape, last(p.value.shape(), p.constraint.event_dim())}));
  batch_shape_ = batch_shape;
}

std::vector<std::type_index> Distribution::lineage() const { return {typeid(Distribution)}; }

std::ostream& operator<<(std::ostream& stream, const Distribution& distribution) {
  return stream << distribution.str();
}

std::vector<std::type_index> ExponentialFamily::lineage() const {
  return {typeid(ExponentialFamily), typeid(Distribution)};
}
std::vector<Tensor> ExponentialFamily::natural_params() const { not_implemented("natural_params"); }
Tensor ExponentialFamily::log_normalizer(const std::vector<Tensor>&) const {
  not_implemented("log_normalizer");
}
Tensor ExponentialFamily::mean_carrier_measure() const { not_implemented("entropy"); }

Tensor ExponentialFamily::entropy() const {
  Tensor result = -mean_carrier_measure();
  std::vector<Tensor> natural;
  for (const Tensor& p : natural_params())
    natural.push_back(p.requires_grad() ? p : p.detach().requires_grad_());
  const EnableGrad guard;
  const Tensor normalizer = log_normalizer(natural);
  const std::vector<Tensor> gradients =
      autograd::grad(normalizer.sum(), natural, {.create_graph = true});
  result = result + normalizer;
  for (std::size_t i = 0; i < natural.size(); ++i) {
    const Tensor product = natural[i] * gradients[i];
    result =
        result - product.reshape(concat({batch_shape(), {-1}})).sum({-1}).reshape(batch_shape());
  }
  return result;
}

}  // namespace taper::distributions
