// Distribution: base class of probability distributions.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "taper/core/generator.h"
#include "taper/distributions/constraints.h"

namespace TAPER_API taper {
namespace distributions {

class AnyDistribution;

/// Name and capabilities of a class of distributions.
struct DistributionInfo {
  const char* name;  ///< as printed: "Normal"
  bool has_rsample = false, has_enumerate_support = false;
};

/// Parameter of a distribution.
struct DistributionParameter {
  std::string name;
  Tensor value;
  Constraint constraint;
};

/// Abstract base class of probability distributions. Distributions are values: copies are
/// independent and share the tensors of their parameters, with respect to which all results are
/// differentiable. A distribution describes a batch of `batch_shape()` independent variables, each
/// with a value of `event_shape()`. Members that a distribution does not define throw
/// NotImplementedError.
///
/// Constructors broadcast the parameters, and numbers have the dtype of the first tensor. They
/// throw ShapeError if parameters cannot be broadcast, and, unless `validate_args` is false,
/// ValueError if a parameter does not satisfy its constraint. PyTorch:
/// torch.distributions.Distribution.
class Distribution {
 public:
  virtual ~Distribution() = default;

  /// Sets whether arguments are validated if a constructor does not specify `validate_args`;
  /// initially true. PyTorch: torch.distributions.Distribution.set_default_validate_args.
  static void set_default_validate_args(bool value);

  const char* name() const { return info_.name; }
  /// Returns the shape of the batch of independent variables.
  /// PyTorch: torch.distributions.Distribution.batch_shape.
  const Shape& batch_shape() const { return batch_shape_; }
  /// Returns the shape of a single sample. PyTorch: torch.distributions.Distribution.event_shape.
  const Shape& event_shape() const { return event_shape_; }
  /// Returns true if samples are differentiable with respect to the parameters.
  /// PyTorch: torch.distributions.Distribution.has_rsample.
  bool has_rsample() const { return info_.has_rsample; }
  /// PyTorch: torch.distributions.Distribution.has_enumerate_support.
  bool has_enumerate_support() const { return info_.has_enumerate_support; }
  /// Returns the names of the parameters and their constraints.
  /// PyTorch: torch.distributions.Distribution.arg_constraints.
  [[nodiscard]] std::vector<std::pair<std::string, Constraint>> arg_constraints() const;
  /// Returns the constraint of values. PyTorch: torch.distributions.Distribution.support.
  Constraint support() const;

  /// Return the mean, mode, variance and standard deviation: `(batch_shape..., event_shape...)`.
  /// PyTorch: torch.distributions.Distribution.mean, torch.distributions.Distribution.mode,
  /// torch.distributions.Distribution.variance, torch.distributions.Distribution.stddev.
  virtual Tensor mean() const;
  virtual Tensor mode() const;
  virtual Tensor variance() const;
  virtual Tensor stddev() const;
  /// Returns the entropy: `(batch_shape...)`. PyTorch: torch.distributions.Distribution.entropy.
  virtual Tensor entropy() const;
  /// Returns exp(entropy()). PyTorch: torch.distributions.Distribution.perplexity.
  Tensor perplexity() const;

  /// Returns samples `(sample_shape..., batch_shape..., event_shape...)` without history. The same
  /// seed produces the values of PyTorch. PyTorch: torch.distributions.Distribution.sample.
  Tensor sample(const Shape& sample_shape = {},
                const Generator& generator = default_generator()) const;
  /// As `sample`, differentiable with respect to the parameters. Throws NotImplementedError unless
  /// has_rsample(). PyTorch: torch.distributions.Distribution.rsample.
  Tensor rsample(const Shape& sample_shape = {},
                 const Generator& generator = default_generator()) const;
  /// Returns the logarithm of the density or probability of `value`, which is broadcast to
  /// `(batch_shape..., event_shape...)`. Throws ValueError if validation is enabled and the value
  /// is not in the support or cannot be broadcast.
  /// PyTorch: torch.distributions.Distribution.log_prob.
  Tensor log_prob(const TensorOrNumber& value) const;
  /// Returns the cumulative distribution function. Throws the errors of `log_prob`.
  /// PyTorch: torch.distributions.Distribution.cdf.
  Tensor cdf(const TensorOrNumber& value) const;
  /// Returns the inverse of `cdf`. PyTorch: torch.distributions.Distribution.icdf.
  Tensor icdf(const TensorOrNumber& value) const;
  /// Returns all values of a discrete distribution along dimension 0: `(n, batch_shape...,
  /// event_shape...)`; with dimensions of size 1 in place of the batch unless `expand` is true.
  /// PyTorch: torch.distributions.Distribution.enumerate_support.
  virtual Tensor enumerate_support(bool expand = true) const;

  /// Returns the distribution with its parameters expanded to another batch shape. Of a derived
  /// class, the result has that class. PyTorch: torch.distributions.Distribution.expand.
  AnyDistribution expand(const Shape& batch_shape) const;
  /// Returns Python's printed form: "Normal(loc: 0.0, scale: 1.0)".
  virtual std::string str() const;

