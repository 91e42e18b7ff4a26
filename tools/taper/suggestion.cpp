#include "suggestion.h"

#include <algorithm>

#include "nn/module/suggest.h"
#include "words.h"

namespace taper::cli {

std::string suggestion(const std::string& given, const std::vector<std::string>& names) {
  const auto quoted = [](const std::string& name) { return ": did you mean '" + name + "'?"; };
  if (const std::string* const nearest = nn::nearest_name(given, names)) return quoted(*nearest);
  const auto begins = [&](const std::string& name) { return name.starts_with(given); };
  return given.size() > 3 && std::count_if(names.begin(), names.end(), begins) == 1
             ? quoted(*std::find_if(names.begin(), names.end(), begins))
             : "";
}

std::string unknown_option_text(const CLI::App& command, const std::string& argument) {
  const std::string option = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const known : command.get_options())
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  // The names of one letter resemble each other.
  return "unknown option '" + printable(option) + "'" +
         (option.starts_with("--") ? suggestion(option, names) : "");
}

}  // namespace taper::cli
