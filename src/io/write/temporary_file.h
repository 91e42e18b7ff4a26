// Temporary files in the directory of the file that they replace.
#pragma once
#include <cerrno>
#include <string>

namespace taper::io {

/// Returns the result of a system call, repeating it while signals interrupt it.
template <class Call> auto retry_on_eintr(Call call) {
  for (;;)
    if (const auto result = call(); result >= 0 || errno != EINTR) return result;
}

/// Returns `path` with symbolic links in its last component resolved. The final target need not
/// exist. Throws IoError after 40 links, such as those of a cycle.
std::string resolve_links(const std::string& path);
/// Creates a new file in the directory of `target` and stores its path in `name`. The file is
/// locked while it is open: an unlocked file belongs to a process that has ended. Returns the
/// descriptor; on failure, returns -1 and sets errno.
int create_temporary(const std::string& target, std::string& name);
/// Removes the temporary files for `target` whose processes have ended.
void remove_leftovers(const std::string& target);
/// Removes all temporary files of this process in the directory of `target`, including those in
/// use. For a program that exits during a save.
void remove_own(const std::string& target);
/// Flushes the directory of `target` to disk. Returns false and sets errno on failure.
bool flush_folder(const std::string& target);

}  // namespace taper::io
