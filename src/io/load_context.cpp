#include "io/load_context.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/text.h"
#include "taper/core/factory.h"
#include "taper/io/load_error.h"

namespace taper::io {

namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  constexpr std::array<std::string_view, 4> kTrueValues = {"1", "y", "yes", "true"};
  return value && std::find(kTrueValues.begin(), kTrueValues.end(), value) != kTrueValues.end();
}

/// Returns true if PyTorch's environment variables request weights-only loading. The default is
/// false, unlike in PyTorch, because loading executes no code.
bool strict_by_environment() {
  const bool force = is_set("TORCH_FORCE_WEIGHTS_ONLY_LOAD"),
             never = is_set("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD");
  if (force && never)
    fail<RuntimeError>(
        "load: only one of TORCH_FORCE_WEIGHTS_ONLY_LOAD and TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD "
        "may be set, got both");
  return force;
}

}  // namespace

LoadContext::LoadContext(Ref<Source> source, const LoadOptions& options)
    : source_(std::move(source)),
      options_(options),
      strict_(strict_by_environment() || options.strict) {
  if (options.mmap.value_or(false) && !source_->is_file())
    fail<ValueError>("load: mmap requires a file path, got {}", source_->name());
}

void LoadContext::throw_load_error(const std::string& reason) const {
  throw LoadError(name(), escape_for_message(reason, kMaxReasonLength));
}

Tensor LoadContext::elements(std::uint64_t at, std::int64_t count, DType dtype) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes().data()) + at;
  const bool fits = source_->outlives_load() && address % size_of(dtype) == 0 && count > 0;
  if (!fits || !options_.mmap.value_or(true)) return copy_elements(at, count, dtype);
  this->count(static_cast<std::uint64_t>(count) * size_of(dtype));
  return source_->view(at, count, dtype);
}

Tensor LoadContext::copy_elements(std::uint64_t at, std::int64_t count, DType dtype) {
  Tensor flat = new_tensor({count}, dtype, Device::cpu());
  fill(flat, at);
  return flat;
}

void LoadContext::fill(const Tensor& flat, std::uint64_t at) {
  Storage& storage = *impl(flat).storage;
  std::byte* const to = storage.row_major_buffer().data;
  const std::size_t bytes = storage.bytes();
  constexpr std::size_t kChunkSize = std::size_t{32} << 20;  // granularity of progress reports
  for (std::size_t i = 0; i < bytes; i += kChunkSize) {
    const std::size_t n = std::min(kChunkSize, bytes - i);
    source_->read(at + i, to + i, n);
    this->count(n);
  }
}

Tensor LoadContext::apply_map_location(const Tensor& t) const {
  const std::optional<Device> mapped_device = options_.map_location("cpu");
  return mapped_device ? t.to(*mapped_device) : t;
}

void LoadContext::count(std::uint64_t bytes) {
  bytes_read_ += bytes;
  if (options_.progress) options_.progress(bytes_read_, this->bytes().size());
}

void swap_bytes(const Tensor& flat) {
  Storage& storage = *impl(flat).storage;
  std::byte* const data = storage.row_major_buffer().data;
  const std::size_t element = size_of(flat.dtype());
  for (std::size_t i = 0; i + element <= storage.bytes(); i += element)
    std::reverse(data + i, data + i + element);
}

}  // namespace taper::io
