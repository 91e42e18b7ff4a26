#include "dist/rank_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cases/outcome.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/core/warning.h"
#include "taper/dist/collectives.h"
#include "taper/dist/init.h"
#include "training/families.h"

namespace taper::oracle {
namespace {

/// Fields that describe the case and are read by no kind.
constexpr std::initializer_list<const char*> kDistInformation = {"info", "raised"};

/// Marks the tensors of a value as read: each rank reads its own.
void mark_tensors(Case& c, const Json& value) {
  if (value.is_object() && value.contains("t")) read_tensor(c, value);
  if (value.is_structured())
    for (const Json& part : value) mark_tensors(c, part);
}

/// As mark_tensors, for expected values, which may have tolerances.
void mark_expected_tensors(Case& c, const Json& value) {
  if (value.is_object() && value.contains("t")) c.tensor(value.at("t").get<std::string>());
  if (value.is_structured())
    for (const Json& part : value) mark_expected_tensors(c, part);
}

/// Returns a value that shares no tensor with `value`.
Value with_own_tensors(const Value& value) {
  if (value.is_tensor()) return value.as_tensor().clone();
  if (value.is_list() || value.is_tuple()) {
    Values items;
    for (const Value& item : value.as_sequence()) items.push_back(with_own_tensors(item));
    return value.with_items(std::move(items));
  }
  if (!value.is_dict()) return value;
  Value copy = Value::dict();
  for (const auto& [key, item] : value.as_dict()) copy.as_dict().set(key, with_own_tensors(item));
  return copy;
}

/// Suppresses warnings, such as those of calls by ranks outside a group.
class SilencedWarnings {
 public:
  SilencedWarnings() : previous_(set_warning_handler({})) {}
  ~SilencedWarnings() { set_warning_handler(previous_); }

 private:
  SharedFunction<void(const std::string&)> previous_;
};

struct RankResults {
  std::mutex mutex;
  std::vector<Value> values;
  std::exception_ptr unsupported;
};

void run_one_rank(RankCase& c, RankFunction run, RankResults& results, double timeout, bool debug) {
  try {
    distributed::set_debug_level(debug ? distributed::DebugLevel::detail
                                       : distributed::DebugLevel::off);
    distributed::init_process_group({.timeout = distributed::Timeout(timeout)});
    manual_seed(0);
    Value result = run(c);
    const std::lock_guard lock(results.mutex);
    results.values[static_cast<std::size_t>(c.rank())] = std::move(result);
  } catch (const Unsupported&) {
    const std::lock_guard lock(results.mutex);
    results.unsupported = std::current_exception();
    throw;
  }
}

/// Returns true if the case ends the default group or expects errors, after which ranks of a job
/// cannot continue with the next case.
bool ends_group(const Json& fields) {
  if (fields.at("kind").get<std::string>().ends_with("error")) return true;
  const auto program = fields.find("program");
  return program != fields.end() &&
         std::any_of(program->begin(), program->end(),
                     [](const Json& step) { return step.at("do") == "destroy"; });
}

/// Runs a case on this rank of a job and compares its part.
void run_in_job(Case& c, const Json& fields, RankFunction run, int world) {
  if (world != distributed::get_world_size())
    throw Unsupported(fmt::format("job of {} ranks", world));
  if (ends_group(fields)) throw Unsupported("failing call in a job");
  const int rank = distributed::get_rank();
  std::mutex mutex;
  RankCase own(c, mutex, fields, rank);
  const SilencedWarnings silence;
  manual_seed(0);
  const Value result = run(own);
  distributed::barrier();
  mark_expected_tensors(c, c.at("expected"));  // those of other ranks are not read
  expect_result(c, fmt::format("rank {}", rank), result, resolve_rank(c.at("expected"), rank));
}

}  // namespace

Json resolve_rank(const Json& value, int rank) {
  if (value.is_object() && value.size() == 1 && value.contains("by_rank"))
    return resolve_rank(value.at("by_rank").at(static_cast<std::size_t>(rank)), rank);
  if (!value.is_structured()) return value;
  Json resolved = value;
  for (Json& part : resolved) part = resolve_rank(part, rank);
  return resolved;
}

RankCase::RankCase(Case& c, std::mutex& mutex, const Json& fields, int rank)
    : case_(c), mutex_(mutex), fields_(fields), rank_(rank), world_(fields.at("world")) {
  fields_.erase("expected");
  fields_ = resolve_rank(fields_, rank);
}

const Json* RankCase::find(const std::string& field) {
  {
    const std::lock_guard lock(mutex_);
    case_.find(field);
  }
  const auto found = fields_.find(field);
  return found == fields_.end() ? nullptr : &*found;
}

const Json& RankCase::at(const std::string& field) {
  if (const Json* value = find(field)) return *value;
  throw MalformedCase("no field '" + field + "'");
}

Value RankCase::value(const Json& json) {
  const std::lock_guard lock(mutex_);
  return with_own_tensors(read_data(case_, json));
}

Value RankCase::attempt(const SharedFunction<void()>& f) {
  bool fails = false;
  try {
    f();
  } catch (const Error& error) {
    fails = true;
    if (std::string_view(error.what()).empty()) throw MalformedCase("the error has no text");
  }
  if (const Json* judged = find("judged"))
    if (std::find(judged->begin(), judged->end(), Json(rank_)) == judged->end())
      return Value::dict({{"fails", Value()}});
  return Value::dict({{"fails", fails}});
}

void run_on_ranks(Case& c, const std::map<std::string, RankFunction>& kinds) {
  const std::string kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw MalformedCase("unknown kind '" + kind + "'");
  if (c.find("tolerance")) read_tolerance(c);
  c.ignore(kDistInformation);
  const Json& fields = c.file().find_case(c.id());
  const auto world = static_cast<int>(c.integer("world"));
  const Json* timeout = c.find("timeout");
  const Json* debug = c.find("debug");
  for (const auto& [name, value] : fields.items())
    if (name != "expected") mark_tensors(c, value);
  if (distributed::is_initialized()) return run_in_job(c, fields, found->second, world);

  std::mutex mutex;
  std::vector<RankCase> ranks;
  for (int r = 0; r < world; ++r) ranks.emplace_back(c, mutex, fields, r);
  RankResults results;
  results.values.resize(static_cast<std::size_t>(world));
  const SilencedWarnings silence;
  try {
    distributed::spawn_threads(world, [&](int r) {
      run_one_rank(ranks[static_cast<std::size_t>(r)], found->second, results,
                   timeout ? read_number(*timeout) : 30, debug && read_bool(*debug));
    });
  } catch (const std::exception&) {
    if (results.unsupported) std::rethrow_exception(results.unsupported);
    throw;
  }
  for (int r = 0; r < world; ++r)
    expect_result(c, "rank " + std::to_string(r), results.values[static_cast<std::size_t>(r)],
                  resolve_rank(c.at("expected"), r));
}

std::vector<Tensor> tensors_of(const Value& value) {
  if (value.is_tensor()) return {value.as_tensor()};
  std::vector<Tensor> tensors;
  for (const Value& item : value.as_sequence()) tensors.push_back(item.as_tensor());
  return tensors;
}

Value list_of(const std::vector<Tensor>& tensors) {
  return Value::list(Values(tensors.begin(), tensors.end()));
}

}  // namespace taper::oracle
