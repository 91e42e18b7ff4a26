#include "taper/optim/lr_scheduler/state_fields.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace taper::optim::lr_scheduler {
namespace {

// The following functions return std::nullopt for a value of another type.
std::optional<Scalar> try_scalar(const Value& v) {
  if (v.is_int()) return v.as_int();
  if (v.is_float()) return v.as_double();
  if (v.is_tensor() && v.as_tensor().numel() == 1) return v.as_tensor().item();
  return {};
}
std::optional<double> try_double(const Value& v) {
  const auto number = try_scalar(v);
  return number ? std::optional(number->to_double()) : std::nullopt;
}
std::optional<std::int64_t> try_int(const Value& v) {
  const auto number = try_scalar(v);
  if (!number || std::abs(number->to_double()) > 0x1p62) return {};
  const std::int64_t whole = number->to_int();
  return static_cast<double>(whole) == number->to_double() ? std::optional(whole) : std::nullopt;
}
template <class T, class Read> std::optional<std::vector<T>> try_list(const Value& v, Read read) {
  if (!v.is_list() && !v.is_tuple()) return {};
  std::vector<T> items;
  for (const Value& item : v.as_sequence()) {
    const auto read_item = read(item);
    if (!read_item) return {};
    items.push_back(*read_item);
  }
  return items;
}
template <class T> Value to_list_value(const std::vector<T>& items) {
  return Value::list(Values(items.begin(), items.end()));
}

}  // namespace

const Value* StateFields::find_entry(std::string_view name) {
  visited_names_.emplace_back(name);
  return mode_ == Mode::save ? nullptr : dict_.as_dict().find(name);
}

const Value& StateFields::required(std::string_view name) {
  const Value* found = find_entry(name);
  if (!found) fail<KeyError>("'{}'", name);  // the text of Python's dict
  return *found;
}

const Values& StateFields::required_list(std::string_view name, std::size_t size) {
  const Value& found = required(name);
  if (!found.is_list() && !found.is_tuple()) reject(name, "a list", found);
  if (found.size() != size)
    fail<ValueError>("{}.load_state_dict: '{}' has a different length: got {}, expected {}", owner_,
                     name, found.size(), size);
  return found.as_sequence();
}

void StateFields::reject(std::string_view name, const char* expected, const Value& got) const {
  fail<TypeError>("{}.load_state_dict: invalid '{}': got {}, expected {}", owner_, name, got.repr(),
                  expected);
}

// In mode `save`, stores `saved` as the entry. Otherwise, reads the entry, if it exists, with
// `read`, which throws for an unsuitable value; assigns the result to `member` in mode `load`.
template <class T, class Read>
void StateFields::visit(std::string_view name, T& member, const Value& saved, const Read& read) {
  const Value* found = find_entry(name);
  if (mode_ == Mode::save) {
    dict_[name] = saved;
  } else if (found) {
    auto loaded = read(*found);
    if (mode_ == Mode::load) member = std::move(loaded);
  }
}

void StateFields::operator()(std::string_view name, bool& member) {
  visit(name, member, member, [&](const Value& v) {
    if (!v.is_bool()) reject(name, "a bool", v);
    return v.as_bool();
  });
}
void StateFields::operator()(std::string_view name, std::int64_t& member) {
  visit(name, member, member, [&](const Value& v) {
    const auto number = try_int(v);
    if (!number) reject(name, "an integer", v);
    return *number;
  });
}
void StateFields::operator()(std::string_view name, double& member) {
  visit(name, member, member, [&](const Value& v) {
    const auto number = try_double(v);
    if (!number) reject(name, "a number", v);
    return *number;
  });
}
void StateFields::operator()(std::string_view name, std::optional<double>& member) {
  visit(name, member, member ? Value(*member) : Value(), [&](const Value& v) {
    const auto number = try_double(v);
    if (!number && !v.is_none()) reject(name, "a number or None", v);
    return number;
  });
}
void StateFields::operator()(std::string_view name, Scalar& member) {
  visit(name, member, member, [&](const Value& v) {
    const auto number = try_scalar(v);
    if (!number) reject(name, "a number", v);
    return *number;
  });
}
void StateFields::operator()(std::string_view name, std::string& member) {
  visit(name, member, member, [&](const Value& v) {
    if (!v.is_string()) reject(name, "a string", v);
    return v.as_string();
  });
}
void StateFields::operator()(std::string_view name, std::vector<double>& member) {
  visit(name, member, to_list_value(member), [&](const Value& v) {
    auto list = try_list<double>(v, try_double);
    if (!list) reject(name, "a list of numbers", v);
    return std::move(*list);
  });
}
void StateFields::operator()(std::string_view name, std::vector<std::int64_t>& member) {
  visit(name, member, to_list_value(member), [&](const Value& v) {
    auto list = try_list<std::int64_t>(v, try_int);
    if (!list) reject(name, "a list of integers", v);
    return std::move(*list);
  });
}
void StateFields::operator()(std::string_view name, Value& member) {
  visit(name, member, member, [](const Value& v) { return v; });
}

