// PerGroup: a number for all parameter groups, or a list with a number per group.
#pragma once
#include <initializer_list>
#include <utility>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Option of a schedule: a number for all parameter groups, or a list with a number per group.
class PerGroup {
 public:
  PerGroup(double number) : numbers_{number}, is_list_(false) {}
  PerGroup(std::initializer_list<double> list) : numbers_(list), is_list_(true) {}
  PerGroup(std::vector<double> list) : numbers_(std::move(list)), is_list_(true) {}

  bool is_list() const { return is_list_; }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
  bool is_list_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
