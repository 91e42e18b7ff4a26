#include <unistd.h>

#include <string>

#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/data/web_dataset.h"
#include "target.h"

void taper::fuzz::tar(Bytes input) {
  static const test::TempDir dir;
  const std::string path = dir / "fuzz.tar";
  test::write_bytes(path, text_of(input));
  const data::WebDataset dataset(std::vector<std::string>{path},
                                 {.decode = true, .empty_check = false});
  const auto next = dataset.iterate();
  // An archive cannot have more examples, or errors, than blocks.
  for (std::size_t i = 0; i <= input.size() / 512 + 1; ++i) {
    bool ended = false;
    attempt([&] {
      const auto example = next();
      ended = !example;
      if (example) static_cast<void>(example->repr());
    });
    if (ended) return;
  }
  throw std::logic_error("finding: too many examples");
}
