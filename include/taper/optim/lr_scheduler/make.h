// make: construction of learning rate schedulers by class name.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Creates the scheduler of class `name` ("OneCycleLR") for an optimizer, which must outlive it.
/// `options` is a dict with PyTorch's argument names, or None; arguments that it does not contain
/// have their defaults.
///
///     auto scheduler = optim::lr_scheduler::make("StepLR", opt, Value::dict({{"step_size", 30}}));
///
/// All classes of this namespace except LRScheduler are available, and SWALR. Excluded are classes
/// whose arguments are not values: LambdaLR and MultiplicativeLR, which require functions, and
/// SequentialLR and ChainedScheduler, which require schedulers. `scale_fn` of CyclicLR is not
/// available either.
///
/// Throws AttributeError for another name, TypeError for an unknown or missing argument or an
/// argument of the wrong type, and the errors of the constructor.
/// PyTorch: getattr(torch.optim.lr_scheduler, name)(optimizer, **options).
std::unique_ptr<LRScheduler> make(std::string_view name, Optimizer& optimizer,
                                  const Value& options = {});

/// Returns the class names that `make` accepts, in alphabetical order.
std::vector<std::string_view> scheduler_names();

}  // namespace optim::lr_scheduler
}  // namespace taper
