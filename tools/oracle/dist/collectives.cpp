// Family collectives: single calls, differentiable calls, programs, refused calls.
#include "cases/outcome.h"
#include "dist/calls.h"
#include "dist/families.h"
#include "dist/program.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/dist/functional.h"

namespace taper::oracle {
namespace {

namespace functional = distributed::functional;

/// Returns a tensor with the values of `x` in another memory layout.
Tensor laid_out(const Tensor& x, const std::string& layout) {
  if (layout == "contiguous") return x;
  if (layout == "transposed") return x.transpose(-1, -2).contiguous().transpose(-1, -2);
  if (layout == "offset") {
    const Tensor wide = zeros(x.numel() + 5, {.dtype = x.dtype()});
    const Tensor part = wide.narrow(0, 3, x.numel());
    part.copy_(x.reshape({-1}));
    return part.view(x.shape());
  }
  if (layout == "every-second") {
    Shape shape = x.shape();
    shape.push_back(2);
    const Tensor wide = zeros(shape, {.dtype = x.dtype()});
    const Tensor part = wide.select(-1, 0);
    part.copy_(x);
    return part;
  }
  throw MalformedCase("unknown layout '" + layout + "'");
}

Value run_call(RankCase& c) {
  distributed::Group group;
  bool is_member = true;
  if (const Json* members = c.find("group")) {
    group = distributed::new_group(members->get<std::vector<int>>());
    is_member = group->rank() >= 0;
  }
  NamedCall call{.name = c.text("call"),
                 .input = c.read("input"),
                 .args = CallArguments(c.at("args")),
                 .group = group};
  if (c.find("shapes")) call.shapes = c.read("shapes");
  const Json* layout = c.find("layout");
  // A layout that may be rejected is accepted here.
  c.find("contiguous_copy");
  if (layout && call.input.is_tensor())
    call.input = laid_out(call.input.as_tensor(), layout->get<std::string>());
  return Value::dict({{"out", is_member ? call.run() : Value()}});
}

/// Returns the outputs of a differentiable call.
std::vector<Tensor> call_differentiable(const std::string& name, const std::vector<Tensor>& xs,
                                        const CallArguments& args) {
  if (name == "all_reduce") return {functional::all_reduce(xs[0], args.op)};
  if (name == "all_gather") return functional::all_gather(xs[0]);
  if (name == "all_gather_into_tensor") return {functional::all_gather_tensor(xs[0])};
  if (name == "reduce_scatter") return {functional::reduce_scatter(xs)};
  if (name == "reduce_scatter_tensor") return {functional::reduce_scatter_tensor(xs[0], args.op)};
  if (name == "all_to_all") return functional::all_to_all(xs, xs);
  if (name == "all_to_all_single")
    return {functional::all_to_all_single(xs[0], args.output_split_sizes, args.input_split_sizes)};
  if (name == "broadcast") return {functional::broadcast(xs[0], args.src)};
  if (name == "reduce") return {functional::reduce(xs[0], args.dst)};
  if (name == "gather") return functional::gather(xs[0], args.dst);
  if (name == "scatter") return {functional::scatter(xs, args.src)};
  throw MalformedCase("unknown call '" + name + "'");
}

Value one_or_list(const std::vector<Tensor>& tensors, bool is_list) {
  if (is_list) return list_of(tensors);
  return tensors[0];
}

Value run_gradient(RankCase& c) {
  const std::string name = c.text("call");
  const CallArguments args(c.at("args"));
  const Value input = c.read("input"), cotangents = c.read("grad_output");
  std::vector<Tensor> xs = tensors_of(input);
  for (const Tensor& x : xs) x.requires_grad_();
  const std::vector<Tensor> outs = call_differentiable(name, xs, args);
  const std::vector<Tensor> grads =
      autograd::grad(outs, xs, {.grad_outputs = tensors_of(cotangents)});
  const bool has_output = (name != "reduce" && name != "gather") || c.rank() == args.dst;
  const bool has_gradient = name != "scatter" || c.rank() == args.src;
  std::vector<Tensor> shown;
  for (const Tensor& out : outs) shown.push_back(out.detach());
  return Value::dict(
      {{"out", has_output ? one_or_list(shown, cotangents.is_list()) : Value()},
       {"grad_input", has_gradient ? one_or_list(grads, input.is_list()) : Value()}});
}

Value run_collective_error(RankCase& c) {
  return c.attempt([&] { static_cast<void>(run_program(c)); });
}

}  // namespace

void run_collectives(Case& c) {
  static const std::map<std::string, RankFunction> kinds = {{"call", run_call},
                                                            {"gradient", run_gradient},
                                                            {"program", run_program},
                                                            {"error", run_collective_error}};
  run_on_ranks(c, kinds);
}

}  // namespace taper::oracle
