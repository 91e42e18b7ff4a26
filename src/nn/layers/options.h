// Arguments shared by several layers, converted between Python's form and options.
#pragma once
#include "nn/registry/schema.h"
#include "taper/nn/conv.h"
#include "taper/nn/detail/norm_base.h"

namespace taper::nn {

/// Throws ValueError for a number of layers that no machine can hold. Creating them would not end.
void check_layer_count(std::int64_t count);

/// Returns a module argument; null for None.
std::shared_ptr<Module> module_argument(const Arguments& a, std::string_view name);

/// Returns the options in the arguments from "stride" on.
ConvOptions conv_options(const Arguments& a);
/// Returns `first`, followed by the arguments from "kernel_size" on.
Values conv_values(const ConvBase& conv, Values first);

/// As conv_options and conv_values, for transposed convolutions.
ConvTransposeOptions conv_transpose_options(const Arguments& a);
Values conv_transpose_values(const ConvBase& conv, Values first);

/// Returns the options in the arguments from "eps" on.
BatchNormOptions norm_options(const Arguments& a);
/// Returns `first`, followed by the arguments from "eps" on.
Values norm_values(const NormBase& norm, Values first);

}  // namespace taper::nn
