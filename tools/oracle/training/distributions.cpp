// Family distributions: quantities, divergences and samples of distributions.
#include "training/distributions.h"

#include <algorithm>
#include <functional>

#include "cases/outcome.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "training/families.h"
#include "training/fields.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

namespace D = distributions;

/// Returns leaves with gradients for the roles `prefix`<name>.
Parameters leaves_of(Case& c, const std::string& prefix) {
  Parameters leaves;
  for (const Json& role : c.at("tensors")) {
    const std::string name = role.get<std::string>();
    if (name.starts_with(prefix))
      leaves[name.substr(prefix.size())] = c.tensor(name).clone().requires_grad_();
  }
  return leaves;
}

void expect_gradients(Case& c, const std::string& prefix, const Tensor& y,
                      const Parameters& leaves) {
  std::vector<Tensor> tensors;
  for (const auto& [name, leaf] : leaves) tensors.push_back(leaf);
  if (!y.requires_grad()) {
    for (const auto& [name, leaf] : leaves)
      if (c.has_tensor(prefix + name)) c.fail(prefix + name + ": does not require gradients");
    return;
  }
  const auto grads = autograd::grad(y, tensors, {.retain_graph = true, .allow_unused = true});
  std::size_t i = 0;
  for (const auto& [name, leaf] : leaves) {
    const Tensor& grad = grads[i++];
    if (!c.has_tensor(prefix + name)) continue;
    if (grad.defined())
      c.expect_close(prefix + name, grad, c.tensor(prefix + name));
    else
      c.fail(prefix + name + ": no gradient");
  }
}

void expect_shapes(Case& c, const D::Distribution& d) {
  const auto sizes = [](const Shape& s) { return std::vector<std::int64_t>(s.begin(), s.end()); };
  c.expect_text("batch_shape", Json(sizes(d.batch_shape())).dump(), c.at("batch_shape").dump());
  c.expect_text("event_shape", Json(sizes(d.event_shape())).dump(), c.at("event_shape").dump());
}

/// Compares the quantities that have a role, and checks that the missing ones are rejected or
/// computed.
void expect_quantities(Case& c, const D::Distribution& d, Parameters leaves, const Tensor& value) {
  expect_shapes(c, d);
  const auto at = [&] {
    return c.has_tensor("icdf_at") ? c.tensor("icdf_at") : full(d.batch_shape(), 0.5);
  };
  const std::map<std::string, std::function<Tensor()>> quantities = {
      {"log_prob", [&] { return d.log_prob(value); }},
      {"cdf", [&] { return d.cdf(value); }},
      {"icdf", [&] { return d.icdf(at()); }},
      {"entropy", [&] { return d.entropy(); }},
      {"mean", [&] { return d.mean(); }},
      {"mode", [&] { return d.mode(); }},
      {"variance", [&] { return d.variance(); }},
      {"stddev", [&] { return d.stddev(); }}};
  const Json& missing = c.at("missing");
  for (const auto& [name, error] : missing.items())
    if (!quantities.count(name)) throw MalformedCase("unknown quantity " + name);
  for (const auto& [name, compute] : quantities) {
    if (missing.contains(name)) {
      try {
        (void)compute();
      } catch (const Error&) {}
      continue;
    }
    if (!c.has_tensor(name)) throw MalformedCase("no role " + name);
    const Tensor result = compute();
    c.expect_close(name, result, c.tensor(name));
    if (name == "entropy") expect_gradients(c, "grad_entropy.", result.sum(), leaves);
    if (name != "log_prob") continue;
    const Tensor w = linspace(0.5, 1.5, result.numel(), {.dtype = result.dtype()});
    Parameters all = leaves;
    if (value.requires_grad()) all["value"] = value;
    expect_gradients(c, "grad_log_prob.", (result * w.view(result.shape())).sum(), all);
  }
}

std::int64_t total_count_of(Case& c) {
  static const Json no_options = Json::object();
  const Json* given = c.find("options");
  Fields options(given ? *given : no_options);
  const Json* count = options.find("total_count");
  options.done();
  return count ? count->get<std::int64_t>() : 1;
}

