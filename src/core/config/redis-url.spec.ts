import { parseClusterUrl, parseSentinelUrl } from './redis-url';

describe('the address of a Redis behind Sentinels', () => {
  it('names Sentinels, the master, and a database', () => {
    expect(parseSentinelUrl('redis+sentinel://a:1,b.example,10.0.0.1:3,[fd00::1]:4,[fd00::2]/my-master/2')).toEqual({
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b.example', port: 26_379 },
        { host: '10.0.0.1', port: 3 },
        { host: 'fd00::1', port: 4 },
        { host: 'fd00::2', port: 26_379 },
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

  it('carries other credentials for the Sentinels', () => {
    const parameters = 'sentinelUsername=bob&sentinelPassword=s%26%3Dt';
    expect(parseSentinelUrl(`redis+sentinel://ada:pass@a/m/1?${parameters}`)).toMatchObject({
      username: 'ada',
      password: 'pass',
      db: 1,
      sentinelUsername: 'bob',
      sentinelPassword: 's&=t',
    });
    expect(parseSentinelUrl('redis+sentinel://a/m?sentinelPassword=s')).toMatchObject({ sentinelPassword: 's' });
    expect(parseSentinelUrl('redis+sentinel://a/m?sentinelPassword=a+b')).toMatchObject({ sentinelPassword: 'a+b' });
  });

  it.each([
    'redis://a',
    'redis+sentinel://a',
    'redis+sentinel:///m',
    'redis+sentinel://a/m/x',
    'redis+sentinel://a/m?sentinelpassword=misspelled',
    'redis+cluster://a',
  ])('is not %s', (url) => {
    expect(parseSentinelUrl(url)).toBeNull();
  });
});

describe('the address of a Redis Cluster', () => {
  it('names some of its nodes', () => {
    expect(parseClusterUrl('redis+cluster://a:1,b.example,[fd00::1]:2')).toEqual({
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b.example', port: 6_379 },
        { host: 'fd00::1', port: 2 },
      ],
      options: {},
    });
  });

  it('carries credentials, and TLS', () => {
    expect(parseClusterUrl('rediss+cluster://ada:p%40ss@a:1')).toEqual({
      nodes: [{ host: 'a', port: 1 }],
      options: { username: 'ada', password: 'p@ss', tls: {} },
    });
    expect(parseClusterUrl('redis+cluster://:pass@a/')).toMatchObject({ options: { password: 'pass' } });
  });

  it.each(['redis://a', 'redis+cluster://', 'redis+cluster://a/1', 'redis+cluster://a?b=c', 'redis+sentinel://a/m'])(
    'is not %s',
    (url) => {
      expect(parseClusterUrl(url)).toBeNull();
    },
  );
});
