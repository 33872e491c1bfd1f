import { renderToString } from 'preact-render-to-string';
import { MINUTE } from '../../../common/clock';
import type { DeviceDto } from '../../../modules/devices';
import { createFormState } from '../forms/form-state';
import { DeviceList } from './device-list';

const NOW = Date.UTC(2026, 0, 1);

it.each([
  ['active now', 'at this moment', NOW],
  ['active now', 'less than a minute ago', NOW - MINUTE + 1],
  ['last active', 'a minute ago', NOW - MINUTE],
  ['never active', 'never', null],
])('an account device is called "%s" if it was last seen %s', (state, _, lastSeenAt) => {
  const device = { id: 'dev_1', name: 'laptop', kind: 'account', platform: 'macOS', state: 'offline', lastSeenAt };
  const html = renderToString(
    <DeviceList
      devices={{ data: [device as DeviceDto], nextCursor: null }}
      recoveryKeys={[]}
      cursor={undefined}
      currentDeviceId="dev_2"
      codeForm={createFormState()}
      now={NOW}
    />,
  );
  expect(html.match(/active now|last active|never active/g)).toEqual([state]);
});
