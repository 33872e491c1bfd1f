import { detectFileType } from './file-type';

it.each([
  ['a PNG', '\x89PNG\r\n\x1a\n…', 'image/png'],
  ['a JPEG', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['a GIF', 'GIF89a\x01', 'image/gif'],
  ['a WebP', 'RIFF\n\x00\x00\x00WEBPVP8 ', 'image/webp'],
  ['a PDF', '%PDF-1.7', 'application/pdf'],
  ['text', 'gr\xc3\xb6\xc3\x9fer', 'text/plain; charset=utf-8'],
  ['a picture of vectors, which may contain scripts', '<svg onload="alert(1)"/>', 'text/plain; charset=utf-8'],
  ['an empty file', '', 'text/plain; charset=utf-8'],
  ['text in another encoding', 'gr\xf6\xdfer', 'application/octet-stream'],
  ['bytes that are characters, with a NUL', 'a\x00b', 'application/octet-stream'],
  ['a sound in the container of WebP', 'RIFF\n\x00\x00\x00WAVEfmt ', 'application/octet-stream'],
  ['a signature that is not at the beginning', ' %PDF-1.7\xff', 'application/octet-stream'],
])('knows %s by its content', (_, latin1, mediaType) => {
  expect(detectFileType(Buffer.from(latin1, 'latin1')).mediaType).toBe(mediaType);
});
