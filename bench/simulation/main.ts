import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { arithmetic } from './arithmetic';
import { Constants, CONSTANTS_FILE } from './constants';
import { COMPARISON_FILE, write } from './document';
import { SETTINGS } from './options';
import { comparison } from './real/comparison';
import { run } from './scenarios';
import { TRAFFIC, trafficOf } from './traffic';

const USAGE = `usage: npm run simulate -- reconnect-storm | rolling-deploy [--name value …]
       npm run simulate -- arithmetic [--name value …]      the tables of docs/scaling.md for other inputs
       npm run simulate -- compare [--devices N] [--instances N]   a storm of real devices beside its simulation
       npm run simulate -- write                             docs/scaling.md and its figures, made anew
  --constants FILE instead of docs/figures/constants.json
  settings: ${Object.keys(SETTINGS).join(', ')}
  inputs of the arithmetic: ${Object.keys(TRAFFIC).join(', ')}`;

/** `--name value` pairs. */
function read(args: string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [args[i]!, args[i + 1]];
    if (!name.startsWith('--') || value === undefined) throw new Error(name);
    given[name.slice(2)] = value;
  }
  return given;
}

async function main([command = '', ...args]: string[]): Promise<void> {
  const { constants: file = CONSTANTS_FILE, ...given } = read(args);
  const constants = Constants.read(file);
  switch (command) {
    case 'reconnect-storm':
    case 'rolling-deploy': {
      const kind = command === 'reconnect-storm' ? 'storm' : 'deploy';
      const options = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, Number(text)]));
      const { figures } = run({ name: command, label: command, kind, options }, constants);
      return console.log(JSON.stringify(figures, null, 2));
    }
    case 'arithmetic': {
      const blocks = arithmetic(constants, trafficOf(given));
      return console.log(Object.values(blocks).join('\n\n'));
    }
    case 'compare': {
      const { devices = '3000', instances = '2' } = given;
      const compared = await comparison(Number(devices), Number(instances), constants);
      writeFileSync(COMPARISON_FILE, `${JSON.stringify(compared, null, 2)}\n`);
      return console.log(JSON.stringify(compared, null, 2));
    }
    case 'write':
      return write(constants);
    default:
      throw new Error(command || 'nothing to do');
  }
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`error: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
});
