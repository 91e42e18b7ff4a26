// Repeats work while the process or a thread begins or ends: late_work FOLDER MODE before|fresh
// WORK... Prints the name of each work that has succeeded. The modes:
//   constructor  the constructor of a static object
//   static       the destructor of a static object
//   atexit       an exit handler
//   thread       the destructor of a thread_local object of a thread
//   main         the destructor of a thread_local object of the main thread
//   exit         the destructor of a static object in a thread that calls exit
//   kept         static and thread_local objects hold graphs, modules and files until they end
// With `before`, main does the same work first, so that the caches of the library exist.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <taper/distributions/distributions.h>
#include <taper/taper.h>

#include "work.h"

namespace {

using namespace taper;

const std::string& folder();
bool is_mode(const char* mode);

/// The arguments, also before main.
const std::vector<std::string>& arguments() {
  static const auto* const all = [] {
    auto* words = new std::vector<std::string>;
    std::FILE* const file = std::fopen("/proc/self/cmdline", "r");
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    for (std::size_t at = 0; at < text.size(); at += words->back().size() + 1)
      words->emplace_back(text.c_str() + at);
    return words;
  }();
  return *all;
}
const std::string& folder() { return arguments().at(1); }
bool is_mode(const char* mode) { return arguments().at(2) == mode; }

void run_all(bool prints) noexcept {
  for (const late_work::Work& work : late_work::all_work()) {
    if (std::find(arguments().begin() + 4, arguments().end(), work.name) == arguments().end())
      continue;
    try {
      work.run(folder());
      if (prints) std::printf("%s\n", work.name);
    } catch (const std::exception& error) {
      std::printf("%s: failed: %s\n", work.name, error.what());
    }
  }
  std::fflush(stdout);
}

struct AtStart {
  AtStart() {
    if (is_mode("constructor")) run_all(true);
  }
} at_start;

struct AtEnd {
  ~AtEnd() {
    if (is_mode("static") || is_mode("exit")) run_all(true);
  }
} at_end;

struct AtThreadEnd {
  bool is_on = false;
  ~AtThreadEnd() {
    if (is_on) run_all(true);
  }
};

/// Owns whatever a program may keep until it ends.
struct Kept {
  Tensor loss;
  std::vector<Tensor> losses;
  std::shared_ptr<nn::Sequential> net;
  std::shared_ptr<optim::AdamW> optimizer;
  std::vector<Value> values;

  void fill() {
    nn::Linear last(16, 2);
    nn::utils::parametrizations::weight_norm(last);
    net = std::make_shared<nn::Sequential>(
        nn::Sequential{nn::Conv2d(4, 4, 3, {.groups = 2}), nn::Flatten(), std::move(last)});
    net->register_forward_hook([](nn::Module&, const nn::Values&, nn::Value&) {});
    optimizer = std::make_shared<optim::AdamW>(net->parameters());
    const Tensor w = ones({2}, {.requires_grad = true});
    for (int i = 0; i < 2; ++i) {
      std::vector<Tensor> parts;
      for (int k = 0; k < 2 + 40 * i; ++k) parts.push_back((w * double(k)).exp());
      losses.push_back(stack(parts).sum());
      loss = (*net)(randn({3, 4, 4, 4})).square().sum();
      loss.backward(Tensor(), true);
      optimizer->step();
    }
    Tensor chain = w;  // deeper than the stack
    for (int i = 0; i < 100000; ++i) chain = chain + 1;
    losses.push_back(chain);
    Value nested = Value::list({});
    for (int i = 0; i < 100000; ++i) nested = Value::list({nested});
    values.push_back(nested);
  }
};
Kept kept_by_process;
thread_local Kept kept_by_thread;

}  // namespace

int main() {
  if (is_mode("kept")) {
    const auto fill = [] {
      kept_by_thread.losses.clear();  // constructs the object before those of the library
      kept_by_thread.fill();
    };
    std::thread(fill).join();
    fill();
    kept_by_process.fill();
    std::puts("kept");
    return 0;
  }
  if (is_mode("atexit")) std::atexit([] { run_all(true); });
  const auto work_until_the_thread_ends = [] {
    static thread_local AtThreadEnd end;
    end.is_on = true;
    if (arguments().at(3) == "before") run_all(false);
  };
  if (is_mode("main")) work_until_the_thread_ends();
  if (is_mode("thread")) std::thread(work_until_the_thread_ends).join();
  if (arguments().at(3) == "before") run_all(false), run_all(false);
  if (is_mode("exit")) std::thread([] { std::exit(0); }).join();
}