void StateFields::schedulers(std::string_view name, const std::vector<LRScheduler*>& members) {
  if (mode_ == Mode::save) {
    Value list = Value::list();
    for (LRScheduler* member : members) list.append(member->state_dict());
    visited_names_.emplace_back(name);
    dict_[name] = list;
    return;
  }
  const Values& given = required_list(name, members.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (mode_ == Mode::check)
      members[i]->check(given[i]);
    else
      members[i]->load(given[i]);
}

void StateFields::functions(std::string_view name, const Values& states,
                            const SharedFunction<void(std::size_t, const Value&)>& load) {
  if (mode_ == Mode::save) {
    visited_names_.emplace_back(name);
    dict_[name] = Value::list(states);
    return;
  }
  const Values& given = required_list(name, states.size());
  if (mode_ == Mode::load)
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!given[i].is_none()) load(i, given[i]);
}

void StateFields::function(std::string_view name, const Value& state,
                           const SharedFunction<void(const Value&)>& load) {
  if (mode_ == Mode::save) {
    visited_names_.emplace_back(name);
    dict_[name] = state;
  } else if (const Value& given = required(name); mode_ == Mode::load && !given.is_none()) {
    load(given);
  }
}

Value LRScheduler::state_dict() {
  StateFields fields(StateFields::Mode::save, Value::dict(), std::string(type_name()));
  visit_state(fields);
  for (const auto& [name, value] : unknown_.as_dict())
    if (!fields.dict_.contains(name)) fields.dict_[name] = value;
  return fields.dict_;
}

void LRScheduler::load_state_dict(const Value& state_dict) {
  check(state_dict);
  const Value before = this->state_dict();
  try {
    load(state_dict);
  } catch (...) {  // a user-defined function rejected its state
    load(before);
    throw;
  }
}

void LRScheduler::check(const Value& state_dict) {
  if (!state_dict.is_dict())
    fail<TypeError>("{}.load_state_dict: expected a dict, got {}", type_name(),
                    state_dict.type_name());
  StateFields fields(StateFields::Mode::check, state_dict, std::string(type_name()));
  visit_state(fields);
  check_state(state_dict);
}

void LRScheduler::load(const Value& state_dict) {
  StateFields fields(StateFields::Mode::load, state_dict, std::string(type_name()));
  visit_state(fields);
  unknown_ = Value::dict();
  for (const auto& [name, value] : state_dict.as_dict()) {
    const bool known =
        name.is_string() && std::find(fields.visited_names_.begin(), fields.visited_names_.end(),
                                      name.as_string()) != fields.visited_names_.end();
    if (!known) unknown_[name] = value;
  }
}

void LRScheduler::visit_state(StateFields& field) {
  field("base_lrs", base_lrs);
  field("last_epoch", last_epoch);
  field("_step_count", step_count_);
  field("_is_initial", is_initial_);
  field("_get_lr_called_within_step", in_step_);
  field("_last_lr", last_lr_);
}
// A composed scheduler has a step count only if a SequentialLR started it as its first scheduler.
void LRScheduler::visit_initial_step(StateFields& field) {
  if (step_count_ < 0) return;
  field("_step_count", step_count_);
  field("_is_initial", is_initial_);
}
void LRScheduler::check_state(const Value&) const {}

}  // namespace taper::optim::lr_scheduler
