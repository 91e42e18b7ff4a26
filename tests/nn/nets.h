// Small modules shared by the tests of the module system.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/module.h"

namespace nets {

using namespace taper;
using test::error_message, test::error_text;

/// Computes x * weight + mean, where `weight` is a parameter and `mean` a buffer.
struct Scale : nn::Module {
  nn::Parameter weight;
  nn::Buffer mean;
  explicit Scale(double w = 1, std::int64_t n = 2)
      : weight(full({n}, w)), mean(zeros({n})), size(n) {}
  TAPER_MODULE(Scale, weight, mean)
  Tensor forward(const Tensor& x) { return x * weight + mean; }
  std::string extra_repr() const override { return "size=" + std::to_string(size); }
  std::int64_t size;
};

/// Two layers, one of them named by a C++ keyword, and a plain attribute.
struct Net : nn::Module {
  Scale first{2}, class_{3};
  std::string note = "as built";
  int calls = 0;
  TAPER_MODULE(Net, first, class_)
  Tensor forward(Tensor x, float scale = 1, std::optional<Tensor> mask = {}) {
    ++calls;
    x = class_(first(x)) * scale;
    return mask ? x * *mask : x;
  }
};

struct Identity : nn::Module {
  TAPER_MODULE(Identity)
  Tensor forward(const Tensor& x) { return x; }
};

template <class Named> std::string names(const std::vector<Named>& all) {
  std::string out;
  for (const Named& n : all) out += (&n == all.data() ? "" : " ") + n.name;
  return out;
}

inline std::string keys(const Value& dict) {
  std::string out;
  for (const auto& [key, v] : dict.as_dict()) out += (out.empty() ? "" : " ") + key.as_string();
  return out;
}

inline Tensor row(double a, double b) { return tensor({a, b}); }

}  // namespace nets
