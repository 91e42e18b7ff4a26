// LoadContext: the source, the options and the tensor creation of one call of load().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/check.h"
#include "io/source.h"
#include "taper/io/load.h"

namespace taper::io {

class LoadContext {
 public:
  /// Stores a reference to `options`. Throws ValueError if they request mmap and `source` is not a
  /// file.
  LoadContext(Ref<Source> source, const LoadOptions& options);
  ~LoadContext() { source_->close(); }
  LoadContext(const LoadContext&) = delete;
  LoadContext& operator=(const LoadContext&) = delete;

  std::span<const std::byte> bytes() const { return source_->bytes(); }
  const std::string& name() const { return source_->name(); }
  bool is_file() const { return source_->is_file(); }
  const LoadOptions& options() const { return options_; }
  /// Returns true if the options or the environment restrict loading to the values that
  /// torch.load(weights_only=True) accepts.
  bool strict() const { return strict_; }
  /// Throws LoadError with the name of the source and a message that is formatted as by `fail`.
  template <class... A>
  [[noreturn, gnu::cold, gnu::noinline]] void reject(fmt::format_string<FormatArg<A>...> form,
                                                     const A&... args) const {
    throw_load_error(format_message(form, args...));
  }

  /// Returns the `count` elements that start at byte `at`, as a view of the file if possible and
  /// otherwise as a copy. The bytes must be within the source.
  Tensor elements(std::uint64_t at, std::int64_t count, DType dtype);
  /// As `elements`, but always returns a copy.
  Tensor copy_elements(std::uint64_t at, std::int64_t count, DType dtype);
  /// Fills the storage of a new tensor with the bytes that start at `at`.
  void fill(const Tensor& flat, std::uint64_t at);
  /// Returns `t`, a tensor of a format without storage locations, on the device that `map_location`
  /// selects for "cpu".
  Tensor apply_map_location(const Tensor& t) const;
  /// Adds `bytes` to the number of bytes read and calls the progress callback. Functions that read
  /// without this class must call it.
  void count(std::uint64_t bytes);

 private:
  [[noreturn]] void throw_load_error(const std::string& reason) const;

  Ref<Source> source_;
  const LoadOptions& options_;
  bool strict_;
  std::uint64_t bytes_read_ = 0;
};

/// Reverses the byte order of each element of a new tensor.
void swap_bytes(const Tensor& flat);

}  // namespace taper::io
