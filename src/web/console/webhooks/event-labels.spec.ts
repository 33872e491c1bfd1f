import { EVENT_TYPES } from '../../../core/events';
import { EVENT_GROUPS } from './event-labels';

it('every event type can be chosen once, but for the test', () => {
  const chosen = EVENT_GROUPS.flatMap(({ types }) => types);
  expect(chosen.sort()).toEqual(EVENT_TYPES.filter((type) => type !== 'webhook.test').sort());
});
