// Telling kinds of files apart by their contents.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "core/check.h"
#include "io/formats.h"
#include "io/zip/directory.h"

namespace taper {
namespace io {
namespace {

using Bytes = std::span<const std::byte>;

std::string_view text_of(Bytes bytes, std::size_t max = std::string_view::npos) {
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

/// Kinds of zip archives, by the names in the directory.
FileKind kind_of_zip(Bytes bytes) {
  const ZipDirectory d = find_zip_directory(bytes);
  if (d.damage) return FileKind::torch_zip;  // whose reader says what is wrong
  bool pickle = false, script = false, arrays = false, keras = false;
  std::uint64_t at = d.start;
  const auto number = [&](std::uint64_t where) {
    std::uint16_t v = 0;
    std::memcpy(&v, bytes.data() + where, sizeof v);
    return std::uint64_t{v};
  };
  for (std::uint64_t i = 0; i < d.count && d.start + d.size - at >= 46; ++i) {
    const std::uint64_t size = number(at + 28), more = number(at + 30) + number(at + 32);
    if (d.start + d.size - at - 46 < size + more) break;
    const std::string_view name = text_of(bytes.subspan(at + 46, size));
    const std::string_view record = name.substr(name.find('/') + 1);
    pickle |= record == "data.pkl";
    script |= record == "constants.pkl" || record.starts_with("code/");
    arrays |= name.ends_with(".npy");
    keras |= name == "config.json" || name == "model.weights.h5";
    at += 46 + size + more;
  }
  if (script) return FileKind::torchscript;
  if (pickle) return FileKind::torch_zip;
  return keras ? FileKind::keras : arrays ? FileKind::npz : FileKind::zip;
}

bool is_pickle(Bytes bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{5};
}

/// Members of the tar files that torch.save wrote before it had a format of its own.
bool is_torch_tar(Bytes bytes) {
  const std::string_view name = text_of(bytes).substr(0, 100);
  for (const std::string_view member : {"sys_info", "pickle", "tensors", "storages"})
    if (name.find(member) != std::string_view::npos) return true;
  return false;
}

/// Whether the first eight bytes can be the length of a safetensors header.
bool has_header_length(Bytes bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) return false;
  std::memcpy(&size, bytes.data(), sizeof size);
  return size <= bytes.size() - sizeof size;
}
/// Whether the header follows, whose length may look like the begin of anything else.
bool has_header(Bytes bytes) {
  const std::string_view header = text_of(bytes).substr(std::min<std::size_t>(8, bytes.size()));
  return header.starts_with("{\"") || header.starts_with("{}") ||
         (has_header_length(bytes) && (header.starts_with("{") || header.starts_with(" ")));
}

/// A ModelProto: field 1, the version of the format, then field 2, who wrote it, or field 7 or 8.
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
  const std::string_view text = text_of(bytes, 512);
  if (text.empty()) return FileKind::empty;
  if (has_header(bytes)) return FileKind::safetensors;  // before what its length may look like
  if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) return kind_of_zip(bytes);
  for (const Magic& m : kMagics)
    if (text.starts_with(m.begin)) return m.kind;
  if (is_pickle(bytes))
    return text.substr(0, 40).find("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") == text.npos
               ? FileKind::pickle
               : FileKind::torch_legacy;
  if (text.substr(std::min<std::size_t>(257, text.size()), 5) == "ustar")
    return is_torch_tar(bytes) ? FileKind::torch_tar : FileKind::other;
  if (is_html(text)) return FileKind::html;
  if (is_onnx(bytes)) return FileKind::onnx;
  if (has_header_length(bytes)) return FileKind::safetensors;  // whose reader says what is wrong
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return FileKind::safetensors_index;
  return FileKind::other;
}

std::string unsupported_hint(FileKind kind) {
  const std::string what = "it is " + std::string(name_of(kind));
  switch (kind) {
    case FileKind::torchscript:
      return "this is a TorchScript archive, not a checkpoint: in Python save "
             "torch.jit.load(file).state_dict() instead";
    case FileKind::torch_tar: return what + ": in Python, load it and save it again";
    case FileKind::onnx:
      return what + ", a graph and its weights: export the weights from Python as a state dict";
    case FileKind::gguf:
      return what + ": convert it in Python to safetensors (llama.cpp's gguf package reads it)";
    case FileKind::hdf5:
      return what +
             ", as Keras's .h5 files are: in Python save the weights with "
             "safetensors or numpy.savez";
    case FileKind::keras:
      return what + ": in Python save its weights with numpy.savez or safetensors";
    case FileKind::gzip: return what + ": unpack it first (gunzip)";
    case FileKind::git_lfs: return what + ", not the file itself: run git lfs pull";
    case FileKind::html: return what + ", not the file: the download failed or needs a login";
    case FileKind::zip: return what + ": it has no record 'data.pkl'";
    case FileKind::empty: return "it is empty: nothing was written, or a download failed";
    default: return "it is neither a file of torch.save nor safetensors nor of NumPy";
  }
}

}  // namespace io

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::torch_zip: return "PyTorch checkpoint (zip)";
    case FileKind::torch_legacy: return "PyTorch checkpoint (before 1.6)";
    case FileKind::safetensors: return "safetensors";
    case FileKind::safetensors_index: return "index of sharded tensors";
    case FileKind::npy: return "NumPy array";
    case FileKind::npz: return "NumPy arrays (npz)";
    case FileKind::torchscript: return "a TorchScript archive";
    case FileKind::torch_tar: return "a tar file of PyTorch 0.1";
    case FileKind::onnx: return "an ONNX model";
    case FileKind::gguf: return "a GGUF file";
    case FileKind::hdf5: return "an HDF5 file";
    case FileKind::keras: return "a Keras archive";
    case FileKind::pickle: return "a pickle, but not one of torch.save";
    case FileKind::zip: return "a zip archive, but no checkpoint";
    case FileKind::gzip: return "a gzip file";
    case FileKind::git_lfs: return "a Git LFS pointer";
    case FileKind::html: return "an HTML page";
    case FileKind::empty: return "an empty file";
    case FileKind::other: break;
  }
  return "an unknown kind of file";
}

bool is_readable(FileKind kind) { return kind <= FileKind::npz; }

FileKind file_kind(const std::string& path) {
  const auto source = io::Source::open(path);
  return io::detect_file_kind(source->bytes());
}

}  // namespace taper
