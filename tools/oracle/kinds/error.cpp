// Kind error: calls that must be rejected with a clear error.
#include "taper/core/error.h"
#include "functions/table.h"
#include "kinds/kinds.h"

namespace taper::oracle {
namespace {

bool is_function_rejected(Case& c, std::string& text) {
  try {
    Call call(c);
    for (const auto& [key, value] : c.at("args").items()) call.named[key] = call.read(value);
    static_cast<void>(call_function(c.text("name"), call.inputs, call.named));
    return false;
  } catch (const Error& rejection) {
    text = rejection.what();
    return true;
  }
}

}  // namespace

void run_error(Case& c) {
  c.ignore({"kind", "stage", "exception", "message", "must_fail"});
  const bool is_function = c.text("name").find('.') != std::string::npos;
  std::string text;
  if (!(is_function ? is_function_rejected(c, text) : is_module_rejected(c, text)))
    c.fail("not rejected");
  else if (text.empty())
    c.fail("rejected without a message");
  c.ignore({"args", "inputs", "kwinputs", "mode", "children"});
}

}  // namespace taper::oracle