void run_distribution(Case& c) {
  const Parameters leaves = leaves_of(c, "param.");
  std::vector<std::string> names;
  for (const auto& [name, leaf] : leaves) names.push_back(name);
  auto listed = c.at("params").get<std::vector<std::string>>();
  std::sort(listed.begin(), listed.end());
  if (names != listed) c.fail("params: differ from the roles");
  const std::string name = c.text("name");
  const std::int64_t count = total_count_of(c);
  Tensor value = c.tensor("value");
  if (c.has_tensor("grad_log_prob.value")) value = value.clone().requires_grad_();
  const auto d = make_distribution(name, leaves, count, false);
  if (leaves.begin()->second.dtype() != dtype_named(c.text("dtype"))) c.fail("dtype: differs");
  if (d->has_rsample() != c.at("has_rsample").get<bool>()) c.fail("has_rsample: differs");
  expect_quantities(c, *d, leaves, value);
  const Json& repr = c.at("repr");
  if (repr.is_null()) return;
  Parameters rounded;
  for (const auto& [key, leaf] : leaves) rounded[key] = (leaf.detach() * 8).round() / 8;
  c.expect_text("repr", make_distribution(name, rounded, count, false)->str(),
                repr.get<std::string>());
}

void run_independent(Case& c) {
  const Parameters leaves = leaves_of(c, "param.");
  const auto base = make_distribution(c.text("base"), leaves, 1, true);
  const D::Independent d(base, c.integer("reinterpreted"));
  expect_quantities(c, d, leaves, c.tensor("value"));
  c.expect_text("repr", d.str(), c.text("repr"));
}

D::AnyTransform make_transform(const Json& object) {
  static const Json no_arguments = Json::object();
  Fields fields(object);
  const std::string name = fields.text("name");
  const Json* given = fields.find("args");
  fields.done();
  Fields args(given ? *given : no_arguments);
  if (name == "AffineTransform") {
    const D::AffineTransform t(args.number("loc"), args.number("scale"));
    args.done();
    return t;
  }
  if (name == "PowerTransform") {
    const D::PowerTransform t(full({}, args.number("exponent"), {.dtype = DType::f64}));
    args.done();
    return t;
  }
  args.done();
  if (name == "AbsTransform") return D::AbsTransform();
  if (name == "ExpTransform") return D::ExpTransform();
  if (name == "SigmoidTransform") return D::SigmoidTransform();
  if (name == "SoftplusTransform") return D::SoftplusTransform();
  if (name == "TanhTransform") return D::TanhTransform();
  throw Unsupported("transform " + name);
}

void run_transformed(Case& c) {
  std::vector<D::AnyTransform> parts;
  for (const Json& t : c.at("transforms")) parts.push_back(make_transform(t));
  const D::AnyTransform t = parts.size() == 1 ? parts[0] : D::ComposeTransform(parts);
  const auto base = make_distribution(
      c.text("base"), {{"loc", c.tensor("param.loc")}, {"scale", c.tensor("param.scale")}}, 1,
      true);
  const D::TransformedDistribution d(base, parts);
  const Tensor &x = c.tensor("forward_at"), y = t(x);
  c.expect_text("repr", t->str(), c.text("repr"));
  c.expect_close("forward", y, c.tensor("forward"));
  c.expect_close("log_abs_det_jacobian", t->log_abs_det_jacobian(x, y),
                 c.tensor("log_abs_det_jacobian"));
  c.expect_close("log_prob", d.log_prob(c.tensor("value")), c.tensor("log_prob"));
  c.expect_close("cdf", d.cdf(c.tensor("value")), c.tensor("cdf"));
}

void run_mixture(Case& c) {
  const auto base = make_distribution(
      c.text("base"), {{"loc", c.tensor("loc")}, {"scale", c.tensor("scale")}}, 1, true);
  const D::MixtureSameFamily d(D::Categorical({.logits = c.tensor("logits")}), base);
  c.expect_close("log_prob", d.log_prob(c.tensor("value")), c.tensor("log_prob"));
  c.expect_close("cdf", d.cdf(c.tensor("value")), c.tensor("cdf"));
  c.expect_close("mean", d.mean(), c.tensor("mean"));
  c.expect_close("variance", d.variance(), c.tensor("variance"));
}