  /// Returns a copy.
  virtual std::shared_ptr<Distribution> clone() const = 0;
  /// Returns the class and its bases, most derived first, for the dispatch of kl_divergence.
  virtual std::vector<std::type_index> lineage() const;
  /// Returns the parameters in the order of `arg_constraints` as far as they are set.
  virtual std::vector<DistributionParameter> parameters() const;
  /// Returns whether arguments are validated.
  bool validates_args() const { return validate_args_; }

 protected:
  Distribution(const DistributionInfo& info, std::optional<bool> validate_args);
  Distribution(const Distribution&) = default;
  Distribution& operator=(const Distribution&) = default;

  struct Argument {
    const char* name;
    TensorOrNumber value;
    Constraint constraint;
  };
  /// Broadcasts the batch dimensions of the arguments, which precede the `event_dim` dimensions of
  /// their constraints, and stores them; sets the batch shape.
  void set_parameters(const std::vector<Argument>& arguments);
  /// Names a parameter that was not given in favor of an alternative, such as logits for probs, and
  /// its position in `arg_constraints`.
  void set_alternative(const char* name, const Constraint& constraint, std::size_t position);
  void set_support(const Constraint& support) { support_ = support; }
  void set_shapes(const Shape& batch_shape, const Shape& event_shape);
  void set_info(const DistributionInfo& info) { info_ = info; }
  /// Throws ValueError if a parameter does not satisfy its constraint and validation is enabled.
  /// Constructors of concrete classes call it last.
  void validate() const;
  const Tensor& parameter(std::size_t i) const { return stored_[i].value; }
  void set_parameter_constraint(std::size_t i, const Constraint& c) { stored_[i].constraint = c; }
  /// Throws ValueError if `value` is invalid and validation is enabled.
  void validate_sample(const Tensor& value) const;
  Shape extended_shape(const Shape& sample_shape) const;
  [[noreturn]] void not_implemented(const char* member) const;
  /// Replaces `target` by itself expanded to `batch_shape`.
  static void expand_in_place(Distribution& target, const Shape& batch_shape);

  /// Draws samples; differentiable if has_rsample().
  virtual Tensor draw(const Shape& sample_shape, const Generator& generator) const;
  virtual Tensor compute_log_prob(const Tensor& value) const;
  virtual Tensor compute_cdf(const Tensor& value) const;
  virtual Tensor compute_icdf(const Tensor& value) const;
  /// Expands the parameters; classes with further state extend it.
  virtual void expand_to(const Shape& batch_shape);
  /// Returns true if `str` prints the parameters, false if they belong to a base distribution.
  virtual bool prints_parameters() const { return true; }

 private:
  DistributionInfo info_;
  bool validate_args_;
  Shape batch_shape_, event_shape_;
  std::vector<DistributionParameter> stored_;
  struct Alternative {
    const char* name;
    Constraint constraint;
    std::size_t position;
  };
  std::vector<Alternative> alternatives_;
  std::optional<Constraint> support_;
};

/// Copyable holder of a distribution of any class.
class AnyDistribution {
 public:
  AnyDistribution(const Distribution& distribution) : held_(distribution.clone()) {}
  AnyDistribution(std::shared_ptr<const Distribution> distribution)
      : held_(std::move(distribution)) {}
  const Distribution& operator*() const { return *held_; }
  const Distribution* operator->() const { return held_.get(); }
  /// Returns the distribution as a D; null if it has another class.
  template <class D> const D* as() const { return dynamic_cast<const D*>(held_.get()); }

 private:
  std::shared_ptr<const Distribution> held_;
};

/// Implements `clone`, `expand` and `lineage` of a class D derived from Base:
/// `class Normal : public DistributionOf<Normal>`.
template <class D, class Base = Distribution> class DistributionOf : public Base {
 public:
  std::shared_ptr<Distribution> clone() const override { return std::make_shared<D>(self()); }
  std::vector<std::type_index> lineage() const override {
    std::vector<std::type_index> classes = Base::lineage();
    classes.insert(classes.begin(), std::type_index(typeid(D)));
    return classes;
  }
  /// Returns the distribution with its parameters expanded to another batch shape. Throws
  /// ShapeError if they cannot be expanded.
  D expand(const Shape& batch_shape) const {
    D copy(self());
    Distribution::expand_in_place(copy, batch_shape);
    return copy;
  }

 protected:
  using Base::Base;

 private:
  const D& self() const { return static_cast<const D&>(*this); }
};

/// Base of exponential families, with densities exp(<t(x), theta> - F(theta) + k(x)) of natural
/// parameters theta. The entropy is computed from F by automatic differentiation (Nielsen and Nock,
/// 2010). PyTorch: torch.distributions.ExponentialFamily.
class ExponentialFamily : public Distribution {
 public:
  Tensor entropy() const override;
  std::vector<std::type_index> lineage() const override;
  /// Returns the natural parameters theta.
  [[nodiscard]] virtual std::vector<Tensor> natural_params() const;
  /// Returns the log normalizer F of natural parameters.
  virtual Tensor log_normalizer(const std::vector<Tensor>& natural_params) const;
  /// Returns the expectation of k(x).
  virtual Tensor mean_carrier_measure() const;

 protected:
  using Distribution::Distribution;
};

std::ostream& operator<<(std::ostream& stream, const Distribution& distribution);

}  // namespace distributions
}  // namespace taper
