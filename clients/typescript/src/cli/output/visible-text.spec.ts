import { hideCredentials } from './visible-text.ts';

describe('a text that the user may have typed', () => {
  it.each(['pat', 'oat', 'ort', 'ocs', 'dev'])('has no secret of the kind svc_%s', (kind) => {
    const text = `"svc_${kind}_0123456789abcdefABCDEF" is not a command. See: svc_${kind}_…`;
    expect(hideCredentials(text)).toBe(`"svc_${kind}_…" is not a command. See: svc_${kind}_…`);
  });
});
