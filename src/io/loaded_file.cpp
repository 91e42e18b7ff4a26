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
  const std::byte* const begin = mapping_->source->bytes().data();
  return std::less_equal<>()(begin, data) && std::less<>()(data, begin + mapped_size());
}

std::uint64_t LoadedFile::mapped_size() const { return mapping_->source->bytes().size(); }
std::optional<std::uint64_t> LoadedFile::current_size() const {
  return mapping_->source->current_size();
}

}  // namespace taper::io
