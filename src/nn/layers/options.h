// Arguments shared by several layers, converted between Python's form and options.
#pragma once
#include "nn/registry/layer_schema.h"
#include "taper/nn/conv.h"
#include "taper/nn/detail/norm_base.h"

namespace taper::nn {

/// Throws ValueError for a number of layers that no machine can hold. Creating them would not end.
void check_layer_count(std::int64_t count);

/// Returns a module argument; null for None.
std::shared_ptr<Module> module_argument(const Arguments& a, std::string_view name);

template <> struct ArgumentForm<ConvPadding> {
  static ConvPadding read(const Arguments& a, std::string_view name) {
    return a[name].is_string() ? ConvPadding(a.string(name)) : ConvPadding(a.sizes(name));
  }
  static Value value(const ConvPadding& stored, bool tuples) {
    return stored.word.empty() ? ArgumentForm<Shape>::value(stored.sizes, tuples)
                               : Value(stored.word);
  }
};
template <std::derived_from<ConvBase> L> constexpr bool kStoresTuples<L> = true;

/// Returns the options that a layer stores; affine=False ignores bias.
BatchNormOptions stored_options(const NormBase& norm);

}  // namespace taper::nn

/// Defines the schema of a batch or instance normalization.
#define TAPER_NORM_SCHEMA(Name, Options, file, ...)                                     \
  TAPER_SCHEMA_AS(Name, Options, file,                                                  \
                  "eps, momentum, affine, track_running_stats, device, dtype, *, bias", \
                  kNothingDeprecated, __VA_ARGS__)
