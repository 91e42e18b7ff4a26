// Descriptions of collectives and messages, and their comparison between ranks in debug mode.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "taper/dist/process_group.h"

namespace taper::distributed {

std::string_view name_of_call(const RawCall& call);
bool has_reduction(RawCall::Kind kind);
bool is_message(RawCall::Kind kind);

/// Returns a description for messages: "all_reduce(sum) of float32 [3]".
std::string describe_call(const RawCall& call);

/// Returns the record of a call that the ranks of a group, given by their global ranks, exchange to
/// compare their calls. Records of all calls have the same size in bytes.
std::string comparison_record(const RawCall& call, std::span<const int> ranks);
/// Returns a description of the first difference between the calls of the ranks, given their
/// concatenated records and the call of this rank; empty if they match. Tensors of `gather`,
/// `scatter` and `all_to_all` may have another size on each rank, but a rank must expect as many
/// elements as the other one sends.
std::string find_difference(std::string_view records, const RawCall& call,
                            std::span<const int> ranks);

}  // namespace taper::distributed
