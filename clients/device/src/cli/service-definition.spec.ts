import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { splitCommand } from '../exec/split-command';
import { collectAgent } from './agent-options';
import { addMachineOptions, type MachineCommandOptions } from './machine-command';
import { joinCommand, planService, type GivenOption } from './service-definition';

const folder = mkdtempSync(join(tmpdir(), 'service-definition-'));
const bin = join(folder, 'Jörg’s tools');
const PROGRAM = ['/opt/node', '/opt/xapi-device'] as const;

beforeAll(() => {
  mkdirSync(bin);
  writeFileSync(join(bin, 'odd-acp'), '#!/bin/sh\n');
  chmodSync(join(bin, 'odd-acp'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

function plan(
  given: GivenOption[],
  options: Partial<MachineCommandOptions> = {},
  environment: NodeJS.ProcessEnv = { PATH: `${bin}:/usr/bin` },
) {
  const keyFile = '/keys/machine.json';
  const all = { cwd: '.', ...options };
  return planService({ keyFile, addresses: {}, given, options: all, environment, program: PROGRAM });
}

it('keeps the options that were given, with absolute paths of folders and agents', async () => {
  const text = `odd=odd-acp --title "it's mine"`;
  const given = [
    { flag: '--name', text: '-build box' },
    { flag: '--agent', text },
    { flag: '--turn-timeout', text: '2h' },
    { flag: '--allow-cwd', text: 'src' },
    { flag: '--rules', text: 'rules.json' },
  ];
  const { definition, secrets } = await plan(given, { agent: collectAgent(text) });
  expect(definition.command).toEqual([
    ...PROGRAM,
    ...['machine', '--key-file=/keys/machine.json', '--name=-build box'],
    `--agent=odd='${bin}/odd-acp' --title 'it'"'"'s mine'`,
    ...[
      '--turn-timeout=2h',
      `--allow-cwd=${resolve('src')}`,
      `--rules=${resolve('rules.json')}`,
      `--cwd=${resolve('.')}`,
    ],
  ]);
  expect(collectAgent(definition.command[5]!.replace('--agent=', ''))).toEqual([
    { name: 'odd', command: [join(bin, 'odd-acp'), '--title', "it's mine"] },
  ]);
  expect(secrets).toEqual({});
});

it('plans arguments that the machine understands, for each of its options', async () => {
  const values: Record<string, string> = {
    ...{ '--agent': 'odd-acp', '--permissions': 'ask', '--permission-timeout': '10m' },
    ...{ '--turn-timeout': '2h', '--agent-idle': '15m' },
  };
  const given = addMachineOptions(new Command()).options.map(({ long, required }) => {
    const flag = long ?? '';
    return required ? { flag, text: values[flag] ?? '1' } : { flag };
  });
  expect(given).toContainEqual({ flag: '--no-grants' });
  const { definition } = await plan(given, { agent: collectAgent('odd-acp') });
  const [, , , ...args] = definition.command;
  const machine = addMachineOptions(new Command().exitOverride().option('--key-file <file>'));
  machine.parse(args, { from: 'user' });
  expect(machine.opts()).toMatchObject({ grants: false, name: '1', cwd: resolve('1') });
  expect(Object.keys(machine.opts())).toHaveLength(given.length + 1);
});

it('refuses an agent that is not there', async () => {
  const refused = plan([{ flag: '--agent', text: 'none-acp' }], { agent: collectAgent('none-acp') });
  await expect(refused).rejects.toThrow(
    `The program "none-acp" was not found. It was searched for in ${bin}:/usr/bin.`,
  );
});

it('names Node.js as the search path does, because an update moves the file', async () => {
  const installed = join(folder, 'Cellar', '20.20.2');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'node'), '');
  symlinkSync(join(installed, 'node'), join(bin, 'node'));
  const input = { keyFile: '/keys/machine.json', addresses: {}, given: [], options: { cwd: '.' } };
  const program = [join(installed, 'node'), '/opt/xapi-device'] as const;
  const planWith = async (PATH: string) => (await planService({ ...input, environment: { PATH }, program })).definition;
  expect((await planWith(`/usr/bin:${bin}`)).command[0]).toBe(join(bin, 'node'));
  expect((await planWith('/usr/bin')).command[0]).toBe(program[0]);
});

it('has the PATH and the language in the definition, and what may be a secret apart', async () => {
  const { definition, secrets, missing, environmentFile } = await plan(
    [],
    { agent: collectAgent('b=odd-acp', collectAgent('odd-acp')), agentEnv: ['odd-acp=KEY', 'b=NONE'] },
    {
      PATH: `.:/a/node_modules/.bin:${bin}:${bin}:/usr/bin`,
      npm_lifecycle_event: 'device',
      LANG: 'de_DE.UTF-8',
      KEY: 'secret-1',
      https_proxy: 'http://ada:secret-2@proxy',
      HTTP_PROXY: 'http://ada:secret-4@proxy',
      NO_PROXY: 'corp.example',
      OTHER: 'secret-3',
      NODE_EXTRA_CA_CERTS: 'ca.pem',
    },
  );
  expect(definition.environment).toEqual({
    PATH: `${bin}:/usr/bin`,
    LANG: 'de_DE.UTF-8',
    NODE_EXTRA_CA_CERTS: resolve('ca.pem'),
  });
  expect(JSON.stringify(definition)).not.toContain('secret');
  expect(secrets).toEqual({
    KEY: 'secret-1',
    https_proxy: 'http://ada:secret-2@proxy',
    HTTP_PROXY: 'http://ada:secret-4@proxy',
    NO_PROXY: 'corp.example',
  });
  expect(missing).toEqual(['NONE']);
  expect(environmentFile).toBe('/keys/machine.json.environment');
  expect(definition.command).toContain('--environment-file=/keys/machine.json.environment');
});

it.each([[['a', 'b c', '']], [["it's", '"x"', `'"'`, ' ', '\n']]])('joins %j so that it splits again', (words) => {
  expect(splitCommand(joinCommand(words))).toEqual(words);
});
