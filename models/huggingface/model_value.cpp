// Conversion of the inputs and outputs of models to and from values.
#include "huggingface/model.h"
#include "taper/core/dict.h"

namespace huggingface {

using namespace taper;

namespace {

template <class Inputs, class F> void for_each_tensor(Inputs& inputs, F f) {
  f("attention_mask", inputs.attention_mask), f("token_type_ids", inputs.token_type_ids);
  f("position_ids", inputs.position_ids), f("inputs_embeds", inputs.inputs_embeds);
  f("labels", inputs.labels);
}

template <class Output, class F> void for_each_result(Output& output, F f) {
  f("loss", output.loss), f("logits", output.logits);
  f("last_hidden_state", output.last_hidden_state), f("pooler_output", output.pooler_output);
}

/// Reference to a cache, valid as long as the call that converts it.
class CacheReference final : public ValueObject {
 public:
  explicit CacheReference(DynamicCache* cache) : cache_(cache) {}
  DynamicCache* get() const { return cache_; }
  std::string type_name() const override { return "DynamicCache"; }
  std::string str() const override { return "DynamicCache()"; }
  const void* identity() const override { return cache_; }

 private:
  DynamicCache* cache_;
};

DynamicCache* cache_of(const Value& value) {
  if (value.is_module())
    if (auto* reference = dynamic_cast<CacheReference*>(&value.as_module()))
      return reference->get();
  throw TypeError("past_key_values must be a DynamicCache, got " + value.type_name());
}

/// Entries of a dict, all of which must be read.
class Entries {
 public:
  explicit Entries(const Value& dict) : dict_(dict) {}
  const Value* find(const char* name) {
    const Value* found = dict_.is_none() ? nullptr : dict_.find(name);
    read_ += found ? 1 : 0;
    return found && !found->is_none() ? found : nullptr;
  }
  void operator()(const char* name, Tensor& field) {
    if (const Value* found = find(name)) field = found->as_tensor();
  }
  void expect_all_read(const char* what) const {
    if (!dict_.is_none() && dict_.size() != read_)
      throw TypeError(std::string(what) + " of a model: unknown field in " + dict_.repr());
  }

 private:
  const Value& dict_;
  std::size_t read_ = 0;
};

void set_if_defined(const Value& dict, const char* name, const Tensor& tensor) {
  if (tensor.defined()) dict[name] = tensor;
}

}  // namespace

Value to_value(const ModelInputs& inputs) {
  const Value dict = Value::dict();
  for_each_tensor(inputs, [&](const char* n, const Tensor& t) { set_if_defined(dict, n, t); });
  if (inputs.past_key_values)
    dict["past_key_values"] =
        Value::module(Ref<ValueObject>::adopt(new CacheReference(inputs.past_key_values)));
  if (inputs.output_hidden_states) dict["output_hidden_states"] = true;
  if (inputs.logits_to_keep) dict["logits_to_keep"] = inputs.logits_to_keep;
  if (inputs.interpolate_pos_encoding) dict["interpolate_pos_encoding"] = true;
  return dict;
}

ModelInputs inputs_from_value(const Value& value) {
  ModelInputs inputs;
  Entries entries(value);
  for_each_tensor(inputs, [&](const char* n, Tensor& t) { entries(n, t); });
  if (const Value* cache = entries.find("past_key_values"))
    inputs.past_key_values = cache_of(*cache);
  if (const Value* flag = entries.find("output_hidden_states"))
    inputs.output_hidden_states = flag->as_bool();
  if (const Value* count = entries.find("logits_to_keep")) inputs.logits_to_keep = count->as_int();
  if (const Value* flag = entries.find("interpolate_pos_encoding"))
    inputs.interpolate_pos_encoding = flag->as_bool();
  entries.expect_all_read("inputs");
  return inputs;
}

Value to_value(const ModelOutput& output) {
  const Value dict = Value::dict();
  for_each_result(output, [&](const char* n, const Tensor& t) { set_if_defined(dict, n, t); });
  if (!output.hidden_states.empty())
    dict["hidden_states"] =
        Value::tuple(Values(output.hidden_states.begin(), output.hidden_states.end()));
  return dict;
}

ModelOutput output_from_value(const Value& value) {
  ModelOutput output;
  Entries entries(value);
  for_each_result(output, [&](const char* n, Tensor& t) { entries(n, t); });
  if (const Value* states = entries.find("hidden_states"))
    for (const Value& state : states->as_sequence())
      output.hidden_states.push_back(state.as_tensor());
  entries.expect_all_read("output");
  return output;
}

}  // namespace huggingface
