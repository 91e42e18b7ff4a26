#include <memory>
#include <string>

#include "io/assemble.h"
#include "taper/core/error.h"
#include "taper/core/warning.h"
#include "taper/io/pickled_module.h"
#include "taper/nn/python_interop.h"
#include "target.h"

namespace taper::fuzz {
void module(Bytes input) {
  const Value v = read(bytes_of(test::checkpoint(text_of(input))));
  auto old = set_warning_handler({});
  attempt([&] { static_cast<void>(state_dict_of(v)); });
  std::shared_ptr<nn::Module> made;
  attempt([&] {
    if (pickled_module(v)) made = nn::from_pickle(v);
  });
  if (made) {
    made->str();
    static_cast<void>(made->state_dict());
    attempt([&] { nn::from_pickle(nn::to_pickle(*made)); });
  }
  set_warning_handler(std::move(old));
}

}  // namespace taper::fuzz
