// Replacement of cross_entropy, for scores that are divided among ranks.
#pragma once
#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/nn/functional/loss.h"

namespace TAPER_API taper {
namespace nn::detail {

using CrossEntropyFunction = SharedFunction<Tensor(
    const Tensor& input, const Tensor& target, const functional::CrossEntropyFuncOptions& options)>;
/// Returns a reference to the function that functional::cross_entropy calls on the current thread;
/// null by default.
const CrossEntropyFunction*& cross_entropy_function();

}  // namespace nn::detail
}  // namespace taper
