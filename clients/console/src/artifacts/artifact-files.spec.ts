import { buildFileName, choosePreview, detectImageType, formatBytes } from './artifact-files';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
const encode = (text: string) => new TextEncoder().encode(text);

describe('the preview of an artifact', () => {
  it('is an image only with the first bytes of its type', () => {
    expect(choosePreview({ mediaType: 'image/png', bytes: PNG })).toEqual({ kind: 'image', mediaType: 'image/png' });
    expect(choosePreview({ mediaType: 'IMAGE/PNG; q=1', bytes: PNG }).kind).toBe('image');
    for (const mediaType of ['image/jpeg', 'image/gif', 'image/webp']) {
      expect(choosePreview({ mediaType, bytes: PNG }).kind).toBe('false-image');
    }
    expect(choosePreview({ mediaType: 'image/png', bytes: encode('<script>') }).kind).toBe('false-image');
    expect(detectImageType(encode('RIFF\u0001\u0001\u0001\u0001WEBPVP8 '))).toBe('image/webp');
    expect(detectImageType(encode('RIFF\u0001\u0001\u0001\u0001WAVE'))).toBeNull();
    expect(detectImageType(encode('GIF89a'))).toBe('image/gif');
    expect(detectImageType(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toBe('image/jpeg');
  });

  it.each(['text/html', 'image/svg+xml', 'application/json', 'application/octet-stream', ''])(
    'is text for valid UTF-8 of the type %j',
    (mediaType) => {
      const text = '<svg onload="alert(1)">ü</svg>';
      expect(choosePreview({ mediaType, bytes: encode(text) })).toEqual({ kind: 'text', text, isDiff: false });
    },
  );

  it.each(['text/x-diff', 'text/X-Patch; charset=utf-8'])('is a diff of the type %s', (mediaType) => {
    expect(choosePreview({ mediaType, bytes: encode('+a') })).toEqual({ kind: 'text', text: '+a', isDiff: true });
  });

  it('is nothing for other bytes', () => {
    expect(choosePreview({ mediaType: 'text/plain', bytes: Uint8Array.from([0xff, 0xfe]) }).kind).toBe('none');
    expect(choosePreview({ mediaType: 'text/plain', bytes: encode('a\0b') }).kind).toBe('none');
    expect(choosePreview({ mediaType: 'application/pdf', bytes: PNG }).kind).toBe('none');
  });
});

describe('a download', () => {
  it.each([
    ['ses_1/turn_2.patch', 'text/x-diff', 'turn_2.patch'],
    ['report', 'text/html; charset=utf-8', 'report.html'],
    ['report', 'application/json', 'report.json'],
    ['report', 'text/markdown', 'report.md'],
    ['report', 'text/x-patch', 'report.patch'],
    ['chart', 'image/jpeg', 'chart.jpg'],
    ['chart', 'image/svg+xml', 'chart.svg'],
    ['lpt1.log', 'x/y', 'artifact_lpt1.log'],
    ['../../etc/passwd', 'x/y', 'passwd'],
    ['..', 'text/plain', 'artifact.txt'],
    ['C:\\Windows\\nul', 'x/y', 'artifact_nul'],
    ['invoice\u202efdp.exe', 'application/pdf', 'invoice_fdp.exe'],
    ['a\u0000b:c?', 'x/y', 'a_b_c_'],
    [`${'x'.repeat(98)}.𝒳`, 'x/y', 'x'.repeat(98)],
  ])('of %j is named safely', (tag, mediaType, name) => expect(buildFileName(tag, mediaType)).toBe(name));

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_000, '1 kB'],
    [1_500, '1.5 kB'],
    [48_213, '48 kB'],
    [1_000_000, '1 MB'],
    [8_372_224, '8.4 MB'],
  ])('of %i bytes has the size %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
