#include "taper/optim/lr_scheduler/lambda.h"

#include "core/check.h"

namespace taper::optim::lr_scheduler {
namespace {

std::vector<LRLambda> functions_of(const LRLambdas& given, const Optimizer& optimizer) {
  const std::size_t groups = optimizer.param_groups().size();
  if (given.is_list() && given.functions().size() != groups)
    fail<ValueError>("Expected {} lr_lambdas, but got {}", groups, given.functions().size());
  for (const LRLambda& f : given.functions())
    if (!f) fail<TypeError>("lr_lambda should be a function, but got NoneType");
  if (given.is_list()) return given.functions();
  return std::vector<LRLambda>(groups, given.functions()[0]);
}

void visit_functions(StateFields& field, const std::vector<LRLambda>& functions) {
  Values states;
  for (const LRLambda& f : functions) states.push_back(f.state());
  field.functions("lr_lambdas", states,
                  [&](std::size_t i, const Value& state) { functions[i].load_state(state); });
}

/// Returns rates[i] * functions[i](epoch).
std::vector<double> products(std::vector<double> rates, const std::vector<LRLambda>& functions,
                             std::int64_t epoch) {
  if (rates.size() != functions.size())
    fail<ValueError>("Expected {} lr_lambdas, but got {}", rates.size(), functions.size());
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] *= functions[i](epoch);
  return rates;
}

}  // namespace

LambdaLR::LambdaLR(Optimizer& optimizer, const LRLambdas& lr_lambda, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas(functions_of(lr_lambda, optimizer)) {
  start();
}
std::vector<double> LambdaLR::compute_lr() const {
  return products(base_lrs, lr_lambdas, last_epoch);
}
void LambdaLR::visit_state(StateFields& field) {
  LRScheduler::visit_state(field);
  visit_functions(field, lr_lambdas);
}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, const LRLambdas& lr_lambda,
                                   std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas(functions_of(lr_lambda, optimizer)) {
  start();
}
std::vector<double> MultiplicativeLR::compute_lr() const {
  if (is_initial()) return group_numbers("lr");
  return products(group_numbers("lr"), lr_lambdas, last_epoch);
}
void MultiplicativeLR::visit_state(StateFields& field) {
  LRScheduler::visit_state(field);
  visit_functions(field, lr_lambdas);
}

}  // namespace taper::optim::lr_scheduler
