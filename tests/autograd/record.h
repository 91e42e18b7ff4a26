// Recorded results of running a numbered scenario in PyTorch, compared step by step.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/value.h"

namespace taper::scenario {

/// Recorded results of one scenario, which are consumed in order. The destructor checks that all of
/// them have been consumed.
class Record {
 public:
  explicit Record(int number);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// Compares a value with the next recorded one, which must have this name. An undefined tensor is
  /// compared as None.
  void show(const std::string& name, const Tensor& t);
  void show(const std::string& name, const Value& v);
  void show(const std::string& name, const char* text) { show(name, Value(text)); }
  /// Checks that `call` throws if and only if PyTorch's did, with a text that contains `words`.
  template <class F>
  void error(const std::string& name, F&& call, std::initializer_list<const char*> words = {}) {
    const nlohmann::json& expected = next("error", name);
    const std::string text = test::error_text(call);
    EXPECT_EQ(text.empty(), expected["type"].is_null())
        << name << ": got '" << text << "', PyTorch says " << expected["text"];
    for (const char* word : words) EXPECT_TRUE(test::contains(text, word)) << name;
  }

 private:
  const nlohmann::json& next(const char* kind, const std::string& name);
  std::string number_;
  nlohmann::json results_;
  std::size_t taken_ = 0;
};

/// Creates an f32 tensor.
inline Tensor T(const NestedList& values, bool grad = false) {
  return tensor(values, {.dtype = float32, .requires_grad = grad});
}
/// Creates an f32 tensor that requires grad.
inline Tensor leaf(const NestedList& values) { return T(values, true); }
/// Returns the elements as a nested list.
Value tolist(const Tensor& t);

}  // namespace taper::scenario
