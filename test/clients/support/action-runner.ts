import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ProcessExit } from '../../support/service-process';
import { createTempFolder } from '../../support/temp-folder';

const ACTION_FOLDER = join(__dirname, '..', '..', '..', 'clients', 'github-action');
const INPUT = /\$\{\{\s*inputs\.([\w-]+)\s*\}\}/g;
const STEP_OUTPUT = /^\$\{\{\s*steps\.([\w-]+)\.outputs\.([\w-]+)\s*\}\}$/;

export interface ActionStep {
  id?: string;
  shell?: string;
  env?: Record<string, string>;
  run?: string;
}

export interface ActionMetadata {
  name: string;
  description: string;
  inputs: Record<string, { description: string; required: boolean; default?: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: ActionStep[] };
}

export interface ActionRun extends ProcessExit {
  outputs: Record<string, string>;
  summary: string;
  /** Working directory of the steps, the workspace of the job. */
  workspace: string;
}

export function readAction(): ActionMetadata {
  return parse(readFileSync(join(ACTION_FOLDER, 'action.yml'), 'utf8')) as ActionMetadata;
}

/** Runs the steps of the action as a runner does: inputs replace their expressions, and bash runs a file per step. */
export async function runAction(
  inputs: Record<string, string>,
  onStarted: (pid: number) => void = () => undefined,
  more: Record<string, string> = {},
): Promise<ActionRun> {
  const action = readAction();
  const folder = createTempFolder();
  const [workspace, temp] = ['workspace', 'temp'].map((name) => join(folder, name)) as [string, string];
  for (const path of [workspace, temp]) mkdirSync(path);
  const findInput = (name: string) => inputs[name] ?? action.inputs[name]!.default ?? '';
  const evaluate = (text: string) => text.replace(INPUT, (_, name: string) => findInput(name));

  const stepOutputs: Record<string, Record<string, string>> = {};
  let [summary, exit] = ['', { code: 0, signal: null, stdout: '', stderr: '' } as ProcessExit];
  for (const [index, step] of action.runs.steps.entries()) {
    const [script, output, stepSummary] = ['sh', 'output', 'summary'].map((kind) => join(temp, `${index}.${kind}`));
    writeFileSync(script!, evaluate(step.run!));
    for (const file of [output!, stepSummary!]) writeFileSync(file, '');
    const env = {
      PATH: process.env.PATH,
      ...more,
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
      GITHUB_ACTION_PATH: ACTION_FOLDER,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: stepSummary,
      RUNNER_TEMP: temp,
    };
    exit = await runScript(script!, { cwd: workspace, env }, onStarted);
    if (step.id) stepOutputs[step.id] = parseOutputs(readFileSync(output!, 'utf8'));
    summary += readFileSync(stepSummary!, 'utf8');
    if (exit.code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => {
    const [, id, own] = STEP_OUTPUT.exec(value)!;
    return [name, stepOutputs[id!]?.[own!] ?? ''];
  });
  return { ...exit, outputs: Object.fromEntries(outputs), summary, workspace };
}

/** The runner's own command line for `shell: bash`. */
async function runScript(
  script: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
  onStarted: (pid: number) => void,
): Promise<ProcessExit> {
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', script], options);
  // The signals of a cancellation go to this process alone.
  onStarted(child.pid!);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })));
}

function parseOutputs(text: string): Record<string, string> {
  const pattern = /^([\w-]+)<<(\S+)\n(?:([^]*?)\n)?\2\n/gm;
  return Object.fromEntries([...text.matchAll(pattern)].map(([, name, , value = '']) => [name, value]));
}
