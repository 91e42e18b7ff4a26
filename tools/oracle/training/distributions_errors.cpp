// Calls of distributions that must be rejected, and some that must not.
#include <functional>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "training/distributions.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

namespace D = distributions;

const std::map<std::string, std::function<void()>>& ports() {
  const auto number = [](double x) { return full({}, x); };
  static const std::map<std::string, std::function<void()>> all = {
      {"Normal(0, -1)", [=] { D::Normal(number(0), number(-1)); }},
      {"Bernoulli(probs=1.5)", [=] { D::Bernoulli d(number(1.5)); }},
      {"Bernoulli() with both",
       [=] { D::Bernoulli d({.probs = number(0.5), .logits = number(0)}); }},
      {"Uniform(1, 0)", [=] { D::Uniform(number(1), number(0)); }},
      {"Categorical(probs=[-1, 2])",
       [] {
         D::Categorical d(tensor({-1.0, 2.0}));
       }},
      {"Categorical(scalar)", [=] { D::Categorical d(number(1)); }},
      {"Exponential(1).log_prob(-1)",
       [=] { (void)D::Exponential(number(1)).log_prob(number(-1)); }},
      {"Categorical(3).log_prob(5)", [] { (void)D::Categorical(ones({3})).log_prob(full({}, 5)); }},
      {"kl(Normal, Gamma)",
       [=] { (void)D::kl_divergence(D::Normal(0.0, 1.0), D::Gamma(number(1), number(1))); }},
      {"Independent(Normal[3], 2)", [] { D::Independent(D::Normal(zeros({3}), ones({3})), 2); }},
      {"Poisson.icdf", [=] { (void)D::Poisson(number(1)).icdf(number(0.5)); }},
      {"Bernoulli.rsample", [=] { (void)D::Bernoulli(number(0.5)).rsample(); }},
  };
  return all;
}

}  // namespace

void run_distribution_errors(Case& c) {
  for (const Json& fields : c.at("rows")) {
    Fields row(fields);
    const std::string call = row.text("call");
    const auto port = ports().find(call);
    if (port == ports().end()) throw Unsupported("distributions errors: " + call);
    const Json *type = row.find("type"), *text = row.find("text");
    row.done();
    const bool refuses = type && !type->is_null();
    try {
      port->second();
      if (refuses) c.fail(call + ": not rejected");
    } catch (const Error& rejection) {
      if (!refuses) c.fail(call + ": rejected: " + rejection.what());
      // A message of PyTorch's that names the invalid value is reproduced to the letter.
      if (refuses && text && text->get<std::string>().starts_with("Expected"))
        c.expect_text(call, rejection.what(), text->get<std::string>());
    }
  }
}

}  // namespace taper::oracle
