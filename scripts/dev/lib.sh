# Functions that the verbs of ./dev share. Sourced by ./dev, in the root of the tree.

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
# no network and prints nothing if all are installed.
setup() {
  local group package why missing=() lines=()
  if [[ -n ${TAPER_NO_SETUP:-} ]] || ! command -v dpkg-query apt-get >/dev/null; then
    return 0  # not Debian, or the user provides the dependencies: CMake reports those that it does not find
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

# progress LOG PASS: copies standard input (of Ninja or CTest) to LOG and reports how far it is and about how long it
# will take: on a terminal in a line that is rewritten, elsewhere in a line every 20 seconds. Lines that match PASS are
# shown as well.
progress() {
  local log=$1 pass=$2 line begin=$SECONDS next=$((SECONDS + 5)) elapsed left shown=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    if [[ -n $pass && $line =~ $pass ]]; then
      ((!shown)) || printf '\r\033[K' >&2
      printf '%s\n' "$line"
    fi
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] || $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]] || continue
    ((BASH_REMATCH[1] > 0)) || continue
    elapsed=$((SECONDS - begin))
    left=$((elapsed * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1]))
    if ((left < 90)); then left="$left s"; else left="$(((left + 30) / 60)) min"; fi
    line="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps after $((elapsed / 60)):$(printf %02d $((elapsed % 60)))"
    if [[ -t 2 ]]; then
      printf '\r\033[K%s, about %s left' "$line" "$left" >&2
      shown=1
    elif ((SECONDS >= next)); then
      printf '%s, about %s left\n' "$line" "$left" >&2
      next=$((SECONDS + 20))
    fi
  done 3>"$log"
  ((!shown)) || printf '\r\033[K' >&2
}

# build PRESET [TARGET...]: configures build/PRESET when it is not, and builds. The whole output is in
# build/PRESET/build.log.
build() {
  local preset=$1 log=build/$1/configure.log
  shift
  if [[ ! -f build/$preset/build.ninja ]]; then
    echo "Configuring build/$preset" >&2
    mkdir -p "build/$preset"
    if ! cmake --preset "$preset" >"$log" 2>&1; then
      cat "$log" >&2
      fail "CMake could not configure (its messages are above and in $log)"
    fi
  fi
  log=build/$preset/build.log
  if ! cmake --build "build/$preset" --parallel "$(parallel_jobs)" ${1:+--target "$@"} 2>&1 | progress "$log" ""; then
    # Ninja shows the output of a command below its line; what succeeded silently is left out.
    grep -av '^\[[0-9]*/[0-9]*\] ' "$log" >&2 || tail "$log" >&2
    fail "the build failed (its messages are above and in $log)"
  fi
}

# run_program TARGET [arguments]: builds a program and replaces the shell with it.
run_program() {
  local target=$1 program=$PWD/build/release/bin/$1
  shift
  build release "$target"
  cd "$caller"
  exec "$program" "$@"
}

# run_ctest PRESET [arguments]: runs the tests of a preset with the number of jobs that they expect.
run_ctest() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(parallel_jobs)" "$@" 2>&1 |
    progress "build/$preset/test.log" .
}
