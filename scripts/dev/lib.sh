# What the verbs of ./dev share. Sourced by ./dev, in the root of the tree.

# One cache for every clone: paths below this folder are made relative.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# Ends with the exit status of a wrong command line.
bad_usage() {
  echo "./dev $verb: $*" >&2
  echo "usage: ./dev $(sed -n 's/^# //;2p' "scripts/dev/$verb.sh")" >&2
  exit 2
}

fail() {
  echo "./dev $verb: $*" >&2
  exit 1
}

# setup GROUP...: installs the packages of these groups of scripts/dev/packages.txt that are missing. Needs
# no network and says nothing when all are there.
setup() {
  local group package why missing=() lines=()
  if [[ -n ${TAPER_NO_SETUP:-} ]] || ! command -v dpkg-query apt-get >/dev/null; then
    return 0  # not Debian, or the user brings the dependencies: CMake says what it does not find
  fi
  while read -r group package why; do
    [[ " $* " == *" $group "* ]] || continue
    if [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) != *" installed" ]]; then
      missing+=("$package")
      lines+=("$(printf '  %-22s %s' "$package" "$why")")
    fi
  done < <(grep -v '^#' scripts/dev/packages.txt)
  ((${#missing[@]})) || return 0

  echo "Installing with apt-get what is missing:"
  printf '%s\n' "${lines[@]}"
  local admin=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "neither root nor sudo here; ask for: apt-get install ${missing[*]}"
    admin=(sudo)
  fi
  if ! { "${admin[@]}" apt-get -qq update &&
    "${admin[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null; }; then
    fail "apt-get could not install: ${missing[*]} (its messages are above; is there a network?)"
  fi
}

# Compilations at once: one a core, and 1.5 GB of memory each. CMAKE_BUILD_PARALLEL_LEVEL overrides.
parallel_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$((memory < 1 ? 1 : memory < cores ? memory : cores))}"
}

# build PRESET [TARGET...]: configures build/PRESET when it is not, and builds.
build() {
  local preset=$1 log=build/$1/configure.log
  shift
  if [[ ! -f build/$preset/build.ninja ]]; then
    echo "Configuring build/$preset"
    mkdir -p "build/$preset"
    if ! cmake --preset "$preset" >"$log" 2>&1; then
      cat "$log" >&2
      fail "CMake could not configure (its messages are above and in $log)"
    fi
  fi
  cmake --build "build/$preset" --parallel "$(parallel_jobs)" ${1:+--target "$@"}
}

# run_program TARGET [arguments]: builds a program, showing at most one line of progress, and becomes it.
run_program() {
  local target=$1 program=$PWD/build/release/bin/$1 log=build/release/build.log ok=1
  shift
  mkdir -p build/release
  if [[ -t 2 ]]; then
    build release "$target" 2>&1 | tee "$log" |
      awk '/^\[[0-9]+\/[0-9]+\]/ {printf "\r\033[K%s", substr($0, 1, 78); fflush()}
        END {printf "\r\033[K"}' >&2 || ok=0
  else
    build release "$target" >"$log" 2>&1 || ok=0
  fi
  if ((!ok)); then
    cat "$log" >&2
    fail "the build failed (messages above and in $log)"
  fi
  cd "$caller"
  exec "$program" "$@"
}

# ctest of a preset with the number of jobs and the environment the tests expect.
run_ctest() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(parallel_jobs)" "$@"
}
