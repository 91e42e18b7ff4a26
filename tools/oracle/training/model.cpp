#include "training/model.h"

#include <cmath>
#include <limits>

#include "cases/outcome.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/module_value.h"
#include "taper/nn/sequential.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

struct Select : nn::Module {
  std::int64_t dim = 0, index = 0;
  TAPER_MODULE(Select)
  Tensor forward(const Tensor& x) { return x.select(dim, index); }
};

// Returns one of several outputs, such as the first of an LSTM.
struct TupleItem : nn::Module {
  std::size_t index = 0;
  TAPER_MODULE(TupleItem)
  Tensor forward(const Value& outputs) { return outputs.as_sequence().at(index).as_tensor(); }
};

struct View : nn::Module {
  Shape shape;
  TAPER_MODULE(View)
  Tensor forward(const Tensor& x) { return x.view(shape); }
};

// Computes x + body(x).
struct Residual : nn::Module {
  TAPER_MODULE(Residual)
  Tensor forward(const Tensor& x) { return x + get_submodule("body")(x); }
};

struct Mean : nn::Module {
  std::int64_t dim = 0;
  TAPER_MODULE(Mean)
  Tensor forward(const Tensor& x) { return x.mean({dim}); }
};

// Converts to a dtype.
struct Cast : nn::Module {
  DType dtype = DType::f32;
  TAPER_MODULE(Cast)
  Tensor forward(const Tensor& x) { return x.to(dtype); }
};

// Self-attention of (B, T, dim). The number of heads follows from the width that q returns, so that
// the heads may be divided among ranks.
struct Attention : nn::Module {
  nn::Linear q, k, v, o;
  std::int64_t width = 0;
  bool is_causal = false;
  TAPER_MODULE(Attention, q, k, v, o)
  Attention(std::int64_t dim, std::int64_t heads, bool bias, bool causal)
      : q(dim, dim, {.bias = bias}),
        k(dim, dim, {.bias = bias}),
        v(dim, dim, {.bias = bias}),
        o(dim, dim, {.bias = bias}),
        width(dim / heads),
        is_causal(causal) {}

  Tensor split_heads(const Tensor& x) const {
    return x.view({x.size(0), x.size(1), x.size(2) / width, width}).transpose(1, 2);
  }
  Tensor forward(const Tensor& x) {
    const Tensor query = split_heads(q(x)), key = split_heads(k(x)), value = split_heads(v(x));
    Tensor scores = matmul(query, key.transpose(-1, -2)) / std::sqrt(static_cast<double>(width));
    if (is_causal) {
      const std::int64_t length = x.size(1);
      const Tensor is_future = ones({length, length}, {.dtype = DType::bool_}).triu(1);
      scores = scores.masked_fill(is_future, -std::numeric_limits<double>::infinity());
    }
    return o(matmul(scores.softmax(-1), value).transpose(1, 2).flatten(2));
  }
};

Built glue(const std::string& name, Fields& args) {
  if (name == "Attention") {
    const Json *bias = args.find("bias"), *causal = args.find("causal");
    const std::int64_t dim = args.at("dim"), heads = args.at("heads");
    auto made = std::make_shared<Attention>(dim, heads, bias ? bias->get<bool>() : true,
                                            causal ? causal->get<bool>() : false);
    args.done();
    return made;
  }
  if (name == "Cast") {
    auto made = std::make_shared<Cast>();
    made->dtype = option_value("dtype", args.at("dtype")).as_dtype();
    return made;
  }
  if (name == "Mean") {
    auto made = std::make_shared<Mean>();
    made->dim = args.at("dim");
    return made;
  }
  if (name == "Select") {
    auto made = std::make_shared<Select>();
    made->dim = args.at("dim"), made->index = args.at("index");
    return made;
  }
  if (name == "TupleItem") {
    auto made = std::make_shared<TupleItem>();
    made->index = args.at("index").get<std::size_t>();
    return made;
  }
  if (name == "View") {
    auto made = std::make_shared<View>();
    made->shape = args.shape("shape");
    return made;
  }
  return nullptr;
}

Built container(const std::string& name, const std::vector<std::pair<std::string, Built>>& kids) {
  if (name == "ModuleList") {
    auto made = std::make_shared<nn::ModuleList>();
    for (const auto& [key, child] : kids) made->append(child);
    return made;
  }
  Built made;
  if (name == "Sequential") made = std::make_shared<nn::Sequential>();
  if (name == "Residual") made = std::make_shared<Residual>();
  if (name == "Switch") made = std::make_shared<Switch>();
  if (!made) throw Unsupported(name);
  for (const auto& [key, child] : kids) made->add_module(name == "Residual" ? "body" : key, child);
  return made;
}

}  // namespace

Tensor Switch::forward(Tensor x) {
  const std::vector<nn::Module*> kids = children();
  for (const std::size_t i : use) x = (*kids.at(i))(x);
  return x;
}

Value option_value(const std::string& name, const Json& value) {
  if (name == "dtype" && value.is_string()) return dtype_named(value.get<std::string>());
  if (value.is_null()) return nullptr;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value == "nan" || value == "inf" || value == "-inf" || value.is_number_float())
    return Fields::number_of(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("dtype"))
    return dtype_named(value.at("dtype").get<std::string>());
  if (value.is_object()) return nn::value_of(build_model(value));
  Values items;
  for (const Json& item : value) items.push_back(option_value(name, item));
  return Value::list(std::move(items));
}

Built build_model(const Json& model) {
  Fields fields(model);
  const std::string name = fields.text("name");
  const Json* args = fields.find("args");
  const Json* children = fields.find("children");
  fields.find("key");
  fields.done();
  // A stack has one child, the layer to be copied.
  const bool is_stack = name == "TransformerEncoder" || name == "TransformerDecoder";
  std::map<std::string, Value> named;
  if (is_stack && children)
    named[name == "TransformerEncoder" ? "encoder_layer" : "decoder_layer"] =
        nn::value_of(build_model(children->at(0)));
  if (children && !is_stack) {
    std::vector<std::pair<std::string, Built>> kids;
    for (const Json& child : *children)
      kids.emplace_back(child.value("key", std::to_string(kids.size())), build_model(child));
    return container(name, kids);
  }
  const Json none = Json::object();
  Fields options(args ? *args : none);
  if (Built made = glue(name, options)) return made;
  if (args)
    for (const auto& [key, value] : args->items()) named[key] = option_value(key, value);
  return make_layer(name, {}, std::move(named));
}

std::vector<std::pair<std::string, Tensor>> state_entries(nn::Module& model) {
  std::vector<std::pair<std::string, Tensor>> entries;
  const Value state = model.state_dict();
  for (const auto& [key, value] : state.as_dict())
    entries.emplace_back(key.as_string(), value.as_tensor());
  return entries;
}

}  // namespace taper::oracle
