#include "backend/external_backend.h"

#include "backend/c_api_call.h"
#include "core/check.h"
#include "core/current_op.h"
#include "core/per_thread.h"
#include "ops/launch.h"

namespace taper::backend {
namespace {

struct ErrorMessage {
  std::string text;
};
std::string& error_message() { return PerThread<ErrorMessage>::get().text; }

/// Returns the number of bytes from the beginning of the first to the end of the last element of a
/// view.
std::size_t bytes_of(const View& v) {
  return v.numel == 0 ? 0 : static_cast<std::size_t>(extent_of(v)) * size_of(v.dtype);
}

}  // namespace

void set_error_message(const char* text) { error_message() = text ? text : ""; }
std::string take_error_message() { return std::exchange(error_message(), {}); }

void ExternalBackend::check(taper_status status, int index, std::string_view what) const {
  if (status == TAPER_OK) return;
  const std::string backend_message = take_error_message();
  const std::string where =
      taper::format_message("{}: {}:{}: {}", current_op::name(), table_.device_type, index, what);
  const std::string text =
      backend_message.empty() ? where + " failed" : where + ": " + backend_message;
  if (status == TAPER_OUT_OF_MEMORY) throw OutOfMemoryError(text);
  if (status == TAPER_NOT_SUPPORTED) throw NotImplementedError(text);
  throw DeviceError(text);
}

std::byte* ExternalBackend::allocate(int index, std::size_t bytes, std::size_t& capacity) {
  void* block = nullptr;
  capacity = std::max<std::size_t>(bytes, 1);  // a capacity of 0 marks memory that is not released
  check(table_.allocate(index, capacity, nullptr, &block), index,
        taper::format_message("allocating {} bytes", bytes));
  return static_cast<std::byte*>(block);
}
void ExternalBackend::release(int index, std::byte* block, std::size_t capacity) noexcept {
  table_.release(index, block, capacity, nullptr);
}
void ExternalBackend::copy_from_host(int index, std::byte* to, const std::byte* from,
                                     std::size_t n) {
  check(table_.copy_from_host(index, to, from, n), index, "copying from the host");
}
void ExternalBackend::copy_to_host(int index, std::byte* to, const std::byte* from, std::size_t n) {
  check(table_.copy_to_host(index, to, from, n), index, "copying to the host");
}
void ExternalBackend::copy_within(int to_index, std::byte* to, int from_index,
                                  const std::byte* from, std::size_t n) {
  check(table_.copy_within(to_index, to, from_index, from, n), to_index, "copying between devices");
}
void ExternalBackend::synchronize(int index) {
  check(table_.synchronize(index), index, "synchronizing");
}

memory::Stats ExternalBackend::stats(int index) {
  memory::Stats s;
  if (table_.memory) table_.memory(index, &s.allocated, &s.peak);
  return s;
}

void ExternalBackend::run(Device device, const OpDescriptor& op, const void* attributes,
                          const KernelArgs& args) {
  if (const auto found = kernels_.find(&op); found != kernels_.end()) {
    const CApiCall call(op, attributes, args);
    const taper_status status = found->second(device.index(), nullptr, &call.get());
    if (status != TAPER_NOT_SUPPORTED || !table_.fallback)
      return check(status, device.index(), "kernel");
    take_error_message();
  }
  if (!table_.fallback)
    fail<NotImplementedError>("{}: not implemented on device {}", op.info.name, device);
  run_on_cpu(device, op, attributes, args);
}

void ExternalBackend::run_on_cpu(Device device, const OpDescriptor& op, const void* attributes,
                                 const KernelArgs& args) {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<View> ins(args.in.begin(), args.in.end()), outs(args.out.begin(), args.out.end());
  const auto fetch = [&](View& v) {
    if (!v.shape || !v.storage) return;
    // Copies the whole range of memory, so that gaps between written elements are preserved.
    blocks.emplace_back(std::max<std::size_t>(bytes_of(v), 8));
    if (const std::size_t n = bytes_of(v))
      copy_to_host(device.index(), blocks.back().data(), v.data, n);
    v.data = blocks.back().data();
  };
  blocks.reserve(ins.size() + outs.size());
  for (View& v : ins) fetch(v);
  for (View& v : outs) fetch(v);
  launch(Device::cpu(), op, attributes, {ins, outs, args.compute});
  for (std::size_t i = 0; i < outs.size(); ++i)
    if (const std::size_t n = bytes_of(outs[i]))
      copy_from_host(device.index(), args.out[i].data, outs[i].data, n);
}

}  // namespace taper::backend
