import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readInputs } from './inputs.ts';

interface Metadata {
  inputs: Record<string, { default?: string }>;
}

const { inputs } = parse(readFileSync(join(__dirname, '../action.yml'), 'utf8')) as Metadata;
/** What the runner sets for a step that has no inputs but those that every step needs. */
const DEFAULTS = Object.fromEntries(
  Object.entries(inputs).map(([name, input]) => [
    `INPUT_${name.toUpperCase().replaceAll('-', '_')}`,
    input.default ?? '',
  ]),
);
const BASE = { ...DEFAULTS, XAPI_HOST: 'https://api.example.com', XAPI_TOKEN: 'svc_pat_x' };
const read = (env: Record<string, string>) => readInputs({ ...BASE, ...env }).work;

describe('the inputs of the action', () => {
  it('have the defaults that action.yml documents', () => {
    expect(read({ INPUT_MACHINE: 'build', INPUT_MESSAGE: 'hello' })).toEqual({
      machine: 'build',
      text: 'hello',
      agent: undefined,
      cwd: undefined,
      timeoutMs: 600_000,
      waitsForDecisions: false,
      keepsSession: false,
    });
  });

  it('are passed on', () => {
    const more = { INPUT_AGENT: 'claude', INPUT_CWD: '/srv', INPUT_TIMEOUT: '7' };
    const choices = { INPUT_KEEP_SESSION: 'true', INPUT_ON_PERMISSION_REQUEST: 'wait' };
    expect(read({ INPUT_MACHINE: 'build', INPUT_MESSAGE: 'hello', ...more, ...choices })).toEqual({
      machine: 'build',
      text: 'hello',
      agent: 'claude',
      cwd: '/srv',
      timeoutMs: 7_000,
      waitsForDecisions: true,
      keepsSession: true,
    });
    expect(read({ INPUT_SESSION: 'ses_1', INPUT_MESSAGE: 'hello' })).toMatchObject({ sessionId: 'ses_1' });
    const command = { INPUT_MACHINE: 'build', INPUT_COMMAND: '["npm", "test"]' };
    expect(read(command)).toEqual({ machine: 'build', command: ['npm', 'test'], timeoutMs: 600_000 });
  });

  it('may have a line break at the end of the token, as secrets often do', () => {
    const work = { INPUT_MACHINE: 'build', INPUT_COMMAND: '["true"]' };
    expect(readInputs({ ...BASE, ...work, XAPI_TOKEN: 'svc_pat_x\n' }).token).toBe('svc_pat_x');
    expect(() => readInputs({ ...BASE, ...work, XAPI_TOKEN: 'svc_pat\nx' })).toThrow('no token has');
  });

  it.each(['0', '3601', '1.5', '-1', '', '1e3'])('refuse the timeout %j', (INPUT_TIMEOUT) => {
    const work = { INPUT_MACHINE: 'build', INPUT_COMMAND: '["true"]', INPUT_TIMEOUT };
    expect(() => read(work)).toThrow('The timeout must be from 1 to 3600 seconds.');
  });
});
