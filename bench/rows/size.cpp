// What including, linking and starting cost.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../child.h"
#include "../folder.h"
#include "../row.h"
#include "taper_paths.h"

namespace taper::bench {
namespace {

Cost compile_umbrella(const char* compiler) {
  const std::string source = workplace() + "/all.cpp";
  std::ofstream(source) << "#include <taper/taper.h>\n";
  return run_child({compiler, "-std=c++20", "-fsyntax-only", "-I",
                    std::string(TAPER_SOURCE_DIR) + "/include", source});
}

double stripped_library() {
  const std::string library = workplace() + "/libtaper.so";
  run_child({"g++", "-shared", "-o", library, "-Wl,--whole-archive",
             std::string(TAPER_BIN_DIR) + "/../lib/libtaper.a", "-Wl,--no-whole-archive"});
  run_child({"strip", library});
  return static_cast<double>(std::filesystem::file_size(library)) / 1e6;
}

Cost start() {
  return run_child({std::string(TAPER_BIN_DIR) + "/taper_bench", "--child", "empty"});
}

}  // namespace

std::vector<Row> size_rows() {
  std::vector<Row> rows;
  for (const char* compiler : {"g++", "clang++"}) {
    const std::string what = std::string("#include <taper/taper.h>, -fsyntax-only, ") + compiler;
    rows.push_back({.name = what,
                    .unit = "s",
                    .measure = [=] { return compile_umbrella(compiler).cpu; },
                    .budget = 1.0});
    rows.push_back({.name = what + ", memory",
                    .unit = "MB",
                    .measure = [=] { return compile_umbrella(compiler).megabytes; },
                    .budget = 300,
                    .rounds = 1});
  }
  rows.push_back({.name = "libtaper as a shared library, stripped",
                  .unit = "MB",
                  .measure = stripped_library,
                  .budget = 15,
                  .rounds = 1});
  rows.push_back({.name = "start of a program that does nothing",
                  .unit = "ms",
                  .measure = [] { return start().seconds * 1e3; },
                  .budget = 20,
                  .peer = "start"});
  rows.push_back({.name = "the same, memory",
                  .unit = "MB",
                  .measure = [] { return start().megabytes; },
                  .budget = 20,
                  .rounds = 1});
  rows.push_back({.name = "peak memory of a LeNet training run",
                  .threads = 2,
                  .unit = "MB",
                  .measure =
                      [] {
                        return run_child({std::string(TAPER_BIN_DIR) + "/taper_bench", "--child",
                                          "lenet_memory"})
                            .megabytes;
                      },
                  .budget_ratio = 1.0,
                  .peer = "lenet_memory",
                  .rounds = 1});
  return rows;
}

}  // namespace taper::bench
