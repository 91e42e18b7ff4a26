#include "functions/table.h"
#include "kinds/kinds.h"

namespace taper::oracle {

void run_functional(Case& c) {
  c.ignore({"kind"});
  if (const Json* dtype = c.find("dtype")) dtype_named(dtype->get<std::string>());
  c.tolerance = {c.at("rtol").get<double>(), c.at("atol").get<double>()};
  const std::string name = c.text("name");
  Call call(c);
  for (const auto& [key, value] : c.at("args").items()) call.named[key] = call.read(value);
  call.run(
      [&](const Values& inputs, const auto& named) { return call_function(name, inputs, named); });
  expect_value(c, "output", call.result, c.at("outputs"));
  if (const Json* after = c.find("inputs_after"))
    for (const auto& [role, reference] : after->items())
      c.expect_close(role + " afterwards", call.read.seen().at(role), c.tensor(reference.at("t")),
                     tolerance_of(c, reference));
  check_gradients(c, call, {});
}

}  // namespace taper::oracle
