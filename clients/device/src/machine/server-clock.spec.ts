import { ServerClock } from './server-clock';

const HOUR_MS = 3_600_000;
const SERVER_TIME = 1_800_000_000_000;

let timeOfDay: number;
let monotonicTime: number;
let clock: ServerClock;

beforeEach(() => {
  [timeOfDay, monotonicTime] = [1_700_000_000_000, 1_000.5];
  jest.spyOn(Date, 'now').mockImplementation(() => timeOfDay);
  jest.spyOn(performance, 'now').mockImplementation(() => monotonicTime);
  clock = new ServerClock();
  clock.setServerTime(SERVER_TIME);
});
afterEach(() => jest.restoreAllMocks());

it("follows the service's time", () => {
  expect([clock.now(), clock.isUncertain]).toEqual([SERVER_TIME, false]);
  timeOfDay += HOUR_MS;
  monotonicTime += HOUR_MS - 1;
  expect([clock.now(), clock.isUncertain]).toEqual([SERVER_TIME + HOUR_MS, false]);
});

it('goes on when the time of day is set back, and is uncertain', () => {
  timeOfDay -= HOUR_MS;
  monotonicTime += 10;
  expect([clock.now(), clock.isUncertain]).toEqual([SERVER_TIME + 10, true]);
});

it('follows the time of a message, unless it is earlier', () => {
  clock.advanceTo(SERVER_TIME - HOUR_MS);
  expect(clock.now()).toBe(SERVER_TIME);
  clock.advanceTo(SERVER_TIME + HOUR_MS);
  expect([clock.now(), clock.isUncertain]).toEqual([SERVER_TIME + HOUR_MS, false]);
});

it('counts the time in which the computer slept, and is uncertain', () => {
  timeOfDay += HOUR_MS;
  expect([clock.now(), clock.isUncertain]).toEqual([SERVER_TIME + HOUR_MS, true]);
});
