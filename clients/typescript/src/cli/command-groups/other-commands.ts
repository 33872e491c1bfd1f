import type { CommandSpec } from '../command-line/command-spec.ts';
import { KEY } from './shared-options.ts';

export const OTHER = 'Other';

export const otherCommands: CommandSpec[] = [
  {
    name: 'api',
    group: OTHER,
    summary: 'Call any endpoint, with your credential',
    details: ['Prints the body of the response. Fields are sent in the query of GET, and in a JSON body otherwise.'],
    args: [
      { name: 'METHOD', description: 'GET, POST, PATCH or DELETE. Default: GET', isOptional: true },
      { name: 'PATH', description: 'path below /external/v1, such as /sessions' },
    ],
    options: [
      { name: 'field', short: 'f', value: 'NAME=TEXT', description: 'A field with a text', isRepeatable: true },
      {
        name: 'json-field',
        short: 'F',
        value: 'NAME=JSON',
        description: 'A field with a JSON value, such as 5',
        isRepeatable: true,
      },
      { name: 'input', value: 'FILE', description: 'The JSON body, or - for standard input' },
      { name: 'accept', value: 'TYPE', description: 'Media type, such as application/octet-stream' },
      KEY,
    ],
    examples: [
      'xapi api /me',
      'xapi api GET /sessions -f state=active -F limit=5',
      'echo \'{"waitMs": 0}\' | xapi api POST /machines/mch_…/sessions --input -',
    ],
    load: async () => (await import('../commands/api.ts')).api,
  },
];
