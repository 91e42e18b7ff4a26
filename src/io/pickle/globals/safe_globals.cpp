#include "io/pickle/globals/safe_globals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/pickle/globals/foreign_dtypes.h"
#include "io/pickle/globals/storage_class.h"

namespace taper::io {
namespace {

struct KnownGlobal {
  std::string_view name;
  std::optional<PickleRisk> risk;
};

/// Values of the column `risk` in known_globals.inc.
struct RiskColumn {
  static constexpr PickleRisk allowed = PickleRisk::allowed, data = PickleRisk::data;
  static constexpr std::nullopt_t by_module = std::nullopt;
};

constexpr KnownGlobal kKnownGlobals[] = {
#define CALL(name, builder, kind, risk) {name, RiskColumn::risk},
#define NAME(name, risk) {name, RiskColumn::risk},
#include "io/pickle/globals/known_globals.inc"
#undef CALL
#undef NAME
};

constexpr std::array<std::string_view, 5> kQuantizationSchemes = {
    "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine", "per_channel_symmetric",
    "per_channel_affine_float_qparams"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Returns true for int1 to int7 and uint1 to uint7.
bool is_small_integer(std::string_view name) {
  if (name.starts_with('u')) name.remove_prefix(1);
  return name.size() == 4 && name.starts_with("int") && name[3] >= '1' && name[3] <= '7';
}

/// Returns true for a legacy tensor class, such as "FloatTensor", "cuda.FloatTensor" or
/// "cuda.sparse.FloatTensor".
bool is_tensor_class(std::string_view name) {
  for (const std::string_view prefix : {"cuda.", "sparse."})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (!name.ends_with("Tensor")) return false;
  name.remove_suffix(std::string_view("Tensor").size());
  return dtype_of_storage(std::string(name) + "Storage").has_value();
}

bool is_storage_class(std::string_view name) {
  if (name.starts_with("cuda.")) name.remove_prefix(5);
  return dtype_of_storage(name) || foreign_dtype_of_storage(name);
}

}  // namespace

std::string python_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kRenamedModules[] = {
      {"__builtin__.xrange", "builtins.range"},
      {"__builtin__.", "builtins."},
      {"exceptions.", "builtins."},
      {"copy_reg.", "copyreg."},
      {"torch.tensor.", "torch._tensor."},
      {"pathlib._local.", "pathlib."},
      {"numpy.core.", "numpy._core."}};
  for (const auto& [old, now] : kRenamedModules)
    if (name.starts_with(old)) return std::string(now).append(name.substr(old.size()));
  return std::string(name);
}

std::optional<PickleRisk> known_risk(std::string_view name) {
  for (const KnownGlobal& known : kKnownGlobals)
    if (known.name == name) return known.risk;
  return {};
}

bool is_safe_global(const std::string& name) {
  if (known_risk(name) == PickleRisk::allowed) return true;
  if (!name.starts_with("torch.")) return false;
  const std::string_view torch_name = std::string_view(name).substr(6);
  return dtype_named(torch_name) || foreign_dtype(torch_name) || is_small_integer(torch_name) ||
         contains(kQuantizationSchemes, torch_name) || is_tensor_class(torch_name) ||
         is_storage_class(torch_name);
}

}  // namespace taper::io
