#include "assemble_zip.h"

#include <zlib.h>

#include "assemble.h"

namespace taper::test {
namespace {

std::string deflate(const std::string& bytes) {
  z_stream z{};
  deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  ::deflate(&z, Z_FINISH);
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

}  // namespace

std::string zip_of(const std::vector<ZipPart>& parts, bool zip64) {
  std::string file, directory;
  for (const ZipPart& p : parts) {
    const std::string payload = p.deflated ? deflate(p.bytes) : p.bytes;
    const auto* data = reinterpret_cast<const Bytef*>(p.bytes.data());
    const std::string sums = le(crc32(0, data, static_cast<uInt>(p.bytes.size())), 4) +
                             le(payload.size(), 4) + le(p.bytes.size(), 4);
    const std::string begin = le(p.streamed ? 8 : 0, 2) + le(p.deflated ? 8 : 0, 2) + le(0, 4);
    directory += "PK\1\2" + le(20, 2) + le(20, 2) + begin + sums + le(p.name.size(), 2) + le(0, 2) +
                 le(0, 2) + le(0, 2) + le(0, 2) + le(0, 4) + le(file.size(), 4) + p.name;
    file += "PK\3\4" + le(20, 2) + begin + (p.streamed ? std::string(12, '\0') : sums) +
            le(p.name.size(), 2) + le(p.local_extra.size(), 2) + p.name + p.local_extra + payload;
    if (p.streamed) file += "PK\7\x08" + sums;
  }
  const std::uint64_t start = file.size(), count = parts.size();
  file += directory;
  if (zip64) {
    const std::uint64_t end = file.size();
    file += "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 4) + le(0, 4) + le(count, 8) +
            le(count, 8) + le(directory.size(), 8) + le(start, 8);
    file += "PK\6\7" + le(0, 4) + le(end, 8) + le(1, 4);
    file += "PK\5\6" + le(0, 4) + le(0xffff, 2) + le(0xffff, 2) + le(0xffffffff, 4) +
            le(0xffffffff, 4) + le(0, 2);
    return file;
  }
  return file + "PK\5\6" + le(0, 4) + le(count, 2) + le(count, 2) + le(directory.size(), 4) +
         le(start, 4) + le(0, 2);
}

}  // namespace taper::test
