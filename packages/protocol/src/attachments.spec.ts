import { decodeAttachment, encodeAttachment } from './attachments';

const encode = (text: string) => new TextEncoder().encode(text);

it.each([
  ['größe.md', 'a\nb'],
  ['line\nbreak', ''],
  ['', '{"name":"other"}\n'],
])('returns the file %j that was sealed', (name, text) => {
  const bytes = encode(text);
  expect(decodeAttachment(encodeAttachment({ name, bytes }))).toEqual({ name, bytes });
});

it.each(['', 'text', '{}\n', 'null\n', '{"name":1}\n', '{"name":"a"}', '\xff\n'])('refuses %j', (text) => {
  expect(() => decodeAttachment(Buffer.from(text, 'latin1'))).toThrow();
});
