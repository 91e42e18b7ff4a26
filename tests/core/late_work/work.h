// Pieces of work, by name, that destructors and exit handlers repeat.
#pragma once
#include <string>
#include <vector>

namespace late_work {

struct Work {
  const char* name;
  void (*run)(const std::string& folder);  ///< throws std::exception if a result is wrong
};
const std::vector<Work>& all_work();

}  // namespace late_work
