// Learning rate schedules by name, with options for the length of a run.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taper/optim/lr_scheduler/scheduler.h"

namespace training {

struct RunLength {
  std::int64_t epochs = 0, steps_per_epoch = 0;
};

/// Returns the names that `make_schedule` accepts, in alphabetical order: all classes of
/// torch.optim.lr_scheduler, and SWALR.
std::vector<std::string> schedule_names();

/// Creates the scheduler of class `name` for a run of `length`, with these options:
///
/// | schedule | options |
/// |---|---|
/// | StepLR, MultiStepLR | the rate is divided by 10 after each third, at half and three quarters |
/// | ConstantLR, LinearLR | a third of the rate, rising to the rate, in the first quarter |
/// | ExponentialLR, LambdaLR, MultiplicativeLR | decay to a hundredth of the rate |
/// | PolynomialLR, CosineAnnealingLR | decay to zero |
/// | CosineAnnealingWarmRestarts | restarts at half |
/// | CyclicLR | between a tenth of the rate and the rate in cycles of four epochs |
/// | OneCycleLR | the rate is the largest one |
/// | ReduceLROnPlateau | patience of a tenth of the epochs |
/// | SequentialLR | LinearLR in the first tenth, then CosineAnnealingLR |
/// | ChainedScheduler | LinearLR in the first tenth, times ExponentialLR |
/// | SWALR | anneals to a tenth of the rate in the first quarter |
///
/// The momentum or the first beta is cycled if the optimizer uses one. Throws AttributeError for an
/// unknown name.
std::shared_ptr<taper::optim::lr_scheduler::LRScheduler> make_schedule(
    const std::string& name, taper::optim::Optimizer& optimizer, const RunLength& length);

/// Returns true if the schedule counts batches instead of epochs.
bool is_stepped_per_batch(const std::string& name);

}  // namespace training
