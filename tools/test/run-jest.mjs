import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from '../lib.mjs';
import { killGroup, listGroup } from './process-group.mjs';

const REPORTER = fileURLToPath(new URL('reporter.cjs', import.meta.url));
const CHECK_EVERY_MS = 1_000;

/** How long a file may run on a fast machine, and how long Jest may take to exit after its last file. */
const FILE_MS = 10 * 60_000;
const EXIT_MS = 30_000;

/**
 * Runs Jest once with the reporter. Kills it if a file hangs, or if processes that tests left keep it from exiting.
 *
 * @param plan input of the reporter and of jest.config.js: `startedAt`, `workers`, `files` by project, `expectedMs` by
 *   project and path, and of the runs before and after this one `filesBefore`, `filesAfter` and `msAfter`
 * @param options `cwd`; `limits`; `env`; `output`: `inherit` or `ignore`
 * @returns `results` of the files; `failures`: `file` (project and path, or null if it is none of a file) and `text`,
 *   whose first line names the test; `status`: 0 if nothing failed; `isInterrupted`: whether a signal ended the run;
 *   `unstarted`: planned files that Jest did not start because it ended with another one, by project and path
 */
export async function runJest(args, plan, { cwd, limits = getLimits(), env = process.env, output = 'inherit' }) {
  const folder = mkdtempSync(join(tmpdir(), 'external-api-results-'));
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  const child = spawn(process.execPath, [bin('jest'), ...args, `--reporters=${REPORTER}`], {
    cwd,
    stdio: ['ignore', output, output],
    env: { ...env, TEST_REPORT_FOLDER: folder, TEST_PLAN: join(folder, 'plan.json') },
    // A process group of its own, so that the processes which tests leave can be found.
    detached: true,
  });
  let isInterrupted = false;
  const forward = (signal) => {
    isInterrupted = true;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  const watchdog = setInterval(() => killIfHanging(child, readRecords(folder), limits), CHECK_EVERY_MS);
  try {
    const [code, signal] = await once(child, 'exit');
    clearInterval(watchdog);
    await killGroup(child.pid);
    return { isInterrupted, ...summarize(readRecords(folder), code ?? signal, plan) };
  } finally {
    clearInterval(watchdog);
    for (const each of signals) process.off(each, forward);
    rmSync(folder, { recursive: true, force: true });
  }
}

const getLimits = () => ({ fileMs: FILE_MS * Number(process.env.TEST_WAIT_FACTOR ?? 1), exitMs: EXIT_MS });

function killIfHanging(child, records, { fileMs, exitMs }) {
  const hanging = listRunning(records).filter(({ at }) => Date.now() - at > fileMs);
  const complete = records.find(({ isComplete }) => isComplete);
  if (hanging.length > 0) {
    process.stdout.write(`Killing Jest: no result after ${fileMs / 1_000} s of ${names(hanging)}\n`);
  } else if (complete && Date.now() - complete.at > exitMs) {
    const left = listGroup(child.pid).filter(
      ({ pid, command }) => pid !== child.pid && !command.includes('jest-worker'),
    );
    const commands = left.map(({ pid, command }) => `\n  ${pid} ${command}`).join('');
    process.stdout.write(`Killing Jest, which has not exited. Processes that tests left:${commands || ' none'}\n`);
  } else return;
  process.kill(-child.pid, 'SIGKILL');
}

/** Counts a file that has not finished, and an end of Jest before its last file, as failures. */
function summarize(records, exit, plan) {
  const results = records.filter(({ finished }) => finished);
  const failures = results.flatMap(({ finished: file, path, failures: own }) =>
    own.map(({ test, message }) => ({ file, text: `${path}: ${test}\n  ${message.split('\n', 15).join('\n  ')}` })),
  );
  let unstarted = [];
  if (!records.some(({ isComplete }) => isComplete)) {
    const running = listRunning(records);
    const started = new Set(records.map((record) => record.started));
    if (running.length > 0) unstarted = Object.keys(plan.expectedMs).filter((name) => !started.has(name));
    for (const { started: file } of running) failures.push({ file, text: `${file}: the file\n  has no result` });
    if (running.length === 0) failures.push({ file: null, text: `Jest ended with ${exit} before its last file` });
  }
  return {
    results,
    failures,
    unstarted,
    status: failures.length > 0 ? 1 : records.length > 0 && exit === 'SIGKILL' ? 0 : exit,
  };
}

function listRunning(records) {
  const finished = new Set(records.map((record) => record.finished));
  return records.filter(({ started }) => started && !finished.has(started));
}

function readRecords(folder) {
  const path = join(folder, 'results.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const names = (records) => records.map(({ started }) => started).join(', ');
