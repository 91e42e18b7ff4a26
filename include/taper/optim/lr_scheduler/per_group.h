// PerGroup: a number for all parameter groups, or a list with a number per group.
#pragma once
#include <concepts>
#include <initializer_list>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Option of a schedule: a number for all parameter groups, or a list with a number per group.
class PerGroup {
 public:
  template <std::convertible_to<double> N>
  requires(!std::same_as<N, bool>) PerGroup(N number)
      : numbers_{static_cast<double>(number)}, is_list_(false) {}
  template <std::same_as<bool> B> PerGroup(B) = delete;  // a bool is not a rate or momentum
  PerGroup(std::initializer_list<FloatArg> list)
      : numbers_(list.begin(), list.end()), is_list_(true) {}
  PerGroup(std::vector<double> list) : numbers_(std::move(list)), is_list_(true) {}

  bool is_list() const { return is_list_; }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
  bool is_list_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
