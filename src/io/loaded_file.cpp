#include "io/loaded_file.h"

#include <functional>

#include "core/tensor_impl.h"
#include "io/checkpoint_files.h"
#include "io/formats.h"
#include "io/source.h"

namespace taper::io {

struct LoadedFile::Mapping {
  Ref<Source> source;
};

LoadedFile::LoadedFile(const std::string& path, const LoadOptions& options)
    : mapping_(std::make_shared<const Mapping>(Mapping{Source::open(checkpoint_file(path))})),
      contents_(load_source(mapping_->source, options)) {}

bool LoadedFile::contains(const Tensor& tensor) const {
  const std::byte* const data = impl(tensor).storage->buffer().data;
  const std::span<const std::byte> bytes = mapping_->source->bytes();
  return std::less_equal<>()(bytes.data(), data) &&
         std::less<>()(data, bytes.data() + bytes.size());
}

std::uint64_t LoadedFile::position_of(const Tensor& tensor) const {
  return static_cast<std::uint64_t>(element_bytes(tensor) - mapping_->source->bytes().data());
}

std::optional<ReopenedFile> LoadedFile::reopen() const { return mapping_->source->reopen(); }

std::byte* element_bytes(const Tensor& tensor) {
  const TensorImpl& t = impl(tensor);
  return t.storage->buffer().data + static_cast<std::size_t>(t.offset) * size_of(t.dtype);
}

}  // namespace taper::io
