import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY_ROOT = join(__dirname, '..', '..', '..');

export interface DockerCopy {
  /** Source stage; null for the project's folder. */
  from: string | null;
  sources: string[];
  target: string;
}

export interface DockerStage {
  /** Null for the last stage, the image itself. */
  name: string | null;
  copies: DockerCopy[];
  /** Shell commands in order. */
  runs: string[];
  /** Last instruction of each other kind, without ENV. */
  settings: Record<string, string>;
  env: Record<string, string>;
}

/** Parses the stages of deploy/Dockerfile. Supports only the instructions that the file uses. */
export function readDockerfile(): DockerStage[] {
  const stages: DockerStage[] = [];
  for (const line of readFileSync(join(REPOSITORY_ROOT, 'deploy', 'Dockerfile'), 'utf8').split('\n')) {
    const [, instruction, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (!instruction || !rest) continue;
    if (instruction === 'FROM') {
      stages.push({
        name: / AS (\S+)$/.exec(rest)?.[1] ?? null,
        copies: [],
        runs: [],
        settings: {},
        env: {},
      });
      continue;
    }
    const dockerStage = stages.at(-1)!;
    if (instruction === 'COPY') dockerStage.copies.push(readCopy(rest));
    else if (instruction === 'RUN') dockerStage.runs.push(rest);
    else if (instruction === 'ENV') Object.assign(dockerStage.env, Object.fromEntries([rest.split('=')]));
    else dockerStage.settings[instruction] = rest;
  }
  return stages;
}

function readCopy(rest: string): DockerCopy {
  const tokens = rest.split(' ');
  const from = tokens[0]!.startsWith('--from=') ? tokens.shift()!.slice('--from='.length) : null;
  return { from, sources: tokens.slice(0, -1), target: tokens.at(-1)! };
}
