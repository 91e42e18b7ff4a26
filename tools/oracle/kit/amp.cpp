// Family amp: autocast and GradScaler.
#include "kit/amp.h"

#include "kit/families.h"
#include "training/fields.h"

namespace taper::oracle {

void expect_reference(Case& c, const std::string& what, const Tensor& actual,
                      const Json& reference) {
  Fields fields(reference);
  const Tolerance tolerance{fields.number("rtol", c.tolerance.rtol),
                            fields.number("atol", c.tolerance.atol)};
  c.expect_close(what, actual, c.tensor(fields.text("t")), tolerance);
  fields.done();
}

void run_amp(Case& c) {
  c.ignore({"info"});
  run_kind(c, {{"policy", run_autocast_policy},
               {"program", run_autocast_program},
               {"scaler", run_grad_scaler},
               {"error", run_amp_error}});
}

}  // namespace taper::oracle
