#!/bin/sh
# The steps of SKILL.md on a history of twelve commits, of which the seventh is bad.
set -eu
export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.invalid
export GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.invalid
export GIT_CONFIG_NOSYSTEM=1

scratch=$PWD
git init --quiet --initial-branch main repo
cd repo
for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
  answer=4
  test "$number" -lt 7 || answer=5
  printf '#!/bin/sh\n# build %s\necho %s\n' "$number" "$answer" > tool
  # Two commits cannot be judged: the tool does not start.
  case $number in 5 | 9) echo 'exit 3 (' > tool ;; esac
  chmod +x tool
  git add tool
  git commit --quiet --message "Commit $number"
done
good=$(git rev-parse HEAD~11)
bad=$(git rev-parse HEAD)

cat > "$scratch/check.sh" <<'SH'
#!/bin/sh
./tool >/dev/null 2>&1 || exit 125
test "$(./tool sum 2 2)" = 4
SH
chmod +x "$scratch/check.sh"

git worktree add --quiet --detach "$scratch/bisect" "$bad"
cd "$scratch/bisect"
git bisect start "$bad" "$good" >/dev/null
git bisect run "$scratch/check.sh" > ../bisect.log 2>&1
found=$(git show --no-patch --format=%s refs/bisect/bad)
git bisect reset --quiet >/dev/null 2>&1 || git bisect reset >/dev/null
cd ../repo
git worktree remove "$scratch/bisect"

test "$found" = "Commit 7" || { echo "found $found" >&2; exit 1; }
test -z "$(git status --porcelain)"
