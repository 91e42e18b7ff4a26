// Calls of utility functions that must be rejected, and some that must not.
#include <cmath>
#include <functional>
#include <limits>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/linear.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/nn/utils/prune.h"
#include "taper/nn/utils/rnn.h"
#include "training/fields.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

namespace utils = nn::utils;
namespace rnn = nn::utils::rnn;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Number that a call returned, and the parameter that it modified; either may be absent.
struct Result {
  std::optional<double> value{};
  Tensor parameter{};
};
using Port = std::function<Result()>;

Tensor with_nan_grad() {
  const Tensor p = zeros({2}).requires_grad_();
  p.set_grad(tensor({kNaN, 1.0}).to(float32));
  return p;
}

const std::map<std::string, Port>& ports() {
  const auto padded = [] { return zeros({3, 2, 1}); };
  static const std::map<std::string, Port> all = {
      {"clip_grad_norm_(nan grad, error_if_nonfinite=True)",
       []() -> Result {
         utils::clip_grad_norm_(with_nan_grad(), 1.0, {.error_if_nonfinite = true});
         return {};
       }},
      {"clip_grad_norm_(nan grad) returns",
       []() -> Result {
         const Tensor p = with_nan_grad();
         return {utils::clip_grad_norm_(p, 1.0).item<double>(), p};
       }},
      {"clip_grad_norm_(no grads) returns",
       []() -> Result {
         return {utils::clip_grad_norm_(zeros({2}).requires_grad_(), 1.0).item<double>()};
       }},
      // In C++, a list as the vector is rejected by the compiler.
      {"vector_to_parameters(list)", []() -> Result { throw TypeError("does not compile"); }},
      {"prune.l1_unstructured(amount=1.5)",
       []() -> Result {
         nn::Linear m(2, 2);
         utils::prune::l1_unstructured(m, "weight", 1.5);
         return {};
       }},
      {"prune.l1_unstructured(amount=9) of 4 weights",
       []() -> Result {
         nn::Linear m(2, 2);
         utils::prune::l1_unstructured(m, "weight", 9);
         return {};
       }},
      {"prune.remove of an unpruned module",
       []() -> Result {
         nn::Linear m(2, 2);
         utils::prune::remove(m, "weight");
         return {};
       }},
      {"pack_padded_sequence(lengths [1, 3], enforce_sorted)",
       [padded]() -> Result {
         rnn::pack_padded_sequence(padded(), {1, 3});
         return {};
       }},
      {"pack_padded_sequence(lengths [3, 0])",
       [padded]() -> Result {
         rnn::pack_padded_sequence(padded(), {3, 0});
         return {};
       }},
      {"pack_padded_sequence(three lengths, batch of two)",
       [padded]() -> Result {
         rnn::pack_padded_sequence(padded(), {3, 2, 1});
         return {};
       }},
      {"pad_packed_sequence(total_length=2 below 3)",
       [padded]() -> Result {
         rnn::pad_packed_sequence(rnn::pack_padded_sequence(padded(), {3, 2}), {.total_length = 2});
         return {};
       }},
  };
  return all;
}

bool same(double actual, double expected) {
  return actual == expected || (std::isnan(actual) && std::isnan(expected));
}

void expect_result(Case& c, const std::string& call, Fields& row, const Result& result) {
  if (const Json* value = row.find("value"))
    if (!result.value || !same(*result.value, Fields::number_of(*value)))
      c.fail(call + ": returns a different value");
  if (const Json* grads = row.find("grad_after"))
    for (std::size_t i = 0; i < grads->size(); ++i)
      if (!same(result.parameter.grad()[static_cast<std::int64_t>(i)].item<double>(),
                Fields::number_of(grads->at(i))))
        c.fail(call + ": results in a different gradient");
}

void run_errors(Case& c) {
  for (const Json& fields : c.at("rows")) {
    Fields row(fields);
    const std::string call = row.text("call");
    const auto port = ports().find(call);
    if (port == ports().end()) throw Unsupported("utils errors: " + call);
    const Json *type = row.find("type"), *text = row.find("text");
    const bool refuses = type && !type->is_null();
    try {
      const Result result = port->second();
      if (refuses) c.fail(call + ": not rejected");
      expect_result(c, call, row, result);
    } catch (const Error& rejection) {
      if (!refuses || !text) c.fail(call + ": rejected: " + rejection.what());
    }
    row.done();
  }
}

}  // namespace

void add_error_kinds(UtilsKinds& kinds) { kinds["errors"] = run_errors; }

}  // namespace taper::oracle
