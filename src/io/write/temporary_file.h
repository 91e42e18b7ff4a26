// Files beside the one that they are to replace.
#pragma once
#include <cerrno>
#include <string>

namespace taper::io {

/// A system call's result, tried again while signals interrupt it.
template <class Call> auto retried(Call call) {
  for (;;)
    if (const auto result = call(); result >= 0 || errno != EINTR) return result;
}

/// What the path means once the symbolic links at its end are followed, also to a file that is not
/// there yet. Throws IoError for links in a circle.
std::string without_links(const std::string& path);
/// A fresh file beside `target`, locked while it is open: whoever finds one that is not knows that
/// its process is gone. -1 and errno on failure.
int create_temporary(const std::string& target, std::string& name);
/// Removes the files that processes which are gone left beside `target`.
void remove_leftovers(const std::string& target);
/// Removes the files of this process beside `target`, those in use, too: for a program that ends in
/// the middle of a save.
void remove_own(const std::string& target);
/// Makes the names in the folder of `target` last. False, with errno, on failure.
bool flush_folder(const std::string& target);

}  // namespace taper::io
