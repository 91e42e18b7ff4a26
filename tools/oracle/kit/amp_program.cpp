#include <map>
#include <stdexcept>

#include "cases/outcome.h"
#include "functions/table.h"
#include "kit/amp.h"
#include "layers/build.h"
#include "taper/autograd/autocast.h"
#include "taper/autograd/checkpoint.h"
#include "taper/core/error.h"
#include "taper/nn/module_value.h"
#include "taper/nn/sequential.h"
#include "taper/optim/sgd.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

/// What the user-defined functions met.
thread_local Json seen = Json::array();

Json dtype_text(DType dtype) { return {{"dtype", std::string(name_of(dtype))}}; }

void see_forward(const Tensor& a, const Tensor& b) {
  seen.push_back({"forward", is_autocast_enabled(), dtype_text(a.dtype()), dtype_text(b.dtype())});
}
void see_backward(const Tensor& g) {
  seen.push_back({"backward", is_autocast_enabled(), dtype_text(g.dtype())});
}

/// A product without knowledge of autocast.
struct PlainMM : autograd::Function<PlainMM> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a, const Tensor& b) {
    ctx.save_for_backward({a, b});
    see_forward(a, b);
    return a.mm(b);
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const std::vector<Tensor> saved = ctx.saved_tensors();
    const Tensor& g = grads[0];
    see_backward(g);
    return {g.mm(saved[1].t().to(g.dtype())), saved[0].t().to(g.dtype()).mm(g)};
  }
};

/// A product whose backward pass runs in the scope of its forward pass.
template <class Derived> struct CustomMM : autograd::Function<Derived> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a, const Tensor& b) {
    return amp::custom_fwd(
        ctx, Derived::options(),
        [&](const Tensor& x, const Tensor& y) {
          ctx.save_for_backward({x, y});
          see_forward(x, y);
          return x.mm(y);
        },
        a, b);
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    return amp::custom_bwd(ctx, [&] {
      const std::vector<Tensor> saved = ctx.saved_tensors();
      see_backward(grads[0]);
      return std::vector<Tensor>{grads[0].mm(saved[1].t()), saved[0].t().mm(grads[0])};
    });
  }
};
struct ScopedMM : CustomMM<ScopedMM> {
  static amp::CustomFwdOptions options() { return {}; }
};
struct FullMM : CustomMM<FullMM> {
  static amp::CustomFwdOptions options() { return {.cast_inputs = float32}; }
};

/// Restores the state of autocast, which a program may set.
struct RestoredSwitches {
  bool enabled = is_autocast_enabled(), cache_enabled = is_autocast_cache_enabled();
  DType dtype = get_autocast_dtype();
  ~RestoredSwitches() {
    set_autocast_enabled(enabled);
    set_autocast_cache_enabled(cache_enabled);
    set_autocast_dtype(dtype);
    clear_autocast_cache();
  }
};

/// Variables of a program, and what it showed.
class Machine {
 public:
  explicit Machine(Case& c) : case_(c), read_(c) {}

  void run(const Json& body) {
    for (const Json& statement : body) {
      Fields s(statement);
      run(s.text("do"), s);
      s.done();
    }
  }
  /// Compares what the program showed.
  void expect(const Json& shown) {
    if (shown_.size() != shown.size()) throw MalformedCase("wrong number of shown values");
    for (std::size_t i = 0; i < shown_.size(); ++i)
      shown_[i]("shown " + std::to_string(i), shown[i]);
  }

 private:
  using Expectation = std::function<void(const std::string& what, const Json& expected)>;

  void run(const std::string& what, Fields& s);
  void make_variable(const std::string& what, Fields& s);
  void run_scope(const std::string& what, Fields& s);
  void set(Fields& s);
  void show(const Value& value);
  void show_text(Json text) {
    shown_.push_back([this, text](const std::string& what, const Json& expected) {
      case_.expect_text(what, text.dump(), expected.dump());
    });
  }

  nn::Module& module(const std::string& name) { return *modules_.at(name); }
  Built make_module(const Json& spec);
  Value evaluate(const Json& value);
  Values evaluate_list(const Json& items) {
    Values values;
    for (const Json& item : items) values.push_back(evaluate(item));
    return values;
  }
  std::map<std::string, Value> evaluate_named(const Json* items) {
    std::map<std::string, Value> values;
    if (items)
      for (const auto& [key, value] : items->items()) values[key] = evaluate(value);
    return values;
  }
  Value find(const std::string& path);

