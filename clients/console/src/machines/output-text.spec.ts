import { decodeBase64, OutputText } from './output-text';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('OutputText', () => {
  it('joins parts, and drops what arrives twice', () => {
    const output = new OutputText();
    output.addBytes(0, bytes('abc'));
    output.addBytes(1, bytes('bcde'));
    output.addBytes(0, bytes('abc'));
    expect([output.writtenText, output.nextOffset]).toEqual(['abcde', 5]);
  });

  it('joins characters that are divided between parts', () => {
    const output = new OutputText();
    const text = bytes('ä€');
    output.addBytes(0, text.subarray(0, 1));
    output.addBytes(1, text.subarray(1, 3));
    output.addBytes(3, text.subarray(3));
    expect(output.writtenText).toBe('ä€');
  });

  it('says what is missing', () => {
    const output = new OutputText();
    output.addBytes(0, bytes('a'));
    output.addBytes(11, bytes('b'));
    expect(output.writtenText).toBe('a\n[… 10 bytes are missing here …]\nb');
  });

  it('drops the parts of characters at both ends of what is missing', () => {
    const output = new OutputText();
    const text = bytes('a😀b😀c');
    output.addBytes(0, text.subarray(0, 3));
    output.addBytes(8, text.subarray(8, 9));
    output.addBytes(9, text.subarray(9));
    expect(output.writtenText).toBe('a\n[… 5 bytes are missing here …]\nc');
    output.addBytes(99, bytes('d'));
    output.addBytes(100, new Uint8Array([0x80]));
    expect(output.writtenText).toMatch(/missing here …\]\nd\ufffd$/);
  });

  it('begins with a whole character after long lines', () => {
    const output = new OutputText(101);
    output.addBytes(0, bytes('😀'.repeat(100)));
    expect(output.writtenText).toBe(`[… earlier output is not shown …]\n${'😀'.repeat(50)}`);
  });

  it('has a bounded length, and begins with a whole line', () => {
    const output = new OutputText(100);
    for (let i = 0; i < 100; i++) output.addBytes(i * 5, bytes(`${1000 + i}\n`));
    const lines = output.writtenText.split('\n');
    expect(lines[0]).toBe('[… earlier output is not shown …]');
    expect([lines[1], lines.at(-2)]).toEqual(['1080', '1099']);
    output.addBytes(500, bytes('x'.repeat(1_000_000)));
    expect(output.writtenText.length).toBeLessThan(200);
  });
});

describe('base64', () => {
  it('is decoded to bytes', () => expect([...decodeBase64('AP8K')]).toEqual([0, 255, 10]));
});
