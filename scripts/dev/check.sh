#!/bin/bash
# check [name]: formatting, layers, sizes, headers, links, names, documents and commit subjects of the tree
(($# <= 1)) || bad_usage "takes one name, got '$*'"
[[ -z ${1:-} || ( $1 =~ ^[a-z]+$ && -f scripts/check/$1.py && $1 != tree ) ]] ||
  bad_usage "unknown check '$1'; there are: $(cd scripts/check && ls ./*.py | sed 's|./||; s/\.py//; /^tree$/d' | xargs)"
setup build check
bad=0
for check in scripts/check/${1:-*}.py; do
  name=$(basename "$check" .py)
  [[ $name != tree ]] || continue
  if python3 "$check"; then
    echo "ok    $name"
  else
    echo "WRONG $name" >&2
    bad=1
  fi
done
exit $bad
