// State of a run: generators and state dicts.
#include "core/check.h"
#include "taper/ops/copy.h"
#include "train/trainer/trainer_impl.h"

namespace taper::train::detail {
namespace {

/// Returns a copy that does not share tensors.
Value deep_copy(const Value& value) {
  if (value.is_tensor()) {
    const Tensor copy = value.as_tensor().detach().clone();
    return value.is_parameter() ? Value::parameter(copy) : Value(copy);
  }
  if (value.is_list() || value.is_tuple()) {
    Values items;
    for (const Value& item : value.as_sequence()) items.push_back(deep_copy(item));
    return value.with_items(std::move(items));
  }
  if (!value.is_dict()) return value;
  Value copy = value.as_dict().copy();
  for (const auto& [key, item] : value.as_dict()) copy.as_dict().set(key, deep_copy(item));
  return copy;
}

template <class T> Value states_of(const std::vector<T>& parts) {
  Value states = Value::list();
  for (const auto& part : parts) states.append(part->state_dict());
  return states;
}

/// Returns the state itself if there is one, otherwise the list. Training scripts of PyTorch store
/// the state dict of a single optimizer or scheduler without a list.
Value merge(const Value& states) { return states.size() == 1 ? states.as_list()[0] : states; }

template <class T, class Load> void load_states(const char* name, const std::vector<T>& parts,
                                                const Value& merged, const Load& load) {
  const Values states = parts.size() == 1 ? Values{merged} : Values(merged.as_sequence());
  if (states.size() != parts.size())
    fail<ValueError>("{}: expected {} states, got {}", name, parts.size(), states.size());
  for (std::size_t i = 0; i < parts.size(); ++i) load(*parts[i], states[i]);
}

/// Replaces the generators of a checkpoint, which are those of the first rank, by those of `rank`.
/// If the checkpoint does not contain the rank, they are empty, or unchanged for ranks that share
/// their batches.
void select_generators(const Value& value, int rank, bool shares_batches, RunState& loaded,
                       GeneratorStates& generators) {
  if (rank == 0) return;
  const Value* const all = value.find("rank_generators");
  if (!all || all->as_sequence().size() <= static_cast<std::size_t>(rank)) {
    if (shares_batches) return;
    generators.clear();
    loaded.epoch_generators.clear();
    return;
  }
  const Value& own = all->as_sequence()[static_cast<std::size_t>(rank)];
  generators = generator_states(own["generators"]);
  loaded.epoch_generators.clear();
  if (loaded.batch > 0) loaded.epoch_generators = generator_states(own["epoch_generators"]);
}

}  // namespace

GeneratorStates TrainerImpl::capture_generators() const {
  GeneratorStates states{get_rng_state()};
  states.push_back(loader_generator ? loader_generator->get_state()
                                    : GeneratorStates::value_type());
  for (const Generator& g : options.generators) states.push_back(g.get_state());
  return states;
}

void TrainerImpl::restore_generators(const GeneratorStates& states) {
  set_rng_state(states[0]);
  if (loader_generator && !states[1].empty()) loader_generator->set_state(states[1]);
  for (std::size_t i = 0; i < options.generators.size(); ++i)
    options.generators[i].set_state(states[2 + i]);
}

Value TrainerImpl::component_states(Form form) {
  const RankExchange* const exchange = ranks().exchange();
  const bool is_whole = form == Form::whole;
  Value optimizer_states = Value::list();
  for (optim::Optimizer* const o : optimizers)
    optimizer_states.append(!exchange  ? o->state_dict()
                            : is_whole ? exchange->whole_state(*o)
                                       : exchange->own_state(*o));
  const Value states =
      Value::dict({{"model_state_dict",
                    exchange && is_whole ? exchange->whole_state(module) : module.state_dict()},
                   {"optimizer_state_dict", merge(optimizer_states)},
                   {"scheduler_state_dict", merge(states_of(options.schedulers))},
                   {"step_scheduler_state_dict", merge(states_of(options.step_schedulers))}});
  if (scaler) states.as_dict().set("scaler_state_dict", scaler->state_dict());
  if (ema)
    states.as_dict().set("ema_state_dict",
                         exchange && is_whole ? exchange->whole_state(*ema) : ema->state_dict());
  return states;
}

void TrainerImpl::load_component_states(const Value& from, Form form) {
  const RankExchange* const exchange = form == Form::whole ? ranks().exchange() : nullptr;
  const auto load = [&](auto& component, const Value& component_state) {
    if (exchange)
      exchange->load_whole_state(component, component_state);
    else
      component.load_state_dict(component_state);
  };
  const auto load_own = [](auto& component, const Value& component_state) {
    component.load_state_dict(component_state);
  };
  load(module, from["model_state_dict"]);
  load_states("optimizer_state_dict", optimizers, from["optimizer_state_dict"], load);
  load_states("scheduler_state_dict", options.schedulers, from["scheduler_state_dict"], load_own);
  load_states("step_scheduler_state_dict", options.step_schedulers,
              from["step_scheduler_state_dict"], load_own);
  if (scaler) scaler->load_state_dict(from["scaler_state_dict"]);
  if (ema) load(*ema, from["ema_state_dict"]);
}

Value TrainerImpl::collect() {
  const Ranks all_ranks = ranks();
  Value value = state.to_value();
  Dict& entries = value.as_dict();
  entries.set("generators",
              to_value(loaded_generators ? *loaded_generators : capture_generators()));
  const Value components = component_states(Form::whole);
  for (const auto& [name, component_state] : components.as_dict())
    entries.set(name, component_state);
  if (all_ranks.are_alone()) return value;
  // The entries of the first rank are those of a run of one process, which can therefore be
  // resumed from the checkpoint.
  const Values all = all_ranks.all_gather(Value::dict(
      {{"generators", value["generators"]}, {"epoch_generators", value["epoch_generators"]}}));
  for (const auto& [name, states] : all[0].as_dict()) entries.set(name, states);
  entries.set("rank_generators", Value::list(all));
  return value;
}

void TrainerImpl::restore(const Value& value) {
  RunState loaded = RunState::from_value(value);
  GeneratorStates generators = generator_states(value["generators"]);
  const int rank = ranks().rank();
  const RankExchange* const exchange = ranks().exchange();
  select_generators(value, rank, exchange && exchange->shares_batches(module), loaded, generators);
  for (const GeneratorStates* states : {&generators, &loaded.epoch_generators}) {
    if (states->empty() && (states == &loaded.epoch_generators || rank > 0)) continue;
    if (states->size() != options.generators.size() + 2)
      fail<ValueError>("generators: expected {}, got {}", options.generators.size() + 2,
                       states->size());
    for (std::size_t i = 0; i < states->size(); ++i)
      if (i != 1 || !(*states)[i].empty()) Generator().set_state((*states)[i]);  // throws
  }
  const Value before = deep_copy(component_states(Form::own));
  try {
    load_component_states(value, Form::whole);
  } catch (...) {
    load_component_states(before, Form::own);
    throw;
  }
  state = std::move(loaded);
  loaded_generators.reset();
  if (!generators.empty()) loaded_generators = std::move(generators);
}

}  // namespace taper::train::detail
