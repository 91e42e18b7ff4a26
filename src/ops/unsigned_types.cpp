#include "ops/unsigned_types.h"

#include <algorithm>

namespace taper {
namespace {

// As in PyTorch 2.15, where views work with every type.
constexpr std::string_view kAllTypes[] = {"_to_copy",      "all",         "any",
                                          "cat",           "ceil",        "clone",
                                          "copy",          "cumsum",      "eq",
                                          "fill",          "floor",       "gather",
                                          "index",         "isfinite",    "index_select",
                                          "isinf",         "isnan",       "mul",
                                          "nansum",        "ne",          "prod",
                                          "prod_all",      "random",      "round",
                                          "scatter",       "scatter_add", "scatter_strided",
                                          "scatter_value", "stack",       "sum",
                                          "sum_all",       "trunc",       "where"};

// Integer kernels order by the signed value of 64 bits: the order of uint64 is not theirs.
constexpr std::string_view kNotUInt64[] = {"clamp",     "clamp_max",        "clamp_max_tensor",
                                           "clamp_min", "clamp_min_tensor", "clamp_tensor",
                                           "maximum",   "minimum",          "relu"};

template <std::size_t N> bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(names, names + N, name) != names + N;
}

}  // namespace

bool supports_unsigned(const OpInfo& op, DType dtype) {
  if (!is_barebones_unsigned(dtype)) return false;
  return op.view || contains(kAllTypes, op.name) ||
         (dtype != DType::u64 && contains(kNotUInt64, op.name));
}

}  // namespace taper
