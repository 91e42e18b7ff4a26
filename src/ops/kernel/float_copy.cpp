#include "ops/kernel/float_copy.h"

#include "cpu/threads.h"
#include "ops/kernel/convert.h"

namespace taper::kernel {
namespace {

constexpr std::int64_t kGrain = 1 << 15;  // minimum number of elements per thread

/// Converts n elements between f32 and bf16.
void convert(void* to, DType to_dtype, const void* from, DType from_dtype, std::int64_t n) {
  const ConvertRun run = find_conversion(to_dtype, from_dtype);
  const auto to_size = static_cast<std::int64_t>(size_of(to_dtype));
  const auto from_size = static_cast<std::int64_t>(size_of(from_dtype));
  cpu::parallel_for(0, n, kGrain, [&](std::int64_t b, std::int64_t e) {
    run(static_cast<std::byte*>(to) + b * to_size,
        static_cast<const std::byte*>(from) + b * from_size, e - b);
  });
}

std::size_t float_bytes(std::int64_t numel) {
  return static_cast<std::size_t>(numel) * sizeof(float);
}

}  // namespace

bool is_computed_in_f32(DType dtype) { return dtype == DType::f32 || dtype == DType::bf16; }

FloatInput::FloatInput(const void* data, DType dtype, std::int64_t numel)
    : data_(static_cast<const float*>(data)) {
  if (data == nullptr || dtype == DType::f32) return;
  copy_.emplace(float_bytes(numel));
  convert(copy_->as<float>(), DType::f32, data, dtype, numel);
  data_ = copy_->as<float>();
}

FloatOutput::FloatOutput(const View& v) : view_(v) {
  if (!v.shape) return;
  if (v.dtype != DType::f32) copy_.emplace(float_bytes(v.numel));
  data_ = copy_ ? copy_->as<float>() : reinterpret_cast<float*>(v.data);
}

void FloatOutput::store() const {
  if (copy_) convert(view_.data, view_.dtype, data_, DType::f32, view_.numel);
}

}  // namespace taper::kernel
