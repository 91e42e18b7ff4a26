// The dtype of the result of an op on operands of different kinds.
#pragma once
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Returns the dtype of the result of an arithmetic op on two operands, as by type promotion.
/// Numbers and 0-dimensional tensors only matter if they are of a higher kind (bool, integer,
/// floating-point) than tensors with dimensions. PyTorch: torch.result_type.
DType result_type(const Tensor& tensor1, const Tensor& tensor2);
DType result_type(const Tensor& tensor, const Scalar& number);
DType result_type(const Scalar& number, const Tensor& tensor);
DType result_type(const Scalar& number1, const Scalar& number2);

}  // namespace taper
