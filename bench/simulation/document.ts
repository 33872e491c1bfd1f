import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arithmetic } from './arithmetic';
import { ROOT, type Constants } from './constants';
import { fillIn } from './markdown';
import { outcomeBlocks, pictures, type Outcomes } from './outcomes';
import { simulated, type Comparison } from './real/comparison';
import { run, SCENARIOS } from './scenarios';
import { trafficOf } from './traffic';

export const DOCUMENT = join(ROOT, 'docs', 'scaling.md');
export const OUTCOMES_FILE = join(ROOT, 'docs', 'figures', 'simulation.json');
export const COMPARISON_FILE = join(ROOT, 'docs', 'figures', 'real-storm.json');

/** docs/scaling.md with its figures and pictures, made anew from the constants. */
export function write(constants: Constants): void {
  const outcomes: Outcomes = { constants: constants.digest, outcomes: [] };
  for (const scenario of SCENARIOS) {
    process.stderr.write(`${scenario.name} …\n`);
    outcomes.outcomes.push(run(scenario, constants));
  }
  writeFileSync(OUTCOMES_FILE, `${JSON.stringify(outcomes)}\n`);
  const compared = readComparison();
  const { devices, instances } = compared.real[0]!;
  compared.simulated = simulated(devices, instances, constants);
  writeFileSync(COMPARISON_FILE, `${JSON.stringify(compared, null, 2)}\n`);
  for (const [name, svg] of Object.entries(pictures(outcomes, constants))) {
    writeFileSync(join(ROOT, 'docs', 'images', name), svg);
  }
  writeFileSync(DOCUMENT, written(constants));
}

/** The document as it has to read. */
export function written(constants: Constants): string {
  const outcomes = JSON.parse(readFileSync(OUTCOMES_FILE, 'utf8')) as Outcomes;
  return fillIn(readFileSync(DOCUMENT, 'utf8'), {
    ...arithmetic(constants, trafficOf()),
    ...outcomeBlocks(outcomes, readComparison()),
  });
}

function readComparison(): Comparison {
  return JSON.parse(readFileSync(COMPARISON_FILE, 'utf8')) as Comparison;
}
