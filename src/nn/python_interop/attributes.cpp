#include "nn/python_interop/attributes.h"

#include <algorithm>
#include <set>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/signature.h"
#include "taper/nn/conv.h"
#include "taper/nn/parameter_dict.h"
#include "taper/nn/rnn.h"

namespace taper::nn {
namespace {

/// Names of the attributes of classes whose attributes differ from their constructor arguments.
/// `classes` is a prefix of the class names; the attributes in `before` are set before those of
/// Module, the attributes in `after` after them.
struct AttributeLists {
  std::string_view classes, before, after;
};
constexpr std::string_view kRecurrent =
    "mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, "
    "proj_size, _flat_weights_names, _all_weights, _flat_weights";
constexpr AttributeLists kAttributeLists[] = {
    {"Conv", "",
     "in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, "
     "output_padding, groups, padding_mode, _reversed_padding_repeated_twice"},
    {"ConstantPad", "", "value, padding"},
    {"ZeroPad", "", "value, padding"},
    {"ReLU6", "", "min_val, max_val, inplace"},
    {"RNNCell", "", "input_size, hidden_size, bias, nonlinearity"},
    {"RNN", "nonlinearity", kRecurrent},
    {"LSTMCell", "", "input_size, hidden_size, bias"},
    {"LSTM", "", kRecurrent},
    {"GRUCell", "", "input_size, hidden_size, bias"},
    {"GRU", "", kRecurrent},
    {"CrossEntropyLoss", "", "reduction, ignore_index, label_smoothing"},
    {"NLLLoss", "", "reduction, ignore_index"},
    {"ParameterList", "", "_size"},
    {"ParameterDict", "", "_keys"},
};

/// Returns the lists of a class; null for a class whose attributes are its constructor arguments.
const AttributeLists* attribute_lists_of(const ModuleSchema& schema) {
  if (!schema.file.empty())
    for (const AttributeLists& lists : kAttributeLists)
      if (schema.name.starts_with(lists.classes)) return &lists;
  return nullptr;
}

/// Arguments that are not attributes: factory options and deprecated names.
constexpr std::string_view kNonAttributes[] = {"device", "dtype", "size_average", "reduce"};

/// Computes the attributes that a constructor sets.
class AttributeBuilder {
 public:
  AttributeBuilder(const Module& module, const ModuleSchema& schema)
      : module_(detail::mutable_of(module)), schema_(schema) {}

  PythonAttributes all() {
    if (const AttributeLists* lists = attribute_lists_of(schema_))
      return {named(lists->before), named(lists->after)};
    return {{}, argument_attributes()};
  }

 private:
  std::vector<Dict::Entry> named(std::string_view names) {
    std::vector<Dict::Entry> found;
    for (const SignatureEntry& e : parse_signature(names))
      found.emplace_back(e.name, value(e.name));
    return found;
  }

  /// Returns the constructor arguments. They are computed on first use, because arguments of
  /// parameter lists contain copies of the parameters.
  const std::vector<std::pair<std::string_view, Value>>& arguments() {
    if (!arguments_.empty() || !schema_.options) return arguments_;
    const std::vector<SignatureEntry> signature = parse_signature(schema_.signature);
    const Values options = schema_.options(module_);
    for (std::size_t i = 0; i < options.size(); ++i)
      arguments_.emplace_back(signature[i].name, options[i]);
    return arguments_;
  }

  /// Returns the arguments that are stored as attributes. An argument with the name of a parameter
  /// or buffer is stored as that entry instead.
  std::vector<Dict::Entry> argument_attributes() {
    std::vector<Dict::Entry> found;
    const bool is_user_defined = schema_.file.empty();
    const Value parameters = module_.own_parameters(), buffers = module_.own_buffers();
    for (const auto& [name, v] : arguments()) {
      const bool is_attribute =
          is_user_defined || std::find(std::begin(kNonAttributes), std::end(kNonAttributes),
                                       name) == std::end(kNonAttributes);
      if (is_attribute && !parameters.contains(name) && !buffers.contains(name))
        found.emplace_back(name, v);
    }
    return found;
  }

