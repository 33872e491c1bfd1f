import { invalidRequestError, type RequestViolation } from './api-error';

const createViolations = (count: number, name: string): RequestViolation[] =>
  Array.from({ length: count }, (_, i) => ({
    in: 'body',
    path: `/${i}${name}`,
    code: 'unknown_field',
    message: `/${i}${name} is not a field of this request.`,
  }));
const getReportedViolations = (violations: RequestViolation[]) =>
  invalidRequestError(violations).extras.members!.errors as RequestViolation[];

describe('the answer to a request with many violations', () => {
  it('lists the first 20 and says how many there are', () => {
    expect(getReportedViolations(createViolations(20, ''))).toEqual(createViolations(20, ''));
    expect(getReportedViolations(createViolations(21, ''))).toEqual(createViolations(20, ''));
    expect(invalidRequestError(createViolations(4_000, '')).detail).toBe('The request has 4000 violations.');
  });

  it.each(['\u0001', '"', 'é', '💻', '\ud800'])('stays under 64 KiB with names of %j only', (character) => {
    const text = JSON.stringify(getReportedViolations(createViolations(4_000, character.repeat(1_000_000))));
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
  });

  it('cuts a long name between characters', () => {
    for (const padding of ['', 'a']) {
      const [{ path, message }] = getReportedViolations(createViolations(1, padding + '💻'.repeat(500))) as [
        RequestViolation,
      ];
      expect(path + message).not.toMatch(/\p{Surrogate}/u);
      expect(path).toMatch(/💻…$/);
      expect(path.length).toBeLessThanOrEqual(128);
    }
    expect(getReportedViolations(createViolations(1, 'a'.repeat(100)))).toEqual(createViolations(1, 'a'.repeat(100)));
  });
});
