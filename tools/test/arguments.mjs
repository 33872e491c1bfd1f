/** Options of Jest whose next argument is their value. */
const OPTIONS_WITH_VALUE = new Set([
  '-t',
  '--testNamePattern',
  '-w',
  '--maxWorkers',
  '--shard',
  '--seed',
  '--testTimeout',
]);
/** Options of Jest that choose the files by something else than their paths. */
const OTHER_SELECTIONS = /^(-o|--(onlyChanged|onlyFailures|lastCommit|changedSince|findRelatedTests|runTestsByPath))\b/;
/** Options of Jest that need the keyboard, or that print something else than results. */
const WITHOUT_REPORT = /^--(watch|watchAll|listTests|showConfig|clearCache|help|version)$/;
const WORKER_OPTION = /^(-i|-w|--(runInBand|maxWorkers|detectOpenHandles)\b)/;
const PATTERN_OPTION = /^--testPathPatterns?(=|$)/;

/**
 * Parses the arguments of `npm test`. All but the runner's own options are for Jest.
 *
 * @param names names of the Jest projects
 * @returns `backend`: 'embedded', 'services' or 'all'; `projects`: requested projects, or null;
 *   `inspect`: option of Node.js for a debugger, or null; `isReported`: whether the runner counts results;
 *   `hasWorkerOption`: whether an option of Jest sets the number of workers;
 *   `patterns`: regular expressions of paths, or null if Jest chooses the files by something else;
 *   `jest`: options of Jest
 * @throws Error for an unknown project
 */
export function parseArguments(args, names) {
  const parsed = {
    backend: null,
    projects: null,
    inspect: null,
    isReported: true,
    hasWorkerOption: false,
    patterns: [],
    jest: [],
  };
  const rest = [...args];
  let choosesOtherwise = false;
  const takeProjects = (projects) => (parsed.projects = [...(parsed.projects ?? []), ...projects]);
  while (rest.length > 0) {
    const arg = rest.shift();
    if (arg === '--services') parsed.backend = 'services';
    else if (arg === '--all-backends') parsed.backend = 'all';
    else if (/^--inspect(=|$)/.test(arg)) parsed.inspect = arg.replace('--inspect', '--inspect-brk');
    else if (arg === '--selectProjects') takeProjects(takeNames(rest, names));
    else if (arg.startsWith('--selectProjects=')) takeProjects([arg.slice('--selectProjects='.length)]);
    else if (PATTERN_OPTION.test(arg))
      parsed.patterns.push(arg.includes('=') ? arg.replace(/^.*?=/, '') : rest.shift());
    else if (arg === '--') parsed.patterns.push(...rest.splice(0));
    else if (!arg.startsWith('-')) parsed.patterns.push(arg);
    else {
      parsed.jest.push(arg, ...(OPTIONS_WITH_VALUE.has(arg) ? rest.splice(0, 1) : []));
      parsed.hasWorkerOption ||= WORKER_OPTION.test(arg);
      if (WITHOUT_REPORT.test(arg)) parsed.isReported = false;
      choosesOtherwise ||= OTHER_SELECTIONS.test(arg);
    }
  }
  const unknown = parsed.projects?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`No project ${unknown.join(', ')}. Choose from ${names.join(', ')}.`);
  parsed.backend ??= args.length === 0 ? 'all' : 'embedded';
  // Jest takes the paths after such an option for its values.
  if (choosesOtherwise) parsed.jest.push(...parsed.patterns);
  return { ...parsed, patterns: choosesOtherwise ? null : parsed.patterns };
}

/** Takes the names that follow `--selectProjects`. A path may come after them. */
function takeNames(rest, names) {
  const end = rest.findIndex((arg, index) => arg.startsWith('-') || (index > 0 && !names.includes(arg)));
  return rest.splice(0, end === -1 ? rest.length : end);
}
