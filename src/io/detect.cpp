// File format detection from file contents.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "core/check.h"
#include "io/dcp/metadata.h"
#include "io/formats.h"
#include "io/pickle/python_advice.h"
#include "io/zip/directory.h"

namespace taper {
namespace io {
namespace {

using Bytes = std::span<const std::byte>;

std::string_view as_text(Bytes bytes, std::size_t max = std::string_view::npos) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), max)};
}

struct Magic {
  std::string_view begin;
  FileKind kind;
};
constexpr std::array kMagics = {
    Magic{"\x93NUMPY", FileKind::npy},
    Magic{"GGUF", FileKind::gguf},
    Magic{"\x89HDF\r\n\x1a\n", FileKind::hdf5},
    Magic{"\x1f\x8b", FileKind::gzip},
    Magic{"version https://git-lfs", FileKind::git_lfs},
};

/// Returns the kind of a zip archive, determined from the record names in its directory.
FileKind detect_zip_kind(Bytes bytes) {
  const ZipDirectory d = find_zip_directory(bytes);
  if (d.damage) return FileKind::torch_zip;  // the reader of checkpoints reports the damage
  bool pickle = false, script = false, arrays = false, keras = false;
  std::uint64_t at = d.start;
  const auto number = [&](std::uint64_t offset) {
    std::uint16_t v = 0;
    std::memcpy(&v, bytes.data() + offset, sizeof v);
    return std::uint64_t{v};
  };
  for (std::uint64_t i = 0; i < d.count && d.start + d.size - at >= 46; ++i) {
    const std::uint64_t size = number(at + 28), trailing_size = number(at + 30) + number(at + 32);
    if (d.start + d.size - at - 46 < size + trailing_size) break;
    const std::string_view name = as_text(bytes.subspan(at + 46, size));
    const std::string_view record = name.substr(name.find('/') + 1);
    pickle |= record == "data.pkl";
    script |= record == "constants.pkl" || record.starts_with("code/");
    arrays |= name.ends_with(".npy");
    keras |= name == "config.json" || name == "model.weights.h5";
    at += 46 + size + trailing_size;
  }
  if (script) return FileKind::torchscript;
  if (pickle) return FileKind::torch_zip;
  return keras ? FileKind::keras : arrays ? FileKind::npz : FileKind::zip;
}

bool is_pickle(Bytes bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{5};
}

/// Returns true if the first member of a tar file is one that torch.save wrote in PyTorch 0.1.
bool is_torch_tar(Bytes bytes) {
  const std::string_view name = as_text(bytes).substr(0, 100);
  for (const std::string_view member : {"sys_info", "pickle", "tensors", "storages"})
    if (name.find(member) != std::string_view::npos) return true;
  return false;
}

/// Returns true if the first eight bytes are a possible length of a safetensors header.
bool has_header_length(Bytes bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) return false;
  std::memcpy(&size, bytes.data(), sizeof size);
  return size <= bytes.size() - sizeof size;
}
/// Returns true if the bytes after the first eight begin like a safetensors header. The length in
/// the first eight is not sufficient, because it can equal the magic number of another format.
bool has_header(Bytes bytes) {
  const std::string_view header = as_text(bytes).substr(std::min<std::size_t>(8, bytes.size()));
  return header.starts_with("{\"") || header.starts_with("{}") ||
         (has_header_length(bytes) && (header.starts_with("{") || header.starts_with(" ")));
}

/// Returns true if the bytes begin like an ONNX ModelProto: field 1 (ir_version), followed by field
/// 2 (producer_name), 7 (graph) or 8 (opset_import).
bool is_onnx(Bytes bytes) {
  if (bytes.size() < 16 || bytes[0] != std::byte{0x08} || bytes[1] > std::byte{32}) return false;
  const auto next = std::to_integer<unsigned>(bytes[2]);
  return next == 0x12 || next == 0x3a || next == 0x42;
}

bool is_html(std::string_view text) {
  std::string begin(text.substr(0, 256));
  for (char& c : begin) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  begin.erase(0, first);
  return begin.starts_with("<!doctype html") || begin.starts_with("<html") ||
         begin.starts_with("<head");
}

}  // namespace

