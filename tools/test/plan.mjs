import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Projects that run on one backend only. */
const BACKENDS = {
  'e2e-embedded': 'embedded',
  'e2e-services': 'services',
  browser: 'embedded',
  firefox: 'embedded',
  'browser-cluster': 'services',
};

/**
 * Returns the projects to run with their files, as paths from the root. Leaves out projects without a matching file.
 *
 * @param config exports of `jest.config.js`
 * @param request result of `parseArguments`
 */
export function planProjects(config, root, { backend, projects, patterns }) {
  const files = ['src', 'bench', 'test', 'clients', 'packages', 'tools'].flatMap((folder) => listSpecs(root, folder));
  const matchers = (patterns ?? []).map((pattern) => createMatcher(pattern, root));
  const isRequested = (path) => matchers.length === 0 || matchers.some((matches) => matches(path));
  return config.projects
    .filter(({ displayName }) => projects?.includes(displayName) ?? hasBackend(displayName, backend))
    .map(({ displayName, testMatch }) => {
      const globs = testMatch.map((glob) => glob.replace('<rootDir>/', ''));
      const included = globs.filter((glob) => !glob.startsWith('!')).map(convertGlob);
      const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => convertGlob(glob.slice(1)));
      const matches = (patterns, path) => patterns.some((pattern) => pattern.test(path));
      const own = files.filter((path) => matches(included, path) && !matches(excluded, path));
      return { name: displayName, files: own.filter(isRequested) };
    })
    .filter((project) => project.files.length > 0);
}

const hasBackend = (name, backend) => backend === 'all' || !(name in BACKENDS) || BACKENDS[name] === backend;

function listSpecs(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => /\.spec\.tsx?$/.test(path) && !path.includes('node_modules/'))
    .map((path) => `${folder}/${path}`);
}

/** Matches as Jest does: a regular expression on the path from the root, or on the absolute path. */
function createMatcher(pattern, root) {
  const expression = new RegExp(pattern.replace(/^\.\//, '^'), 'i');
  return (path) => expression.test(path) || expression.test(join(root, path));
}

/** Converts a glob of `jest.config.js` to a regular expression: `**` + `/`, `*` and `{a,b}`. */
function convertGlob(glob) {
  const tokens = { '**/': '(.*/)?', '*': '[^/]*', '{': '(', '}': ')', ',': '|', '.': '\\.' };
  return new RegExp(`^${glob.replace(/\*\*\/|[*{},.]/g, (token) => tokens[token])}$`);
}
