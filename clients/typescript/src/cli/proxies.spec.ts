import { excludeLoopback } from './proxies.ts';

const before = process.env;
afterEach(() => {
  process.env = before;
});

it.each([
  ['http://localhost:4000/hooks', {}, 'localhost'],
  ['http://hooks.localhost:4000', {}, 'hooks.localhost'],
  ['http://127.0.0.2:4000', { NO_PROXY: 'corp.example' }, 'corp.example,127.0.0.2'],
  ['http://[::1]:4000', { NO_PROXY: 'other.example', no_proxy: 'corp.example' }, 'corp.example,[::1]'],
  ['http://localhost.example:4000', { NO_PROXY: 'corp.example' }, undefined],
])('lets a request to %s with %j use no proxy of its own computer only: %s', (target, env, noProxy) => {
  process.env = { ...env };
  excludeLoopback(new URL(target));
  expect(process.env.no_proxy).toBe(noProxy);
});
