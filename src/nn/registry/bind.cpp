#include "nn/registry/bind.h"

#include <algorithm>

#include "core/check.h"
#include "nn/module/suggest.h"
#include "nn/registry/signature.h"

namespace taper::nn {
namespace detail {

/// Binds the arguments of one call.
struct Binder {
  using Kind = SignatureEntry::Kind;

  Arguments arguments;
  const ModuleSchema& schema;
  std::vector<SignatureEntry> signature;
  std::vector<bool> given;

  explicit Binder(const ModuleSchema& r)
      : arguments(r),
        schema(r),
        signature(parse_signature(r.signature)),
        given(signature.size(), false) {
    for (const SignatureEntry& e : signature) arguments.all.emplace_back(e.name, e.fallback);
  }

  std::size_t find_kind(Kind kind) const {
    const auto at = std::find_if(signature.begin(), signature.end(),
                                 [kind](const SignatureEntry& e) { return e.kind == kind; });
    return static_cast<std::size_t>(at - signature.begin());
  }

  void bind_positional(const Values& args) {
    const auto ordinary = static_cast<std::size_t>(
        std::count_if(signature.begin(), signature.end(),
                      [](const SignatureEntry& e) { return e.kind == Kind::ordinary; }));
    const std::size_t rest = find_kind(Kind::rest);
    if (args.size() > ordinary && rest == signature.size()) reject_count(args.size(), ordinary);
    for (std::size_t i = 0; i < std::min(ordinary, args.size()); ++i)
      arguments.all[i].second = args[i], given[i] = true;
    if (args.size() > ordinary)
      arguments.all[rest].second =
          Value::tuple({args.begin() + static_cast<long>(ordinary), args.end()});
  }

  [[noreturn]] void reject_count(std::size_t got, std::size_t max) const {
    const auto min = static_cast<std::size_t>(std::count_if(
        signature.begin(), signature.end(),
        [](const SignatureEntry& e) { return e.kind == Kind::ordinary && e.required; }));
    const std::string range =
        min == max ? format_message("{}", max) : format_message("from {} to {}", min, max);
    fail<TypeError>("{}() takes {} positional argument{} but {} {} given", schema.name, range,
                    max == 1 ? "" : "s", got, got == 1 ? "was" : "were");
  }

  void bind_keywords(const Value& kwargs) {
    if (kwargs.is_none()) return;
    for (const auto& [key, value] : kwargs.as_dict()) {
      const std::string& name = key.as_string();
      const auto at = std::find_if(signature.begin(), signature.end(), [&](const auto& e) {
        return e.name == name && (e.kind == Kind::ordinary || e.kind == Kind::keyword_only);
      });
      if (at == signature.end()) {
        bind_extra_keyword(name, value);
        continue;
      }
      const auto i = static_cast<std::size_t>(at - signature.begin());
      if (given[i])
        fail<TypeError>("{}() got multiple values for argument '{}'", schema.name, name);
      arguments.all[i].second = value, given[i] = true;
    }
  }

  void bind_extra_keyword(const std::string& name, const Value& value) {
    const std::size_t rest = find_kind(Kind::var_keyword);
    if (rest < signature.size()) return arguments.all[rest].second.as_dict().set(name, value);
    std::vector<std::string> names;
    for (const SignatureEntry& e : signature) names.emplace_back(e.name);
    fail<TypeError>("{}() got an unexpected keyword argument '{}'{}", schema.name, name,
                    did_you_mean("argument", name, names));
  }

  void check_missing() {
    arguments.given_ = static_cast<std::size_t>(std::count(given.begin(), given.end(), true));
    std::vector<std::string_view> missing;
    // Trailing parameters of a user-defined class may have defaults that only its constructor
    // defines.
    const auto last = std::find(given.rbegin(), given.rend(), true);
    const std::size_t known =
        schema.file.empty() ? static_cast<std::size_t>(given.rend() - last) : signature.size();
    for (std::size_t i = 0; i < known; ++i)
      if (signature[i].required && !given[i]) missing.push_back(signature[i].name);
    if (missing.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < missing.size(); ++i)
      names += std::string(i == 0                   ? ""
                           : i + 1 < missing.size() ? ", "
                           : missing.size() == 2    ? " and "
                                                    : ", and ") +
               "'" + std::string(missing[i]) + "'";
    fail<TypeError>("{}() missing {} required positional argument{}: {}", schema.name,
                    missing.size(), missing.size() == 1 ? "" : "s", names);
  }
};

}  // namespace detail

Arguments bind(const ModuleSchema& schema, const Values& args, const Value& kwargs) {
  detail::Binder binder(schema);
  binder.bind_positional(args);
  binder.bind_keywords(kwargs);
  binder.check_missing();
  return std::move(binder.arguments);
}

}  // namespace taper::nn