FileKind detect_file_kind(Bytes bytes) {
  const std::string_view text = as_text(bytes, 512);
  if (text.empty()) return FileKind::empty;
  if (has_header(bytes))
    return FileKind::safetensors;  // tested first: the header length can equal a magic number
  if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) return detect_zip_kind(bytes);
  for (const Magic& m : kMagics)
    if (text.starts_with(m.begin)) return m.kind;
  if (is_pickle(bytes) && text.substr(0, 100).find(kDcpMetadataModule) != text.npos)
    return FileKind::distributed;
  if (is_pickle(bytes))
    return text.substr(0, 40).find("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") == text.npos
               ? FileKind::pickle
               : FileKind::torch_legacy;
  if (text.substr(std::min<std::size_t>(257, text.size()), 5) == "ustar")
    return is_torch_tar(bytes) ? FileKind::torch_tar : FileKind::other;
  if (is_html(text)) return FileKind::html;
  if (is_onnx(bytes)) return FileKind::onnx;
  if (has_header_length(bytes)) return FileKind::safetensors;  // the reader reports the damage
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return FileKind::safetensors_index;
  return FileKind::other;
}

std::string unsupported_hint(FileKind kind, Bytes bytes) {
  const std::string what = "unsupported file format: got " + std::string(name_of(kind));
  switch (kind) {
    case FileKind::torchscript:
      return what + "." +
             python_advice(bytes, "save torch.jit.load(file).state_dict() instead", true);
    case FileKind::torch_tar: return what + "." + python_advice(bytes, "load it and save it again");
    case FileKind::onnx: return what + ". In Python, save the weights as a state dict";
    case FileKind::gguf:
      return what + ". In Python, convert it to safetensors (the gguf package reads it)";
    case FileKind::hdf5:
      return what +
             " (the format of Keras .h5 files). In Python, read the weights with h5py, which runs "
             "no "
             "code, and save them with safetensors or numpy.savez";
    case FileKind::keras:
      return what +
             ". In Python, read the weights in its model.weights.h5 with h5py, which runs no code, "
             "and save them with numpy.savez or safetensors";
    case FileKind::gzip: return what + ". Decompress it first (gunzip)";
    case FileKind::git_lfs: return what + " instead of the file. Run git lfs pull";
    case FileKind::html:
      return what + " instead of the file. The download failed or requires a login";
    case FileKind::zip: return what + ", expected a record 'data.pkl'";
    case FileKind::empty: return "the file is empty: nothing was written or the download failed";
    default:
      return "unrecognized file format: expected a file written by torch.save, safetensors or "
             "NumPy";
  }
}

}  // namespace io

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::torch_zip: return "PyTorch checkpoint (zip)";
    case FileKind::torch_legacy: return "PyTorch checkpoint (before 1.6)";
    case FileKind::safetensors: return "safetensors";
    case FileKind::safetensors_index: return "index of sharded tensors";
    case FileKind::distributed: return "distributed checkpoint";
    case FileKind::npy: return "NumPy array";
    case FileKind::npz: return "NumPy arrays (npz)";
    case FileKind::torchscript: return "a TorchScript archive";
    case FileKind::torch_tar: return "a tar file of PyTorch 0.1";
    case FileKind::onnx: return "an ONNX model";
    case FileKind::gguf: return "a GGUF file";
    case FileKind::hdf5: return "an HDF5 file";
    case FileKind::keras: return "a Keras archive";
    case FileKind::pickle: return "a pickle not written by torch.save";
    case FileKind::zip: return "a zip archive without a checkpoint";
    case FileKind::gzip: return "a gzip file";
    case FileKind::git_lfs: return "a Git LFS pointer";
    case FileKind::html: return "an HTML page";
    case FileKind::empty: return "an empty file";
    case FileKind::other: break;
  }
  return "an unrecognized file";
}

bool is_readable(FileKind kind) { return kind <= FileKind::npz; }

FileKind file_kind(const std::string& path) {
  const auto source = io::Source::open(path);
  return io::detect_file_kind(source->bytes());
}

}  // namespace taper
