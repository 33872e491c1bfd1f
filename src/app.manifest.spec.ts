import { EVENTS, RESOURCES, SCOPES } from './app.manifest';

describe('the manifests', () => {
  const findRepeated = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index);
  const resources = Object.values(RESOURCES);

  it('declare no id prefix twice', () => {
    expect(findRepeated(resources.flatMap(({ idPrefix }) => idPrefix ?? []))).toEqual([]);
  });

  it('declare no tag twice', () => {
    expect(findRepeated(resources.flatMap(({ tag }) => tag?.name ?? []))).toEqual([]);
  });

  it('declare no device permission twice', () => {
    expect(findRepeated(resources.flatMap(({ devicePermissions }) => Object.keys(devicePermissions ?? {})))).toEqual(
      [],
    );
  });

  it('offer every scope in forms, but for those that permit nothing yet', () => {
    const withoutGroup = Object.entries(SCOPES).filter(([, { group }]) => !group);
    expect(withoutGroup.map(([, { consent }]) => consent)).toEqual(
      Array(withoutGroup.length).fill('Reserved for later use; allows nothing yet'),
    );
  });

  it('offer every event in forms, but for the test', () => {
    const withoutGroup = Object.entries(EVENTS).filter(([, { group }]) => !group);
    expect(withoutGroup.map(([type]) => type)).toEqual(['webhook.test']);
  });
});
