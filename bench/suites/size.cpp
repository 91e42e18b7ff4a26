// Cost of including, linking and starting.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../benchmark.h"
#include "../child.h"
#include "../folder.h"
#include "taper_paths.h"

namespace taper::bench {
namespace {

ChildCost compile_umbrella(const char* compiler) {
  const std::string source = temp_folder() + "/all.cpp";
  std::ofstream(source) << "#include <taper/taper.h>\n";
  return run_child({compiler, "-std=c++20", "-fsyntax-only", "-I",
                    std::string(TAPER_SOURCE_DIR) + "/include", source});
}

/// Compiles a file with one module of 20 layers with the options of a user.
ChildCost compile_module(const char* compiler) {
  const std::string source = temp_folder() + "/net.cpp";
  std::ofstream file(source);
  file << "#include <taper/taper.h>\n"
          "using namespace taper;\n"
          "struct Net : nn::Module {\n";
  std::string names, body = "x";
  for (int i = 0; i < 20; ++i) {
    const std::string name = (i % 2 ? "norm" : "conv") + std::to_string(i);
    if (i % 2)
      file << "  nn::BatchNorm2d " << name << "{16};\n";
    else
      file << "  nn::Conv2d " << name << "{" << (i ? 16 : 3) << ", 16, 3, {.padding = 1}};\n";
    names += ", " + name;
    body = (i % 2 ? "F::relu(" : "") + name + "(" + body + ")" + (i % 2 ? ")" : "");
  }
  file << "  TAPER_MODULE(Net" << names << ")\n"
       << "  Tensor forward(const Tensor& x) { return " << body << "; }\n};\n"
       << "int main() {\n"
          "  Net net;\n"
          "  optim::SGD sgd(net.parameters(), {.lr = 0.1});\n"
          "  net(randn({1, 3, 8, 8})).sum().backward();\n"
          "  sgd.step();\n"
          "  save(net.state_dict(), \"net.pt\");\n"
          "}\n";
  file.close();
  return run_child({compiler, "-std=c++20", "-O2", "-c", "-I",
                    std::string(TAPER_SOURCE_DIR) + "/include", source, "-o", source + ".o"});
}

double stripped_library_size() {
  const std::string library = temp_folder() + "/libtaper.so";
  run_child({"strip", "-o", library, std::string(TAPER_BIN_DIR) + "/../lib/libtaper.so"});
  return static_cast<double>(std::filesystem::file_size(library)) / 1e6;
}

ChildCost run_empty_program() {
  return run_child({std::string(TAPER_BIN_DIR) + "/taper_bench", "--child", "empty"});
}

}  // namespace

std::vector<Benchmark> size_suite() {
  std::vector<Benchmark> suite;
  for (const char* compiler : {"g++", "clang++"}) {
    const std::string title = std::string("#include <taper/taper.h>, -fsyntax-only, ") + compiler;
    suite.push_back({.name = title,
                     .unit = "s",
                     .measure = [=] { return compile_umbrella(compiler).cpu; },
                     .budget = 1.0});
    suite.push_back({.name = title + ", memory",
                     .unit = "MB",
                     .measure = [=] { return compile_umbrella(compiler).megabytes; },
                     .budget = 300,
                     .rounds = 1});
  }
  for (const char* compiler : {"g++", "clang++"})
    suite.push_back({.name = std::string("compiling a module of 20 layers, -O2, ") + compiler,
                     .unit = "s",
                     .measure = [=] { return compile_module(compiler).cpu; },
                     .budget = 1.5,
                     .rounds = 3});
  suite.push_back({.name = "libtaper as a shared library, stripped",
                   .unit = "MB",
                   .measure = stripped_library_size,
                   .budget = 20,
                   .rounds = 1});
  suite.push_back({.name = "start of an empty program",
                   .unit = "ms",
                   .measure = [] { return run_empty_program().seconds * 1e3; },
                   .budget = 20,
                   .baseline = "start"});
  suite.push_back({.name = "start of an empty program, memory",
                   .unit = "MB",
                   .measure = [] { return run_empty_program().megabytes; },
                   .budget = 20,
                   .rounds = 1});
  suite.push_back({.name = "peak memory of a LeNet training run",
                   .threads = 2,
                   .unit = "MB",
                   .measure =
                       [] {
                         return run_child({std::string(TAPER_BIN_DIR) + "/taper_bench", "--child",
                                           "lenet_memory"})
                             .megabytes;
                       },
                   .budget_ratio = 1.0,
                   .baseline = "lenet_memory",
                   .rounds = 1});
  return suite;
}

}  // namespace taper::bench
