#include "taper/optim/make.h"

#include "optim/option_reader.h"
#include "taper/optim/optim.h"

namespace taper::optim {
namespace {

void read_options(OptionReader& r, SGDOptions& o) {
  r("lr", o.lr)("momentum", o.momentum)("dampening", o.dampening)("weight_decay", o.weight_decay);
  r("nesterov", o.nesterov)("maximize", o.maximize)("foreach", o.foreach);
  r("differentiable", o.differentiable)("fused", o.fused);
}
void read_options(OptionReader& r, AdamOptions& o) {
  r("lr", o.lr)("betas", o.betas)("eps", o.eps)("weight_decay", o.weight_decay);
  r("amsgrad", o.amsgrad)("foreach", o.foreach)("maximize", o.maximize);
  r("capturable", o.capturable)("differentiable", o.differentiable)("fused", o.fused);
  r("decoupled_weight_decay", o.decoupled_weight_decay);
}
void read_options(OptionReader& r, AdamWOptions& o) {
  r("lr", o.lr)("betas", o.betas)("eps", o.eps)("weight_decay", o.weight_decay);
  r("amsgrad", o.amsgrad)("maximize", o.maximize)("foreach", o.foreach);
  r("capturable", o.capturable)("differentiable", o.differentiable)("fused", o.fused);
}
void read_options(OptionReader& r, AdamaxOptions& o) {
  r("lr", o.lr)("betas", o.betas)("eps", o.eps)("weight_decay", o.weight_decay);
  r("foreach", o.foreach)("maximize", o.maximize)("differentiable", o.differentiable);
  r("capturable", o.capturable);
}
void read_options(OptionReader& r, NAdamOptions& o) {
  r("lr", o.lr)("betas", o.betas)("eps", o.eps)("weight_decay", o.weight_decay);
  r("momentum_decay", o.momentum_decay)("decoupled_weight_decay", o.decoupled_weight_decay);
  r("foreach", o.foreach)("maximize", o.maximize)("capturable", o.capturable);
  r("differentiable", o.differentiable);
}
void read_options(OptionReader& r, RAdamOptions& o) {
  r("lr", o.lr)("betas", o.betas)("eps", o.eps)("weight_decay", o.weight_decay);
  r("decoupled_weight_decay", o.decoupled_weight_decay)("foreach", o.foreach);
  r("maximize", o.maximize)("capturable", o.capturable)("differentiable", o.differentiable);
}
void read_options(OptionReader& r, RMSpropOptions& o) {
  r("lr", o.lr)("alpha", o.alpha)("eps", o.eps)("weight_decay", o.weight_decay);
  r("momentum", o.momentum)("centered", o.centered)("capturable", o.capturable);
  r("foreach", o.foreach)("maximize", o.maximize)("differentiable", o.differentiable);
}
void read_options(OptionReader& r, AdagradOptions& o) {
  r("lr", o.lr)("lr_decay", o.lr_decay)("weight_decay", o.weight_decay)("eps", o.eps);
  r("initial_accumulator_value", o.initial_accumulator_value)("foreach", o.foreach);
  r("maximize", o.maximize)("differentiable", o.differentiable)("fused", o.fused);
}
void read_options(OptionReader& r, AdadeltaOptions& o) {
  r("lr", o.lr)("rho", o.rho)("eps", o.eps)("weight_decay", o.weight_decay);
  r("foreach", o.foreach)("capturable", o.capturable)("maximize", o.maximize);
  r("differentiable", o.differentiable);
}
void read_options(OptionReader& r, RpropOptions& o) {
  r("lr", o.lr)("etas", o.etas)("step_sizes", o.step_sizes)("capturable", o.capturable);
  r("foreach", o.foreach)("maximize", o.maximize)("differentiable", o.differentiable);
}
void read_options(OptionReader& r, ASGDOptions& o) {
  r("lr", o.lr)("lambd", o.lambd)("alpha", o.alpha)("t0", o.t0)("weight_decay", o.weight_decay);
  r("foreach", o.foreach)("maximize", o.maximize)("differentiable", o.differentiable);
  r("capturable", o.capturable);
}
void read_options(OptionReader& r, AdafactorOptions& o) {
  r("lr", o.lr)("beta2_decay", o.beta2_decay)("eps", o.eps)("d", o.d);
  r("weight_decay", o.weight_decay)("foreach", o.foreach)("maximize", o.maximize);
}
void read_options(OptionReader& r, MuonOptions& o) {
  r("lr", o.lr)("weight_decay", o.weight_decay)("momentum", o.momentum)("nesterov", o.nesterov);
  r("ns_coefficients", o.ns_coefficients)("eps", o.eps)("ns_steps", o.ns_steps);
  r("adjust_lr_fn", o.adjust_lr_fn);
}
void read_options(OptionReader& r, LBFGSOptions& o) {
  r("lr", o.lr)("max_iter", o.max_iter)("max_eval", o.max_eval);
  r("tolerance_grad", o.tolerance_grad)("tolerance_change", o.tolerance_change);
  r("history_size", o.history_size)("line_search_fn", o.line_search_fn)("maximize", o.maximize);
}

template <class O, class Options>
std::unique_ptr<Optimizer> create(std::string_view name, Params params, const Value& given) {
  Options options;
  OptionReader reader(name, given);
  read_options(reader, options);
  reader.reject_unread_options();
  return std::make_unique<O>(std::move(params), options);
}

struct FactoryEntry {
  std::string_view name;
  std::unique_ptr<Optimizer> (*create)(std::string_view name, Params params, const Value& options);
};

constexpr FactoryEntry kFactories[] = {{"ASGD", create<ASGD, ASGDOptions>},
                                       {"Adadelta", create<Adadelta, AdadeltaOptions>},
                                       {"Adafactor", create<Adafactor, AdafactorOptions>},
                                       {"Adagrad", create<Adagrad, AdagradOptions>},
                                       {"Adam", create<Adam, AdamOptions>},
                                       {"AdamW", create<AdamW, AdamWOptions>},
                                       {"Adamax", create<Adamax, AdamaxOptions>},
                                       {"LBFGS", create<LBFGS, LBFGSOptions>},
                                       {"Muon", create<Muon, MuonOptions>},
                                       {"NAdam", create<NAdam, NAdamOptions>},
                                       {"RAdam", create<RAdam, RAdamOptions>},
                                       {"RMSprop", create<RMSprop, RMSpropOptions>},
                                       {"Rprop", create<Rprop, RpropOptions>},
                                       {"SGD", create<SGD, SGDOptions>}};

}  // namespace

std::unique_ptr<Optimizer> make(std::string_view name, Params params, const Value& options) {
  for (const FactoryEntry& factory : kFactories)
    if (factory.name == name) return factory.create(name, std::move(params), options);
  fail<AttributeError>("optim.make: unknown optimizer '{}', expected one of {}", name,
                       join_names(optimizer_names()));
}

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const FactoryEntry& factory : kFactories) names.push_back(factory.name);
  return names;
}

}  // namespace taper::optim
