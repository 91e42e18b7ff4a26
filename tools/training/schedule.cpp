#include "schedule.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "taper/optim/lr_scheduler/compose.h"
#include "taper/optim/lr_scheduler/lambda.h"
#include "taper/optim/lr_scheduler/make.h"

namespace training {

namespace lr_scheduler = taper::optim::lr_scheduler;
using lr_scheduler::LRScheduler;
using taper::Value;
using taper::optim::Optimizer;

namespace {

// Not available in lr_scheduler::make, because their arguments are functions or schedulers.
constexpr const char* kComposed[] = {"ChainedScheduler", "LambdaLR", "MultiplicativeLR",
                                     "SequentialLR"};

std::int64_t fraction_of(std::int64_t epochs, std::int64_t parts) {
  return std::max<std::int64_t>(1, epochs / parts);
}

/// Returns the factor of the learning rate per epoch that reduces it to 1 % over the run.
double decay_per_epoch(const RunLength& length) {
  return std::pow(0.01, 1 / static_cast<double>(length.epochs));
}

/// Returns true if the steps of the optimizer depend on a momentum or on betas.
bool uses_momentum(const Optimizer& optimizer) {
  const Value& options = optimizer.defaults();
  const Value* const momentum = options.find("momentum");
  return options.contains("betas") || (momentum && momentum->as_double() > 0);
}

Value options_for(const std::string& name, const Optimizer& optimizer, const RunLength& length) {
  const double lr = optimizer.defaults()["lr"].as_double();
  const std::int64_t epochs = length.epochs;
  if (name == "StepLR") return Value::dict({{"step_size", fraction_of(epochs, 3)}});
  if (name == "MultiStepLR")
    return Value::dict({{"milestones", Value::list({fraction_of(epochs, 2), epochs * 3 / 4})}});
  if (name == "ConstantLR" || name == "LinearLR")
    return Value::dict({{"total_iters", fraction_of(epochs, 4)}});
  if (name == "ExponentialLR") return Value::dict({{"gamma", decay_per_epoch(length)}});
  if (name == "PolynomialLR") return Value::dict({{"total_iters", epochs}});
  if (name == "CosineAnnealingLR") return Value::dict({{"T_max", epochs}});
  if (name == "CosineAnnealingWarmRestarts") return Value::dict({{"T_0", fraction_of(epochs, 2)}});
  if (name == "CyclicLR")
    return Value::dict({{"base_lr", lr / 10},
                        {"max_lr", lr},
                        {"step_size_up", 2 * length.steps_per_epoch},
                        {"cycle_momentum", uses_momentum(optimizer)}});
  if (name == "OneCycleLR")
    return Value::dict({{"max_lr", lr},
                        {"epochs", epochs},
                        {"steps_per_epoch", length.steps_per_epoch},
                        {"cycle_momentum", uses_momentum(optimizer)}});
  if (name == "ReduceLROnPlateau") return Value::dict({{"patience", fraction_of(epochs, 10)}});
  if (name == "SWALR")
    return Value::dict({{"swa_lr", lr / 10}, {"anneal_epochs", fraction_of(epochs, 4)}});
  return {};
}

/// Creates a part of a composed schedule.
std::shared_ptr<LRScheduler> make_scheduler(const char* name, Optimizer& optimizer,
                                            const Value& options) {
  return lr_scheduler::make(name, optimizer, options);
}

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names(std::begin(kComposed), std::end(kComposed));
  for (const std::string_view name : lr_scheduler::scheduler_names()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<LRScheduler> make_schedule(const std::string& name, Optimizer& optimizer,
                                           const RunLength& length) {
  const double decay = decay_per_epoch(length);
  if (name == "LambdaLR")
    return std::make_shared<lr_scheduler::LambdaLR>(optimizer, [decay](std::int64_t epoch) {
      return std::pow(decay, static_cast<double>(epoch));
    });
  if (name == "MultiplicativeLR")
    return std::make_shared<lr_scheduler::MultiplicativeLR>(
        optimizer, [decay](std::int64_t) { return decay; });
  if (name != "SequentialLR" && name != "ChainedScheduler")
    return lr_scheduler::make(name, optimizer, options_for(name, optimizer, length));

  const std::int64_t warmup = fraction_of(length.epochs, 10);
  std::vector<lr_scheduler::SchedulerRef> parts{make_scheduler(
      "LinearLR", optimizer, Value::dict({{"start_factor", 0.1}, {"total_iters", warmup}}))};
  if (name == "ChainedScheduler") {
    parts.emplace_back(make_scheduler("ExponentialLR", optimizer, Value::dict({{"gamma", decay}})));
    return std::make_shared<lr_scheduler::ChainedScheduler>(std::move(parts));
  }
  const std::int64_t rest = std::max<std::int64_t>(1, length.epochs - warmup);
  parts.emplace_back(
      make_scheduler("CosineAnnealingLR", optimizer, Value::dict({{"T_max", rest}})));
  return std::make_shared<lr_scheduler::SequentialLR>(optimizer, std::move(parts),
                                                      std::vector<std::int64_t>{warmup});
}

bool is_stepped_per_batch(const std::string& name) {
  return name == "CyclicLR" || name == "OneCycleLR";
}

}  // namespace training
