import { readShellLine } from './shell-line';

it.each([
  ['git status', ['git', 'status']],
  ['  git\tcommit -m "two  words" ', ['git', 'commit', '-m', 'two  words']],
  ["echo 'a $b `c` | d'", ['echo', 'a $b `c` | d']],
  ['git sta""tus', ['git', 'status']],
  [`bash -lc 'git log -1'`, ['git', 'log', '-1']],
  [`/bin/sh -c "sh -c 'git log'"`, ['git', 'log']],
  [`bash -exc 'git log'`, ['git', 'log']],
  [`bash build.sh "two words" --cache`, ['bash', 'build.sh', 'two words', '--cache']],
  [`sudo git commit -m "bash -c 'x y'"`, ['sudo', 'git', 'commit', '-m', "bash -c 'x y'"]],
  [`env A=1 git commit -m "two words"`, ['env', 'A=1', 'git', 'commit', '-m', 'two words']],
])('reads the plain command %s', (line, words) => {
  expect(readShellLine(line)).toEqual({ words, isPlain: true });
});

it('reads a list of words, and the line in it that a shell runs', () => {
  expect(readShellLine(['git', 'commit', '-m', 'a && b'])).toEqual({
    words: ['git', 'commit', '-m', 'a && b'],
    isPlain: true,
  });
  expect(readShellLine(['bash', '-lc', 'git status'])).toEqual({ words: ['git', 'status'], isPlain: true });
  expect(readShellLine(['bash', '-lc', 'git status; rm x'])).toEqual({
    words: ['git', 'status', 'rm', 'x'],
    isPlain: false,
  });
});

it.each([
  'git status && rm x',
  'git status;rm x',
  'git status\nrm x',
  'git status | rm x',
  'git status & rm x',
  'git log > x',
  'cat < x',
  'git $X',
  'git "$X"',
  'git "`rm x`"',
  'git $(rm x)',
  'git `rm x`',
  'git <(rm x)',
  '(git status)',
  'git add *',
  'git add ?',
  'git add [a]',
  'git {push,--force}',
  'git sta\\tus',
  'git status # x',
  'cd ~',
  'git "open',
  'timeout 60 bash -c "git push"',
  'A=1 sh -c "git push"',
  'docker exec web sh -c "git push"',
  'bash -c -e "git push"',
  'bash -c -- "git push"',
  'bash -oc posix "git push"',
  'bash --rcfile x -c "git push"',
  'su ada -c "git push"',
  'flock lock -c "git push"',
  'sudo su -c reboot',
  'eval "git push"',
  "eval 'git;push'",
  'watch -n 1 "git push"',
  'env -S "git push"',
  'nice env --split-string="git push"',
  'xargs sh -c "git push"',
  '',
])('knows that this is not one plain command: %j', (line) => {
  expect(readShellLine(line).isPlain).toBe(false);
});

it('finds the words of a line that is not plain, whatever its quotes and escapes', () => {
  expect(readShellLine(`true && r'm' "-rf" \\x`).words).toEqual(['true', 'rm', '-rf', 'x']);
});