  Case& case_;
  Reader read_;
  std::map<std::string, Value> variables_;
  std::map<std::string, Built> modules_;
  std::vector<Expectation> shown_;
};

Value Machine::evaluate(const Json& value) {
  if (value.is_object() && value.contains("v")) return find(value.at("v"));
  if (value.is_array()) return Value::list(evaluate_list(value));
  return read_(value);
}

/// Returns a variable, or a tensor within one: "m.weight", "y.0", "p.grad".
Value Machine::find(const std::string& path) {
  constexpr std::string_view kGrad = ".grad";
  if (path.ends_with(kGrad)) {
    const Tensor grad = find(path.substr(0, path.size() - kGrad.size())).as_tensor().grad();
    return grad.defined() ? Value(grad) : Value();
  }
  const std::size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  if (const auto m = modules_.find(name); m != modules_.end()) {
    const std::string key = path.substr(dot + 1);
    for (const auto& [n, p] : m->second->named_parameters())
      if (n == key) return Tensor(p);
    for (const auto& [n, b] : m->second->named_buffers())
      if (n == key) return Tensor(b);
    throw MalformedCase("no tensor " + path);
  }
  const Value& variable = variables_.at(name);
  if (dot == path.npos) return variable;
  return variable.as_sequence().at(std::stoul(path.substr(dot + 1)));
}

Built Machine::make_module(const Json& spec) {
  if (const auto children = spec.find("children"); children != spec.end()) {
    auto sequential = std::make_shared<nn::Sequential>();
    for (std::size_t i = 0; i < children->size(); ++i)
      sequential->add_module(std::to_string(i), make_module(children->at(i)));
    return sequential;
  }
  std::map<std::string, Value> args;
  for (const auto& [key, value] : spec.at("args").items()) args[key] = read_(value);
  if (const auto layer = spec.find("layer"); layer != spec.end()) {
    args["encoder_layer"] = nn::value_of(make_module(*layer));
    return make_layer("TransformerEncoder", {}, std::move(args));
  }
  return make_layer(spec.at("name"), {}, std::move(args));
}

void Machine::make_variable(const std::string& what, Fields& s) {
  const std::string out = s.text("out");
  if (what == "tensor") {
    Tensor x = read_(s.at("value")).as_tensor().clone();
    if (const Json* requires_grad = s.find("requires_grad"))
      x.set_requires_grad(read_bool(*requires_grad));
    variables_[out] = x;
  } else if (what == "call") {
    const std::string name = s.text("fn");
    variables_[out] =
        call_function(name, evaluate_list(s.at("args")), evaluate_named(s.find("kwargs")));
  } else if (what == "forward") {
    const Value kwargs = Value::dict();
    for (const auto& [key, value] : evaluate_named(s.find("kwargs"))) kwargs[key] = value;
    variables_[out] = module(s.text("module")).call(evaluate_list(s.at("args")), kwargs);
  } else if (what == "checkpoint") {
    // Taper has one implementation, the one without reentrant backward.
    static_cast<void>(s.at("use_reentrant"));
    nn::Module& m = module(s.text("module"));
    variables_[out] = utils::checkpoint([&m](const Tensor& x) { return m.call({x}).as_tensor(); },
                                        evaluate(s.at("args").at(0)).as_tensor());
  } else if (what == "custom") {
    const std::string name = s.text("fn");
    const Values args = evaluate_list(s.at("args"));
    const Tensor a = args.at(0).as_tensor(), b = args.at(1).as_tensor();
    variables_[out] = name == "PlainMM"    ? PlainMM::apply(a, b)
                      : name == "ScopedMM" ? ScopedMM::apply(a, b)
                      : name == "FullMM"   ? FullMM::apply(a, b)
                                           : throw MalformedCase("unknown function " + name);
  } else {
    throw MalformedCase("unknown statement '" + what + "'");
  }
}

