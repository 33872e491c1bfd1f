import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPrivateEnvironment, writePrivateEnvironment } from './private-environment';

const folder = mkdtempSync(join(tmpdir(), 'private-environment-'));
const file = join(folder, 'machine.json.environment');
afterEach(() => {
  delete process.env.TEST_STORED;
  delete process.env.TEST_GIVEN;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('adds the variables that are not set', async () => {
  process.env.TEST_GIVEN = 'given';
  await writePrivateEnvironment(file, { TEST_STORED: 'a "b"\n', TEST_GIVEN: 'stored' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await loadPrivateEnvironment(file);
  expect(process.env).toMatchObject({ TEST_STORED: 'a "b"\n', TEST_GIVEN: 'given' });
});

it.each(['{"KEY": "secret', '["secret"]', ''])('refuses %j without a word of it', async (text) => {
  writeFileSync(file, text);
  const error = await loadPrivateEnvironment(file).catch((thrown: Error) => thrown);
  expect(String(error)).toContain('has no JSON object');
  expect(String(error)).not.toContain('secret');
});

it('refuses a file that others can read, and one that is not there', async () => {
  chmodSync(file, 0o644);
  await expect(loadPrivateEnvironment(file)).rejects.toThrow('Other users can read');
  await expect(loadPrivateEnvironment(join(folder, 'none'))).rejects.toThrow("can't be read (ENOENT)");
});
