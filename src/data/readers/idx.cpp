// IDX format: two zero bytes, a type code, the rank; one big-endian u32 per dimension; the
// elements, big-endian.
#include "taper/data/idx.h"

#include <algorithm>
#include <bit>

#include "data/readers/input_file.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {

DType dtype_of_code(char code, bool& known) {
  known = true;
  switch (code) {
    case 0x08: return DType::u8;
    case 0x09: return DType::i8;
    case 0x0B: return DType::i16;
    case 0x0C: return DType::i32;
    case 0x0D: return DType::f32;
    case 0x0E: return DType::f64;
    default: known = false; return DType::u8;
  }
}

/// Returns a tensor of the big-endian elements in `bytes`, which are converted in place.
Tensor elements(std::string& bytes, const Shape& shape, DType dtype) {
  const std::size_t size = size_of(dtype);
  if (size > 1 && std::endian::native == std::endian::little)
    for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(size))
      std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
  return from_blob(bytes.data(), shape, {.dtype = dtype}).clone();
}

}  // namespace

Tensor read_idx(const std::string& path) {
  InputFile source("read_idx", path);
  const std::string magic = source.read_up_to(4);
  if (magic.size() < 4)
    source.fail("truncated file: got {} bytes of the magic number, expected 4", magic.size());
  bool known = false;
  const DType dtype = dtype_of_code(magic[2], known);
  if (magic[0] != 0 || magic[1] != 0 || !known) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char c : magic) {
      const auto b = static_cast<unsigned char>(c);
      text += {text.empty() ? '\0' : ' ', kDigits[b >> 4], kDigits[b & 15]};
    }
    text.erase(0, 1);
    source.fail(
        "not an idx file: got the magic number {}, expected 00 00, a type (08, 09, 0b, 0c, 0d or "
        "0e), and a rank",
        text);
  }
  const std::size_t rank = static_cast<unsigned char>(magic[3]);
  const std::string sizes = source.read_up_to(4 * rank);
  if (sizes.size() < 4 * rank)
    source.fail("truncated file: got {} bytes of the sizes, expected {}", sizes.size(), 4 * rank);
  Shape shape;
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size = size << 8 | static_cast<unsigned char>(sizes[4 * d + i]);
    shape.push_back(size);
  }
  std::uint64_t count = 0;
  try {
    count = static_cast<std::uint64_t>(shape.numel());
  } catch (const ShapeError&) { source.fail("sizes are too large: got {}", shape); }
  if (count > UINT64_MAX / size_of(dtype) / 2) source.fail("sizes are too large: got {}", shape);
  const std::uint64_t wanted = count * size_of(dtype);
  std::string bytes = source.read_up_to(wanted);
  if (bytes.size() < wanted)
    source.fail("truncated file: got {} bytes of elements, expected {} for shape {}", bytes.size(),
                wanted, shape);
  if (!source.read_up_to(1).empty())
    source.fail("trailing data: expected {} bytes of elements for shape {}", wanted, shape);
  return elements(bytes, shape, dtype);
}

}  // namespace taper::data
