// Arguments that several layers share, between Python's form and options.
#pragma once
#include "nn/make/row.h"
#include "taper/nn/conv.h"
#include "taper/nn/norm_base.h"

namespace taper::nn {

/// From "stride" on.
ConvOptions conv_options(const Arguments& a);
/// `first`, then from kernel_size on.
Values conv_values(const ConvBase& conv, Values first);

/// From "eps" on.
BatchNormOptions norm_options(const Arguments& a);
Values norm_values(const NormBase& norm, Values first);

}  // namespace taper::nn
