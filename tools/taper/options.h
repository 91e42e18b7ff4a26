// How subcommands are declared.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "out.h"

namespace command {

/// What every subcommand knows.
struct Common {
  bool json = false;
  Out::Pictures pictures = Out::Pictures::automatic;
};

/// What a subcommand does once the command line is read; gives the exit status.
using Action = std::function<int(Out&)>;

/// Where subcommands are added, and which action was chosen.
struct Commands {
  CLI::App& app;
  Common& common;
  Action chosen{};
  std::string chosen_name{};

  /// A subcommand with its options. `examples`: lines that are shown below its help.
  CLI::App& add(const std::string& name, const std::string& what, const std::string& examples) {
    CLI::App& sub = *app.add_subcommand(name, what);
    sub.footer("Examples:\n" + examples + "\n");
    sub.add_flag("--json", common.json, "answer as JSON");
    sub.add_option_function<std::string>(
           "--pictures",
           [&common = common](const std::string& when) {
             if (when != "auto" && when != "always" && when != "never")
               throw CLI::ValidationError("--pictures", "takes auto, always or never, got " + when);
             common.pictures = when == "always"  ? Out::Pictures::always
                               : when == "never" ? Out::Pictures::never
                                                 : Out::Pictures::automatic;
           },
           "colours and bars: auto (on a terminal), always, never")
        ->type_name("WHEN");
    return sub;
  }
  void on(CLI::App& sub, Action action) {
    sub.callback([this, action = std::move(action), name = sub.get_name()] {
      chosen = action;
      chosen_name = name;
    });
  }
};

// Each in a file of its own.
void add_show(Commands& commands);
void add_diff(Commands& commands);
void add_summary(Commands& commands);
void add_train(Commands& commands);
void add_predict(Commands& commands);
void add_check(Commands& commands);
void add_convert(Commands& commands);
void add_merge(Commands& commands);
void add_split(Commands& commands);

}  // namespace command
