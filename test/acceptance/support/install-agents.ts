import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import provideEmbeddedTemplate from '../../support/embedded-template';
import { TRIED_AGENTS, type InstalledAgent, type TriedAgent } from './tried-agents';

interface NodeTools {
  OTHER_NODE_VERSIONS: string[];
  installNode: (root: string, version: string) => string | null;
}

const ROOT = join(__dirname, '..', '..', '..');
const CACHE_FOLDER = join(ROOT, 'node_modules', '.cache', 'agents');

/**
 * Installs the newest version of each agent, or of those that `AGENTS` names, each in a folder of its own.
 * `INSTALLED_AGENTS` lists them for the tests. An agent that can't be installed has a line on the log.
 */
export default async function provideAgents(): Promise<void> {
  const agents = selectAgents(process.env.AGENTS);
  await provideEmbeddedTemplate();
  const nodes = await provideNodes();
  const installed = agents.flatMap((agent) => {
    const found = installAgent(agent, nodes);
    if (!found) process.stdout.write(`Not tried: ${agent.name}. npm can't install ${agent.package}.\n`);
    return found ?? [];
  });
  if (installed.length === 0) throw new Error('No agent can be installed. Is the package registry reachable?');
  process.env.INSTALLED_AGENTS = JSON.stringify(installed);
}

function selectAgents(names: string | undefined): readonly TriedAgent[] {
  if (!names) return TRIED_AGENTS;
  return names.split(',').map((wanted) => {
    const agent = TRIED_AGENTS.find(({ name }) => name === wanted);
    if (agent) return agent;
    throw new Error(`AGENTS names "${wanted}". Use ${TRIED_AGENTS.map(({ name }) => name).join(', ')}.`);
  });
}

/** Returns programs of Node.js by version, the newest first. */
async function provideNodes(): Promise<Map<string, string>> {
  const { OTHER_NODE_VERSIONS, installNode } = (await import(
    join(ROOT, 'tools', 'test', 'other-nodes.mjs')
  )) as NodeTools;
  const present: [string, string] = [process.version.slice(1), process.execPath];
  const others = OTHER_NODE_VERSIONS.toReversed().map((version) => [version, installNode(ROOT, version)] as const);
  return new Map([...others.filter((entry): entry is [string, string] => entry[1] !== null), present]);
}

function installAgent(agent: TriedAgent, nodes: Map<string, string>): InstalledAgent | undefined {
  const version = runNpm(['view', agent.package, 'version'], process.execPath)?.trim();
  if (!version) return undefined;
  for (const [nodeVersion, node] of nodes) {
    const folder = join(CACHE_FOLDER, `${agent.name}-${version}-node-${nodeVersion}`);
    if (!isInstalled(folder) && !installPackage(`${agent.package}@${version}`, folder, node)) continue;
    removeOthers(agent, folder);
    const path = [dirname(node), process.env.PATH].join(delimiter);
    return { name: agent.name, version, nodeVersion, folder: join(folder, 'node_modules', '.bin'), path };
  }
  return undefined;
}

/** npm writes this file last. */
const isInstalled = (folder: string): boolean => existsSync(join(folder, 'node_modules', '.package-lock.json'));

/**
 * npm runs with the agent's own Node.js, since it silently prefers older dependencies to those that need another one.
 * Scripts run as on a user's computer: one of them puts OpenCode's program in place. Returns false if the agent, or one
 * of its dependencies, refuses this version of Node.js.
 */
function installPackage(specifier: string, folder: string, node: string): boolean {
  mkdirSync(folder, { recursive: true });
  const options = ['--engine-strict', '--ignore-scripts=false', '--no-save', '--no-audit', '--no-fund'];
  const output = runNpm(['install', ...options, '--prefix', folder, specifier], node);
  if (output === null) rmSync(folder, { recursive: true, force: true });
  return output !== null;
}

/** An agent takes up to half a gigabyte. */
function removeOthers({ name }: TriedAgent, folder: string): void {
  const others = readdirSync(CACHE_FOLDER).filter((entry) => entry.startsWith(`${name}-`));
  for (const path of others.map((entry) => join(CACHE_FOLDER, entry)))
    if (path !== folder) rmSync(path, { recursive: true, force: true });
}

/** Returns the standard output, or null if npm fails. */
function runNpm(args: string[], node: string): string | null {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path };
  const { status, stdout } = spawnSync('npm', args, { cwd: ROOT, env, encoding: 'utf8' });
  return status === 0 ? stdout : null;
}
