// Family autograd: scenarios, whose programs are ported by hand.
#include "cases/outcome.h"
#include "training/autograd/record.h"
#include "training/families.h"

namespace taper::oracle {

void run_autograd(Case& c) {
  if (c.text("kind") != "scenario") throw MalformedCase("unknown kind '" + c.text("kind") + "'");
  c.ignore({"title", "program"});
  const auto failures = scenario::run_scenario(c.id(), c.at("results"));
  if (!failures) throw Unsupported("autograd scenario " + c.id());
  for (const std::string& text : *failures) c.fail(text);
}

}  // namespace taper::oracle
