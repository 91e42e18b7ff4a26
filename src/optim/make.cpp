#include "taper/optim/make.h"

#include "optim/option_reader.h"
#include "taper/optim/optim.h"

namespace taper::optim {
namespace {

template <class O, class Options>
std::unique_ptr<Optimizer> create(std::string_view name, Params params, const Value& given) {
  Options options;
  OptionReader reader(name, given);
  Options::taper_visit(options, [&](std::string_view field, auto& value) { reader(field, value); });
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