void run_kl(Case& c) {
  const Parameters p = leaves_of(c, "p."), q = leaves_of(c, "q.");
  const Tensor kl = D::kl_divergence(*make_distribution(c.text("p"), p, 1, false),
                                     *make_distribution(c.text("q"), q, 1, false));
  c.expect_close("kl", kl, c.tensor("kl"));
  if (!kl.isfinite().all().item<bool>()) return;
  Parameters all;
  for (const auto& [name, leaf] : p) all["p." + name] = leaf;
  for (const auto& [name, leaf] : q) all["q." + name] = leaf;
  expect_gradients(c, "grad_kl.", kl.sum(), all);
}

/// Returns the distribution of the first case of the file with this class.
D::AnyDistribution some_distribution(const Case& c, const std::string& name) {
  for (const Json& other : c.file().cases) {
    if (other.at("kind") != "distribution" || other.at("name") != name) continue;
    Parameters parameters;
    for (const Json& p : other.at("params"))
      parameters[p.get<std::string>()] =
          c.file().tensors.at(other.at("id").get<std::string>() + "/param." + p.get<std::string>());
    const std::int64_t count = other.at("options").value("total_count", std::int64_t{1});
    return make_distribution(name, parameters, count, false);
  }
  throw MalformedCase("no case of " + name);
}

void run_kl_table(Case& c) {
  for (const Json& pair : c.at("implemented")) {
    const auto p = some_distribution(c, pair.at(0)), q = some_distribution(c, pair.at(1));
    try {
      (void)D::kl_divergence(*p, *q);
    } catch (const NotImplementedError& error) { c.fail(error.what()); } catch (const Error&) {
      // The shapes of two cases need not match.
    }
  }
  for (const Json& pair : c.at("not_implemented")) {
    const std::string p = pair.at(0), q = pair.at(1);
    try {
      (void)D::kl_divergence(*some_distribution(c, p), *some_distribution(c, q));
      c.fail(p + ", " + q + ": not rejected");
    } catch (const NotImplementedError& error) {
      const std::string text = error.what();
      if (text.find(p) == std::string::npos || text.find(q) == std::string::npos)
        c.fail(p + ", " + q + ": the error does not name both: " + text);
    }
  }
}

Tensor tensor_of(const Json& value, DType dtype) {
  if (!value.is_array()) return full({}, Fields::number_of(value), {.dtype = dtype});
  std::vector<Tensor> rows;
  for (const Json& row : value) rows.push_back(tensor_of(row, dtype));
  return stack(rows);
}

void run_sample(Case& c) {
  const DType dtype = c.tensor(c.at("tensors").at(0).get<std::string>()).dtype();
  const std::string name = c.text("name");
  const DType parameter_dtype = dtype_named(c.text("dtype"));
  if (is_floating_point(dtype) && dtype != parameter_dtype) c.fail("dtype: differs");
  Parameters parameters;
  for (const auto& [key, value] : c.at("params").items())
    parameters[key] = tensor_of(value, parameter_dtype);
  const auto d = make_distribution(name, parameters, total_count_of(c), true);
  for (const Json& sizes : c.at("shapes")) {
    std::string role = "sample_";
    for (std::size_t i = 0; i < sizes.size(); ++i) role += (i ? "x" : "") + sizes[i].dump();
    manual_seed(seed_of(c.at("seed")));
    c.expect_close(role, d->sample(sizes.get<std::vector<std::int64_t>>()), c.tensor(role));
  }
}

}  // namespace

void run_distributions(Case& c) {
  static const std::map<std::string, void (*)(Case&)> kinds = {{"distribution", run_distribution},
                                                               {"independent", run_independent},
                                                               {"transformed", run_transformed},
                                                               {"mixture", run_mixture},
                                                               {"kl", run_kl},
                                                               {"kl_table", run_kl_table},
                                                               {"sample", run_sample},
                                                               {"errors", run_distribution_errors}};
  const std::string kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw Unsupported("distributions " + kind);
  read_tolerance(c);
  found->second(c);
}

}  // namespace taper::oracle
