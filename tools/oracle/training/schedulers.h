// Schedulers by name and arguments.
#pragma once
#include <memory>

#include "cases/case_file.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace taper::oracle {

/// Creates the scheduler described by {"name", "args"}. `last_epoch` replaces the default of -1.
/// Throws Unsupported for an unknown scheduler, MalformedCase for an unknown argument.
std::shared_ptr<optim::lr_scheduler::LRScheduler> make_scheduler(optim::Optimizer& optimizer,
                                                                 const Json& description,
                                                                 std::int64_t last_epoch = -1);

}  // namespace taper::oracle
