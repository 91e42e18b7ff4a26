// Record: the recorded results of a scenario of autograd, compared step by step. This folder
// depends on the library and on JSON alone, because tests/autograd compiles it, too.
#pragma once
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/value.h"

namespace taper::oracle::scenario {

/// Results of one program in PyTorch, which are consumed in order. Differences are collected in
/// `failures`; a result of another name throws std::runtime_error.
class Record {
 public:
  explicit Record(const nlohmann::json& results) : results_(results) {}

  /// Compares a value with the next recorded one, which must have this name. An undefined tensor is
  /// compared as None.
  void show(const std::string& name, const Tensor& t);
  void show(const std::string& name, const Value& v);
  void show(const std::string& name, const char* text) { show(name, Value(text)); }
  /// Checks that `call` throws if and only if PyTorch's did, with a text that contains `words`.
  template <class F>
  void error(const std::string& name, F&& call, std::initializer_list<const char*> words = {}) {
    std::string text;
    try {
      static_cast<void>(call());
    } catch (const Error& e) { text = e.what(); }
    check_error(name, text, words);
  }

  void fail(const std::string& text) { failures_.push_back(text); }
  /// Records a failure for results that the scenario did not show.
  void finish();
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const nlohmann::json& next(const char* kind, const std::string& name);
  void compare(const std::string& what, const Value& actual, const nlohmann::json& expected);
  void check_error(const std::string& name, const std::string& text,
                   std::initializer_list<const char*> words);

  const nlohmann::json& results_;
  std::size_t consumed_ = 0;
  std::vector<std::string> failures_;
};

/// Program of a scenario, ported from Python.
struct Scenario {
  const char* id;
  void (*run)(Record&);
};
/// Scenarios of each file of this folder.
const std::vector<Scenario>& accumulation_scenarios();
const std::vector<Scenario>& hooks_scenarios();
const std::vector<Scenario>& in_place_scenarios();
const std::vector<Scenario>& higher_order_scenarios();
const std::vector<Scenario>& functions_scenarios();
const std::vector<Scenario>& kinks_scenarios();
const std::vector<Scenario>& modules_scenarios();

/// Runs the scenario `id` and returns its failures. Returns std::nullopt for an unknown id.
std::optional<std::vector<std::string>> run_scenario(const std::string& id,
                                                     const nlohmann::json& results);

/// Creates an f32 tensor.
inline Tensor T(const NestedList& values, bool grad = false) {
  return tensor(values, {.dtype = float32, .requires_grad = grad});
}
/// Creates an f32 tensor that requires grad.
inline Tensor leaf(const NestedList& values) { return T(values, true); }
/// Returns the elements as a nested list.
Value tolist(const Tensor& t);

}  // namespace taper::oracle::scenario
