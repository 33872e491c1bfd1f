import { deleteLocalLists, addLocalEntry, readLocalList } from './local-lists';

/** Storage of a browser, whose entries are its own properties. */
class TestStorage {
  getItem(key: string): string | null {
    return (this as unknown as Record<string, string>)[key] ?? null;
  }
  setItem(key: string, value: string): void {
    Object.assign(this, { [key]: value });
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}

describe('the lists that a browser keeps', () => {
  beforeEach(() => Object.assign(globalThis, { localStorage: new TestStorage() }));
  afterAll(() => Reflect.deleteProperty(globalThis, 'localStorage'));

  it('have the newest entry first, each once, up to a length', () => {
    for (const folder of ['a', 'b', 'a', 'c']) addLocalEntry('acc_1', 'folders', folder, 2);
    expect(readLocalList('acc_1', 'folders')).toEqual(['c', 'a']);
    expect(readLocalList('acc_2', 'folders')).toEqual([]);
  });

  it('are deleted with their account', () => {
    addLocalEntry('acc_1', 'folders', 'a', 2);
    addLocalEntry('acc_12', 'folders', 'b', 2);
    deleteLocalLists('acc_1');
    expect([readLocalList('acc_1', 'folders'), readLocalList('acc_12', 'folders')]).toEqual([[], ['b']]);
  });

  it('are empty if somebody has damaged them, or the browser allows none', () => {
    localStorage.setItem('external-api-local:acc_1:folders', '{');
    expect(readLocalList('acc_1', 'folders')).toEqual([]);
    localStorage.setItem('external-api-local:acc_1:folders', '{"length": 1}');
    expect(readLocalList('acc_1', 'folders')).toEqual([]);
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get: () => {
        throw new DOMException('Denied', 'SecurityError');
      },
    });
    expect(() => addLocalEntry('acc_1', 'folders', 'a', 2)).not.toThrow();
    expect(() => deleteLocalLists('acc_1')).not.toThrow();
    expect(readLocalList('acc_1', 'folders')).toEqual([]);
    Reflect.deleteProperty(globalThis, 'localStorage');
  });
});
