// Family amp: autocast and GradScaler.
#include "kit/amp.h"

#include "kit/families.h"

namespace taper::oracle {

void run_amp(Case& c) {
  c.ignore({"info"});
  run_kind(c, {{"policy", run_autocast_policy},
               {"program", run_autocast_program},
               {"scaler", run_grad_scaler},
               {"error", run_amp_error}});
}

}  // namespace taper::oracle
