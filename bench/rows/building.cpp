// What building costs: the whole tree, and the tree again after one op was touched.
#include <cstdlib>
#include <filesystem>

#include "../child.h"
#include "../folder.h"
#include "../row.h"
#include "taper_paths.h"

namespace taper::bench {
namespace {

double build() {
  return run_child({"cmake", "--build", workplace() + "/build", "--parallel", "2"}).seconds;
}

double build_clean() {
  setenv("CCACHE_DISABLE", "1", 1);
  std::filesystem::remove_all(workplace() + "/build");
  run_child({"cmake", "-G", "Ninja", "-S", TAPER_SOURCE_DIR, "-B", workplace() + "/build",
             "-DCMAKE_BUILD_TYPE=Release"});
  return build();
}

double rebuild_one_op() {
  if (!std::filesystem::exists(workplace() + "/build/build.ninja")) build_clean();
  // As if its source had been touched, and the source is left alone.
  std::filesystem::remove(workplace() + "/build/CMakeFiles/taper.dir/src/ops/pointwise/exp.cpp.o");
  return build();
}

}  // namespace

std::vector<Row> building_rows() {
  return {{.name = "clean release build, -j2",
           .threads = 2,
           .unit = "s",
           .measure = build_clean,
           .budget = 600,
           .rounds = 1},
          {.name = "rebuild after touching one op",
           .threads = 2,
           .unit = "s",
           .measure = rebuild_one_op,
           .budget = 20,
           .rounds = 3}};
}

}  // namespace taper::bench
