// StateFields: conversion between the members of a scheduler and its state dict.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

class LRScheduler;

/// Saves, validates or loads the members of a scheduler by name. `LRScheduler::visit_state` calls
/// it once per member, in the order of the keys.
///
///     void visit_state(StateFields& field) override {
///       field("warmup", warmup);
///       LRScheduler::visit_state(field);
///     }
///
/// A key that the loaded dict lacks leaves its member unchanged, as in PyTorch. An integral float
/// is accepted as an integer, and a one-element tensor as a number.
class StateFields {
 public:
  void operator()(std::string_view name, bool& member);
  void operator()(std::string_view name, std::int64_t& member);
  void operator()(std::string_view name, double& member);
  void operator()(std::string_view name, std::optional<double>& member);
  void operator()(std::string_view name, Scalar& member);
  void operator()(std::string_view name, std::string& member);
  void operator()(std::string_view name, std::vector<double>& member);
  void operator()(std::string_view name, std::vector<std::int64_t>& member);
  void operator()(std::string_view name, Value& member);
  /// Visits nested schedulers, which are saved as a list of their state dicts. Loading requires the
  /// key.
  void schedulers(std::string_view name, const std::vector<LRScheduler*>& members);
  /// Visits the states of a list of functions, as returned by `RateFunction::state`. Loading
  /// requires the key and calls `load(i, state)` for each state that is not None.
  void functions(std::string_view name, const Values& states,
                 const SharedFunction<void(std::size_t, const Value&)>& load);
  /// Visits the state of a function, as returned by `RateFunction::state`. Loading requires the key
  /// and calls `load(state)` unless the state is None.
  void function(std::string_view name, const Value& state,
                const SharedFunction<void(const Value&)>& load);

 private:
  friend class LRScheduler;
  enum class Mode : std::uint8_t { save, check, load };
  StateFields(Mode mode, Value dict, std::string owner)
      : mode_(mode), dict_(std::move(dict)), owner_(std::move(owner)) {}
  const Value* find_entry(std::string_view name);
  const Value& required(std::string_view name);
  const Values& required_list(std::string_view name, std::size_t size);
  [[noreturn]] void reject(std::string_view name, const char* expected, const Value& got) const;
  template <class T, class Read>
  void visit(std::string_view name, T& member, const Value& saved, const Read& read);

  Mode mode_;
  Value dict_;
  std::string owner_;                       // class of the scheduler, for messages
  std::vector<std::string> visited_names_;  // names visited so far
};

}  // namespace optim::lr_scheduler
}  // namespace taper
