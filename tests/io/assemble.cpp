#include "assemble.h"

namespace taper::test {

std::string le(std::uint64_t v, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; ++i, v >>= 8) s += static_cast<char>(v & 0xff);
  return s;
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string s;
  s.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) s += part;
  return s;
}

std::string text(std::string_view s) { return "X" + le(s.size(), 4) + std::string(s); }
std::string number(std::int64_t v) {
  if (v >= 0 && v < 256) return "K" + le(static_cast<std::uint64_t>(v), 1);
  return "\x8a\x08" + le(static_cast<std::uint64_t>(v), 8);
}
std::string name(std::string_view module, std::string_view function) {
  return "c" + std::string(module) + "\n" + std::string(function) + "\n";
}
std::string tuple(std::initializer_list<std::string_view> parts) {
  std::string s = "(";
  for (const auto part : parts) s += part;
  return s + "t";
}
std::string dict(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  std::string s = "}(";
  for (const auto& [key, value] : entries) s += text(key) + std::string(value);
  return s + "u";
}
std::string call(std::string_view module, std::string_view function,
                 std::initializer_list<std::string_view> arguments) {
  return name(module, function) + tuple(arguments) + "R";
}
std::string pickle(std::string_view body, int protocol) {
  return "\x80" + le(static_cast<std::uint64_t>(protocol), 1) + std::string(body) + ".";
}

std::string StoragePart::str() const {
  return tuple({text("storage"), cls, key, location, count, view}) + "Q";
}
std::string TensorPart::str() const {
  return call("torch._utils", "_rebuild_tensor_v2",
              {storage, offset, size, stride, requires_grad, hooks});
}

std::string zip(const std::vector<std::pair<std::string, std::string>>& records,
                std::string_view folder) {
  std::string file, directory;
  for (const auto& [record, bytes] : records) {
    const std::string path = std::string(folder) + record;
    // Flags, method (stored), time and checksum are zero. Readers do not verify a checksum of zero.
    const std::string common = le(0, 2) + le(0, 2) + le(0, 4) + le(0, 4) + le(bytes.size(), 4) +
                               le(bytes.size(), 4) + le(path.size(), 2) + le(0, 2);
    directory += "PK\1\2" + le(20, 2) + le(20, 2) + common + le(0, 2) + le(0, 2) + le(0, 2) +
                 le(0, 4) + le(file.size(), 4) + path;
    file += "PK\3\4" + le(20, 2) + common + path + bytes;
  }
  const std::string end = "PK\5\6" + le(0, 2) + le(0, 2) + le(records.size(), 2) +
                          le(records.size(), 2) + le(directory.size(), 4) + le(file.size(), 4) +
                          le(0, 2);
  return file + directory + end;
}

std::string checkpoint(std::string_view data_pkl) {
  return zip({{"data.pkl", std::string(data_pkl)},
              {"byteorder", "little"},
              {"data/0", std::string(48, '\0')},
              {"version", "3\n"}});
}

std::string legacy(std::string_view object, std::string_view keys, std::string_view storages) {
  const std::string magic =
      "\x80\x02\x8a\x0a" + std::string("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + ".";
  return magic + pickle("M" + le(1001, 2)) + pickle(dict({{"little_endian", kTrue}})) +
         std::string(object) + std::string(keys) + std::string(storages);
}

std::string safetensors(std::string_view header, std::string_view data) {
  return le(header.size(), 8) + std::string(header) + std::string(data);
}

}  // namespace taper::test
