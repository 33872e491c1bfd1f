import { getFileNameOfUri, toFileName } from './file-name';

it.each([
  ['chart.png', 'chart.png'],
  ['../../.ssh/authorized_keys', 'authorized_keys'],
  ['C:\\Users\\ada\\Größe 1.txt', 'Größe 1.txt'],
  ['.bashrc', 'bashrc'],
  ['-rf', 'rf'],
  ['a/..', ''],
  ['a\u202egnp.exe', 'a_gnp.exe'],
  ['[x](y)\n\0.md', '_x_y_.md'],
  [`${'ä'.repeat(300)}.tar.gz`, `${'ä'.repeat(57)}.gz`],
  ['\u{10400}'.repeat(61), '\u{10400}'.repeat(60)],
  ['', ''],
])('reduces the path %j to %j', (path, name) => {
  expect(toFileName(path)).toBe(name);
  expect(Buffer.byteLength(name)).toBeLessThan(255);
});

it.each([
  ['file:///tmp/a%20b.png?size=2#top', 'a b.png'],
  ['file:///tmp/%2e%2e%2fpasswd', 'passwd'],
  ['https://example.com/', ''],
  ['data:text/plain,secret/name', ''],
  ['plots/chart.png', 'chart.png'],
  ['file:///%', '_'],
])('finds the name in the URI %j', (uri, name) => {
  expect(getFileNameOfUri(uri)).toBe(name);
});
