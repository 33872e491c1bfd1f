import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const selection = createRequire(import.meta.url)('../../test/selection.cjs');
const [MEASURING, ON_BOTH_BACKENDS, OF_TOOLS, ONLY_IN_ALL, ONLY_IN_FULL] = [
  selection.MEASURING,
  selection.ON_BOTH_BACKENDS,
  selection.OF_TOOLS,
  selection.ONLY_IN_ALL,
  selection.ONLY_IN_FULL,
].map((patterns) => new RegExp(patterns.join('|')));

/** Projects of the whole run that `npm test` leaves out. */
const PROJECTS_ONLY_IN_ALL = ['browser-cluster', 'firefox', 'hostile'];

/**
 * Returns the projects with the files of a tier. `quick` shows every behaviour once, `all` adds those that need several
 * processes, programs or backends, `rest` is `all` without `quick`, and `full` repeats what can be repeated.
 */
export function selectTier(projects, tier, root) {
  if (tier === 'full') return projects;
  const hasServices = projects.some(({ name }) => name === 'e2e-services');
  const areToolsChanged = tier === 'quick' || tier === 'rest' ? haveToolsChanged(root) : false;
  const isInAll = (name, path) =>
    !ONLY_IN_FULL.test(path) && !(name === 'e2e-embedded' && hasServices && !ON_BOTH_BACKENDS.test(path));
  const isQuick = (name, path) =>
    !PROJECTS_ONLY_IN_ALL.includes(name) &&
    !(name === 'e2e-embedded' && hasServices) &&
    (OF_TOOLS.test(path) ? areToolsChanged : !ONLY_IN_ALL.test(path));
  const isSelected = {
    quick: (name, path) => isInAll(name, path) && isQuick(name, path),
    rest: (name, path) => isInAll(name, path) && !isQuick(name, path),
    all: isInAll,
  }[tier];
  return projects
    .map(({ name, files }) => ({ name, files: files.filter((path) => isSelected(name, path)) }))
    .filter(({ files }) => files.length > 0);
}

/** Returns the Jest runs of the projects, in order: all files that can share the machine, and those that measure. */
export function groupIntoRuns(projects, workers) {
  const select = (accepts) =>
    projects.map(({ name, files }) => ({ name, files: files.filter(accepts) })).filter(({ files }) => files.length > 0);
  const groups = [
    { projects: select((path) => !MEASURING.test(path)), workers },
    { projects: select((path) => MEASURING.test(path)), workers: Math.min(2, workers) },
  ];
  return groups.filter((group) => group.projects.length > 0);
}

/** Returns whether the tools differ from those of the upstream branch, or of the last commit if there is none. */
function haveToolsChanged(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const upstream = git('merge-base', 'HEAD', '@{upstream}');
  const base = upstream.status === 0 ? upstream.stdout.trim() : 'HEAD';
  const changed = git('status', '--porcelain', '--', ...selection.TOOL_SOURCES);
  const committed = git('diff', '--quiet', base, '--', ...selection.TOOL_SOURCES);
  return changed.stdout !== '' || committed.status === 1;
}
