import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const selection = createRequire(import.meta.url)('../../test/selection.cjs');
const [BOUNDARIES, COSTLY, MEASURING, ON_BOTH_BACKENDS, OF_TOOLS, ONLY_IN_FULL] = [
  selection.BOUNDARIES,
  selection.COSTLY,
  selection.MEASURING,
  selection.ON_BOTH_BACKENDS,
  selection.OF_TOOLS,
  selection.ONLY_IN_FULL,
].map((patterns) => new RegExp(patterns.join('|')));

/** Projects that show behaviour at its cheapest level. */
const CHEAPEST = ['unit', 'programs', 'e2e-embedded', 'e2e-services'];
/** Projects that run the files of others again, with another browser or on several instances. */
const REPEATING = ['browser-cluster', 'firefox'];

/**
 * Returns the projects with the files of a tier. `quick` shows every behaviour once, `all` adds those that need several
 * processes, programs or backends, and `full` repeats what can be repeated.
 */
export function selectTier(projects, tier, root) {
  if (tier === 'full') return projects;
  const hasServices = projects.some(({ name }) => name === 'e2e-services');
  const areToolsChanged = tier === 'quick' && haveToolsChanged(root);
  const isInAll = (name, path) =>
    !ONLY_IN_FULL.test(path) && !(name === 'e2e-embedded' && hasServices && !ON_BOTH_BACKENDS.test(path));
  const isQuick = (name, path) => {
    if (REPEATING.includes(name) || (name === 'e2e-embedded' && hasServices)) return false;
    if (CHEAPEST.includes(name)) return !COSTLY.test(path);
    return BOUNDARIES.test(path) || (areToolsChanged && OF_TOOLS.test(path));
  };
  const isSelected = { quick: isQuick, all: isInAll }[tier];
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
  // Without Git, there is no output.
  return Boolean(changed.stdout) || committed.status === 1;
}
