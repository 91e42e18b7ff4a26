// One load: the bytes, what was asked for, and how storages come of the bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/source.h"
#include "taper/io/load.h"

namespace taper::io {

class LoadContext {
 public:
  LoadContext(Ref<Source> source, const LoadOptions& options);
  ~LoadContext() { source_->close(); }
  LoadContext(const LoadContext&) = delete;
  LoadContext& operator=(const LoadContext&) = delete;

  std::span<const std::byte> bytes() const { return source_->bytes(); }
  const std::string& name() const { return source_->name(); }
  bool is_file() const { return source_->is_file(); }
  const LoadOptions& options() const { return options_; }
  /// Whether the options or the environment ask for what PyTorch reads alone.
  bool strict() const { return strict_; }
  /// Throws LoadError.
  [[noreturn]] void reject(const std::string& what) const;

  /// `count` elements that begin at byte `at`, which must be there: a view of the file, or a copy.
  Tensor elements(std::uint64_t at, std::int64_t count, DType dtype);
  /// A copy in any case.
  Tensor copied(std::uint64_t at, std::int64_t count, DType dtype);
  /// Copies bytes from `at` on into all of a new tensor.
  void fill(const Tensor& flat, std::uint64_t at);
  /// A tensor of a format that records no place, where it is to go.
  Tensor apply_map_location(const Tensor& t) const;
  /// Counts bytes that came from the file in another way.
  void count(std::uint64_t bytes);

 private:
  Ref<Source> source_;
  const LoadOptions& options_;
  bool strict_;
  std::uint64_t done_ = 0;
};

/// Turns the bytes of each element of a new tensor around.
void swap_bytes(const Tensor& flat);

}  // namespace taper::io
