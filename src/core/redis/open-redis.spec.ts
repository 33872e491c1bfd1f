import { parseSentinelUrl } from './open-redis';

describe('the address of a Redis behind Sentinels', () => {
  it('names Sentinels, the master, and a database', () => {
    expect(parseSentinelUrl('redis+sentinel://a:1,b.example,10.0.0.1:3/my-master/2')).toEqual({
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b.example', port: 26_379 },
        { host: '10.0.0.1', port: 3 },
      ],
      name: 'my-master',
      db: 2,
    });
  });

  it('carries credentials for Redis, and TLS', () => {
    expect(parseSentinelUrl('rediss+sentinel://ada:p%40ss@a/m')).toMatchObject({
      username: 'ada',
      password: 'p@ss',
      enableTLSForSentinelMode: true,
    });
    expect(parseSentinelUrl('redis+sentinel://:pass@a/m')).toMatchObject({ password: 'pass' });
  });

  it.each(['redis://a', 'redis+sentinel://a', 'redis+sentinel:///m', 'redis+sentinel://a/m/x'])('is not %s', (url) => {
    expect(parseSentinelUrl(url)).toBeNull();
  });
});
