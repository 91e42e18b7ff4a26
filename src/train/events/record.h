// TFRecord: the framing of the records of event files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace taper::train::events {

/// Bytes of a record before and after its data: the length (u64) and its checksum (u32); the
/// checksum of the data (u32). All numbers are little-endian.
inline constexpr std::size_t kRecordHeader = 12, kRecordFooter = 4;

/// Appends a record that contains `data`.
void append_record(std::string& file, std::string_view data);
/// Returns the length of the data of a record from its header. Throws IoError if the checksum
/// differs.
std::uint64_t read_record_length(std::string_view header);
/// Throws IoError if the checksum in the footer differs from that of the data.
void check_record(std::string_view data, std::string_view footer);

}  // namespace taper::train::events
