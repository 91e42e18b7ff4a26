#!/bin/bash
# Compiler launcher: `launch_ccache.sh CCACHE COMPILER ARGUMENTS...` runs the compiler by way of ccache. A precompiled
# header is compiled without it and gets a checksum of the files that it was made from in FILE.sum, which ccache compares
# instead of the header's bytes: those differ from one compilation to the next.

# One cache for every clone: paths below the tree are made relative.
tree=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
# Precompiled headers are compared by content.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
if [[ " $* " != *" -x c++-header "* ]]; then
  CCACHE_PCH_EXTSUM=1 exec "$@"
fi
shift
"$@" || exit
for ((i = 1; i < $#; ++i)); do
  case ${!i} in
    -o) j=$((i + 1)) output=${!j} ;;
    -MF) j=$((i + 1)) dependencies=${!j} ;;
  esac
done
# The generated header that includes the others has the path of the build in it.
sed 's/^[^:]*: //; s/\\$//' "$dependencies" | tr -s ' ' '\n' | grep -v '/cmake_pch' | grep . | xargs sha256sum |
  cut -d' ' -f1 | sha256sum >"$output.sum"
