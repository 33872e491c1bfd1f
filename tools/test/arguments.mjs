import { createRequire } from 'node:module';

/** Files that run at a time. */
const WORKERS = 3;
/** Among all files, more wait than compute. More workers need more connections than PostgreSQL has by default. */
const WORKERS_OF_ALL = 4;
/** On a slow machine, the programs of more files would miss time limits, such as those of health checks. */
const WORKERS_OF_ALL_IF_SLOW = 2;
const SLOW_WAIT_FACTOR = 2;
/** Options of Jest whose next argument is their value. */
const OPTIONS_WITH_VALUE = new Set(['-t', '--testNamePattern', '--shard', '--seed', '--testTimeout']);
/** Options of Jest that choose the files by something else than their paths. */
const OTHER_SELECTIONS = /^(-o|--(onlyChanged|onlyFailures|lastCommit|changedSince|findRelatedTests|runTestsByPath))\b/;
/** Options of Jest that need the keyboard, or that print something else than results. */
const WITHOUT_REPORT = /^--(watch|watchAll|listTests|showConfig|clearCache|help|version)$/;
const NAME_PATTERN = /^(-t|--testNamePattern)\b/;
const IN_BAND = /^(-i|--runInBand|--detectOpenHandles)$/;

/**
 * Parses the arguments of `npm test`. All but the runner's own options are for Jest.
 *
 * @param names names of the Jest projects
 * @returns `backend`: 'embedded', 'services' or 'all'; `tier`: input of `selectTier`, or null if the arguments select
 *   files or tests; `isRepeating`: whether files that failed run a second time; `isRecording`: whether to write
 *   `test/durations.json`; `projects`: requested projects, or null;
 *   `inspect`: option of Node.js for a debugger, or null; `isReported`: whether the runner counts results;
 *   `workers`: how many files run at a time, or null; `isInBand`: whether Jest runs them in its own process;
 *   `patterns`: regular expressions of paths, or null if Jest chooses the files by something else;
 *   `jest`: options of Jest
 * @throws Error for an unknown project or option, or an invalid number of workers
 */
export function parseArguments(args, names) {
  const parsed = {
    backend: null,
    tier: null,
    isOnce: false,
    isRecording: false,
    projects: null,
    inspect: null,
    workers: null,
    patterns: [],
    jest: [],
  };
  const rest = [...args];
  while (rest.length > 0) parseNext(parsed, rest, names);

  const { jest, patterns } = parsed;
  const has = (option) => jest.some((arg) => option.test(arg));
  const unknown = parsed.projects?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`No project ${unknown.join(', ')}. Choose from ${names.join(', ')}.`);
  if (parsed.workers !== null && !(parsed.workers >= 1))
    throw new Error('--maxWorkers requires a number of files to run at a time.');

  if (parsed.isRecording && parsed.tier === null) throw new Error('--record requires --all.');
  const isReported = !has(WITHOUT_REPORT);
  const choosesOtherwise = has(OTHER_SELECTIONS);
  const isSelective = patterns.length > 0 || choosesOtherwise || has(NAME_PATTERN) || !isReported;
  const tier = isSelective ? null : (parsed.tier ?? (parsed.projects ? 'all' : 'quick'));
  return {
    ...parsed,
    backend: parsed.backend ?? (isSelective ? 'embedded' : 'all'),
    tier,
    // A person who selects tests wants to see the failure, and the nightly run that there is none.
    isRepeating: tier !== null && tier !== 'full' && !parsed.isOnce,
    isReported,
    isInBand: has(IN_BAND),
    // Jest takes the paths after such an option for its values.
    jest: choosesOtherwise ? [...jest, ...patterns] : jest,
    patterns: choosesOtherwise ? null : patterns,
  };
}

/**
 * Returns how many files run at a time.
 *
 * @param waitFactor result of `measureWaitFactor`
 */
export function chooseWorkers({ workers, tier }, waitFactor) {
  if (workers !== null) return workers;
  if (tier !== 'all') return WORKERS;
  return waitFactor < SLOW_WAIT_FACTOR ? WORKERS_OF_ALL : WORKERS_OF_ALL_IF_SLOW;
}

/** Moves the first argument, and those that belong to it, from `rest` to `parsed`. */
function parseNext(parsed, rest, names) {
  const arg = rest.shift();
  const [option, value] = arg.startsWith('--') ? arg.split(/=(.*)/s) : [arg];
  const takeValue = () => value ?? rest.shift();
  switch (option) {
    case '--all':
    case '--full':
      parsed.tier = option.slice(2);
      break;
    case '--once':
      parsed.isOnce = true;
      break;
    case '--record':
      parsed.isRecording = true;
      break;
    case '--services':
      parsed.backend = 'services';
      break;
    case '--all-backends':
      parsed.backend = 'all';
      break;
    case '--inspect':
      parsed.inspect = arg.replace('--inspect', '--inspect-brk');
      break;
    case '--selectProjects':
      parsed.projects = [...(parsed.projects ?? []), ...(value ? [value] : takeNames(rest, names))];
      break;
    case '-w':
    case '--maxWorkers':
      parsed.workers = Number(takeValue());
      break;
    case '--testPathPattern':
    case '--testPathPatterns':
      parsed.patterns.push(takeValue());
      break;
    case '--':
      parsed.patterns.push(...rest.splice(0));
      break;
    default:
      if (!arg.startsWith('-')) parsed.patterns.push(arg);
      else {
        if (option.startsWith('--')) requireOptionOfJest(option);
        parsed.jest.push(arg, ...(OPTIONS_WITH_VALUE.has(arg) ? rest.splice(0, 1) : []));
      }
  }
}

/** Jest itself ignores an option that it doesn't know if a value follows after an equals sign. */
function requireOptionOfJest(option) {
  const { yargsOptions } = createRequire(import.meta.url)('jest-cli');
  const name = option.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  if (name in yargsOptions || ['help', 'version'].includes(name)) return;
  throw new Error(`No option ${option}. CONTRIBUTING.md#tests and https://jestjs.io/docs/cli list the options.`);
}

/** Takes the names that follow `--selectProjects`. A path may come after them. */
function takeNames(rest, names) {
  const end = rest.findIndex((arg, index) => arg.startsWith('-') || (index > 0 && !names.includes(arg)));
  return rest.splice(0, end === -1 ? rest.length : end);
}
