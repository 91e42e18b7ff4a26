// Programs that inspect a model.
#include "models/build_model.h"
#include "models/model_state.h"
#include "models/programs/programs.h"
#include "models/statistics.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

Value list_of(const Shape& shape) {
  Values sizes;
  for (const std::int64_t size : shape) sizes.emplace_back(size);
  return Value::list(std::move(sizes));
}

template <class Named> Value names_and_classes(const Named& named) {
  Values list;
  for (const auto& [name, module] : named) list.push_back(Value::list({name, module->type_name()}));
  return Value::list(std::move(list));
}

// Returns the versions in the metadata of the state dict, except 1.
Value versions_of(const Value& state) {
  Values versions;
  for (const auto& [path, metadata] : state.as_dict().attribute("_metadata")->as_dict()) {
    const Value* const version = metadata.find("version");
    if (version && !version->is_none() && version->as_int() != 1)
      versions.push_back(Value::list({path, *version}));
  }
  return Value::list(std::move(versions));
}

}  // namespace

Value run_tour(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  const Tensor next = rand({2});
  Values parameters, buffers, printed;
  for (const auto& [name, p] : model->named_parameters()) {
    parameters.push_back(Value::list({name, list_of(p.shape()), p.requires_grad()}));
    if (printed.size() < 8)
      printed.emplace_back(
          Value(p.detach().flatten().narrow(0, 0, std::min<std::int64_t>(5, p.numel()))).str());
  }
  for (const auto& [name, b] : model->named_buffers())
    buffers.push_back(Value::list({name, list_of(b.shape())}));
  return Value::dict({{"next", next},
                      {"named_modules", names_and_classes(model->named_modules())},
                      {"children", names_and_classes(model->named_children())},
                      {"named_parameters", Value::list(std::move(parameters))},
                      {"named_buffers", Value::list(std::move(buffers))},
                      {"total", count_parameters(*model)},
                      {"repr", model->str()},
                      {"last_layer", model->children().back()->str()},
                      {"printed", Value::list(std::move(printed))},
                      {"state", state_list(*model)},
                      {"weights", statistics(state_tensors(*model))},
                      {"versions", versions_of(model->state_dict())}});
}

Value run_features(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  jitter(*model, c.at("run_seed"));
  model->eval();
  const Tensor x = ImageBatch(c).images;
  Values shapes, parts;
  Tensor inner;
  std::vector<RemovableHandle> handles;
  for (const auto& entry : model->named_modules()) {
    if (!entry.module->children().empty()) continue;
    handles.push_back(entry.module->register_forward_hook(
        [&shapes, name = entry.name](nn::Module& m, const Values&, Value& result) {
          shapes.push_back(Value::list({name, m.type_name(), list_of(result.as_tensor().shape())}));
        }));
  }
  handles.push_back(model->get_submodule(c.text("inner"))
                        .register_forward_hook([&inner](nn::Module&, const Values&, Value& result) {
                          inner = result.as_tensor().detach();
                        }));
  const NoGrad guard;
  static_cast<void>((*model)(x));
  for (RemovableHandle& handle : handles) handle.remove();
  Tensor body = x;
  const auto children = model->children();
  for (std::size_t i = 0; i + 1 < children.size(); ++i) body = (*children[i])(body);
  for (const nn::Module* child : children) parts.emplace_back(child->type_name());
  return Value::dict({{"shapes", Value::list(std::move(shapes))},
                      {"inner", inner.mean({2, 3})},
                      {"features", body.flatten(1)},
                      {"feature_shape", list_of(body.shape())},
                      {"parts", Value::list(std::move(parts))}});
}

}  // namespace taper::oracle
