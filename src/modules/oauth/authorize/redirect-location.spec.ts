import { buildRedirectLocation } from './redirect-location';

describe('redirect location of an app', () => {
  const location = (redirectUri: string, state: Buffer | null = Buffer.from('s')) =>
    buildRedirectLocation({ redirectUri, state }, 'https://api.test', { code: 'c' });
  const answer = 'code=c&iss=https%3A%2F%2Fapi.test&state=s';

  it.each([
    ['https://app.example/cb', `https://app.example/cb?${answer}`],
    ['https://app.example', `https://app.example?${answer}`],
    ['https://app.example/cb?x=1', `https://app.example/cb?x=1&${answer}`],
    ['https://app.example/cb?', `https://app.example/cb?${answer}`],
    ['https://app.example/cb?x=1&', `https://app.example/cb?x=1&${answer}`],
  ])('keeps the query of %s (RFC 6749 §3.1.2)', (uri, expected) => {
    expect(location(uri)).toBe(expected);
  });

  it('has a state only if the request had one, and encodes every byte of it', () => {
    expect(location('https://app.example/cb', null)).not.toContain('state');
    const odd = Buffer.from([0, 10, 13, 38, 61, 35, 255]);
    expect(location('https://app.example/cb', odd)).toMatch(/&state=%00%0A%0D%26%3D%23%FF$/);
  });
});
