import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..', '..');
export const DOCKERFILE = join(ROOT, 'deploy', 'Dockerfile');

export interface Copy {
  /** The stage whose files these are; null: the project's folder */
  from: string | null;
  sources: string[];
  target: string;
}

export interface Stage {
  /** null: the last one, the image itself */
  name: string | null;
  copies: Copy[];
  /** Shell lines, in order. */
  runs: string[];
  /** What else is said once: ENV apart, the last of a kind. */
  settings: Record<string, string>;
  env: Record<string, string>;
}

/** The stages of deploy/Dockerfile, as far as it uses the language. */
export function readDockerfile(path = DOCKERFILE): Stage[] {
  const stages: Stage[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
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
    const stage = stages.at(-1)!;
    if (instruction === 'COPY') stage.copies.push(readCopy(rest));
    else if (instruction === 'RUN') stage.runs.push(rest);
    else if (instruction === 'ENV') Object.assign(stage.env, Object.fromEntries([rest.split('=')]));
    else stage.settings[instruction] = rest;
  }
  return stages;
}

function readCopy(rest: string): Copy {
  const words = rest.split(' ');
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : null;
  return { from, sources: words.slice(0, -1), target: words.at(-1)! };
}
