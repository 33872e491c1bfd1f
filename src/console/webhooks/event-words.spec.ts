import { EVENT_TYPES } from '../../events';
import { EVENT_GROUPS } from './event-words';

it('every event type can be chosen once, but for the test', () => {
  const chosen = EVENT_GROUPS.flatMap(({ types }) => types);
  expect(chosen.sort()).toEqual(EVENT_TYPES.filter((type) => type !== 'webhook.test').sort());
});
