// Scans, quantiles, statistics and products of tensors.
#include "functions/table.h"
#include "taper/core/factory.h"
#include "taper/ops/gradient.h"

namespace taper::oracle {
namespace {

Value pair_of(const std::pair<Tensor, Tensor>& both) {
  return Value::tuple({both.first, both.second});
}

Value call_diff(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t n = a.integer("n", 1), dim = a.integer("dim", -1);
  const auto prepend = a.optional_tensor("prepend"), append = a.optional_tensor("append");
  a.done();
  return diff(x, n, dim, prepend, append);
}

using OfPoints = Tensor (*)(const Tensor&, const Tensor&, IntArg);
using OfSpacing = Tensor (*)(const Tensor&, const Scalar&, IntArg);
template <OfPoints of_points, OfSpacing of_spacing> Value integral(Arguments& a) {
  const Tensor y = a.tensor("y");
  const auto x = a.optional_tensor("x");
  const Scalar dx = a.scalar("dx", 1);
  const std::int64_t dim = a.integer("dim", -1);
  a.done();
  return x ? of_points(y, *x, dim) : of_spacing(y, dx, dim);
}

Value call_aminmax(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return pair_of(aminmax(x, dim, keepdim));
}
using OfNumber = Tensor (*)(const Tensor&, double, std::optional<IntArg>, bool, std::string_view);
using OfTensor = Tensor (*)(const Tensor&, const Tensor&, std::optional<IntArg>, bool,
                            std::string_view);
template <OfNumber of_number, OfTensor of_tensor> Value call_quantile(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value q = a.value("q");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  const std::string interpolation = a.text("interpolation", "linear");
  a.done();
  return q.is_tensor() ? of_tensor(x, q.as_tensor(), dim, keepdim, interpolation)
                       : of_number(x, q.as_double(), dim, keepdim, interpolation);
}
Value call_nanmean(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape dims = a.optional_shape("dim").value_or(Shape());
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return nanmean(x, dims, keepdim, dtype);
}
Value call_nanmedian(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return dim ? pair_of(nanmedian(x, *dim, keepdim)) : Value(nanmedian(x));
}
Value call_dist(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  const Scalar p = a.scalar("p", 2);
  a.done();
  return dist(x, other, p);
}
template <bool in_place> Value call_renorm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar p = a.scalar("p");
  const std::int64_t dim = a.integer("dim");
  const Scalar maxnorm = a.scalar("maxnorm");
  a.done();
  return in_place ? x.renorm_(p, dim, maxnorm) : renorm(x, p, dim, maxnorm);
}
Value call_cov(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t correction = a.integer("correction", 1);
  const auto fweights = a.optional_tensor("fweights"), aweights = a.optional_tensor("aweights");
  a.done();
  return cov(x, correction, fweights, aweights);
}
Value call_corrcoef(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return corrcoef(x);
}

Value call_einsum(Arguments& a) {
  const std::string equation = a.text("equation");
  std::vector<Tensor> operands;
  while (const Value* next = a.next("operands")) {
    const Value v = *next;
    if (v.is_tensor())
      operands.push_back(v.as_tensor());
    else
      for (const Value& item : v.as_sequence()) operands.push_back(item.as_tensor());
  }
  a.done();
  return einsum(equation, operands);
}
Value call_tensordot(Arguments& a) {
  const Tensor x = a.tensor("a"), y = a.tensor("b");
  const Value* given = a.next("dims");
  const Value dims = given ? *given : Value(std::int64_t{2});
  a.done();
  if (dims.is_int()) return tensordot(x, y, dims.as_int());
  const auto lists = dims.as_sequence();
  return tensordot(x, y, shape_of(lists[0]), shape_of(lists[1]));
}
template <Tensor (*f)(const Tensor&, const Tensor&)> Value product_of(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  a.done();
  return f(x, y);
}
Value call_cross(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  const auto dim = a.optional_integer("dim");
  a.done();
  return cross(x, y, dim);
}
template <bool in_place> Value call_addr(Arguments& a) {
  const Tensor x = a.tensor("input"), v = a.tensor("vec1"), w = a.tensor("vec2");
  const Scalar beta = a.scalar("beta", 1), alpha = a.scalar("alpha", 1);
  a.done();
  return in_place ? x.addr_(v, w, beta, alpha) : addr(x, v, w, beta, alpha);
}
template <bool in_place> Value call_addbmm(Arguments& a) {
  const Tensor x = a.tensor("input"), v = a.tensor("batch1"), w = a.tensor("batch2");
  const Scalar beta = a.scalar("beta", 1), alpha = a.scalar("alpha", 1);
  a.done();
  return in_place ? x.addbmm_(v, w, beta, alpha) : addbmm(x, v, w, beta, alpha);
}
Value call_cdist(Arguments& a) {
  const Tensor x = a.tensor("x1"), y = a.tensor("x2");
  const double p = a.number("p", 2);
  const std::string mode = a.text("compute_mode", "use_mm_for_euclid_dist_if_necessary");
  a.done();
  return cdist(x, y, p, mode);
}

Value to_list(const std::vector<Tensor>& tensors) {
  return Value::tuple(Values(tensors.begin(), tensors.end()));
}

Value call_gradient(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value* const given = a.next("spacing");
  const Value spacing = given ? *given : Value();
  const std::optional<Dims> dim = a.optional_shape("dim");
  const std::int64_t edge_order = a.integer("edge_order", 1);
  a.done();
  if (spacing.is_none()) return to_list(gradient(x, 1, dim, edge_order));
  if (!spacing.is_list() && !spacing.is_tuple())
    return to_list(gradient(x, scalar_of(spacing), dim, edge_order));
  std::vector<Tensor> coordinates;
  std::vector<Scalar> distances;
  for (const Value& v : spacing.as_sequence())
    if (v.is_tensor())
      coordinates.push_back(v.as_tensor());
    else
      distances.push_back(scalar_of(v));
  return coordinates.empty() ? to_list(gradient(x, distances, dim, edge_order))
                             : to_list(gradient(x, coordinates, dim, edge_order));
}

}  // namespace

void add_scans(FunctionTable& table) {
  table["diff"] = call_diff;
  table["torch.trapezoid"] = table["torch.trapz"] = integral<trapezoid, trapezoid>;
  table["torch.cumulative_trapezoid"] = integral<cumulative_trapezoid, cumulative_trapezoid>;
  table["aminmax"] = call_aminmax;
  table["quantile"] = call_quantile<quantile, quantile>;
  table["nanquantile"] = call_quantile<nanquantile, nanquantile>;
  table["nanmean"] = call_nanmean;
  table["nanmedian"] = call_nanmedian;
  table["dist"] = call_dist;
  table["renorm"] = call_renorm<false>;
  table["Tensor.renorm_"] = call_renorm<true>;
  table["cov"] = call_cov;
  table["corrcoef"] = call_corrcoef;
  table["torch.einsum"] = call_einsum;
  table["torch.tensordot"] = call_tensordot;
  table["inner"] = product_of<inner>;
  table["vdot"] = product_of<vdot>;
  table["ger"] = product_of<ger>;
  table["kron"] = product_of<kron>;
  table["cross"] = call_cross;
  table["addr"] = call_addr<false>;
  table["Tensor.addr_"] = call_addr<true>;
  table["addbmm"] = call_addbmm<false>;
  table["Tensor.addbmm_"] = call_addbmm<true>;
  table["torch.cdist"] = call_cdist;
  table["torch.gradient"] = call_gradient;
}

}  // namespace taper::oracle
