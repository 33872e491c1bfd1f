import { listResources } from './resources';

describe('the catalogue of resources', () => {
  const findRepeated = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index);

  it('has no id prefix twice', () => {
    expect(findRepeated(listResources().flatMap(({ idPrefix }) => idPrefix ?? []))).toEqual([]);
  });

  it('has no tag twice', () => {
    expect(findRepeated(listResources().flatMap(({ tag }) => tag?.name ?? []))).toEqual([]);
  });

  it('has no device permission twice', () => {
    const permissions = listResources().flatMap(({ devicePermissions }) => Object.keys(devicePermissions ?? {}));
    expect(findRepeated(permissions)).toEqual([]);
  });
});