  Value value(std::string_view name) {
    if (const auto* list = module_.as<ParameterList>()) return list->size();
    if (const auto* dict = module_.as<ParameterDict>()) {
      const Value keys = Value::dict();
      for (const std::string& key : dict->keys()) keys.as_dict().set(key, {});
      return keys;
    }
    for (const auto& [argument, v] : arguments())
      if (argument == name) return v;
    if (const auto* conv = module_.as<ConvBase>()) return convolution_attribute(*conv, name);
    if (auto* rnn = module_.as<RNNBase>()) return recurrent_attribute(*rnn, name);
    if (schema_.name == "ReLU6") return name == "min_val" ? 0.0 : 6.0;
    if (schema_.name.starts_with("ZeroPad")) return 0.0;
    fail<KeyError>("{}: unknown attribute '{}'", schema_.name, name);
  }

  Value convolution_attribute(const ConvBase& conv, std::string_view name) const {
    const std::size_t rank = conv.kernel_size.size();
    if (name == "transposed") return schema_.name.starts_with("ConvTranspose");
    if (name == "output_padding") return Value::tuple(Values(rank, 0));
    // _reversed_padding_repeated_twice is the padding argument of F.pad: the padding before and
    // after each dimension, from the last dimension to the first.
    Values reversed_padding;
    for (std::size_t d = rank; d-- > 0;) {
      const auto [before, after] = conv.padding.sides(d, conv.kernel_size[d], conv.dilation[d]);
      reversed_padding.emplace_back(before), reversed_padding.emplace_back(after);
    }
    return conv.padding.word.empty() ? Value::tuple(std::move(reversed_padding))
                                     : Value::list(std::move(reversed_padding));
  }

  static Value recurrent_attribute(RNNBase& rnn, std::string_view name) {
    if (name == "mode") return rnn.mode;
    if (name == "proj_size") return rnn.proj_size;
    const Value layers = Value::list(), names = Value::list(), weights = Value::list();
    for (std::int64_t layer = 0; layer < rnn.num_layers; ++layer)
      for (const char* direction : {"", "_reverse"}) {
        if (*direction && !rnn.bidirectional) continue;
        const Value names_of_direction = Value::list();
        const std::string suffix = "_l" + std::to_string(layer) + direction;
        names_of_direction.append("weight_ih" + suffix),
            names_of_direction.append("weight_hh" + suffix);
        if (rnn.bias)
          names_of_direction.append("bias_ih" + suffix),
              names_of_direction.append("bias_hh" + suffix);
        if (rnn.proj_size > 0) names_of_direction.append("weight_hr" + suffix);
        for (const Value& weight : names_of_direction.as_list()) {
          names.append(weight);
          weights.append(rnn.get_attr(weight.as_string()));
        }
        layers.append(names_of_direction);
      }
    return name == "_all_weights" ? layers : name == "_flat_weights" ? weights : names;
  }

  Module& module_;
  const ModuleSchema& schema_;
  std::vector<std::pair<std::string_view, Value>> arguments_;
};

}  // namespace

PythonAttributes python_attributes(const Module& module, const ModuleSchema& schema) {
  return AttributeBuilder(module, schema).all();
}

std::string_view attribute_names(const ModuleSchema& schema) {
  const AttributeLists* const lists = attribute_lists_of(schema);
  return lists ? lists->after : schema.signature;
}

void complete_attributes(const ModuleSchema& schema, Dict& attributes) {
  if (schema.file != "rnn") return;
  const Value* const layers = attributes.find("num_layers");
  const std::size_t parameters = attributes.at("_parameters").size();
  if (layers && layers->is_int() && layers->as_int() > static_cast<std::int64_t>(parameters))
    fail<ValueError>("inconsistent attributes: got num_layers={} and {} parameters",
                     layers->as_int(), parameters);
  const Value* const mode = attributes.find("mode");
  if (schema.name == "RNN" && mode && *mode == Value("RNN_RELU") &&
      !attributes.contains("nonlinearity"))
    attributes.set("nonlinearity", "relu");
}

}  // namespace taper::nn
