#include "training/draw.h"

#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/factory.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

struct Draw {
  const Generator& g;
  Fields& op;
  TensorOptions options{.dtype = dtype_named(op.text("dtype"))};

  std::int64_t n() { return op.at("n").get<std::int64_t>(); }
  std::int64_t integer(const char* name) { return op.at(name).get<std::int64_t>(); }
  Shape shape() { return op.shape("shape"); }
  /// Returns a new contiguous tensor with uninitialized elements.
  Tensor fresh() { return empty(shape(), options); }
  /// Returns a new tensor of the given shape that is the transpose of a contiguous one, with
  /// uninitialized elements.
  Tensor transposed() {
    const Shape s = shape();
    return empty({s[1], s[0]}, options).t();
  }
};

Tensor fill_integers(Draw d) {
  const Tensor t = d.fresh();
  if (d.op.find("high")) return t.random_(d.integer("low"), d.integer("high"), d.g);
  return t.random_(d.g);
}

Tensor every_second(Draw d) {
  const Tensor t = zeros({2 * d.n()}, d.options);
  t.as_strided({d.n()}, {2}, 0).normal_(0, 1, d.g);
  return t;
}

Tensor by_tensors(Draw d) {
  return normal(arange(d.n(), d.options), arange(1, d.n() + 1, 1, d.options), d.g);
}

Tensor with_probabilities(Draw d) {
  const Tensor p = empty({d.n()}, {.dtype = float64});
  for (std::int64_t i = 0; i < d.n(); ++i)
    p.mutable_data<double>()[static_cast<std::size_t>(i)] =
        static_cast<double>(i) / static_cast<double>(d.n());
  return bernoulli(p.to(*d.options.dtype), d.g);
}

Tensor choose(Draw d) {
  const Json* matrix = d.op.find("rows");
  const std::int64_t n = d.n(), rows = matrix ? matrix->get<std::int64_t>() : 1;
  const Tensor weights = empty({rows, n}, {.dtype = float64});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < n; ++i)
      weights.mutable_data<double>()[static_cast<std::size_t>(r * n + (i + r) % n)] =
          static_cast<double>(i + 1);
  const Tensor typed = weights.to(*d.options.dtype);
  return multinomial(matrix ? typed : typed[0], d.integer("samples"),
                     d.op.at("replacement").get<bool>(), d.g);
}

/// Calls a function of F without a generator argument. Throws MalformedCase unless the generator of
/// the op is the default one, which such functions use.
Tensor call(Draw d, const std::string& function, const Tensor& input,
            std::map<std::string, Value> options) {
  if (!(d.g == default_generator())) throw MalformedCase(function + " with a generator");
  return call_function("F." + function, {input}, std::move(options)).as_tensor();
}

Tensor drop(Draw d) {
  return call(d, d.op.text("kind"), ones(d.shape(), d.options),
              {{"p", d.op.number("p")}, {"training", true}});
}

Tensor gumbel(Draw d) {
  return call(d, "gumbel_softmax", zeros(d.shape(), d.options),
              {{"tau", d.op.number("tau")}, {"hard", d.op.at("hard").get<bool>()}});
}

Tensor slopes(Draw d) {
  return call(
      d, "rrelu", full(d.shape(), -1, d.options),
      {{"lower", d.op.number("lower")}, {"upper", d.op.number("upper")}, {"training", true}});
}

using DrawFunction = Tensor (*)(Draw);
const std::map<std::string, DrawFunction>& runs() {
  static const std::map<std::string, DrawFunction> all = {
      {"rand", [](Draw d) { return rand(d.shape(), d.options, d.g); }},
      {"randn", [](Draw d) { return randn(d.shape(), d.options, d.g); }},
      {"randperm", [](Draw d) { return randperm(d.n(), d.options, d.g); }},
      {"randint",
       [](Draw d) {
         return randint(d.integer("low"), d.integer("high"), d.shape(), d.options, d.g);
       }},
      {"uniform_",
       [](Draw d) -> Tensor {
         return d.fresh().uniform_(d.op.number("low"), d.op.number("high"), d.g);
       }},
      {"normal_",
       [](Draw d) -> Tensor {
         return d.fresh().normal_(d.op.number("mean"), d.op.number("std"), d.g);
       }},
      {"log_normal_",
       [](Draw d) -> Tensor {
         return d.fresh().log_normal_(d.op.number("mean"), d.op.number("std"), d.g);
       }},
      {"exponential_",
       [](Draw d) -> Tensor { return d.fresh().exponential_(d.op.number("lambd"), d.g); }},
      {"cauchy_",
       [](Draw d) -> Tensor {
         return d.fresh().cauchy_(d.op.number("median"), d.op.number("sigma"), d.g);
       }},
      {"geometric_", [](Draw d) -> Tensor { return d.fresh().geometric_(d.op.number("p"), d.g); }},
      {"bernoulli_", [](Draw d) -> Tensor { return d.fresh().bernoulli_(d.op.number("p"), d.g); }},
      {"trunc_normal_",
       [](Draw d) -> Tensor {
         return d.fresh().trunc_normal_(d.op.number("mean"), d.op.number("std"), d.op.number("a"),
                                        d.op.number("b"), d.g);
       }},
      {"random_", fill_integers},
      {"normal_t", [](Draw d) -> Tensor { return d.transposed().normal_(0, 1, d.g); }},
      {"uniform_t", [](Draw d) -> Tensor { return d.transposed().uniform_(0, 1, d.g); }},
      {"normal_strided", every_second},
      {"normal_tensors", by_tensors},
      {"bernoulli", with_probabilities},
      {"multinomial", choose},
      {"poisson",
       [](Draw d) { return poisson(full(d.shape(), d.op.number("rate"), d.options), d.g); }},
      {"dropout", drop},
      {"gumbel_softmax", gumbel},
      {"rrelu", slopes}};
  return all;
}

}  // namespace

Tensor draw(const Generator& generator, Fields& op) {
  const auto found = runs().find(op.text("op"));
  if (found == runs().end()) throw MalformedCase("unknown op " + op.text("op"));
  return found->second({generator, op});
}

}  // namespace taper::oracle
