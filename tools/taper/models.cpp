#include "models.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "known_models.h"
#include "literal.h"
#include "nn/registry/class_registry.h"
#include "nn/registry/signature.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/load_error.h"
#include "taper/nn/module_value.h"
#include "taper/nn/python_interop.h"
#include "taper/nn/registry.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {

namespace nn = taper::nn;
using taper::Value;

namespace {

std::string to_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns `name` if it is a registered class name; otherwise the only one that equals it up to
/// case, or `name` if there is not exactly one. A network of models/ precedes its class, which has
/// no arguments.
std::string resolve_class_name(const std::string& name) {
  std::string found;
  if (usual_input(to_lower(name)))
    for (const std::string& known : nn::class_names())
      if (known == to_lower(name)) return known;
  for (const std::string& known : nn::class_names()) {
    if (known == name) return name;
    if (to_lower(known) != to_lower(name)) continue;
    if (!found.empty()) return name;
    found = known;
  }
  return found.empty() ? name : found;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// Loads a plugin. It is never unloaded, because its classes remain registered.
void load_plugin(const std::string& path) {
  // dlopen() searches the library path for a name without a slash.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (!dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    const char* const why = dlerror();
    throw taper::IoError("cannot load the plugin " + printable(path) + ": " +
                         printable(why ? why : "unknown reason"));
  }
}

/// Returns true if the constructor has the argument num_classes, and the call does not give it.
bool lacks_num_classes(const std::string& name, const taper::Values& args, const Value& kwargs) {
  const auto parameters = nn::parse_signature(nn::find_schema(name).signature);
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [](const auto& p) { return p.name == "num_classes"; });
  return found != parameters.end() && !kwargs.contains("num_classes") &&
         args.size() <= static_cast<std::size_t>(found - parameters.begin());
}

Value make_layer(const std::string& name, const taper::Values& args, const Value& given,
                 std::optional<std::int64_t> num_classes = {}) {
  try {
    const std::string known = resolve_class_name(name);
    Value kwargs = given;
    if (num_classes && lacks_num_classes(known, args, given)) {
      kwargs = given.as_dict().copy();
      kwargs.as_dict().set("num_classes", *num_classes);
    }
    return nn::value_of(nn::make(known, args, kwargs));
  } catch (const taper::AttributeError& error) {
    throw UsageError(error.what());
  } catch (const taper::TypeError& error) { throw UsageError(error.what()); }
}

/// Creates the model of an expression, whose outermost call may receive `num_classes`.
Value make_expression(const std::string& text, std::optional<std::int64_t> num_classes) {
  int calls = 0;
  static_cast<void>(parse_call(text, [&](const std::string&, const taper::Values&, const Value&) {
    ++calls;
    return Value();
  }));
  return parse_call(
      text, [&](const std::string& name, const taper::Values& args, const Value& kwargs) {
        return make_layer(name, args, kwargs, --calls == 0 ? num_classes : std::nullopt);
      });
}

}  // namespace

std::shared_ptr<nn::Module> make_model(const ModelOptions& o,
                                       std::optional<std::int64_t> num_classes) {
  register_known_models();
  for (const std::string& plugin : o.plugins) load_plugin(plugin);
  const Value named = Value::dict();
  for (const std::string& arg : o.args) {
    const std::size_t equals = arg.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--arg: expected NAME=VALUE, got '" + printable(arg) + "'");
    named.as_dict().set(arg.substr(0, equals), parse_literal(arg.substr(equals + 1)));
  }
  const bool by_name = o.model.find('(') == std::string::npos;
  if (by_name && is_file(o.model)) {
    if (named.size()) throw UsageError("--arg is not supported for a module loaded from a file");
    std::vector<std::string> hooks;  // passed, so that no warning about ignored hooks is printed
    try {
      return nn::from_pickle(taper::load(o.model), {.hooks = &hooks});
    } catch (const taper::LoadError&) { throw; } catch (const taper::TypeError&) {
      throw taper::TypeError(
          printable(o.model) +
          ": the file does not contain a whole module. Specify the class of the model instead");
    } catch (const taper::Error& error) {
      const std::string what = error.what();
      taper::throw_error(error.kind(), what.find(o.model) == std::string::npos
                                           ? printable(o.model) + ": " + what
                                           : what);
    }
  }
  if (!by_name && named.size())
    throw UsageError("--arg cannot be combined with arguments in parentheses: got '" +
                     printable(o.model) + "'");
  const Value value =
      by_name ? make_layer(o.model, {}, named, num_classes) : make_expression(o.model, num_classes);
  std::shared_ptr<nn::Module> module = nn::shared_module_of(value);
  if (!module) throw UsageError("unknown model '" + printable(o.model) + "'");
  return module;
}

std::optional<std::int64_t> classes_of_weights(const nn::Module& module, const Value& state) {
  const Value expected = module.state_dict();
  std::optional<std::int64_t> classes, rows;
  for (const auto& [name, value] : expected.as_dict()) {
    const Value* const other = state.is_dict() ? state.as_dict().find(name) : nullptr;
    if (!other || !other->is_tensor() || !value.is_tensor()) return {};
    const taper::Shape &mine = value.as_tensor().shape(), &its = other->as_tensor().shape();
    if (mine == its) continue;
    if (mine.size() != its.size() || mine.empty() ||
        !std::equal(mine.begin() + 1, mine.end(), its.begin() + 1) ||
        (classes && (*classes != its[0] || *rows != mine[0])))
      return {};
    classes = its[0], rows = mine[0];
  }
  return classes;
}

std::optional<taper::Shape> usual_input_of(const ModelOptions& o) {
  return usual_input(to_lower(o.model.substr(0, o.model.find('('))));
}

std::string image_input(const ModelOptions& o, const std::string& given) {
  if (!given.empty()) return given;
  const auto usual = usual_input_of(o);
  if (!usual) return "1x28x28";
  return fmt::format("{}x{}x{}", (*usual)[1], (*usual)[2], (*usual)[3]);
}

taper::Shape parse_shape(const std::string& text) {
  taper::Shape shape;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    std::int64_t n = 0;
    const auto [rest, error] = std::from_chars(at, end, n);
    const bool has_separator = rest < end && (*rest == 'x' || *rest == ',') && rest + 1 < end;
    if (error != std::errc() || n < 0 || (rest < end && !has_separator) || shape.size() == 16)
      break;
    shape.push_back(n);
    at = rest + (has_separator ? 1 : 0);
    if (at == end) return shape;
  }
  throw UsageError("invalid shape '" + printable(text) + "': expected a form such as 1x28x28");
}

}  // namespace taper::cli
