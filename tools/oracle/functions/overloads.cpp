#include "functions/overloads.h"

#include <algorithm>

#include "cases/outcome.h"
#include "taper/core/error.h"

namespace taper::oracle {
namespace {

/// Signature of an overload, and the op that implements it: by default the one of the same name.
struct Overload {
  const char* signature;
  const char* op = nullptr;
};

/// Functions whose arguments are in another order than the inputs and attributes of their op, or
/// that have several overloads. A name with a namespace takes precedence over one without.
constexpr Overload kOverloads[] = {
    // Indexing.
    {"gather(Tensor input, int dim, Tensor index)"},
    {"index_select(Tensor input, int dim, Tensor index)"},
    {"index_add(Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1)"},
    {"index_copy(Tensor input, int dim, Tensor index, Tensor source)"},
    {"index_fill(Tensor input, int dim, Tensor index, Number value)"},
    {"index_fill(Tensor input, int dim, Tensor index, Tensor value)", "index_fill_tensor"},
    {"masked_fill(Tensor input, Tensor mask, Number value)"},
    {"masked_fill(Tensor input, Tensor mask, Tensor value)", "masked_fill_tensor"},
    {"nonzero(Tensor input, *, bool as_tuple=False)"},
    {"scatter(Tensor input, int dim, Tensor index, Tensor src)"},
    {"scatter(Tensor input, int dim, Tensor index, Number value)", "scatter_value"},
    {"scatter(Tensor input, int dim, Tensor index, Tensor src, *, str reduce)"},
    {"scatter(Tensor input, int dim, Tensor index, Number value, *, str reduce)"},
    {"scatter_add(Tensor input, int dim, Tensor index, Tensor src)"},
    {"where(Tensor condition, Tensor|Number input, Tensor|Number other)"},
    {"Tensor.where(Tensor input, Tensor condition, Tensor|Number other)"},

    // Pointwise.
    {"clamp(Tensor input, Number? min=None, Number? max=None)"},
    {"clamp(Tensor input, Tensor? min=None, Tensor? max=None)", "clamp_tensor"},
    {"clamp_max(Tensor input, Number max)"},
    {"clamp_max(Tensor input, Tensor max)", "clamp_max_tensor"},
    {"clamp_min(Tensor input, Number min)"},
    {"clamp_min(Tensor input, Tensor min)", "clamp_min_tensor"},
    {"div(Tensor input, Tensor|Number other, *, None rounding_mode=None)"},
    {"div(Tensor input, Tensor|Number other, *, str rounding_mode)", "div_mode"},
    {"lerp(Tensor input, Tensor end, Number weight)"},
    {"lerp(Tensor input, Tensor end, Tensor weight)", "lerp_tensor"},
    {"polygamma(int n, Tensor input)"},
    {"Tensor.polygamma(Tensor input, int n)"},
    {"pow(Tensor input, Number exponent)"},
    {"pow(Tensor input, Tensor exponent)", "pow_tensor"},
    {"pow(Number self, Tensor exponent)", "pow_number"},
    {"round(Tensor input)"},
    {"round(Tensor input, *, int decimals)", "round_decimals"},

    // Reductions.
    {"max(Tensor input)", "max_all"},
    {"max(Tensor input, int dim, bool keepdim=False)"},
    {"max(Tensor input, Tensor other)", "maximum"},
    {"median(Tensor input)", "median_all"},
    {"median(Tensor input, int dim, bool keepdim=False)"},
    {"min(Tensor input)", "min_all"},
    {"min(Tensor input, int dim, bool keepdim=False)"},
    {"min(Tensor input, Tensor other)", "minimum"},
    {"prod(Tensor input, *, dtype? dtype=None)", "prod_all"},
    {"prod(Tensor input, int dim, bool keepdim=False, *, dtype? dtype=None)"},
    {"std(Tensor input, bool unbiased)"},
    {"std(Tensor input, ints? dim=None, *, Number? correction=None, bool keepdim=False)"},
    {"std(Tensor input, ints? dim, bool unbiased, bool keepdim=False)"},
    {"std_mean(Tensor input, bool unbiased)"},
    {"std_mean(Tensor input, ints? dim=None, *, Number? correction=None, bool keepdim=False)"},
    {"std_mean(Tensor input, ints? dim, bool unbiased, bool keepdim=False)"},
    {"sum_to_size(Tensor input, int... size)"},
    {"var(Tensor input, bool unbiased)"},
    {"var(Tensor input, ints? dim=None, *, Number? correction=None, bool keepdim=False)"},
    {"var(Tensor input, ints? dim, bool unbiased, bool keepdim=False)"},
    {"var_mean(Tensor input, bool unbiased)"},
    {"var_mean(Tensor input, ints? dim=None, *, Number? correction=None, bool keepdim=False)"},
    {"var_mean(Tensor input, ints? dim, bool unbiased, bool keepdim=False)"},

    // Creation, conversion and views.
    {"arange(Number end, *, dtype? dtype=None, bool requires_grad=False)"},
    {"arange(Number start, Number end, Number step=1, *, dtype? dtype=None, bool "
     "requires_grad=False)"},
    {"linspace(Tensor|Number start, Tensor|Number end, int steps, *, dtype? dtype=None, bool "
     "requires_grad=False)"},
    {"logspace(Tensor|Number start, Tensor|Number end, int steps, Number base=10.0, *, dtype? "
     "dtype=None, bool requires_grad=False)"},
    {"narrow(Tensor input, int dim, int|Tensor start, int length)"},
    {"to(Tensor input, dtype dtype, bool non_blocking=False, bool copy=False)"},
    {"to(Tensor input, Tensor other, bool non_blocking=False, bool copy=False)"},
};

/// Second names of functions and methods, without a trailing underscore.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"clip", "clamp"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"subtract", "sub"},
    {"true_divide", "div"},
    {"special.digamma", "digamma"},
    {"special.erf", "erf"},
    {"special.erfc", "erfc"},
    {"special.erfinv", "erfinv"},
    {"special.exp2", "exp2"},
    {"special.expit", "sigmoid"},
    {"special.expm1", "expm1"},
    {"special.gammainc", "igamma"},
    {"special.gammaincc", "igammac"},
    {"special.gammaln", "lgamma"},
    {"special.i0", "i0"},
    {"special.log1p", "log1p"},
    {"special.logit", "logit"},
    {"special.multigammaln", "mvlgamma"},
    {"special.polygamma", "polygamma"},
    {"special.psi", "digamma"},
    {"special.round", "round"},
    {"special.sinc", "sinc"},
    {"special.xlogy", "xlogy"},
    {"special.softmax", "softmax"},
    {"special.log_softmax", "log_softmax"},
    {"special.logsumexp", "logsumexp"},
};

struct Candidate {
  Signature signature;
  std::string op;
};
using Candidates = std::vector<Candidate>;

const std::map<std::string, Candidates>& overloads() {
  static const std::map<std::string, Candidates> all = [] {
    std::map<std::string, Candidates> table;
    for (const Overload& o : kOverloads) {
      Signature s(o.signature);
      const std::string name = s.name();
      table[name].push_back({std::move(s), o.op ? o.op : bare_name(name)});
    }
    return table;
  }();
  return all;
}

const Candidates* find_overloads(const std::string& function) {
  for (const std::string& name : {function, bare_name(function)})
    if (const auto found = overloads().find(name); found != overloads().end())
      return &found->second;
  return nullptr;
}

std::string kinds_of(const Values& values) {
  std::string text;
  for (const Value& v : values) text += (text.empty() ? "" : ", ") + std::string(v.type_name());
  return text;
}

}  // namespace

