#include <cmath>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"
#include "training/families.h"
#include "training/fields.h"
#include "training/init_modules.h"
#include "training/state.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

namespace init = nn::init;

template <const Tensor& (*function)(const Tensor&, const Scalar&, std::string_view,
                                    std::string_view, const Generator&)>
Tensor he(const Tensor& t, Fields& options) {
  const Json *a = options.find("a"), *mode = options.find("mode");
  const Json* nonlinearity = options.find("nonlinearity");
  // The C++ signature rejects a string at compile time: this is PyTorch's error at run time.
  if (a && a->is_string()) throw ValueError("a must be a number, got " + a->dump());
  return function(t, a ? a->get<double>() : 0, mode ? mode->get<std::string>() : "fan_in",
                  nonlinearity ? nonlinearity->get<std::string>() : "leaky_relu",
                  default_generator());
}

Tensor call(const std::string& function, const Tensor& t, Fields& o) {
  if (function == "uniform_") return init::uniform_(t, o.number("a", 0), o.number("b", 1));
  if (function == "normal_") return init::normal_(t, o.number("mean", 0), o.number("std", 1));
  if (function == "trunc_normal_")
    return init::trunc_normal_(t, o.number("mean", 0), o.number("std", 1), o.number("a", -2),
                               o.number("b", 2));
  if (function == "xavier_uniform_") return init::xavier_uniform_(t, o.number("gain", 1));
  if (function == "xavier_normal_") return init::xavier_normal_(t, o.number("gain", 1));
  if (function == "kaiming_uniform_") return he<init::kaiming_uniform_>(t, o);
  if (function == "kaiming_normal_") return he<init::kaiming_normal_>(t, o);
  if (function == "constant_") return init::constant_(t, o.number("val"));
  if (function == "ones_") return init::ones_(t);
  if (function == "zeros_") return init::zeros_(t);
  if (function == "eye_") return init::eye_(t);
  if (function == "dirac_")
    return init::dirac_(t, o.find("groups") ? o.at("groups").get<std::int64_t>() : 1);
  if (function == "orthogonal_") return init::orthogonal_(t, o.number("gain", 1));
  if (function == "sparse_") return init::sparse_(t, o.number("sparsity"), o.number("std", 0.01));
  throw Unsupported("init." + function);
}

void run_function(Case& c) {
  const Shape shape = c.at("shape").get<std::vector<std::int64_t>>();
  const Tensor t = full(shape, -9, {.dtype = dtype_named(c.text("dtype"))});
  Fields options(c.at("kwargs"));
  manual_seed(seed_of(c.at("seed")));
  const Tensor result = call(c.text("function"), t, options);
  options.done();
  if (!result.is_same(t)) c.fail("the result is not the same tensor");
  expect_state(c, {{"out", t}}, {.atol = c.at("tolerance").get<double>()});
  expect_next(c);
}

std::optional<Scalar> param_of(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_boolean()) return Scalar(value.get<bool>());
  if (value.is_number_integer()) return Scalar(value.get<std::int64_t>());
  if (value.is_string()) throw ValueError("param must be a number, got " + value.dump());
  return Scalar(Fields::number_of(value));
}

void run_gains(Case& c) {
  for (const Json& object : c.at("table")) {
    Fields row(object);
    const double gain = init::calculate_gain(row.text("nonlinearity"), param_of(row.at("param")));
    c.expect_number(object.dump(), gain, row.number("gain"), {.rtol = 1e-15});
    row.done();
  }
  for (const Json& object : c.at("errors")) {
    Fields row(object);
    row.find("type"), row.find("text");
    const std::string nonlinearity = row.text("nonlinearity");
    const Json& param = row.at("param");
    row.done();
    try {
      init::calculate_gain(nonlinearity, param_of(param));
      c.fail("not rejected: " + object.dump());
    } catch (const ValueError&) {}
  }
}

void run_errors(Case& c) {
  for (const Json& object : c.at("rows")) {
    Fields row(object);
    row.find("text");
    const std::string function = row.text("function");
    const Tensor t = zeros(row.shape("shape"));
    Fields options(row.at("kwargs"));
    const bool legal = row.at("type").is_null();
    row.done();
    const auto before = get_rng_state();
    try {
      static_cast<void>(call(function, t, options));
      if (!legal) c.fail("not rejected: " + object.dump());
    } catch (const Error& rejection) {
      if (legal) c.fail(std::string("rejected with ") + rejection.what() + ": " + object.dump());
      if (!is_zero(t) || get_rng_state() != before)
        c.fail("the rejected call had side effects: " + object.dump());
    }
  }
}

}  // namespace

void run_init(Case& c) {
  const std::string kind = c.text("kind");
  if (kind == "function") return run_function(c);
  if (kind == "gain_table") return run_gains(c);
  if (kind == "errors") return run_errors(c);
  if (kind == "layer") return run_init_layer(c);
  if (kind == "stack") return run_init_stack(c);
  if (kind == "resnet18") return run_resnet18(c);
  throw MalformedCase("unknown kind '" + kind + "'");
}

}  // namespace taper::oracle
