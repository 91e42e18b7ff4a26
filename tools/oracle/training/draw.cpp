#include "training/draw.h"

#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/factory.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

struct DrawRequest {
  const Generator& g;
  Fields& op;
  TensorOptions options{.dtype = dtype_named(op.text("dtype"))};

  std::int64_t n() { return op.at("n").get<std::int64_t>(); }
  std::int64_t integer(const char* name) { return op.at(name).get<std::int64_t>(); }
  Shape shape() { return op.shape("shape"); }
  /// Returns a new contiguous tensor with uninitialized elements.
  Tensor make_empty() { return empty(shape(), options); }
  /// Returns a new tensor of the given shape that is the transpose of a contiguous one, with
  /// uninitialized elements.
  Tensor make_transposed() {
    const Shape s = shape();
    return empty({s[1], s[0]}, options).t();
  }
};

Tensor fill_integers(DrawRequest d) {
  const Tensor t = d.make_empty();
  if (d.op.find("high")) return t.random_(d.integer("low"), d.integer("high"), d.g);
  return t.random_(d.g);
}

Tensor draw_strided(DrawRequest d) {
  const Tensor t = zeros({2 * d.n()}, d.options);
  t.as_strided({d.n()}, {2}, 0).normal_(0, 1, d.g);
  return t;
}

Tensor draw_normal_of_tensors(DrawRequest d) {
  return normal(arange(d.n(), d.options), arange(1, d.n() + 1, 1, d.options), d.g);
}

Tensor draw_bernoulli(DrawRequest d) {
  const Tensor p = empty({d.n()}, {.dtype = float64});
  for (std::int64_t i = 0; i < d.n(); ++i)
    p.mutable_data<double>()[static_cast<std::size_t>(i)] =
        static_cast<double>(i) / static_cast<double>(d.n());
  return bernoulli(p.to(*d.options.dtype), d.g);
}

Tensor draw_multinomial(DrawRequest d) {
  const Json* matrix = d.op.find("rows");
  const std::int64_t n = d.n(), rows = matrix ? matrix->get<std::int64_t>() : 1;
  const Tensor weights = empty({rows, n}, {.dtype = float64});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < n; ++i)
      weights.mutable_data<double>()[static_cast<std::size_t>(r * n + (i + r) % n)] =
          static_cast<double>(i + 1);
  const Tensor cast_weights = weights.to(*d.options.dtype);
  return multinomial(matrix ? cast_weights : cast_weights[0], d.integer("samples"),
                     d.op.at("replacement").get<bool>(), d.g);
}

/// Calls a function of F without a generator argument. Throws MalformedCase unless the generator of
/// the op is the default one, which such functions use.
Tensor call(DrawRequest d, const std::string& function, const Tensor& input,
            std::map<std::string, Value> options) {
  if (!(d.g == default_generator())) throw MalformedCase(function + " with a generator");
  return call_function("F." + function, {input}, std::move(options)).as_tensor();
}

Tensor draw_dropout(DrawRequest d) {
  return call(d, d.op.text("kind"), ones(d.shape(), d.options),
              {{"p", d.op.number("p")}, {"training", true}});
}

Tensor draw_gumbel_softmax(DrawRequest d) {
  return call(d, "gumbel_softmax", zeros(d.shape(), d.options),
              {{"tau", d.op.number("tau")}, {"hard", d.op.at("hard").get<bool>()}});
}

Tensor draw_rrelu(DrawRequest d) {
  return call(
      d, "rrelu", full(d.shape(), -1, d.options),
      {{"lower", d.op.number("lower")}, {"upper", d.op.number("upper")}, {"training", true}});
}

using DrawFunction = Tensor (*)(DrawRequest);
const std::map<std::string, DrawFunction>& draw_functions() {
  static const std::map<std::string, DrawFunction> all = {
      {"rand", [](DrawRequest d) { return rand(d.shape(), d.options, d.g); }},
      {"randn", [](DrawRequest d) { return randn(d.shape(), d.options, d.g); }},
      {"randperm", [](DrawRequest d) { return randperm(d.n(), d.options, d.g); }},
      {"randint",
       [](DrawRequest d) {
         return randint(d.integer("low"), d.integer("high"), d.shape(), d.options, d.g);
       }},
      {"uniform_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().uniform_(d.op.number("low"), d.op.number("high"), d.g);
       }},
      {"normal_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().normal_(d.op.number("mean"), d.op.number("std"), d.g);
       }},
      {"log_normal_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().log_normal_(d.op.number("mean"), d.op.number("std"), d.g);
       }},
      {"exponential_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().exponential_(d.op.number("lambd"), d.g);
       }},
      {"cauchy_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().cauchy_(d.op.number("median"), d.op.number("sigma"), d.g);
       }},
      {"geometric_",
       [](DrawRequest d) -> Tensor { return d.make_empty().geometric_(d.op.number("p"), d.g); }},
      {"bernoulli_",
       [](DrawRequest d) -> Tensor { return d.make_empty().bernoulli_(d.op.number("p"), d.g); }},
      {"trunc_normal_",
       [](DrawRequest d) -> Tensor {
         return d.make_empty().trunc_normal_(d.op.number("mean"), d.op.number("std"),
                                             d.op.number("a"), d.op.number("b"), d.g);
       }},
      {"random_", fill_integers},
      {"normal_t", [](DrawRequest d) -> Tensor { return d.make_transposed().normal_(0, 1, d.g); }},
      {"uniform_t",
       [](DrawRequest d) -> Tensor { return d.make_transposed().uniform_(0, 1, d.g); }},
      {"normal_strided", draw_strided},
      {"normal_tensors", draw_normal_of_tensors},
      {"bernoulli", draw_bernoulli},
      {"multinomial", draw_multinomial},
      {"poisson",
       [](DrawRequest d) { return poisson(full(d.shape(), d.op.number("rate"), d.options), d.g); }},
      {"dropout", draw_dropout},
      {"gumbel_softmax", draw_gumbel_softmax},
      {"rrelu", draw_rrelu}};
  return all;
}

}  // namespace

Tensor draw(const Generator& generator, Fields& op) {
  const auto found = draw_functions().find(op.text("op"));
  if (found == draw_functions().end()) throw MalformedCase("unknown op " + op.text("op"));
  return found->second({generator, op});
}

}  // namespace taper::oracle
