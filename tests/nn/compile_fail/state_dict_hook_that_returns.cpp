// expect: std::string_view prefix, const Value& metadata) and returns nothing
// R5.1-06
#include "taper/nn/module.h"
using namespace taper;

void hook(nn::Module& net) {
  net.register_state_dict_post_hook(
      [](nn::Module&, const Value&, std::string_view, const Value&) { return 1; });
}
