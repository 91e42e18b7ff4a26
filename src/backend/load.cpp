// Loading of backends: finds the library, checks its table and registers its devices.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <mutex>

#include "backend/external_backend.h"
#include "backend/op_schema.h"
#include "core/check.h"
#include "ops/launch.h"
#include "taper/backend/backend.h"

namespace taper::backend {
namespace {

constexpr int kMaxKinds = 64;
std::array<std::atomic<ExternalBackend*>, kMaxKinds> backends_by_kind{};
std::mutex load_mutex;

void launch_on_backend(Device device, const OpDescriptor& op, const void* attributes,
                       const KernelArgs& args) {
  backends_by_kind[static_cast<std::size_t>(device.kind())]
      .load(std::memory_order_acquire)
      ->run(device, op, attributes, args);
}

const char* missing_field(const taper_backend_table& t) {
  if (!t.device_type || !*t.device_type) return "device_type";
  if (!t.device_count) return "device_count";
  if (!t.allocate || !t.release) return "allocate and release";
  if (!t.copy_from_host || !t.copy_to_host || !t.copy_within) return "copies";
  if (!t.synchronize) return "synchronize";
  return t.kernel_count && !t.kernels ? "kernels" : nullptr;
}

LoadedBackend register_backend(const taper_backend_table& table, const std::string& path) {
  const Device device{std::string_view(table.device_type)};
  const auto kind = static_cast<std::size_t>(device.kind());
  if (device.is_cpu() || device.is_meta() || kind >= kMaxKinds || backends_by_kind[kind].load())
    fail<DeviceError>("load: {}: device type '{}' is already registered", path, table.device_type);
  auto* backend =
      new ExternalBackend(table);  // never destroyed: tensors may have static storage duration
  LoadedBackend result{table.device_type, backend->device_count(), {}, {}};
  for (std::size_t i = 0; i < table.kernel_count; ++i) {
    const std::string_view kernel_schema = table.kernels[i].schema;
    const std::string_view name = kernel_schema.substr(0, kernel_schema.find('('));
    const OpDescriptor* op = find_op(name);
    if (op && op_schema(*op) == kernel_schema) {
      backend->add_kernel(*op, table.kernels[i]);
      result.kernels.emplace_back(name);
    } else {
      result.rejected.push_back(std::string(kernel_schema) +
                                (op ? ", expected " + op_schema(*op) : ", unknown op"));
    }
  }
  backends_by_kind[kind].store(backend, std::memory_order_release);
  set_backend_launch(launch_on_backend);
  register_device(device.kind(), backend);
  return result;
}

/// Loads the backend of a device type if its library is on the library path. Called when an
/// operation requires a device type that is not registered.
void find_backend(std::string_view kind) {
  const std::string path = "libtaper_" + std::string(kind) + ".so";
  if (void* probe = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    load(path);
    dlclose(probe);
  }
}
const bool loader_is_set = (set_device_loader(find_backend), true);

}  // namespace

LoadedBackend load(const std::string& path) {
  static_cast<void>(loader_is_set);
  std::lock_guard lock(load_mutex);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    fail<IoError>("load: cannot load the backend {}: {}", path, why ? why : "unknown reason");
  }
  // The library is never closed, because memory and kernels of its devices may be in use until the
  // program exits.
  const auto entry = reinterpret_cast<taper_backend_entry>(dlsym(library, TAPER_BACKEND_ENTRY));
  if (!entry)
    fail<DeviceError>("load: {}: not a backend library: symbol '{}' not found", path,
                      TAPER_BACKEND_ENTRY);
  static const taper_host host{TAPER_BACKEND_ABI_VERSION, set_error_message};
  taper_backend_table table{};
  if (entry(&host, &table) != TAPER_OK) {
    const std::string backend_message = take_error_message();
    fail<DeviceError>("load: {}: initialization failed: {}", path,
                      backend_message.empty() ? "no error message was set" : backend_message);
  }
  if (table.version != TAPER_BACKEND_ABI_VERSION)
    fail<DeviceError>("load: {}: backend ABI version mismatch: got {}, expected {}", path,
                      table.version, TAPER_BACKEND_ABI_VERSION);
  if (const char* field = missing_field(table))
    fail<DeviceError>("load: {}: incomplete backend table: missing {}", path, field);
  return register_backend(table, path);
}

void synchronize(std::string_view name) {
  const Device device(name);
  if (!device.is_meta()) device_ops(device).synchronize(device.index());
}

}  // namespace taper::backend