std::string resolve_alias(const std::string& function) {
  const std::string bare = bare_name(function);
  const std::string suffix = bare.ends_with("_") ? "_" : "";
  const std::string_view name = std::string_view(bare).substr(0, bare.size() - suffix.size());
  for (const auto& [alias, target] : kAliases)
    if (name == alias)
      return function.substr(0, function.find('.') + 1) + std::string(target) + suffix;
  if (bare.starts_with("special.")) return "torch.special_" + bare.substr(8);
  return function;
}

std::string bare_name(const std::string& function) {
  for (const std::string prefix : {"F.", "Tensor.", "torch."})
    if (function.starts_with(prefix)) return function.substr(prefix.size());
  return function;
}

BoundCall bind_call(const std::string& function, Values positional, NamedValues named) {
  const Candidates* candidates = find_overloads(function);
  std::string suffix;
  if (!candidates && function.ends_with("_")) {
    candidates = find_overloads(function.substr(0, function.size() - 1));
    suffix = "_";
  }
  if (!candidates) return {bare_name(function), std::move(positional), std::move(named)};
  for (const Candidate& c : *candidates)
    if (auto bound = c.signature.bind(positional, named))
      return {c.op + suffix, {}, std::move(*bound)};
  for (const auto& argument : named)
    if (std::none_of(candidates->begin(), candidates->end(),
                     [&](const Candidate& c) { return c.signature.has_parameter(argument.first); }))
      throw Unsupported(function + "(" + argument.first + ")");
  throw TypeError(function + ": no overload accepts the arguments: got (" + kinds_of(positional) +
                  ")");
}

}  // namespace taper::oracle
