import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Closing } from '../row';
import { requireDescriptors } from './descriptors';
import { writeFigures } from './doc';
import { picture } from './picture';
import { report } from './report';
import { thisMachine, type SoakResult } from './result';
import { soak, type SoakOptions } from './run';
import { judge } from './verdict';

const USAGE = `usage: npm run soak -- [--minutes 10] [--devices 5000] [--share 0.8] [--json FILE] [--svg FILE] [--doc FILE]
       npm run soak -- --from FILE [--svg FILE] [--doc FILE]     of an earlier run
--doc: writes the figures into a Markdown file, between its two marks
exit status 1 when something does not hold`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      devices: { type: 'string', default: '5000' },
      share: { type: 'string', default: '0.8' },
      json: { type: 'string' },
      svg: { type: 'string' },
      doc: { type: 'string' },
      from: { type: 'string' },
    },
  });
  const result = values.from
    ? (JSON.parse(readFileSync(values.from, 'utf8')) as SoakResult)
    : await measure(optionsOf(values));
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result)}\n`);
  if (values.svg) writeFileSync(values.svg, picture(result));
  if (values.doc) writeFigures(values.doc, report(result));
  console.log(report(result));
  if (!result.judgements.every(({ met }) => met)) process.exitCode = 1;
}

async function measure(options: SoakOptions): Promise<SoakResult> {
  requireDescriptors(options.devices);
  const startedAt = new Date().toISOString();
  const closing = new Closing();
  try {
    const run = await closing.guard(() => soak(closing, options));
    return { startedAt, machine: thisMachine(), options, judgements: judge(run, options.devices), run };
  } finally {
    await closing.close();
  }
}

function optionsOf(values: { minutes: string; devices: string; share: string }): SoakOptions {
  const [minutes, devices, share] = [values.minutes, values.devices, values.share].map(Number) as [
    number,
    number,
    number,
  ];
  if (!(minutes >= 0.5 && minutes <= 600)) throw new Error('--minutes takes 0.5 to 600');
  if (!Number.isInteger(devices) || devices < 50 || devices > 50_000) throw new Error('--devices takes 50 to 50000');
  if (!(share > 0 && share <= 1)) throw new Error('--share takes a part of 1');
  return { minutes, devices, share };
}

main().catch((error: Error) => {
  console.error(`error: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
});
