#!/bin/bash
# ./dev reports errors in a command line and exits with 2; setup installs missing packages only.
set -uo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=0

# expect NAME STATUS WORDS -- COMMAND...: checks that the command exits with STATUS and prints WORDS.
expect() {
  local name=$1 status=$2 words=$3 said got
  shift 4
  said=$("$@" 2>&1 </dev/null)
  got=$?
  if [[ $got != "$status" || $said != *"$words"* || ( -z $words && -n $said ) ]]; then
    echo "$name: expected status $status and '$words', got $got and '$said'" >&2
    faults=$((faults + 1))
  fi
}

expect "no verb" 0 "./dev demo and ./dev test are all a newcomer types" -- ./dev
expect "help" 0 "run the tests" -- ./dev --help
expect "unknown verb" 2 "unknown verb 'tset'" -- ./dev tset
expect "a path as verb" 2 "unknown verb '../check'" -- ./dev ../check
expect "the library of verbs" 2 "unknown verb 'lib'" -- ./dev lib
expect "kind of build" 2 "unknown kind of build 'fast'" -- ./dev build fast
expect "two kinds" 2 "takes one argument" -- ./dev build release debug
expect "option of test" 2 "unknown option '--fast'" -- ./dev test --fast
expect "sanitizer" 2 "unknown sanitizer 'memory'" -- ./dev sanitize memory
expect "fuzzing without a time" 2 "--fuzz needs a number of seconds" -- ./dev sanitize --fuzz load
expect "name of a check" 2 "unknown check 'tree'" -- ./dev check tree
expect "oracle without a directory" 2 "needs a directory" -- ./dev oracle
expect "setup of an unknown group" 2 "unknown group 'now', expected dist, examples or lapack" -- ./dev setup now
for verb in scripts/dev/*.sh; do
  verb=$(basename "$verb" .sh)
  [[ $verb == lib ]] || expect "$verb is listed" 0 "  $verb " -- ./dev
done

# Replacements of system commands: dpkg-query reads the installed packages from the file `have`, apt-get adds to it.
mkdir "$scratch/bin"
cat >"$scratch/bin/dpkg-query" <<END
#!/bin/bash
grep -qx "\${*: -1}" "$scratch/have" && printf 'install ok installed'
END
cat >"$scratch/bin/apt-get" <<END
#!/bin/bash
echo "\$*" >>"$scratch/calls"
[[ ! -e $scratch/offline ]] || exit 100
for word; do [[ \$word == -* || \$word == install || \$word == update ]] || echo "\$word" >>"$scratch/have"; done
END
printf '#!/bin/bash\n"$@"\n' >"$scratch/bin/sudo"
chmod +x "$scratch"/bin/*
grep -v '^#' scripts/dev/packages.txt | awk '{print $2}' | grep -v zlib1g-dev >"$scratch/have"
fake=(env -u TAPER_NO_SETUP "PATH=$scratch/bin:$PATH")

touch "$scratch/offline"
expect "no network" 1 "apt-get could not install: zlib1g-dev" -- "${fake[@]}" ./dev setup
rm "$scratch/offline"
expect "one is missing" 0 "zlib1g-dev             compressed data files" -- "${fake[@]}" ./dev setup
grep -q -- "install .*-recommends zlib1g-dev$" "$scratch/calls" || {
  echo "setup asked apt-get for: $(cat "$scratch/calls")" >&2
  faults=$((faults + 1))
}
touch "$scratch/offline"
expect "nothing is missing" 0 "" -- "${fake[@]}" ./dev setup

if ((faults)); then
  echo "$faults faults" >&2
  exit 1
fi
