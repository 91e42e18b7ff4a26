// Places of modules that the library loads at run time.
#pragma once
#include <string>
#include <vector>

namespace taper {

/// Variable with more folders, separated by colons. `taper run` adds that of its own engine, which
/// a program that is linked statically may not know.
inline constexpr char kLibraryPathVariable[] = "TAPER_LIBRARY_PATH";

/// Returns the folders in which modules such as libtaper_image_codecs.so are looked for, before the
/// library path: that of the library, that of the program, the library folder beside the latter and
/// that of the install prefix, each with its folder `taper`; the folders `taper` of the directories
/// on the library path; and those of TAPER_LIBRARY_PATH.
std::vector<std::string> library_folders();

/// Returns the paths of `name` in those of the folders that contain it; then `name`, which the
/// loader finds on the library path.
std::vector<std::string> library_files(const std::string& name);

/// Returns "'name' was not found in FOLDER, FOLDER, or on the library path".
std::string missing_library_text(const std::string& name);

}  // namespace taper
