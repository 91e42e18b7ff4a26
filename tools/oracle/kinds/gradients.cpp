#include <algorithm>

#include "kinds/kinds.h"
#include "taper/autograd/autograd.h"

namespace taper::oracle {
namespace {

// Returns the part of an input that is differentiated: the data of a packed sequence, otherwise the
// input itself.
const Json& differentiable_data(const Json& input) {
  return input.is_object() && input.contains("packed") ? input.at("packed").at("data") : input;
}

// Collects the outputs that correspond to the nested cotangents, depth first.
void collect_outputs(const Value& output, const Value& cotangent, Values& into) {
  if (cotangent.is_list())
    for (std::size_t i = 0; i < cotangent.size(); ++i)
      collect_outputs(output.as_sequence().at(i), cotangent.as_sequence()[i], into);
  else
    into.push_back(cotangent.is_tensor() && output.is_tuple() ? output.as_sequence()[0] : output);
}

// Gradients with respect to the leaves among the inputs, followed by those of the parameters.
struct Gradients {
  const NamedTensors& inputs;
  const NamedTensors& parameters;
  std::vector<Tensor> all;
  bool second_order = false;

  Tensor of(const NamedTensors& named, std::size_t from, const std::string& name) const {
    for (std::size_t i = 0; i < named.size(); ++i)
      if (named[i].first == name) return all[from + i];
    return {};
  }
  Tensor input_gradient(const std::string& role) const { return of(inputs, 0, role); }
  Tensor parameter_gradient(const std::string& name) const {
    return of(parameters, inputs.size(), name);
  }
};

// Compares the gradients of an input. `given` contains the references to its tensors; `expected`
// has the same nesting.
void expect_nested(Case& c, const std::string& what, const Gradients& g, const Json& given,
                   const Json& expected) {
  const Json& input = differentiable_data(given);
  if (input.is_array() && expected.is_array()) {
    for (std::size_t i = 0; i < input.size(); ++i)
      expect_nested(c, what + "[" + std::to_string(i) + "]", g, input[i], expected.at(i));
  } else if (is_reference(input)) {
    expect_gradient(c, what, g.input_gradient(input.at("t")), expected, g.second_order);
  } else if (!expected.is_null()) {
    c.fail(what + ": gradient of an object that is not a tensor");
  }
}

void expect_all(Case& c, const std::string& what, const Gradients& g, const Json& inputs,
                const Json* named_inputs, const Json* parameters, const Json* named_roles) {
  if (const Json* given = c.find("inputs")) expect_nested(c, what + " of input", g, *given, inputs);
  if (named_inputs && named_roles)
    for (const auto& [name, expected] : named_inputs->items())
      expect_nested(c, what + " of " + name, g, named_roles->at(name), expected);
  if (parameters)
    for (const auto& [name, expected] : parameters->items())
      expect_gradient(c, what + " of parameter " + name, g.parameter_gradient(name), expected,
                      g.second_order);
}

// Appends, in nesting order, the gradient of every input that has a vector v to `gradients`, and v
// to `weights`.
void collect_weighted_gradients(Reader& read, const Gradients& g, const Json& given, const Json& v,
                                std::vector<Tensor>& gradients, std::vector<Tensor>& weights) {
  const Json& input = differentiable_data(given);
  if (input.is_array() && v.is_array()) {
    for (std::size_t i = 0; i < input.size(); ++i)
      collect_weighted_gradients(read, g, input[i], v.at(i), gradients, weights);
  } else if (is_reference(input) && !v.is_null()) {
    gradients.push_back(g.input_gradient(input.at("t")));
    weights.push_back(read(v).as_tensor());
  }
}

void check_second_order(Case& c, const Json& wanted, const Gradients& first,
                        const std::vector<Tensor>& leaves, const std::vector<Tensor>& cotangents,
                        const Json& grad_output) {
  Reader read(c);
  std::vector<Tensor> gradients, weights;
  collect_weighted_gradients(read, first, c.at("inputs"), wanted.at("v_inputs"), gradients,
                             weights);
  const Json* named = c.find("kwinputs");
  for (const auto& [name, v] : wanted.at("v_kwinputs").items())
    collect_weighted_gradients(read, first, named->at(name), v, gradients, weights);
  for (const auto& [name, v] : wanted.at("v_params").items())
    if (!v.is_null()) {
      gradients.push_back(first.parameter_gradient(name));
      weights.push_back(read(v).as_tensor());
    }
  std::vector<Tensor> ys, vs;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined() && gradients[i].requires_grad()) {
      ys.push_back(gradients[i]);
      vs.push_back(weights[i]);
    }
  std::vector<Tensor> with_respect_to = leaves;
  with_respect_to.insert(with_respect_to.end(), cotangents.begin(), cotangents.end());
  std::vector<Tensor> second(with_respect_to.size());
  if (!ys.empty())
    second = autograd::grad(ys, with_respect_to, {.grad_outputs = vs, .allow_unused = true});
  const Gradients g{first.inputs, first.parameters, second, true};
  expect_all(c, "second gradient", g, wanted.at("grad_inputs"), &wanted.at("grad_kwinputs"),
             &wanted.at("grad_params"), named);
  Values flat;
  flatten(read(grad_output), flat);
  std::size_t next = leaves.size();
  for (std::size_t i = 0; i < flat.size(); ++i)
    expect_gradient(c, "second gradient of the cotangent " + std::to_string(i),
                    flat[i].is_none() ? Tensor() : second.at(next++),
                    wanted.at("grad_grad_output").at(i), true);
}

}  // namespace

void check_gradients(Case& c, const Call& call, const NamedTensors& parameters) {
  const Json* grad_output = c.find("grad_output");
  const Json* grad_inputs = c.find("grad_inputs");
  const Json* grad_named = c.find("grad_kwinputs");
  const Json* grad_parameters = c.find("grad_params");
  const Json* second = c.find("double_backward");
  if (!grad_output) return;
  Reader read(c);
  Values outputs, cotangents;
  const Value nested = read(*grad_output);
  collect_outputs(call.result, nested, outputs);
  flatten(nested, cotangents);
  std::vector<Tensor> ys, gs, leaves;
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    if (!cotangents[i].is_none()) {
      ys.push_back(outputs.at(i).as_tensor());
      gs.push_back(cotangents[i].as_tensor().clone());
      if (second) gs.back().set_requires_grad();
    }
  for (const NamedTensors* named : {&call.read.leaves(), &parameters})
    for (const auto& [name, tensor] : *named) leaves.push_back(tensor);
  if (ys.empty() || leaves.empty()) return;
  const Gradients g{
      call.read.leaves(), parameters,
      autograd::grad(
          ys, leaves,
          {.grad_outputs = gs, .create_graph = second != nullptr, .allow_unused = true})};
  expect_all(c, "gradient", g, grad_inputs ? *grad_inputs : Json(), grad_named, grad_parameters,
             c.find("kwinputs"));
  if (second) check_second_order(c, *second, g, leaves, gs, *grad_output);
}

}  // namespace taper::oracle
