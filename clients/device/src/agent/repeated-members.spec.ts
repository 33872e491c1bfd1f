import { expectLinearTime } from '../testing/cpu-time';
import { hasRepeatedMember } from './repeated-members';

it.each([
  '{"a":1,"a":2}',
  '{"command":"ls","comm\\u0061nd":"rm"}',
  '[{"x":{"b":[{"a":1},{"a":1,"c":[],"a":{}}]}}]',
  '{"a\\\\":1,"a\\\\":2}',
  '{"":1, "x":"a\\"}", "":2}',
])('finds the repeated member of %s', (json) => {
  JSON.parse(json);
  expect(hasRepeatedMember(json)).toBe(true);
});

it.each([
  '{"a":1,"b":{"a":1,"b":["a","a","b"]},"c":[{"a":1},{"a":1}]}',
  '["a","a",{"b":"b"},"a"]',
  '{"a":"a","b":"\\"a\\":1,\\"a\\":2","c":"\\\\"}',
  '"a"',
  '[]',
])('finds none in %s', (json) => {
  JSON.parse(json);
  expect(hasRepeatedMember(json)).toBe(false);
});

it('takes linear time', () => {
  expectLinearTime((count) => {
    const names = Array.from({ length: count }, (_, index) => `"${'\\\\'.repeat(10)}${index}":"\\\\\\""`);
    expect(hasRepeatedMember(`{${names.join()}}`)).toBe(false);
    expect(hasRepeatedMember('['.repeat(20 * count))).toBe(false);
  }, 10_000);
});
