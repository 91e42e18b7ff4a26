// Calls a registered op with inputs and attributes by name.
#include "cases/outcome.h"
#include "functions/table.h"
#include "ops/attributes.h"
#include "ops/input_decl.h"

namespace taper::oracle {
namespace {

// Inputs, owned while the op runs.
struct Inputs {
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
  std::vector<OpInput> ins;

  Inputs(const OpInfo& op, Arguments& from) {
    tensors.reserve(64);
    scalars.reserve(64);
    for_each_input_decl(op.inputs, [&](const InputDecl& decl) {
      read_input(decl.kind, std::string(decl.name), from);
    });
  }

 private:
  void read_input(InputDecl::Kind kind, const std::string& name, Arguments& from) {
    if (kind == InputDecl::Kind::list) {
      for (const Tensor& t : from.tensors(name)) add(t);
    } else if (kind == InputDecl::Kind::optional) {
      add(from.optional_tensor(name).value_or(Tensor()));
    } else if (const Value* value = from.peek(name); value && !value->is_tensor()) {
      scalars.push_back(from.scalar(name));
      ins.emplace_back(scalars.back());
    } else {
      add(from.tensor(name));
    }
  }
  void add(const Tensor& t) {
    if (tensors.size() == tensors.capacity()) throw MalformedCase("more than 64 inputs");
    tensors.push_back(t);
    ins.emplace_back(tensors.back());
  }
};

}  // namespace

Value call_op(const std::string& op, Arguments& arguments) {
  const bool in_place = op.size() > 1 && op.ends_with("_");
  const OpDescriptor* descriptor = find_op(in_place ? op.substr(0, op.size() - 1) : op);
  if (!descriptor || (in_place && !descriptor->info.inplace)) throw Unsupported(arguments.callee());
  Inputs inputs(descriptor->info, arguments);
  Attributes attributes(*descriptor);
  for (const std::string& name : attributes.names())
    if (const Value* value = arguments.next(name)) attributes.set(name, *value);
  arguments.done();
  std::vector<Tensor> outs(static_cast<std::size_t>(descriptor->output_count));
  const Tensor self = inputs.tensors.empty() ? Tensor() : inputs.tensors.front();
  dispatch(*descriptor, attributes.get(), inputs.ins, outs.data(), in_place ? &self : nullptr);
  if (in_place) return self;
  if (outs.size() == 1) return outs[0];
  return Value::tuple(Values(outs.begin(), outs.end()));
}

}  // namespace taper::oracle
