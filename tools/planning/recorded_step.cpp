#include "recorded_step.h"

#include <algorithm>

#include "stopwatch.h"

namespace planning {

std::int64_t RecordedStep::Unit::bytes() const {
  std::int64_t sum = 0;
  for (const taper::Tensor& p : parameters) sum += static_cast<std::int64_t>(p.nbytes());
  return sum;
}

std::int64_t RecordedStep::parameter_bytes() const {
  std::int64_t sum = 0;
  for (const Unit& unit : units) sum += unit.bytes();
  return sum;
}

std::int64_t RecordedStep::gradient_bytes() const {
  std::int64_t sum = 0;
  for (const Gradient& g : gradients) sum += static_cast<std::int64_t>(g.parameter.nbytes());
  return sum;
}

std::vector<std::size_t> RecordedStep::forward_order() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i].forward_begin >= 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return units[a].forward_begin < units[b].forward_begin;
  });
  return order;
}

std::vector<double*> RecordedStep::times() {
  std::vector<double*> all = {&forward,       &backward,       &update,       &copy,
                              &shard_forward, &shard_backward, &unit_forward, &unit_backward};
  for (Gradient& g : gradients) all.push_back(&g.ready);
  for (Unit& u : units)
    all.insert(all.end(), {&u.forward_begin, &u.forward_end, &u.backward_begin, &u.backward_end});
  return all;
}

std::vector<double*> RecordedStep::unit_times(bool is_forward) {
  std::vector<double*> all;
  for (Unit& u : units) {
    all.push_back(is_forward ? &u.forward_begin : &u.backward_begin);
    all.push_back(is_forward ? &u.forward_end : &u.backward_end);
  }
  all.push_back(is_forward ? &unit_forward : &unit_backward);
  return all;
}

RecordedStep median_of(std::vector<RecordedStep> steps) {
  RecordedStep result = steps.at(0);
  const std::vector<double*> to = result.times();
  for (std::size_t k = 0; k < to.size(); ++k) {
    std::vector<double> values;
    for (RecordedStep& s : steps) values.push_back(*s.times()[k]);
    *to[k] = median_of(std::move(values));
  }
  return result;
}

}  // namespace planning
