// Kind error: calls that must be rejected with a clear error.
#include "taper/core/error.h"
#include "functions/table.h"
#include "kinds/kinds.h"

namespace taper::oracle {
namespace {

bool refused_function(Case& c, std::string& text) {
  try {
    Call call(c);
    for (const auto& [key, value] : c.at("args").items()) call.named[key] = call.read(value);
    static_cast<void>(call_function(c.text("name"), call.inputs, call.named));
    return false;
  } catch (const Error& refusal) {
    text = refusal.what();
    return true;
  }
}

}  // namespace

void run_error(Case& c) {
  c.ignore({"kind", "stage", "exception", "message", "must_fail"});
  const bool is_function = c.text("name").find('.') != std::string::npos;
  std::string text;
  if (!(is_function ? refused_function(c, text) : refused_module(c, text)))
    c.fail("not rejected");
  else if (text.empty())
    c.fail("rejected without a message");
  c.ignore({"args", "inputs", "kwinputs", "mode", "children"});
}

}  // namespace taper::oracle
