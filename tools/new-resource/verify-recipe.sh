#!/usr/bin/env bash
# The recipe of docs/adding-a-resource.md holds: what it writes, here into a copy of this checkout, passes every check
# and its own tests as it stands, and can be undone. One resource has no options, the other has all of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git ls-files -z | xargs -0 cp --parents -t "$copy"
# Links where the copy is on the same file system.
cp -al node_modules "$copy" 2>/dev/null || { rm -rf "$copy/node_modules" && cp -a node_modules "$copy"; }
# What builds, checks and tests of this checkout remember makes those of the copy faster, but they must not share it.
built=(dist/.build.json dist/{clients,migrations,packages,src,tools})
[ -f dist/.build.json ] && cp -a --parents "${built[@]}" "$copy"
rm -rf "$copy/node_modules/.cache" && mkdir "$copy/node_modules/.cache"
[ -d node_modules/.cache ] && cp -a node_modules/.cache "$copy/node_modules"
rm -rf "$copy"/node_modules/.cache/node-*
cd "$copy"
git init -q && git add -A
created() { git ls-files --others --exclude-standard; }

npm run --silent new:resource -- field-specimens --scope sessions:read
[ "$(created | wc -l)" -eq 12 ]
# The goal of docs/architecture.md#measured: what a resource registers beside its own folders.
registered() { git diff --name-only -- src migrations ':!migrations/schema.json'; }
[ "$(registered | wc -l)" -eq 3 ]
plain=$(git diff)
npm run --silent new:resource -- zone-samples --write --event
[ "$(created | wc -l)" -eq 26 ]
[ "$(registered | wc -l)" -eq 3 ]

# oxlint and oxfmt judge each file by itself, so only changed files. The other checks judge the whole. Two are left out:
# new:resource has just written the generated files, and it changes no dependency.
mapfile -t changed < <(created; git diff --name-only)
node_modules/.bin/oxlint "${changed[@]}"
node_modules/.bin/oxfmt --check "${changed[@]}"
npm run --silent check -- types architecture structure references migrations openapi compatibility mutants
# The new tests on each backend, and the catalogues against what depends on them. One worker loads the service once.
npm test -- --all-backends --maxWorkers=1 field-specimens zone-samples guide-tables checkbox-cautions event-access

# A changed file survives the undo. Without the change, everything is as before.
file=src/modules/zone-samples/index.ts
cp "$file" node_modules/.cache/unchanged
echo '// changed' >>"$file"
if npm run --silent new:resource -- --undo zone-samples; then exit 1; fi
grep -q '^// changed$' "$file"
[ "$(created | grep -c zone-samples)" -eq 1 ]
cp node_modules/.cache/unchanged "$file"
npm run --silent new:resource -- --undo zone-samples
[ "$(git diff)" = "$plain" ]
npm run --silent new:resource -- --undo field-specimens
git diff --exit-code --stat
[ -z "$(created)" ]
