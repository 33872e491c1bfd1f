import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { asJson, table } from './report';
import { rows } from './rows';
import { runRow, type Result } from './run-row';

const USAGE = `usage: npm run bench -- [name …] [--rounds N] [--json FILE] [--check]
  names: ${rows.map((row) => row.name).join(', ')}
  --check: exit status 1 when a goal is missed`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '7' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) throw new Error('--rounds takes 1 to 50');

  const startedAt = new Date();
  const results: Result[] = [];
  for (const row of rows) {
    if (positionals.length > 0 && !positionals.includes(row.name)) continue;
    process.stderr.write(`${row.name} …\n`);
    results.push(await runRow(row, rounds));
  }
  console.log(table(results));
  if (values.json) writeFileSync(values.json, asJson(results, rounds, startedAt));
  if (values.check && !results.every((result) => result.met)) process.exitCode = 1;
}

main().catch((error: Error) => {
  console.error(`error: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
});
