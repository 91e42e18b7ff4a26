// ExternalBackend: a loaded backend with its memory functions and the kernels that match the
// library's ops.
#pragma once
#include <map>

#include "core/device_ops.h"
#include "ops/op.h"
#include "taper/backend/c_api.h"

namespace taper::backend {

class ExternalBackend final : public DeviceOps {
 public:
  explicit ExternalBackend(const taper_backend_table& table) : table_(table) {}

  int device_count() override { return table_.device_count(); }
  std::byte* allocate(int index, std::size_t bytes, std::size_t& capacity) override;
  void release(int index, std::byte* block, std::size_t capacity) noexcept override;
  void copy_from_host(int index, std::byte* to, const std::byte* from, std::size_t n) override;
  void copy_to_host(int index, std::byte* to, const std::byte* from, std::size_t n) override;
  void copy_within(int to_index, std::byte* to, int from_index, const std::byte* from,
                   std::size_t n) override;
  void synchronize(int index) override;
  memory::Stats stats(int index) override;

  /// Registers the kernel of an op.
  void add_kernel(const OpDescriptor& op, const taper_kernel& kernel) {
    kernels_[&op] = kernel.run;
  }
  /// Runs an op with the backend's kernel. If it is absent or reports TAPER_NOT_SUPPORTED, runs the
  /// op on copies of the operands on the CPU if the backend permits this fallback, and throws
  /// NotImplementedError otherwise.
  void run(Device device, const OpDescriptor& op, const void* attributes, const KernelArgs& args);

 private:
  using KernelFn = taper_status (*)(int, taper_stream*, const taper_call*);
  void run_on_cpu(Device device, const OpDescriptor& op, const void* attributes,
                  const KernelArgs& args);
  void check(taper_status status, int index, std::string_view what) const;

  taper_backend_table table_;
  std::map<const OpDescriptor*, KernelFn> kernels_;
};

/// Returns and clears the last error message that a backend set on this thread.
std::string take_error_message();
void set_error_message(const char* text);

}  // namespace taper::backend
