#!/bin/bash
# check_symbols.sh NM LIBRARY: fails if a static library defines functions or data of a project of headers, under the
# project's own names. The linker would merge them with those of a program that uses it with other options or in another
# version. fmt and Highway are libraries that the program shares.
set -euo pipefail
foreign=$("$1" --defined-only --extern-only "$2" 2>/dev/null | awk '
  NF != 3 { next }  # names of members
  {
    name = $3
    # Pointers to data of exception handling, and the call of std::terminate that Clang generates.
    if (name ~ /^DW\.ref\./ || name == "__clang_call_terminate" || name ~ /^taper_/) next
    if (name ~ /^_Z(nw|na|dl|da)/) next  # placement new, which is inline in <new>
    rest = name
    sub(/^_Z(T[VISTWHC]|G[VR]|T[hv][n0-9_]*|Z)*/, "", rest)  # virtual tables, guards, local names, ...
    sub(/^N?[VKRO]*/, "", rest)
    # The type of a pointer, in a deleter of shared_ptr, is the same in all programs.
    if (name ~ /^_ZT[IS]P/) next
    owner = rest
    if (match(rest, /^[0-9]+/)) {
      size = substr(rest, 1, RLENGTH)
      owner = substr(rest, RLENGTH + 1, size)
    } else if (rest ~ /^S[tabsiod]/) {
      owner = "std"
    }
    # Templates of the standard library with types of others.
    named = owner == "std" && name ~ /[^0-9](5Eigen|8nlohmann|4dnnl)/
    if (owner !~ /^(taper(_eigen|_nlohmann|_dnnl)?|fmt|hwy|std|__gnu_cxx|__cxxabiv1)$/ || named) print name
  }' | sort -u)
if [[ -n $foreign ]]; then
  echo "$2 defines $(wc -l <<<"$foreign") symbols of other projects, such as"
  head -n 20 <<<"$foreign" | c++filt
  exit 1
fi