void Machine::run_scope(const std::string& what, Fields& s) {
  const Json& body = s.at("body");
  if (what == "no_grad") {
    const NoGrad guard;
    return run(body);
  }
  if (what == "fails") {
    bool failed = false;
    try {
      run(body);
    } catch (const Error&) { failed = true; } catch (const std::out_of_range&) {
      failed = true;  // a variable that does not exist
    }
    return show_text({{"fails", failed}});
  }
  amp::AutocastOptions options;
  if (const Json* dtype = s.find("dtype")) options.dtype = read_(*dtype).as_dtype();
  if (const Json* enabled = s.find("enabled")) options.enabled = read_bool(*enabled);
  if (const Json* cache = s.find("cache_enabled")) options.cache_enabled = read_bool(*cache);
  const amp::Autocast scope(options);
  run(body);
}

void Machine::set(Fields& s) {
  if (const Json* enabled = s.find("enabled")) set_autocast_enabled(read_bool(*enabled));
  if (const Json* dtype = s.find("dtype")) set_autocast_dtype(read_(*dtype).as_dtype());
  if (const Json* cache = s.find("cache_enabled")) set_autocast_cache_enabled(read_bool(*cache));
}

void Machine::show(const Value& value) {
  shown_.push_back([this, shown = value.is_tensor()
                                      ? Value(value.as_tensor().detach().clone())
                                      : value](const std::string& what, const Json& expected) {
    if (expected.is_null() || shown.is_none())
      return case_.expect_text(what, shown.is_none() ? "null" : "a value", expected.dump());
    if (shown.is_tensor()) return expect_tensor(case_, what, shown.as_tensor(), expected);
    std::size_t i = 0;
    for (const Value& item : shown.as_sequence())
      if (!item.is_none()) expect_tensor(case_, what, item.as_tensor(), expected.at(i++));
    if (i != expected.size()) case_.fail(what + ": " + std::to_string(i) + " tensors");
  });
}

void Machine::run(const std::string& what, Fields& s) {
  if (what == "autocast" || what == "no_grad" || what == "fails") return run_scope(what, s);
  if (what == "set") return set(s);
  if (what == "clear_cache") return clear_autocast_cache();
  if (what == "show") return show(find(s.text("what")));
  if (what == "show_dtype") return show_text(dtype_text(find(s.text("what")).as_tensor().dtype()));
  if (what == "show_state")
    return show_text(
        {is_autocast_enabled(), dtype_text(get_autocast_dtype()), is_autocast_cache_enabled()});
  if (what == "assign") {
    const NoGrad guard;
    find(s.text("to")).as_tensor().copy_(evaluate(s.at("value")).as_tensor());
  } else if (what == "backward") {
    autograd::BackwardOptions options;
    if (const Json* gradient = s.find("gradient"))
      options.grad_tensors = {evaluate(*gradient).as_tensor()};
    if (const Json* retain = s.find("retain_graph")) options.retain_graph = read_bool(*retain);
    const Tensor of = find(s.text("of")).as_tensor();
    autograd::backward(std::span(&of, 1), options);
  } else if (what == "sgd") {
    optim::SGD sgd(module(s.text("module")).parameters(), {.lr = s.number("lr")});
    sgd.step();
    sgd.zero_grad();
  } else if (what == "module") {
    const std::string out = s.text("out");
    Json spec;
    for (const char* field : {"name", "args", "children", "layer"})
      if (const Json* value = s.find(field)) spec[field] = *value;
    const Built m = make_module(spec);
    const Value state = Value::ordered_dict();
    for (const auto& [key, reference] : s.at("state").items()) state[key] = read_(reference);
    m->load_state_dict(state);
    const Json* train = s.find("train");
    m->train(!train || read_bool(*train));
    modules_[out] = m;
  } else {
    make_variable(what, s);
  }
}

}  // namespace

void run_autocast_program(Case& c, Generators&) {
  seen = Json::array();
  Machine machine(c);
  const RestoredSwitches restored;
  machine.run(c.at("program"));
  Fields expected(c.at("expected"));
  machine.expect(expected.at("shown"));
  const Json* seen_before = expected.find("seen");
  c.expect_text("seen", seen.dump(), seen_before ? seen_before->dump() : "[]");
  expected.done();
}

}  // namespace taper::oracle
