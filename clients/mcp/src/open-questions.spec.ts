import { createRecordedClient } from '../../typescript/src/testing/recorded-client.ts';
import { readOpenQuestions } from './open-questions.ts';

const PATH = '/sessions/ses_1/permission-requests';
const CHOICES = ['PostgreSQL', 'SQLite'];
const TITLED = CHOICES.map((title) => ({ const: title.toLowerCase(), title }));

async function readChoices(field: object): Promise<string[]> {
  const content = JSON.stringify({ title: 'Choose', message: 'Which?', schema: { properties: { database: field } } });
  const { client } = createRecordedClient({
    [`GET ${PATH}`]: { data: [{ id: 'perm_1', options: [] }], nextCursor: null },
    [`GET ${PATH}/perm_1/content`]: { data: { content, encoding: 'plaintext', contentHash: 'x' } },
  });
  const [question] = await readOpenQuestions(client, 'ses_1', true, new AbortController().signal);
  return question!.fields[0]!.choices;
}

it.each([
  ['one of titled values', { type: 'string', oneOf: TITLED }, CHOICES],
  ['one of values', { type: 'string', enum: CHOICES }, CHOICES],
  ['several titled values', { type: 'array', items: { anyOf: TITLED } }, CHOICES],
  ['several values', { type: 'array', items: { enum: CHOICES } }, CHOICES],
  ['any text', { type: 'string' }, []],
  ['a number', { type: 'integer' }, []],
])('a question that asks for %s has its choices', async (_, field, choices) => {
  expect(await readChoices(field)).toEqual(choices);
});
