#include "taper/optim/lr_scheduler/lambda.h"

#include "core/check.h"

namespace taper::optim::lr_scheduler {
namespace {

std::vector<LRLambda> expand_functions(const LRLambdas& lambdas, const Optimizer& optimizer) {
  const std::size_t groups = optimizer.param_groups().size();
  if (lambdas.is_list() && lambdas.functions().size() != groups)
    fail<ValueError>("Expected {} lr_lambdas, but got {}", groups, lambdas.functions().size());
  for (const LRLambda& f : lambdas.functions())
    if (!f) fail<TypeError>("lr_lambda should be a function, but got NoneType");
  if (lambdas.is_list()) return lambdas.functions();
  return std::vector<LRLambda>(groups, lambdas.functions()[0]);
}

void visit_functions(StateFields& field, const std::vector<LRLambda>& functions) {
  Values states;
  for (const LRLambda& f : functions) states.push_back(f.state());
  field.functions("lr_lambdas", states,
                  [&](std::size_t i, const Value& state) { functions[i].load_state(state); });
}

/// Returns rates[i] * functions[i](epoch).
std::vector<double> multiply_rates(std::vector<double> rates,
                                   const std::vector<LRLambda>& functions, std::int64_t epoch) {
  if (rates.size() != functions.size())
    fail<ValueError>("Expected {} lr_lambdas, but got {}", rates.size(), functions.size());
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] *= functions[i](epoch);
  return rates;
}

}  // namespace

LRLambdas::LRLambdas(std::initializer_list<LRLambda> list) : functions_(list), is_list_(true) {}
LRLambdas::LRLambdas(std::vector<LRLambda> list) : functions_(std::move(list)), is_list_(true) {}

LambdaLR::LambdaLR(Optimizer& optimizer, const LRLambdas& lr_lambda, IntArg last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas(expand_functions(lr_lambda, optimizer)) {
  start();
}
std::vector<double> LambdaLR::compute_lr() const {
  return multiply_rates(base_lrs, lr_lambdas, last_epoch);
}
void LambdaLR::visit_state(StateFields& field) {
  LRScheduler::visit_state(field);
  visit_functions(field, lr_lambdas);
}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, const LRLambdas& lr_lambda,
                                   IntArg last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas(expand_functions(lr_lambda, optimizer)) {
  start();
}
std::vector<double> MultiplicativeLR::compute_lr() const {
  if (is_initial()) return group_numbers("lr");
  return multiply_rates(group_numbers("lr"), lr_lambdas, last_epoch);
}
void MultiplicativeLR::visit_state(StateFields& field) {
  LRScheduler::visit_state(field);
  visit_functions(field, lr_lambdas);
}

}  // namespace taper::optim::lr_scheduler
